"""A second reading of the wiki itself: questions that lint and graph raise, and their answers."""
