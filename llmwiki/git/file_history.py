"""What commits did to files or folders, each found in one walk.

`page_commits` is the only use of GitPython: its walk takes 1.1 to 1.4 times what git's own does,
and its import 0.1 seconds, which no other command pays. It reads no ids of SHA-256.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from llmwiki.git.commits_and_trailers import (
    Commit,
    parents_of,
    parse_trailers,
    shallow_commits,
    walk,
)
from llmwiki.git.repository import Repository
from llmwiki.git.runner import clean_environment

_MARK = "\x1e" + os.urandom(12).hex()
"""What comes before each commit; nobody who names a file can know it."""
_NOTHING = "0" * 40


class FileChange(NamedTuple):
    """One file's difference between a commit and one of its parents."""

    path: str
    """Relative to the wiki's root."""
    old: str
    """Blob id in the parent; empty where the file is new."""
    new: str
    """Blob id in the commit; empty where the file is gone."""


class HistoryStep(NamedTuple):
    """A commit against one of its parents, as far as the asked files differ."""

    commit: str
    changes: tuple[FileChange, ...]
    """By path; never empty."""


def steps(repo: Repository, revision: str, paths: Sequence[str]) -> Iterator[HistoryStep]:
    """The steps of a range (`A..B`, or all behind `B`) that changed files at or below `paths`.

    Children come before parents. A merge makes a step for each parent it differs from; the first
    commit is against nothing. Reads the trees on the way to `paths`, never blobs. Not for a clone
    that lacks history (`Repository.incomplete`): where it ends, git compares with nothing.
    """
    args = ["log", f"--format={_MARK}%H", "-z", "--raw", "--no-abbrev", "--no-renames"]
    args += ["--diff-merges=separate", "--root", "--no-color", "--full-history", "--topo-order"]
    below = [repo.prefix + path for path in paths]
    with repo.git.start(*args, "--end-of-options", revision, "--", *below, stdin=False) as process:
        for record in process.records(_MARK):
            yield from _step(record, repo.prefix)


def _step(record: bytes, prefix: str) -> Iterator[HistoryStep]:
    commit, *words = record.decode("utf-8", "surrogateescape").split("\0")
    changes = []
    facts = ""
    for word in words:
        if facts:
            _before, _after, old, new, _letter = facts[1:].split(" ")
            changes.append(FileChange(word.removeprefix(prefix), _blob(old), _blob(new)))
            facts = ""
        elif word.lstrip("\n").startswith(":"):
            facts = word.lstrip("\n")
    if changes:
        yield HistoryStep(commit.strip(), tuple(sorted(changes)))


def _blob(oid: str) -> str:
    return "" if oid.startswith(_NOTHING) else oid


def not_before(repo: Repository, tip: str, others: Sequence[str]) -> frozenset[str]:
    """The commits behind `tip`, itself included, that are none of `others` nor behind them."""
    asked = "\n".join([tip, *(f"^{other}" for other in others), ""])
    out = repo.git.run("rev-list", "--stdin", stdin=asked.encode()).stdout
    return frozenset(out.decode().split())


def altered(repo: Repository, under: str) -> tuple[str, ...]:
    """Files of HEAD below `under` whose state in the work tree differs, sorted; none is read."""
    folder = (repo.prefix + under).rstrip("/")
    found = repo.git.records("diff-index", "--name-only", "-z", "HEAD", "--", folder)
    return tuple(sorted(path.removeprefix(repo.prefix) for path in found))


def mainline(repo: Repository) -> Iterator[tuple[str, int]]:
    """Commits from HEAD back along first parents, each with its committer's time in seconds since
    the epoch. Nothing on an unborn branch."""
    if repo.head() is None:
        return
    with repo.git.start("rev-list", "--first-parent", "--timestamp", "HEAD", stdin=False) as git:
        for row in git.records("\n", "rev-list"):
            seconds, _, oid = row.decode().strip().partition(" ")
            if oid:
                yield oid, int(seconds)


def commits_that_changed(repo: Repository, text: str, under: str) -> Sequence[str]:
    """The commits before HEAD in which the number of occurrences of `text` changed, newest first.

    `git log -S`: reads each commit's difference, so it costs what history below `under` holds.
    Those at which a shallow clone ends are none of them: of those that is not known.
    """
    if repo.head() is None:
        return ()
    folder = (repo.prefix + under).rstrip("/")
    out = repo.git.text("log", f"-S{text}", "--no-textconv", "--format=%H", "HEAD", "--", folder)
    shallow = shallow_commits(repo.common_dir)
    return tuple(oid for oid in out.split() if oid not in shallow)


def page_commits(repo: Repository, revision: str, path: str) -> Iterator[Commit]:
    """The commits behind a commit that changed the file at `path`, newest first, merges included
    where they changed it themselves; renames are not followed. Raises StateError."""
    shallow = shallow_commits(repo.common_dir)
    if len(revision) > len(_NOTHING):
        yield from walk(repo.git, revision, shallow=shallow, paths=[repo.prefix + path])
        return
    import git

    from llmwiki.core.errors import StateError

    # What the caller's environment says of another repository must not count here.
    own = {
        "GIT_DIR": str(repo.git_dir),
        "GIT_WORK_TREE": str(repo.top),
        "GIT_OBJECT_DIRECTORY": str(repo.common_dir / "objects"),
    }
    try:
        with git.Repo(repo.top, expand_vars=False) as opened:
            opened.git.update_environment(**clean_environment(own))
            for each in opened.iter_commits(revision, paths=repo.prefix + path):
                message = each.message if isinstance(each.message, str) else each.message.decode()
                yield Commit(
                    each.hexsha,
                    parents_of(each.hexsha, tuple(p.hexsha for p in each.parents), shallow),
                    each.author.name or "",
                    each.author.email or "",
                    each.committed_date,
                    message,
                    parse_trailers(message),
                )
    except (git.GitError, ValueError) as error:
        reason = str(error).strip().splitlines()
        raise StateError(f"git cannot list commits: {reason[-1] if reason else error}") from error


def renamed_from(repo: Repository, parent: str, commit: str, path: str) -> str:
    """Where the file at `path` lay before a commit, as git likens files; empty: it is new."""
    asked = ("diff-tree", "-r", "-z", "-M", "--diff-filter=R", "--name-status", "--no-color")
    rows = repo.git.records(*asked, parent, commit)
    pairs = zip(rows[1::3], rows[2::3], strict=True)
    found = next((old for old, new in pairs if new == repo.prefix + path), "")
    return found.removeprefix(repo.prefix) if found.startswith(repo.prefix) else ""
