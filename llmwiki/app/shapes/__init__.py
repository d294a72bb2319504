"""The shapes of the JSON objects that commands print, a module a subject; see `app.json_models`."""
