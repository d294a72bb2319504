"""What a reader sees: pages, sources, claims, the files of a vault, as values and as HTML."""
