"""Structure: ids, titles, aliases and file names, each of which must mean one thing only."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import groupby

from llmwiki.core.agent_files import AGENT_STEMS
from llmwiki.core.page_kinds import KIND_OF_FOLDER, MEMORY, SUBJECTS
from llmwiki.core.text import fold, normalise
from llmwiki.lint.claims import CLAIMS, stands_in
from llmwiki.lint.finding import RuleHit
from llmwiki.lint.page_links import NAMES, paths_of
from llmwiki.lint.relation import Group, Relation, Value
from llmwiki.lint.rule import OverGroup, OverPage, Rule, rule
from llmwiki.lint.rules.examples import example
from llmwiki.lint.rules.page_kinds import home_type, kind_of, others, short
from llmwiki.lint.view import PageView
from llmwiki.pages.names import INDEX_PART, MAX_STEM_BYTES, YEAR_PART, is_reserved, name_key

_OURS_ONLY = re.compile(
    rf"index|log|overview|memory|readme|skill|{INDEX_PART}|{YEAR_PART}|log-\d{{4}}"
)
_UNPORTABLE = re.compile(r'[\\:*?"<>|\x00-\x1f\x7f]')
_ACTIVE = re.compile(r"[#^\[\]|]")

# --- ids -----------------------------------------------------------------------------------


def _duplicate_id(group: Group) -> Iterator[RuleHit]:
    places = stands_in(group) if group.key.startswith("^") else []
    for number, place in enumerate(places if len(places) > 1 else ()):
        other = places[0 if number else 1]
        where = f"line {other.line}" if other.path == place.path else f"`{other.path}`"
        ident = group.key[1:]
        yield RuleHit.of_claim(
            ident, place.line, f"`^{ident}` stands here and in {where}", path=place.path
        )


# --- titles and aliases --------------------------------------------------------------------

_TITLE, _ALIAS, _FILE = "title", "alias", "file"


def _emit_names(view: PageView) -> Iterator[tuple[str, Value]]:
    if kind_of(view) not in SUBJECTS or view.broken:
        return
    title = view.title
    if key := fold(title):
        yield key, (_TITLE, view.front_line("title"))
    own = {key}
    for alias in view.head.aliases:
        if (folded := fold(alias)) and folded not in own:
            own.add(folded)
            yield folded, (_ALIAS, view.front_line("aliases"), normalise(alias)[:200])
    if (stem := fold(view.stem)) and stem not in own:
        yield stem, (_FILE, 1, "")


_NAMES = Relation("subject names", _emit_names)
"""Folded title, alias or file name of an entity or concept → (which, line, alias as written)."""


def _duplicate_title(group: Group) -> Iterator[RuleHit]:
    titled = [row for row in group.rows if row.value[0] == _TITLE]
    paths = [row.path for row in titled]
    if len(titled) > 1:
        for row in titled:
            yield RuleHit(
                int(row.value[1]),
                f"This page and {others(paths, row.path)} have one title",
                path=row.path,
                about=group.key[:200],
            )


_SAID = {_TITLE: "the title", _FILE: "the file name", _ALIAS: "an alias"}


def _duplicate_alias(group: Group) -> Iterator[RuleHit]:
    if len(group.rows) < 2:
        return
    said = {what: [row.path for row in group.rows if row.value[0] == what] for what in _SAID}
    which = next(what for what in _SAID if said[what])
    titled = which != _ALIAS
    paths, what = said[which], _SAID[which]
    for row in group.rows:
        if row.value[0] != _ALIAS:
            continue
        alias = short(str(row.value[2]))
        yield RuleHit(
            int(row.value[1]),
            f"The alias “{alias}” is {what} of {others(paths, row.path, is_one=not titled)} too",
            path=row.path,
            about=group.key[:200],
        )


# --- file names ----------------------------------------------------------------------------


def _case_collision(group: Group) -> Iterator[RuleHit]:
    for together in _spellings(paths_of(group)):
        for path in together if len(together) > 1 else ():
            yield RuleHit(
                0,
                f"A disk that ignores case takes {others(together, path)} for this file",
                path=path,
            )


def _spellings(paths: Iterable[str]) -> list[list[str]]:
    """The paths, those together that are one where case is ignored."""
    folded = sorted((name_key(path), path) for path in paths)
    return [[path for _key, path in same] for _key, same in groupby(folded, lambda pair: pair[0])]


def _is_in_our_folder(path: str) -> bool:
    parts = path.split("/")
    return len(parts) > 2 and parts[1] in KIND_OF_FOLDER


def _duplicate_file_name(group: Group) -> Iterator[RuleHit]:
    found = paths_of(group)
    if len(found) < 2 or is_reserved(group.key):
        return
    # Two spellings of one path are a collision, which is worse.
    paths = [same[0] for same in _spellings(p for p in found if not p.startswith("wiki/skills/"))]
    for path in paths if len(paths) > 1 and any(map(_is_in_our_folder, paths)) else ():
        yield RuleHit(
            0,
            f"This page and {others(paths, path)} have one file name, so"
            f" [[{short(path.rsplit('/', 1)[-1].removesuffix('.md'))}]] may mean either",
            path=path,
        )


def _reserved_name(view: PageView) -> Iterator[RuleHit]:
    stem = view.stem
    if not is_reserved(stem) or view.path == MEMORY or view.folder == "skills":
        return
    head = name_key(stem).partition(".")[0].rstrip(" ")
    if head in AGENT_STEMS and not _OURS_ONLY.fullmatch(head):
        yield RuleHit(0, f"Agents take `{stem}.md` for instructions, in whatever folder it lies")
    elif not _OURS_ONLY.fullmatch(head):
        yield RuleHit(0, f"`{head}` is a device of Windows: the page cannot be checked out there")
    elif home_type(view):
        yield RuleHit(0, f"`{stem}` is the name of a file with another purpose")


def _name_not_portable(view: PageView) -> Iterator[RuleHit]:
    parts = view.path.removesuffix(".md").removeprefix("wiki/").split("/")
    name = "/".join(parts)
    if found := _UNPORTABLE.search(name):
        yield RuleHit(0, f"Windows cannot hold `{_shown(found[0])}` in the name of a file")
    elif found := _ACTIVE.search(parts[-1]):
        yield RuleHit(
            0, f"`{found[0]}` in a file's name means something inside [[…]]: no link finds it"
        )
    elif any(part[-1:] in (".", " ") for part in parts[:-1]):
        yield RuleHit(0, "Windows cannot hold a folder whose name ends in a dot or a blank")
    elif any(len(part.encode("utf-8", "replace")) > MAX_STEM_BYTES for part in parts):
        yield RuleHit(0, f"The name is longer than {MAX_STEM_BYTES} bytes")
    elif not name.isascii() and unicodedata.normalize("NFC", name) != name:
        yield RuleHit(
            0,
            "The name is not in Unicode's normal form C: links typed elsewhere spell it with other"
            " bytes",
        )


def _shown(character: str) -> str:
    return character if character.isprintable() else f"U+{ord(character):04X}"


# --- rules ---------------------------------------------------------------------------------

_LEAD = (
    "An example shows by one case what holds for many; it is chosen because it is easy to follow.\n"
)
_A, _B = "wiki/concepts/Example.md", "wiki/concepts/Sample.md"
_CLAIM = "\n- Examples are short. ^c-{id}\n"


def _page(title: str, *, extra: str = "", claim: str = "") -> str:
    body = _LEAD + (_CLAIM.format(id=claim) if claim else "")
    return example(body, title=title, front=f"description: One of many.\n{extra}")


RULES: tuple[Rule, ...] = (
    rule(
        "WK010 error duplicate-id",
        OverGroup(CLAIMS, _duplicate_id, least=2),
        "One claim or note id stands in two places, so citations of it may mean either.",
        "Keep the claim on the page of its subject, and link to it from the other:"
        " `- [[Page#^c-…]]` under `## Seen in`. Where both say the same, `--fix` keeps the claim on"
        " the page to which `wiki split` or `wiki merge` has moved it, else on that of the smaller"
        " title, with the evidence of both. Where the two say unlike things, give one of them"
        " another id: change a digit of it.",
        bad={_A: _page("Example", claim="0123456789"), _B: _page("Sample", claim="0123456789")},
        good={_A: _page("Example", claim="0123456789"), _B: _page("Sample", claim="9876543210")},
        fixable=True,
    ),
    rule(
        "WK011 warning duplicate-title",
        OverGroup(_NAMES, _duplicate_title, least=2),
        "Two entities or concepts have one title, so what is read next may be filed with either.",
        "Make them one (`wiki merge PAGE INTO`, by their paths), or tell them apart in their titles"
        " (`wiki rename PAGE TITLE`).",
        bad={_A: _page("Example"), "wiki/entities/Example (entity).md": _page("example")},
        good={_A: _page("Example"), _B: _page("Sample")},
    ),
    rule(
        "WK012 warning duplicate-alias",
        OverGroup(_NAMES, _duplicate_alias, least=2),
        "An alias of an entity or concept is the title, the file name or an alias of another one"
        " too. A name must find one page.",
        "Take the alias from the page it does not belong to.",
        bad={_A: _page("Example", extra="aliases: [Sample]\n"), _B: _page("Sample")},
        good={_A: _page("Example", extra="aliases: [Instance]\n"), _B: _page("Sample")},
    ),
    rule(
        "WK013 error case-collision",
        OverGroup(NAMES, _case_collision, least=2),
        "Two pages have one path where a disk ignores case, as those of macOS and Windows do: one"
        " of them is lost there.",
        "Rename one of them.",
        bad={_A: _page("Example"), "wiki/concepts/example.md": _page("example 2")},
        good={_A: _page("Example"), "wiki/concepts/Examples.md": _page("Examples")},
    ),
    rule(
        "WK014 warning duplicate-file-name",
        OverGroup(NAMES, _duplicate_file_name, least=2),
        "Two pages have one file name, case ignored, and at least one lies in a folder of the wiki:"
        " [[…]] finds pages by file name alone.",
        "Rename one, as in `Mercury (entity)`.",
        bad={_A: _page("Example"), "wiki/entities/example.md": _page("Example")},
        good={_A: _page("Example"), "wiki/entities/Example (entity).md": _page("Example")},
    ),
    rule(
        "WK015 warning reserved-name",
        OverPage(_reserved_name),
        "The file's name means something to agents (CLAUDE.md, AGENTS.md, WARP.md, …) or to"
        " Windows, or, in the wiki's folders, to this program (index, log, overview, …).",
        "Rename it: `Claude (entity).md`.",
        bad={"wiki/entities/Claude.md": _page("Claude")},
        good={"wiki/entities/Claude (entity).md": _page("Claude")},
    ),
    rule(
        "WK016 warning name-not-portable",
        OverPage(_name_not_portable),
        "A file's name that another system cannot hold, or that no link can spell: characters that"
        " Windows refuses, `# ^ [ ] |`, more than 200 bytes, folders that end in a dot, Unicode"
        " that is not in normal form C.",
        "Rename it; a hyphen stands for what cannot stand there.",
        bad={"wiki/concepts/What is it?.md": _page("What is it")},
        good={"wiki/concepts/What is it.md": _page("What is it")},
    ),
)
