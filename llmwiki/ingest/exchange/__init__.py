"""Exchange: the wiki as a bundle of another format, and foreign pages as ours."""
