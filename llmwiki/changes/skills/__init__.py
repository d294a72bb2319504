"""Skills: where they lie, which of them counts, how the agent's own change."""
