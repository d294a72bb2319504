"""The JSON that commands print: `schemas/NAME.json` says which keys `llmwiki.NAME/1` has, and what
each means; a key is the attribute of that name, but for what `special_keys.py` says.

Keys are never taken away or given another meaning within a version.
"""
