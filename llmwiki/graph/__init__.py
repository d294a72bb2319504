"""The wiki as a graph: pages, what joins them, and pictures of it."""
