"""Look-ups over the facts of pages."""
