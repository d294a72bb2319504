"""The only caller of a model."""
