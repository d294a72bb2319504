"""A server of the Model Context Protocol: messages in, one call of app, one bounded answer out."""
