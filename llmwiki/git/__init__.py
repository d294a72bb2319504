"""The only runner of git: discover a wiki, read its commits and files, move a ref."""
