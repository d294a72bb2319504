"""Reading a source into claims: the schema, its prompt, and who fills it."""
