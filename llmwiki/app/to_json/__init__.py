"""Values as the JSON objects of `app.shapes`."""
