"""Ingest: one source in, one verified commit out."""
