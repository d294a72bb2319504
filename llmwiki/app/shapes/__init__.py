"""The shapes of JSON objects that commands print, by subject; see `app.json_models`."""
