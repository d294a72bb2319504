"""The one reader of raw/: finding sources, their text, its numbered lines and segments."""
