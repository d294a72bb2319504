"""The local web view: a request in, one call of app, one page out."""
