"""What coding agents are told, and what models write: briefing, recall, checked edits."""
