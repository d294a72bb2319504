"""The one door to git: discover a wiki, read its commits and files, move a ref."""
