"""Retrieval sets with gold evidence: a folder with corpus.jsonl and queries.jsonl.

corpus.jsonl holds one page a line, `{"id", "title", "text"[, "aliases"][, "links"]}`, and
queries.jsonl one question a line, `{"id", "question", "gold": [ids][, "exclude"]}`. `exclude` names
pages (one id or a list) that no ranking may show, such as the page a question was taken from.
Other keys are ignored.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


class SetError(ValueError):
    """A set that cannot be read: what, and in which line of which file."""


@dataclass(frozen=True, slots=True)
class Document:
    """One page of a corpus."""

    id: str
    title: str
    """The id where the corpus gives none."""
    text: str
    """Markdown; may be empty."""
    aliases: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    """Ids or titles of pages it links to, besides the links in its text."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question and the pages that answer it."""

    id: str
    text: str
    gold: frozenset[str]
    """Ids that are not in the corpus count as not found."""
    exclude: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class EvaluationSet:
    """A corpus with its questions."""

    name: str
    """The folder's name."""
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]
    """Those that name any gold page."""
    notes: tuple[str, ...] = ()
    """Sentences on what is odd about the set."""


def read_set(folder: Path, *, most_questions: int | None = None) -> EvaluationSet:
    """Reads a set, its first `most_questions` questions only.

    Raises SetError for a file that is missing or not of this form, for two pages with one id, and
    for a set without pages or without questions that name gold.
    """
    documents = tuple(_document(*row) for row in _rows(folder / "corpus.jsonl"))
    questions = [_question(*row) for row in _rows(folder / "queries.jsonl")]
    ids = {document.id for document in documents}
    if len(ids) < len(documents):
        seen: set[str] = set()
        twice = next(d.id for d in documents if d.id in seen or seen.add(d.id))  # type: ignore[func-returns-value]
        raise SetError(f"{folder / 'corpus.jsonl'}: two pages have the id {twice!r}")
    asked = [question for question in questions if question.gold]
    if not documents or not asked:
        missing = "pages" if not documents else "questions that name gold pages"
        raise SetError(f"{folder}: there are no {missing}")
    notes = []
    if len(asked) < len(questions):
        notes.append(f"{len(questions) - len(asked)} questions name no gold and are left out")
    lost = sum(1 for question in asked if not question.gold <= ids)
    if lost:
        notes.append(f"{lost} questions name gold that is not in the corpus: it counts as missed")
    return EvaluationSet(
        folder.resolve().name, documents, tuple(asked[:most_questions]), tuple(notes)
    )


def _rows(place: Path) -> Iterator[tuple[str, dict[str, object]]]:
    """Each line's place and object."""
    try:
        # Not splitlines: texts may hold U+2028 and its kin.
        lines = place.read_bytes().decode().split("\n")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise SetError(f"{place}: cannot be read: {why}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        where = f"{place}:{number}"
        try:
            row = json.loads(line)
        except ValueError as error:
            raise SetError(f"{where}: is not JSON: {error}") from error
        if not isinstance(row, dict):
            raise SetError(f"{where}: is not an object")
        yield where, row


def _document(where: str, row: dict[str, object]) -> Document:
    ident = _text(where, row, "id")
    title = _text(where, row, "title") if "title" in row else ""
    return Document(
        ident,
        title if title.strip() else ident,
        _text(where, row, "text"),
        _texts(where, row, "aliases"),
        _texts(where, row, "links"),
    )


def _question(where: str, row: dict[str, object]) -> Question:
    return Question(
        _text(where, row, "id") if "id" in row else where,
        _text(where, row, "question"),
        frozenset(_texts(where, row, "gold")),
        frozenset(_texts(where, row, "exclude")),
    )


def _text(where: str, row: dict[str, object], key: str) -> str:
    value = row.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise SetError(f"{where}: {key!r} is missing or no text")
    # JSON can spell halves of characters, which no file can hold.
    return value.encode("utf-8", "replace").decode()


def _texts(where: str, row: dict[str, object], key: str) -> tuple[str, ...]:
    value = row.get(key)
    if value is None:
        return ()
    items = value if isinstance(value, list) else [value]
    return tuple(_text(where, {key: item}, key) for item in items)
