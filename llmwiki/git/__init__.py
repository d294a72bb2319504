"""The only runner of git: find a wiki, read its commits and files, move a ref."""
