"""Files of a person below raw/ that went to a branch for review: a copy each, in the git directory.

git overwrites no untracked file, so a merge of the branch would stop at the one that lies in the
work tree. The branch has its bytes; the copy is there for the case that the branch is deleted.
"""

from __future__ import annotations

from llmwiki.core.text import sha256_hex
from llmwiki.repo.repository import Repository
from llmwiki.store.private import common_files

_FOLDER = "review"


def _name(branch: str, path: str) -> str:
    key = sha256_hex(path.encode("utf-8", "surrogateescape"))[:16]
    return f"{_FOLDER}/{sha256_hex(branch.encode())[:16]}/{key}"


def keep_moved(repo: Repository, branch: str, path: str, data: bytes) -> None:
    """Keeps the bytes of a file that the branch has taken over."""
    common_files(repo).write(_name(branch, path), data)


def kept_copy(repo: Repository, branch: str, path: str) -> bytes | None:
    """The bytes that were kept of a file; None where there are none."""
    return common_files(repo).read(_name(branch, path))


def forget_moved(repo: Repository, branch: str) -> None:
    """Drops the copies of a branch: its files are committed, or lie in the work tree again."""
    files = common_files(repo)
    folder = _name(branch, "").rpartition("/")[0]
    for name in files.names(folder):
        files.delete(name)
