"""The shapes of what commands print as JSON, by subject."""
