"""Who asks: a person at a terminal, an agent over a protocol, a browser."""
