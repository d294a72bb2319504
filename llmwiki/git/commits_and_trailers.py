"""Commits as values, newest first, with the trailers that operations write."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from llmwiki.core.errors import StateError
from llmwiki.git.runner import Git

_MARK = "\x1e" + os.urandom(12).hex()
"""What comes before each commit; nobody who writes a message can know it."""
_FORMAT = f"{_MARK}%H%x00%P%x00%an%x00%ae%x00%ct%x00%B%x00"
_LAST_SECOND = 253_402_300_799
"""Of the year 9999: git takes later dates, and `datetime` does not."""
_TRAILER = re.compile(r"([A-Za-z0-9][A-Za-z0-9-]*+):[ \t]*+(.*)\Z")
_OP, _ID_KEY = "Wiki-Op", "Wiki-Id"
_PARAGRAPH = re.compile(r"^(?:[^\S\n]*+\S[^\n]*+(?:\n|\Z))++", re.MULTILINE)
_PICKED = "(cherry picked from commit "
_SQUASHED = "    "
"""What stands before each line of a message in the one that `git merge --squash` proposes."""
_SUBJECT = re.compile(r"^(?:[*-] |    )?(wiki [a-z]{1,20}: )", re.MULTILINE)
"""Where the message of an operation begins in one that joins several."""
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
    """Those of all its operations; where it is none, those of its last paragraph."""

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
        """The kind of its operation (`Wiki-Op`), the last one where there are several; None for a
        commit made without `wiki`."""
        return self.value(_OP)

    @property
    def operation(self) -> str | None:
        """The id of its operation (`Wiki-Id`), of the last one where there are several."""
        return self.value(_ID_KEY)

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all its operations, in the order of its message."""
        return tuple(dict.fromkeys(self.values(_ID_KEY)))

    def by_operation(self) -> tuple[Commit, ...]:
        """The commit once for each operation in it: with that one's trailers, and with that part of
        the message that tells of it.

        A forge that squashes a branch into one commit joins the messages of many. None where it is
        no operation.
        """
        blocks = _operation_blocks(self.message)
        if len(blocks) <= 1:
            return (self,) if self.operation and self.kind else ()
        parts = (
            self._replace(message=_part(self.message, before, block), trailers=block.trailers)
            for before, block in zip((None, *blocks), blocks, strict=False)
        )
        return tuple({part.operation: part for part in parts}.values())

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


class _TrailerBlock(NamedTuple):
    """A paragraph of a message that holds nothing but trailers."""

    start: int
    """Where it stands in the message."""
    end: int
    trailers: tuple[tuple[str, str], ...]


def parse_trailers(message: str) -> tuple[tuple[str, str], ...]:
    """The trailers of all operations in a message; where it tells of none, those of its last
    paragraph. Folded lines are joined by one blank.

    Stricter than git-interpret-trailers(1): every line of a paragraph must be a trailer, the
    continuation of one, or what `git cherry-pick -x` adds, and the paragraph must not be the
    subject.
    """
    blocks = _blocks(message)
    operations = _those_of_operations(blocks)
    if operations:
        return tuple(pair for block in operations for pair in block.trailers)
    text = message.rstrip()
    last = next((block for block in blocks if block.end >= len(text)), None)
    return last.trailers if last else ()


def _operation_blocks(message: str) -> tuple[_TrailerBlock, ...]:
    return _those_of_operations(_blocks(message))


def _those_of_operations(blocks: Sequence[_TrailerBlock]) -> tuple[_TrailerBlock, ...]:
    wanted = {_OP.lower(), _ID_KEY.lower()}
    return tuple(b for b in blocks if wanted <= {name.lower() for name, _value in b.trailers})


def _blocks(message: str) -> list[_TrailerBlock]:
    """The paragraphs of a message, the subject excepted, that hold trailers only."""
    found = []
    paragraphs = list(_PARAGRAPH.finditer(message))
    for paragraph in paragraphs[1:]:
        lines = paragraph[0].rstrip("\n").split("\n")
        if all(line.startswith(_SQUASHED) for line in lines):
            lines = [line.removeprefix(_SQUASHED) for line in lines]
        trailers = _trailers_in(lines)
        if trailers:
            found.append(_TrailerBlock(paragraph.start(), paragraph.end(), trailers))
    return found


def _trailers_in(lines: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The trailers that the lines are; none where one of them is no trailer."""
    found: list[tuple[str, str]] = []
    for line in lines:
        if line[:1] in (" ", "\t") and found:
            key, value = found[-1]
            found[-1] = (key, f"{value} {line.strip()}".strip())
            continue
        if line.startswith(_PICKED):
            continue
        match = _TRAILER.match(line)
        if match is None:
            return ()
        found.append((match[1], match[2].strip()))
    return tuple(found)


def _part(message: str, before: _TrailerBlock | None, block: _TrailerBlock) -> str:
    """What a message says of one of its operations, from that one's own subject on.

    Where its subject was edited away, the message's own stands.
    """
    text = message[before.end if before else 0 : block.end]
    subjects = list(_SUBJECT.finditer(text))
    if subjects:
        text = text[subjects[-1].start(1) :]
    else:
        text = message.partition("\n")[0] + "\n\n" + text.strip("\n")
    return text.strip("\n") + "\n"


def _parse(record: bytes, shallow: frozenset[str]) -> Commit:
    oid, parents, author, email, time, message = record.decode("utf-8", "surrogateescape").split(
        "\0"
    )
    return Commit(
        oid=oid,
        parents=parents_of(oid, tuple(parents.split()), shallow),
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
    shallow: frozenset[str],
    paths: Sequence[str] = (),
    limit: int | None = None,
) -> Iterator[Commit]:
    """Commits reachable from `revision` (also `A..B`), newest first, as git streams them.

    `paths` (relative to the top) keeps the commits that touched them, and those at which
    a shallow clone ends, of which that is not known. Stop early by closing the iterator: git is
    then ended. Raises GitError for an unknown revision.
    """
    args = ["log", f"--format={_FORMAT}", "-z", "--no-color"]
    if limit is not None:
        args.append(f"--max-count={limit}")
    with git.start(*args, "--end-of-options", revision, "--", *paths, stdin=False) as process:
        for record in process.records(_MARK, "log", revision):
            yield _parse(record.strip(b"\0"), shallow)


def read_commits(git: Git, oids: Sequence[str], shallow: frozenset[str]) -> Iterator[Commit]:
    """These commits, in their order, read in one go."""
    args = ("log", "--no-walk=unsorted", "--stdin", f"--format={_FORMAT}", "-z", "--no-color")
    with git.start(*args, stdin=True) as process:
        # git reads all of it before it says anything, so neither waits for the other.
        process.write("".join(f"{oid}\n" for oid in dict.fromkeys(oids)).encode())
        process.end_input()
        for record in process.records(_MARK, "log"):
            yield _parse(record.strip(b"\0"), shallow)


UNSHALLOW = "`git fetch --unshallow` fetches the rest"
"""What brings the commits that a shallow clone lacks."""


class BeyondClone(StateError):
    """What was asked for lies behind the oldest commits that this clone holds."""


@dataclass(frozen=True, slots=True)
class Parents:
    """The parents of a commit, which this clone may not know."""

    commit: str
    _listed: tuple[str, ...] | None

    @property
    def known(self) -> bool:
        """Whether this clone knows them; that there are none is known of a first commit."""
        return self._listed is not None

    def all(self) -> tuple[str, ...]:
        """All of them, in their order. Raises BeyondClone where they are not known."""
        if self._listed is None:
            raise BeyondClone(
                f"what came before the commit {self.commit[:12]} is not in this clone",
                fix=f"{UNSHALLOW}; then run the command again.",
            )
        return self._listed

    def first(self) -> str | None:
        """The first of them; None of a first commit. Raises BeyondClone where it is not known."""
        return next(iter(self.all()), None)


def parents_of(commit: str, listed: tuple[str, ...], shallow: frozenset[str]) -> Parents:
    """The parents of a commit of which git, or its object, lists these, in a clone that ends at the
    commits `shallow`."""
    return Parents(commit, None if commit in shallow else listed)


def shallow_commits(common_dir: Path) -> frozenset[str]:
    """The commits at which the clone with this common git directory ends now, whose parents are not
    known: git's list of a shallow clone, and those to which a graft gives others than they have."""
    grafts = _read(common_dir / "info" / "grafts").splitlines()
    grafted = (line.split()[0].decode() for line in grafts if line[:1].isalnum())
    return frozenset((*_read(common_dir / "shallow").decode().split(), *grafted))


def incomplete(common_dir: Path) -> str:
    """What kind of clone it is that lacks history, `a shallow clone`; empty for a whole one."""
    if _read(common_dir / "shallow").strip():
        return "a shallow clone"
    if shallow_commits(common_dir):
        return "a clone with grafts"
    # Git marks each pack that came from a remote which has more to give.
    packs = common_dir / "objects" / "pack"
    return "a partial clone" if any(packs.glob("*.promisor")) else ""


def beyond_hint(common_dir: Path) -> str:
    """What to say to who names a commit or an operation that is not found; empty for a clone that
    holds every commit."""
    if not shallow_commits(common_dir):
        return ""
    return f"This is {incomplete(common_dir)}, which lacks older commits: {UNSHALLOW}."


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return b""
