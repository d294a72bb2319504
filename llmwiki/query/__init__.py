"""Questions to the wiki: from context to an answer whose citations were checked."""
