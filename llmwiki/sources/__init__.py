"""The one reader of raw/."""
