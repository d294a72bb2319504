"""llmwiki: a git-backed wiki that a language model maintains."""

__version__ = "0.1.0"
