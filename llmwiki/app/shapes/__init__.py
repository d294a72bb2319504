"""The JSON objects that commands print, a module a group of commands."""
