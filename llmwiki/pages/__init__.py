"""Pages: text to value and back, and the algebra of their changes. Pure."""
