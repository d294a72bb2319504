"""`wiki mcp`: the server on standard input and output, and its entry in the settings of hosts."""
