"""Lint: rules over pages and the wiki as a whole, without a model, a key or a network."""
