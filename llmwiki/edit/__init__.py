"""Direct edits of memory: notes."""
