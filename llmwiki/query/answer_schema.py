"""The name of the schema of an agent's answer, for those who need no more of it."""

ANSWER_SCHEMA = "llmwiki.answer/1"
