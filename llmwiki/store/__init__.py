"""The transaction: the one road by which files of the wiki change."""
