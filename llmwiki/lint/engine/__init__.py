"""How a lint runs: what is read again, what is kept, in how many processes."""
