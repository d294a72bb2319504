"""Structure: ids, titles, aliases and file names, each of which must mean one thing only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from llmwiki.core.agent_file_names import AGENT_STEMS
from llmwiki.core.page_and_note_kinds import KIND_OF_FOLDER, MEMORY
from llmwiki.lint.findings import Finding, Severity, found_at, found_on_claim, named, others, short
from llmwiki.lint.own_and_foreign_pages import home_type
from llmwiki.lint.rule import WikiFix, example, rule
from llmwiki.lint.vault_and_archive_folders import VaultKind
from llmwiki.lint.whole_wiki_view import LintedWiki
from llmwiki.pages.page_file_names import is_reserved, name_key, stem_of

_UNPORTABLE = re.compile(r'[\\:*?"<>|\x00-\x1f\x7f]')
_PLAIN = re.compile(r"[\w(),'+&=@!%~-]++(?:[ ./][\w(),'+&=@!%~-]++)*+", re.ASCII)
"""Most paths: nothing of the others need be asked of them."""
_ACTIVE = re.compile(r"[#^\[\]|]")
_NOT_WINDOWS = "Windows and Android cannot hold"
_COLON = re.compile(": +")
_LEAD = (
    "An example shows by one case what holds for many; it is chosen because it is easy to follow.\n"
)
_A, _B = "wiki/concepts/Example.md", "wiki/concepts/Sample.md"
_CLAIM = "\n- Examples are short. ^c-{id}\n"


def _page(title: str, *, extra: str = "", claim: str = "") -> str:
    body = _LEAD + (_CLAIM.format(id=claim) if claim else "")
    return example(body, title=title, front=f"description: One of many.\n{extra}")


@rule(
    "WK010 error duplicate-id",
    bad={_A: _page("Example", claim="0123456789"), _B: _page("Sample", claim="0123456789")},
    good={_A: _page("Example", claim="0123456789"), _B: _page("Sample", claim="9876543210")},
    fix=WikiFix.UNITE,
)
def duplicate_id(wiki: LintedWiki) -> Iterator[Finding]:
    """One claim or note id stands in two places, so citations of it may mean either.

    Keep the claim on the page of its subject. Where both say the same, `--fix` keeps the claim on
    the page to which `wiki merge` has moved it, else on that of the smaller title,
    with the evidence of both. Where the two say unlike things, give one of them another id: change
    a digit of it.
    """
    doubled = "SELECT id FROM lint.claim GROUP BY id HAVING count(*) > 1 ORDER BY id"
    for (ident,) in wiki.rows(doubled):
        yield from one_id(ident, [(place.path, place.line) for place in wiki.places(ident)])


def one_id(ident: str, places: Sequence[tuple[str, int]]) -> Iterator[Finding]:
    """The places, as path and line, at which an id stands that may stand at one."""
    for number, (path, line) in enumerate(places):
        other, other_line = places[0 if number else 1]
        where = f"line {other_line}" if other == path else f"`{other}`"
        yield found_on_claim(ident, line, f"`^{ident}` stands here and in {where}", path=path)


# --- titles and aliases --------------------------------------------------------------------

_SAID = {"title": "the title", "file": "the file name", "alias": "an alias"}


@rule(
    "WK011 warning duplicate-name",
    was="WK012 duplicate-title duplicate-alias",
    bad={_A: _page("Example", extra="aliases: [Sample]\n"), _B: _page("Sample")},
    good={_A: _page("Example", extra="aliases: [Instance]\n"), _B: _page("Sample")},
)
def duplicate_name(wiki: LintedWiki) -> Iterator[Finding]:
    """Two entities or concepts have one title, so what is read next may be filed with either; or an
    alias of one is the title, the file name or an alias of another one too. A name must find one
    page.

    Make them one (`wiki merge PAGE INTO`, by their paths), or tell them apart in their titles
    (`wiki rename PAGE TITLE`); take an alias from the page it does not belong to.
    """
    rows = wiki.rows(
        "SELECT folded, which, path, line, text FROM lint.name AS name JOIN lint.page AS page "
        "ON page.id = name.page WHERE folded IN (SELECT folded FROM lint.name WHERE folded != '' "
        "GROUP BY folded HAVING count(DISTINCT page) > 1) ORDER BY folded, path, name.rowid"
    )
    for folded, together in groupby(rows, lambda row: row[0]):
        yield from _of_one_name(folded, [row[1:] for row in together])


def _of_one_name(folded: str, rows: list[tuple[str, str, int, str]]) -> Iterator[Finding]:
    """A page tells each name once: as its title, else as an alias, else as that of its file."""
    told: dict[str, tuple[str, int, str]] = {}
    for which in ("title", "alias", "file"):
        for kind, path, line, text in rows:
            if kind == which:
                told.setdefault(path, (which, line, text))
    said = {what: sorted(p for p, row in told.items() if row[0] == what) for what in _SAID}
    first = next(what for what in _SAID if said[what])
    titled = first != "alias"
    about = folded[:200]
    for path, (which, line, text) in sorted(told.items()):
        if which == "title" and len(said["title"]) > 1:
            message = f"This page and {others(said['title'], path)} have one title"
            yield found_at(line, message, path=path, about=about)
        elif which == "alias":
            of = others(said[first], path, is_one=not titled)
            message = f"The alias “{short(text)}” is {_SAID[first]} of {of} too"
            yield found_at(line, message, path=path, about=about)


# --- file names ----------------------------------------------------------------------------


@rule(
    "WK013 error file-name",
    was="WK014 WK015 WK016 case-collision duplicate-file-name reserved-name name-not-portable",
    bad={_A: _page("Example"), "wiki/concepts/example.md": _page("example 2")},
    good={_A: _page("Example"), "wiki/concepts/Examples.md": _page("Examples")},
)
def file_name(wiki: LintedWiki) -> Iterator[Finding]:
    """Two pages have one path where a disk ignores case, as those of macOS and Windows do: one of
    them is lost there. Or, warnings: two pages have one file name, case ignored, and at least one
    lies in a folder of the wiki, so that [[…]] may mean either; the name means something to agents
    (CLAUDE.md, AGENTS.md, …), to Windows or, in the wiki's folders, to this program (index, log,
    overview, …); no link can spell it: `# ^ [ ] |`. Or, a note, Windows and
    Android cannot hold it: `: * ? " < >`, folders that end in a dot. Of notes of another tool
    those that no link can spell are told together, as are those that not all can hold.

    Where two share a name, rename one, as in `Mercury (entity)`; else rename the page: drop what
    cannot stand there from the end of the name, and write a hyphen for it elsewhere.
    """
    shared = "SELECT stem FROM lint.head GROUP BY stem HAVING count(*) > 1 ORDER BY stem"
    for (stem,) in wiki.rows(shared):
        paths = wiki.of_stem(stem)
        yield from _colliding(paths)
        if not (is_reserved(stem) or wiki.vaults.is_foreign):
            yield from _of_one_file_name(paths)
    # Notes of another tool have dozens of them: they are told together.
    together: dict[Severity, list[tuple[str, str]]] = {}
    for path in wiki.paths:
        if message := _reserved(path, wiki):
            yield found_at(0, message, path, mend="Rename it.", severity=Severity.WARNING)
        if message := _not_portable(path, wiki):
            is_mild = message.startswith(_NOT_WINDOWS)
            severity = Severity.NOTE if is_mild else Severity.WARNING
            if wiki.vaults.foreign(path):
                together.setdefault(severity, []).append((path, message))
            else:
                yield found_at(0, message, path, mend=_renamed([path], wiki), severity=severity)
    for severity, each in together.items():
        path, message = each[0]
        if len(each) > 1:
            is_mild = severity is Severity.NOTE
            said = f"{_NOT_WINDOWS} the names" if is_mild else "No wikilink can spell the names"
            names = named([stem_of(path) for path, _message in each])
            message = f"{said} of {len(each)} files: {names}"
        mend = _renamed([path for path, _message in each], wiki)
        yield found_at(0, message, path, mend=mend, severity=severity)


def _colliding(paths: Iterable[str]) -> Iterator[Finding]:
    for together in _spellings(paths):
        if len(together) > 1:
            path = together[0]
            message = f"A disk that ignores case takes {others(together, path)} for this file"
            yield found_at(0, message, path, mend="Rename one of them.")


def _spellings(paths: Iterable[str]) -> list[list[str]]:
    """The paths, those together that are one where case is ignored."""
    folded = sorted((name_key(path), path) for path in paths)
    return [[path for _key, path in same] for _key, same in groupby(folded, lambda pair: pair[0])]


def _is_in_our_folder(path: str) -> bool:
    parts = path.split("/")
    return len(parts) > 2 and parts[1] in KIND_OF_FOLDER


def _of_one_file_name(found: Iterable[str]) -> Iterator[Finding]:
    # Two spellings of one path are a collision, which is worse.
    paths = [same[0] for same in _spellings(p for p in found if not p.startswith("wiki/skills/"))]
    for path in paths if len(paths) > 1 and any(map(_is_in_our_folder, paths)) else ():
        yield found_at(
            0,
            f"This page and {others(paths, path)} have one file name, so"
            f" [[{short(stem_of(path))}]] may mean either",
            path,
            severity=Severity.WARNING,
        )


def _reserved(path: str, wiki: LintedWiki) -> str:
    """What else a file's name means; empty for nothing."""
    stem = stem_of(path)
    if not is_reserved(stem) or path == MEMORY or path.startswith("wiki/skills/"):
        return ""
    head = name_key(stem).partition(".")[0]
    if head in AGENT_STEMS and head != "skill":
        what = f"Agents take `{stem}.md` for instructions, in whatever folder it lies"
        return "" if wiki.vaults.is_foreign else what
    view = wiki.page(path)
    is_at_home = view is not None and home_type(view)
    return f"`{stem}` is the name of a file with another purpose" if is_at_home else ""


def _not_portable(path: str, wiki: LintedWiki) -> str:
    """Why another system or a link cannot have a file's name; empty where all can."""
    if _PLAIN.fullmatch(path.removesuffix(".md")):
        return ""
    parts = path.removesuffix(".md").removeprefix("wiki/").split("/")
    name = "/".join(parts)
    is_of_logseq = wiki.vaults.kind_at(path) is VaultKind.LOGSEQ
    if (found := _ACTIVE.search(parts[-1])) and not is_of_logseq:
        return f"`{found[0]}` in a file's name means something inside [[…]]: no link finds it"
    if found := _UNPORTABLE.search(name):
        return f"{_NOT_WINDOWS} `{_shown(found[0])}` in the name of a file"
    if any(part[-1:] in (".", " ") for part in parts[:-1]):
        return f"{_NOT_WINDOWS} a folder whose name ends in a dot or a blank"
    return ""


def _renamed(paths: Sequence[str], wiki: LintedWiki) -> str:
    """The advice to rename pages, with the name that the first of them could have, where one is
    free."""
    name = next((each for each in _better(paths[0], wiki) if not wiki.of_stem(name_key(each))), "")
    if len(paths) > 1:
        return f"Rename them, the first to `{name}`." if name else "Rename them."
    return f"Rename it to `{name}`." if name else "Rename it, or its folder."


def _better(path: str, wiki: LintedWiki) -> Iterator[str]:
    """Names for a page that links and disks can have: with nothing for what they cannot have at its
    end and a hyphen elsewhere; then with a hyphen at its end too. None where only its folder's name
    is at fault."""
    stem = stem_of(path)
    patterns = [_UNPORTABLE]
    if wiki.vaults.kind_at(path) is not VaultKind.LOGSEQ:
        patterns.append(_ACTIVE)
    if not any(pattern.search(stem) for pattern in patterns):
        return
    usual = _COLON.sub(" - ", stem).replace('"', "'")
    for kept in (usual.rstrip("?*. ]").lstrip("["), usual):
        name = kept
        for pattern in patterns:
            name = pattern.sub("-", name)
        if name:
            yield name


def _shown(character: str) -> str:
    return character if character.isprintable() else f"U+{ord(character):04X}"
