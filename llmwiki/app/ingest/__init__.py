"""What `wiki ingest` and `wiki watch` do: sources named, read, estimated, prepared as jobs."""
