"""Whether a folder is a bundle of OKF 0.2: what breaks the format, and what readers will miss."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from llmwiki.exchange.okf import (
    STATUSES,
    VERSION,
    VERSION_KEY,
    Concept,
    is_reserved,
    is_timestamp,
    read_concept,
)
from llmwiki.pages import file_links, links
from llmwiki.pages.front import PageError

_HEADING = re.compile(r"#{1,6}[ \t]")
_DAY = re.compile(r"## (\d{4}-\d\d-\d\d)[ \t]*")
_NOTE = re.compile(r"(?<!\\)\[\^([^\[\]\s]{1,200})\](:?)")


class BundleCheck(NamedTuple):
    """One rule of the profile."""

    code: str
    name: str
    severity: str
    """`error`: the format forbids it; `warning`: it says SHOULD; `note`: some readers miss it."""
    meaning: str
    mending: str


class BundleFinding(NamedTuple):
    """One thing that is wrong at one place of a bundle."""

    path: str
    line: int
    """From 1; 0: the file as a whole."""
    code: str
    message: str


CHECKS = (
    BundleCheck("OKF001", "no-frontmatter", "error",
                "a concept begins with frontmatter that can be read",
                "Begin the file with YAML between two lines `---`."),
    BundleCheck("OKF002", "no-type", "error", "a concept says what type it is",
                "Add `type:` to the frontmatter."),
    BundleCheck("OKF003", "index-form", "error",
                "an index has no frontmatter but the root's version, and lists below headings",
                "Write it as headings with items `* [Title](file.md) - description`."),
    BundleCheck("OKF004", "log-form", "error",
                "a log is grouped below headings `## YYYY-MM-DD`, newest first",
                "Write a heading a day, the newest at the top, and an item an entry."),
    BundleCheck("OKF005", "not-utf-8", "error", "files are UTF-8", "Write the file in UTF-8."),
    BundleCheck("OKF006", "source-without-resource", "error",
                "an entry of `sources` has a `resource`", "Add its address or its path."),
    BundleCheck("OKF007", "generated-form", "error", "`generated` says `by`",
                "Write `generated: {by: …, at: …}`."),
    BundleCheck("OKF008", "timestamp", "error",
                "a moment is ISO 8601 with its offset from UTC: 2026-11-20T09:00:00Z",
                "Add the time of day and the offset."),
    BundleCheck("OKF009", "status", "error", f"`status` is one of {', '.join(STATUSES)}",
                "Use one of these, or another key."),
    BundleCheck("OKF010", "verified-form", "error", "`verified` is a list of `by` and `at`",
                "Write `verified: [{by: human:NAME, at: …}]`."),
    BundleCheck("OKF011", "computation-without-runtime", "error",
                "an attested computation says its `runtime`", "Add `runtime:`."),
    BundleCheck("OKF101", "no-title", "warning", "a concept should have a title", "Add `title:`."),
    BundleCheck("OKF102", "citation-without-source", "warning",
                "the label of a footnote is the `id` of an entry of `sources`",
                "Add the entry, or name one that is there."),
    BundleCheck("OKF103", "source-without-id", "warning",
                "an entry of `sources` should have an `id` where the body has footnotes",
                "Add `id:`."),
    BundleCheck("OKF104", "older-version", "warning", f"the bundle says that it is of {VERSION}",
                f'Write `{VERSION_KEY}: "{VERSION}"` into the frontmatter of index.md.'),
    BundleCheck("OKF105", "log-frontmatter", "warning", "a log has no frontmatter",
                "Take it out."),
    BundleCheck("OKF201", "no-description", "note", "a concept has a description of one sentence",
                "Add `description:`."),
    BundleCheck("OKF202", "wikilink", "note", "readers of OKF do not follow `[[wikilinks]]`",
                "`wiki export okf` writes them as Markdown links."),
    BundleCheck("OKF203", "broken-link", "note", "a link leads to a file of the bundle",
                "Mend the path; readers put up with it."),
)  # fmt: skip
"""The rules, by code."""


def check_bundle(files: Mapping[str, bytes], others: frozenset[str]) -> list[BundleFinding]:
    """What is wrong with a bundle, sorted; `others` are its files that are not Markdown."""
    known = {*files, *others}
    found: list[BundleFinding] = []
    for path, data in files.items():
        try:
            text = data.decode("utf-8").replace("\r\n", "\n")
        except UnicodeDecodeError as error:
            found.append(BundleFinding(path, 0, "OKF005", f"byte {error.start} is no UTF-8"))
            continue
        try:
            concept = read_concept(text)
        except PageError as error:
            found.append(BundleFinding(path, 1, "OKF001", error.what))
            continue
        name = path.rpartition("/")[2].casefold()
        if name == "index.md":
            hits = list(_index(concept, is_root=path.casefold() == "index.md"))
        elif name == "log.md":
            hits = list(_log(concept))
        else:
            hits = list(_concept(concept))
        if not is_reserved(path) or name == "index.md":
            hits += _links(path, text, known)
        shift = text[: len(text) - len(concept.body)].count("\n")
        found += [
            BundleFinding(path, line + shift if line > 0 else -line, code, said)
            for line, code, said in hits
        ]
    return sorted(found)


Hit = tuple[int, str, str]
"""(line of the body from 1, or minus a line of the file, or 0; code; message)"""


def _concept(concept: Concept) -> Iterator[Hit]:
    values = concept.values
    if not concept.has_front:
        yield -1, "OKF001", "there is no frontmatter"
        return
    kind = values.get("type")
    if not isinstance(kind, str) or not kind.strip():
        yield -1, "OKF002", "`type` is missing or empty"
    if not values.get("title"):
        yield -1, "OKF101", "`title` is missing"
    if not values.get("description"):
        yield -1, "OKF201", "`description` is missing"
    status = values.get("status")
    if status is not None and status not in STATUSES:
        yield -1, "OKF009", f"`status` is {_short(status)}"
    if kind == "Attested Computation" and not values.get("runtime"):
        yield -1, "OKF011", "`runtime` is missing"
    yield from _moments(values)
    yield from _sources(concept)


def _moments(values: Mapping[str, object]) -> Iterator[Hit]:
    told = values.get("generated")
    if told is not None:
        if not isinstance(told, dict) or not told.get("by"):
            yield -1, "OKF007", f"`generated` is {_short(told)}"
        elif told.get("at") and not is_timestamp(told["at"]):
            yield -1, "OKF008", f"`generated.at` is {_short(told['at'])}"
    verified = values.get("verified")
    for each in verified if isinstance(verified, list) else [verified] if verified else []:
        if not isinstance(each, dict) or not each.get("by") or not each.get("at"):
            yield -1, "OKF010", f"an entry of `verified` is {_short(each)}"
        elif not is_timestamp(each["at"]):
            yield -1, "OKF008", f"`verified.at` is {_short(each['at'])}"
    for key in ("stale_after", "timestamp"):
        if values.get(key) and not is_timestamp(values[key]):
            yield -1, "OKF008", f"`{key}` is {_short(values[key])}"


def _sources(concept: Concept) -> Iterator[Hit]:
    listed = concept.values.get("sources")
    ids: set[str] = set()
    notes = list(_NOTE.finditer(concept.body))
    for each in listed if isinstance(listed, list) else [listed] if listed else []:
        if not isinstance(each, dict) or not each.get("resource"):
            yield -1, "OKF006", f"an entry of `sources` is {_short(each)}"
            continue
        if each.get("id"):
            ids.add(str(each["id"]))
        elif notes:
            yield -1, "OKF103", f"the source {_short(each['resource'])} has no `id`"
    missing: dict[str, int] = {}
    for note in notes:
        if note[1] not in ids and not note[2]:
            missing.setdefault(note[1], note.start())
    if listed:
        for label, at in missing.items():
            line = concept.body.count("\n", 0, at) + 1
            yield line, "OKF102", f"`sources` has no entry with the id {_short(label)}"


def _index(concept: Concept, *, is_root: bool) -> Iterator[Hit]:
    allowed = {VERSION_KEY} if is_root else set()
    more = sorted(set(concept.values) - allowed)
    if more or (concept.has_front and not is_root):
        yield -1, "OKF003", f"an index has frontmatter: {_short(', '.join(more) or 'empty')}"
    version = concept.values.get(VERSION_KEY)
    if is_root and version != VERSION:
        said = f"`{VERSION_KEY}` is {_short(version)}" if version else f"`{VERSION_KEY}` is missing"
        yield -1, "OKF104", said
    if not any(_HEADING.match(line) for line in concept.body.split("\n")):
        yield 0, "OKF003", "an index has no heading"


def _log(concept: Concept) -> Iterator[Hit]:
    if concept.has_front:
        yield -1, "OKF105", "a log has frontmatter"
    last = ""
    for number, line in enumerate(concept.body.split("\n"), start=1):
        if not line.startswith("## "):
            continue
        day = _DAY.fullmatch(line)
        if day is None:
            yield number, "OKF004", f"the heading is no day: {_short(line[3:])}"
        elif last and day[1] > last:
            yield number, "OKF004", f"{day[1]} stands below {last}: the newest day comes first"
        last = day[1] if day else last


def _links(path: str, text: str, known: set[str]) -> Iterator[Hit]:
    for link in links.scan(text):
        if not link.embed and link.target:
            yield -link.line, "OKF202", f"[[{_short(link.target)}]]"
            break
    folder = posixpath.dirname(path)
    for file in file_links.scan(text):
        to = file.to[1:] if file.to.startswith("/") else posixpath.join(folder, file.to)
        to = posixpath.normpath(to)
        is_folder = any(each.startswith(f"{to}/") for each in known) if to != "." else True
        if to not in known and not is_folder:
            yield -(text.count("\n", 0, file.start) + 1), "OKF203", f"no file {_short(file.to)}"


def _short(value: object) -> str:
    text = " ".join(str(value).split())
    return f"`{text[:77]}…`" if len(text) > 80 else f"`{text}`"
