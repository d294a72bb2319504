"""Every use case as a function from values to values, and `Wiki`, whose methods they are."""
