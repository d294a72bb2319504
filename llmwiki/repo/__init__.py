"""The one door to git."""
