"""What each address of the web view answers."""
