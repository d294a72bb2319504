"""From the pages as they shall be to a commit: every change of the wiki goes this way."""
