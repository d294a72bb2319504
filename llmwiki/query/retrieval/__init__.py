"""Finding pages and claims without a model."""
