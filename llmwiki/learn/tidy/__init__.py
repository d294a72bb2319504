"""The memory read once more by a model or an agent: notes that say the same, and outdated ones."""
