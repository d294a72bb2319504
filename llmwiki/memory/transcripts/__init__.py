"""The transcripts of other agents, read as conversations."""
