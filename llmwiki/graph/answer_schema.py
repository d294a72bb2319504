"""The name of the schema of an agent's edges, for those who need no more of it."""

EDGES_SCHEMA = "llmwiki.edges/1"
