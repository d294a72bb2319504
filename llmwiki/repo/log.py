"""Commits as values, newest first, with the trailers that operations write."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from llmwiki.repo.border import Border, Parents
from llmwiki.repo.git import Git

_MARK = "\x1e" + os.urandom(12).hex()
"""What comes before each commit; nobody who writes a message can know it."""
_FORMAT = f"{_MARK}%H%x00%P%x00%an%x00%ae%x00%ct%x00%B%x00"
_LAST_SECOND = 253_402_300_799
"""Of the year 9999: git takes later dates, and `datetime` does not."""
_TRAILER = re.compile(r"([A-Za-z0-9][A-Za-z0-9-]*+):[ \t]*+(.*)\Z")
_ID = re.compile(r"[0-9a-f]{12}")
_KIND = re.compile(r"[a-z]{1,20}")


class Commit(NamedTuple):
    """One commit."""

    oid: str
    parents: Parents
    author: str
    email: str
    time: int
    """Committer's time, seconds since the epoch."""
    message: str
    trailers: tuple[tuple[str, str], ...]

    @property
    def subject(self) -> str:
        """The first line of the message."""
        return self.message.partition("\n")[0]

    @property
    def date(self) -> datetime:
        """The committer's time in UTC."""
        return datetime.fromtimestamp(min(max(self.time, 0), _LAST_SECOND), UTC)

    def values(self, key: str) -> tuple[str, ...]:
        """The values of all trailers with this key, case ignored, in order."""
        return tuple(value for name, value in self.trailers if name.lower() == key.lower())

    def value(self, key: str) -> str | None:
        """The value of the last trailer with this key."""
        return (self.values(key) or (None,))[-1]

    @property
    def kind(self) -> str | None:
        """The kind of operation (`Wiki-Op`); None for a commit made without `wiki`."""
        return self.value("Wiki-Op")

    @property
    def operation(self) -> str | None:
        """The operation's id (`Wiki-Id`)."""
        return self.value("Wiki-Id")

    @property
    def own(self) -> tuple[str, str] | None:
        """Id and kind, where both are of the form in which this program writes them."""
        ident, kind = self.operation or "", self.kind or ""
        return (ident, kind) if _ID.fullmatch(ident) and _KIND.fullmatch(kind) else None

    @property
    def batch(self) -> str | None:
        """The batch's id (`Wiki-Batch`)."""
        return self.value("Wiki-Batch")

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources named (`Wiki-Source: raw/… sha256:…`)."""
        return self.values("Wiki-Source")


def parse_trailers(message: str) -> tuple[tuple[str, str], ...]:
    """The trailers in the last paragraph of a message, folded lines joined by one blank.

    Stricter than git-interpret-trailers(1): every line of that paragraph must be a trailer or the
    continuation of one, and the paragraph must not be the subject.
    """
    paragraphs = re.split(r"\n[ \t]*\n", message.strip("\n"))
    if len(paragraphs) < 2:
        return ()
    found: list[tuple[str, str]] = []
    for line in paragraphs[-1].split("\n"):
        if line[:1] in (" ", "\t") and found:
            key, value = found[-1]
            found[-1] = (key, f"{value} {line.strip()}".strip())
            continue
        match = _TRAILER.match(line)
        if match is None:
            return ()
        found.append((match[1], match[2].strip()))
    return tuple(found)


def _parse(record: bytes, border: Border) -> Commit:
    oid, parents, author, email, time, message = record.decode("utf-8", "surrogateescape").split(
        "\0"
    )
    return Commit(
        oid=oid,
        parents=border.parents(oid, tuple(parents.split())),
        author=author,
        email=email,
        time=int(time or 0),
        message=message,
        trailers=parse_trailers(message),
    )


def walk(
    git: Git,
    revision: str,
    *,
    border: Border,
    paths: Sequence[str] = (),
    limit: int | None = None,
) -> Iterator[Commit]:
    """Commits reachable from `revision` (also `A..B`), newest first, as git streams them.

    `paths` (relative to the top) keeps the commits that touched them, and those of the border,
    of which that is not known. Stop early by closing the iterator: git is then ended.
    Raises GitError for an unknown revision.
    """
    args = ["log", f"--format={_FORMAT}", "-z", "--no-color"]
    if limit is not None:
        args.append(f"--max-count={limit}")
    with git.start(*args, "--end-of-options", revision, "--", *paths, stdin=False) as process:
        for record in process.records(_MARK, "log", revision):
            yield _parse(record.strip(b"\0"), border)
