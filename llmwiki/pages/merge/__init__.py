"""Pieces of several pages as one page: two sides merged, two pages made one, a part accepted."""
