"""Values as the JSON objects that commands print, a module a subject; see `app.as_json`."""
