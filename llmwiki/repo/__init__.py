"""The one door to git: discover a wiki, read its commits and files, move a ref."""

from llmwiki.repo.git import GitError
from llmwiki.repo.log import Commit, parse_trailers
from llmwiki.repo.refs import Head
from llmwiki.repo.repository import Repository, State, TreeChange

__all__ = ["Commit", "GitError", "Head", "Repository", "State", "TreeChange", "parse_trailers"]
