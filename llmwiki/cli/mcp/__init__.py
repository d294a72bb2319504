"""`wiki mcp`: the server on standard input and output, and the entry for hosts."""
