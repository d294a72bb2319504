"""The index as a whole: made anew on request, and compared with one made anew."""

from __future__ import annotations

from hashlib import blake2b

from llmwiki.core.errors import StateError
from llmwiki.index import file
from llmwiki.index.build_file import make_anew
from llmwiki.index.open_index import Index, open_corpus, why
from llmwiki.repo.repository import Repository


def rebuild(repo: Repository) -> int:
    """Make the index anew; returns how many pages it holds. Raises StateError, LockTimeout."""
    path = file.folder_of(repo.git_dir) / file.NAME
    try:
        with file.turn(path.parent):
            make_anew(repo, path)
        with open_corpus(repo) as index:
            return index.pages
    except OSError as error:
        raise StateError(f"cannot write the index: {why(error)}", where=str(path)) from error


def differences(repo: Repository) -> tuple[int, list[str]]:
    """Compare the index, brought up to date, with one made anew.

    Returns how many pages were compared, and a line for each table that differs.
    """
    with open_corpus(repo, fresh=True) as index, file.temporary_folder() as folder:
        make_anew(repo, folder / file.NAME)
        other = Index(file.connect(folder / file.NAME), repo, committed=False)
        try:
            other.hold()
            return index.pages, _compared(index, other)
        finally:
            other.close()


def _compared(index: Index, other: Index) -> list[str]:
    found = []
    for name, told in (
        ("pages", _pages),
        ("postings", _postings),
        ("counts", lambda i: list(i.db.execute("SELECT * FROM tally ORDER BY kind, key"))),
        ("uncommitted pages", lambda i: sorted(i.strays.items())),
        ("commit", lambda i: i.commit),
    ):
        if told(index) != told(other):
            found.append(f"{name} differ")
    return found


def _pages(index: Index) -> list[tuple[object, ...]]:
    columns = "path, oid, type, title, description, rest, runs, doc"
    return [
        (*row, index.lengths[doc], index.title_lengths[doc])
        for *row, doc in index.db.execute(f"SELECT {columns} FROM page ORDER BY path")
    ]


def _postings(index: Index) -> dict[str, bytes]:
    """A digest of the postings of each key, pages by their paths."""
    keys = [key for (key,) in index.db.execute("SELECT DISTINCT key FROM posting ORDER BY key")]
    paths = dict(index.db.execute("SELECT doc, path FROM page"))
    digests = {}
    for start in range(0, len(keys), 400):
        for key, held in index.postings(keys[start : start + 400]).items():
            told = sorted(zip((paths[doc] for doc in held.docs), held.codes, strict=True))
            digests[key] = blake2b(repr(told).encode(), digest_size=16).digest()
    return digests
