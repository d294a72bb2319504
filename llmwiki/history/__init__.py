"""Taking operations back."""
