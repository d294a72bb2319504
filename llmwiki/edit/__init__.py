"""Edits that no source asks for: init, notes, the overview, merging by hand."""
