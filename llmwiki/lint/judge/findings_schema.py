"""The name of the schema of an agent's findings, for those who need no more of it."""

FINDINGS_SCHEMA = "llmwiki.findings/1"
