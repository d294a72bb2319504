"""Values as JSON objects, in the shapes of `app.shapes`."""
