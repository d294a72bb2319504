"""Values as the JSON objects that commands print, by subject."""
