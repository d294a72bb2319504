"""What confines the processes that read documents."""

from llmwiki.sources.sandbox import in_force as in_force
