"""What differs between two states of pages: rows, their changes, sentences and items of them."""
