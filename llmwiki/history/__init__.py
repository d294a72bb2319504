"""What happened: log and undo."""
