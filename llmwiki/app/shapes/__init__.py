"""The shape of every JSON object that a command prints, `llmwiki.NAME/1`, a module a subject.

Types only: `app.to_json` makes the objects, and `app.schemas` makes JSON Schemas from these types.
Keys are never taken away or given another meaning within a version.
"""
