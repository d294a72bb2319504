"""The shapes of JSON objects that commands print, by what the commands are about."""
