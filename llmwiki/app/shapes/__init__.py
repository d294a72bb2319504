"""The shape of every JSON object that a command prints, `llmwiki.NAME/1`, a module a subject.

A class says which keys an object has, and where a value has what they show (`shape.py`);
`app.schemas` makes JSON Schemas of them. Keys are never taken away or given another meaning within
a version.
"""
