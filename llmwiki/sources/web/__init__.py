"""Pages of the web as sources. Nothing else of the program opens a connection but to a model."""
