"""The one road by which memory changes: Changes to Plan to commit."""
