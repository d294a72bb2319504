"""What changes memory by hand: taken back, decided, renamed, merged, tidied; and what changed."""
