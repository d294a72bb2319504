"""Values as the JSON objects that commands print, in the shapes of `app.shapes`."""
