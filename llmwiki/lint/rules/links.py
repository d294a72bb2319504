"""Rules about wikilinks, and the pages they name."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from llmwiki.core.language.name_keys import words_of
from llmwiki.core.text import listed
from llmwiki.lint.findings import Finding, Severity
from llmwiki.lint.links_and_anchors import LinkRow, has_heading, heading_key
from llmwiki.lint.own_and_foreign_pages import (
    beside,
    is_clipping,
    is_report,
    is_to_come,
    meant_from,
)
from llmwiki.lint.page_view import PageView
from llmwiki.lint.rule import beside_tea, rule
from llmwiki.lint.rules.files_by_name import by_stem, is_file, is_there, name_of
from llmwiki.lint.similar_names import LISTS, Name, asked, meant_by, without_order
from llmwiki.lint.text_fixes import is_capital_word, with_file_name
from llmwiki.lint.vault_and_archive_folders import VaultKind
from llmwiki.lint.whole_wiki_view import LintedWiki
from llmwiki.pages.find_links import scan
from llmwiki.pages.link_targets import is_attachment, link_key, name_in
from llmwiki.pages.page_file_names import name_key, stem_of
from llmwiki.pages.redirect_links import bar_at, led_to

_NO_NAME = (
    "NOT EXISTS (SELECT 1 FROM lint.name AS name WHERE name.key = link.key AND which != 'file')"
)


@rule(
    "WK101 warning broken-wikilink",
    was="WK109 missing-page",
    bad=beside_tea("It is made as [[Tae]] is."),
    good=beside_tea("It is made as [[tea|every tea]] is, with `[[ -f leaf ]]` in a shell."),
    fix=with_file_name,
)
def broken_wikilink(wiki: LintedWiki) -> Iterator[Finding]:
    """A wikilink leads to no page: no file has that name, and no page bears it as title or alias.
    A link finds its page by file name, in whatever case, as in Obsidian; folders it names must fit.
    In a wiki of GitHub's (a page Home, _Sidebar or _Footer, and no blank in any page's file name) a
    blank finds a hyphen, as GitHub has it; `[[folder/]]` leads to a folder that is there. In notes
    of other tools a link may wait for a page to be written: one note tells of all names that no
    page has nearly, and nothing is told in the docs of a project that have no wikilinks; a log or
    the report of a lint there only quotes links.

    Correct the name, write the page, or make it plain text.
    """
    yield from _of_vault(list(_addresses(wiki)), wiki)
    wishes: list[LinkRow] = []
    theirs: dict[tuple[str, str], list[tuple[LinkRow, str]]] = {}
    view = lru_cache(maxsize=2)(wiki.page)
    elsewhere, of_folders = _by_lost_folder(list(_elsewhere(wiki)), wiki)
    yield from of_folders
    for link, message, mend in (*_without_page(wiki), *elsewhere):
        if not wiki.vaults.foreign(link.path):
            yield link.found(message, link.target, mend)
        elif mend or link.target.startswith("../"):
            # A path is no name of a page to come.
            theirs.setdefault((link.key, mend), []).append((link, message))
        elif not (wiki.is_by_path or wiki.vaults.vault is VaultKind.LOGSEQ):
            # What clips pages of the web writes each author's name as a link.
            wishes += [] if is_clipping(view(link.path)) else [link]
    for (_key, mend), links in theirs.items():
        link, message = min(links)
        pages = len({link.path for link, _message in links})
        others = f"{pages - 1} other page" + ("s" if pages > 2 else "")
        also = f", here and on {others}" if pages > 1 else ""
        yield link.found(message + also, link.target, mend)
    yield from _wishes(wishes)


_ANGLES = "Write it between angle brackets: `<https://…>`."


def _addresses(wiki: LintedWiki) -> Iterator[Finding]:
    view = lru_cache(maxsize=2)(wiki.page)
    for link in wiki.links("form = 'address'"):
        message = f"{link.shown}: an address stands between wikilink brackets"
        found = scan(_line(link, view(link.path)))
        mend = f"Write [{found[0].label}]({link.target}{link.anchor})."
        yield link.found(message, link.target, mend if found and found[0].label else _ANGLES)


_MANY = 5
"""Links that one cause has led astray, from which on notes of other tools are told of it once."""


def _of_vault(found: Sequence[Finding], wiki: LintedWiki) -> Sequence[Finding]:
    """The findings of links that are no names, as one for all notes of another tool: a program
    wrote them, from its template."""
    theirs = [each for each in found if wiki.vaults.foreign(each.path)]
    if len(theirs) < _MANY:
        return found
    pages = len({each.path for each in theirs})
    where = f" on {pages} pages" if pages > 1 else ""
    message = f"{len(theirs)} addresses stand between wikilink brackets{where}"
    mend = f"{theirs[0].mend} Where a template of an export writes them, change that."
    whole = theirs[0]._replace(message=message, mend=mend, about="addresses")
    return [*(each for each in found if each not in theirs), whole]


def _by_lost_folder(
    links: Sequence[tuple[LinkRow, str, str]], wiki: LintedWiki
) -> tuple[list[tuple[LinkRow, str, str]], list[Finding]]:
    """The links that name a wrong folder, without those of another tool's page that name one which
    is not there in many links; and what is told of these at once."""
    named: dict[tuple[str, str], list[LinkRow]] = {}
    for link, _message, mend in links:
        folder = posixpath.dirname(link.target)
        if mend and wiki.vaults.foreign(link.path) and not is_there(folder, wiki):
            named.setdefault((link.path, folder), []).append(link)
    many = {place: of_folder for place, of_folder in named.items() if len(of_folder) >= _MANY}
    told = []
    for (_path, folder), of_folder in sorted(many.items()):
        homes = Counter(posixpath.dirname(wiki.of_stem(link.stem)[0]) for link in of_folder)
        home = min(homes, key=lambda each: (-homes[each], each))
        message = f"{len(of_folder)} links name the folder `{folder}/`, which is not there"
        place = (
            f"in `{home}/`: write that for it, or no folder" if home else "in none: leave it out"
        )
        mend = f"{homes[home]} of their pages lie {place}."
        told.append(min(of_folder).found(message, folder, mend))
    left = [row for row in links if (row[0].path, posixpath.dirname(row[0].target)) not in many]
    return left, told


_NAMED = "form IN ('wiki', 'embed') AND target != ''"


def _without_page(wiki: LintedWiki) -> Iterator[tuple[LinkRow, str, str]]:
    """Links to names that no page has, each with what is told of it and what it means."""
    uses = dict(
        wiki.rows(
            "SELECT stem, count(DISTINCT page) AS pages FROM lint.link AS link WHERE form = 'wiki' "
            f"AND {wiki.no_page} GROUP BY stem HAVING pages > 2"
        )
    )
    for link in wiki.links(f"{_NAMED} AND {wiki.no_page} AND {_NO_NAME}"):
        if is_attachment(link.target) or _is_no_page(link, wiki):
            continue
        meant = _meant(link.target, wiki, link.path)
        if any(stem_of(one.path).split() == link.target.split() for one in meant):
            # Blanks that do not break are blanks, as in Obsidian.
            continue
        is_often = link.stem in uses and not wiki.vaults.foreign(link.path)
        also = f", as on {uses[link.stem] - 1} other pages" if is_often else ""
        mend = asked(meant, wiki.vaults.vault) if meant else _otherwise(link, wiki)
        yield link, f"{link.shown} leads to no page{also}", mend


def _elsewhere(wiki: LintedWiki) -> Iterator[tuple[LinkRow, str, str]]:
    """The same of links that name a folder in which no page of their name lies."""
    if wiki.vaults.vault is VaultKind.LOGSEQ:
        # There a slash is part of the name.
        return
    # Most fit as they are written; what else fits, `homes` knows.
    plainly = (
        "EXISTS (SELECT 1 FROM lint.head AS head JOIN lint.page AS there ON there.id = head.page "
        "WHERE head.stem = link.stem AND substr(lower(there.path), -length(link.key) - 4) = "
        "'/' || link.key || '.md')"
    )
    rewritten = _rewriting(wiki)
    named = f"{_NAMED} AND instr(target, '/') AND {_NO_NAME}"
    for link in wiki.links(f"{named} AND NOT {plainly} AND NOT {wiki.no_page}"):
        if wiki.homes(link.stem).fitting(link.key) or is_report(link.path, wiki.vaults):
            continue
        paths = wiki.of_stem(link.stem)
        message = f"{link.shown} leads to no page: `{paths[0]}` lies in another folder"
        # Another page of the name that has no such heading is not the one that is meant.
        has_place = len(paths) == 1 and has_heading(wiki.anchors(paths[0]), link.heading)
        mend = rewritten(link, paths[0]) if has_place and _has_moved(link, paths[0], wiki) else ""
        if not (_leads_by_dashes(link.target, wiki) if mend else _is_no_page(link, wiki)):
            yield link, message, mend


def _has_moved(link: LinkRow, path: str, wiki: LintedWiki) -> bool:
    """Whether a link with the wrong folder means the page, and is no name with a slash in it, as
    `TCP/IP`, in notes of other tools."""
    folders = set(name_key(link.target).split("/")[:-1])
    is_named = bool(link.heading) or not stem_of(path).isalnum()
    is_near = not folders.isdisjoint(name_key(path).split("/")[:-1])
    return is_named or is_near or not wiki.vaults.foreign(link.path)


_DOCUMENTS = (".pdf", ".canvas", ".base")
"""Files that are read as pages are: a picture of a thing is no page on it."""


def _otherwise(link: LinkRow, wiki: LintedWiki) -> str:
    """What a link to no page means that is none: a heading of the page itself, by an old name of
    that, or a document of the name."""
    said, own = set(words_of(link.target)), set(words_of(stem_of(link.path)))
    # No page shows itself.
    is_own = link.form == "wiki" and 2 * len(said & own) >= len(said)
    if link.heading and is_own and f"#{heading_key(link.heading)}" in wiki.anchors(link.path):
        return f"Did you mean [[#{link.heading}]]?"
    held = by_stem(wiki.files).get(name_of(link.target), ())
    found = meant_from([e for e in held if e.lower().endswith(_DOCUMENTS)], link.path)
    return f"Did you mean [[{posixpath.basename(found)}]]?" if found else ""


def _line(link: LinkRow, page: PageView | None) -> str:
    """The line that a link stands in, from the link on."""
    return page.lines[link.line - 1][link.column - 1 :] if page and link.column else ""


_SHOWN = 5
"""Names without a page that are told, of all that are counted."""


def _wishes(links: Sequence[LinkRow]) -> Iterator[Finding]:
    """Links of another tool's notes to names that no page has nearly: whoever writes one wishes for
    that page, or only marks a topic."""
    names = Counter(link.stem for link in links)
    first = {link.stem: link for link in reversed(links)}
    most = sorted(names, key=lambda stem: (-names[stem], stem))[:_SHOWN]
    shown = [
        f"[[{first[stem].target}]]" + (f" ({names[stem]} times)" if names[stem] > 1 else "")
        for stem in most
    ]
    if not names:
        return
    told = f"{listed(shown)} {'has' if len(names) == 1 else 'have'} no page yet"
    if len(names) > _SHOWN:
        told = f"{len(names)} linked names have no page yet, most often {listed(shown)}"
    hit = first[most[0]].found(told, "topics", "Write a page for those that deserve one.")
    yield hit._replace(severity=Severity.NOTE, by_hand=True)


def _rewriting(wiki: LintedWiki) -> Callable[[LinkRow, str], str]:
    """Gives the advice how to write a link to a page, with the words and the anchor that it has."""
    view = lru_cache(maxsize=2)(wiki.page)

    def advice(link: LinkRow, path: str) -> str:
        line, stem = _line(link, view(link.path)), stem_of(path)
        for had in scan(line):
            led = led_to(line, had, stem, bar_at(line, 0)[0] or "|")
            return f"Write {led.replace(f'[[{stem}|{stem}]]', f'[[{stem}]]')}."
        return f"Write [[{stem}|{link.target}]]."

    return advice


def _is_no_page(link: LinkRow, wiki: LintedWiki) -> bool:
    """Whether a link without a page leads to what is none, or only shows how links are written."""
    return (
        is_report(link.path, wiki.vaults)
        or is_file(link.target, wiki)
        or link.key in wiki.catalogue
        or _is_listing(link.target, wiki)
        or _leads_by_dashes(link.target, wiki)
        or (wiki.vaults.foreign(link.path) and _is_to_come_or_code(link.target))
    )


def _is_to_come_or_code(target: str) -> bool:
    """Whether a name is none that a page would have: of a program's file beside the notes, or as
    `is_to_come`."""
    is_path = target.startswith("../") and posixpath.splitext(target)[1] not in ("", ".md")
    return is_path or is_to_come(target)


def _meant(target: str, wiki: LintedWiki, path: str) -> tuple[Name, ...]:
    meant = meant_by(target, wiki, path)
    if not meant and "/" in target and wiki.vaults.vault is not VaultKind.LOGSEQ:
        meant = meant_by(stem_of(target), wiki, path)
        if wiki.vaults.foreign(path):
            meant = tuple(name for name in meant if name.is_file)
    if not wiki.vaults.foreign(path):
        return meant
    return meant if len(meant) == 1 and _is_sure(target, meant[0]) else ()


_TELLING = frozenset("+#*!&=<>%$@~0123456789")
_LONG = 6
"""Letters of a word from which on a page of its plural is likely meant."""


def _is_sure(target: str, name: Name) -> bool:
    """Whether a name that differs is more than another form of one word: `SOP` and `sops` are two
    things, what a page is also called in the plural may be a thing of that page, and a sign or a
    number tells names apart: `C` and `C++`, `1-norm` and `2-norm`."""
    names = map(without_order, (target, name.text))
    signs = [[c for c in each if c in _TELLING] for each in names]
    if signs[0] and signs[0] != signs[1][: len(signs[0])]:
        return False
    if any(not sign.isdigit() for sign in signs[1][len(signs[0]) :]):
        return False
    said, had = ("".join(filter(str.isalnum, each)).casefold() for each in (target, name.text))
    if said == had or len(words_of(target)) > 1 or abs(len(said) - len(had)) > 2:
        return True
    return name.is_file and (len(said) > len(had) or len(said) >= _LONG)


def _leads_by_dashes(target: str, wiki: LintedWiki) -> bool:
    """Whether a link without a page of its very name leads to one as GitHub has it."""
    key = name_in(link_key(target))
    other = key.replace(" ", "-")
    return other != key and wiki.has_dashes and bool(wiki.of_stem(other))


@rule(
    "WK105 warning link-to-alias",
    was="WK007 WK008 title-not-heading title-not-file-name",
    bad=beside_tea("It is made as [[Chai]] is."),
    good=beside_tea("It is made as [[Tea|Chai]] is."),
    fix=with_file_name,
)
def link_to_alias(wiki: LintedWiki) -> Iterator[Finding]:
    """A wikilink names a page by its title or an alias. Obsidian finds pages by file name alone, so
    for its readers the link is broken. A common word in capitals, as OR, is only asked about. Notes
    of another tool that are no vault of Obsidian's may find pages so: there it is not told, nor
    in any what heads several notes.

    Write the file's name, a bar and the name to show.
    """
    # Most links name a file, be it with its folder.
    of_name = f"(instr(link.key, '/') OR {wiki.no_page}) AND {_NO_NAME.removeprefix('NOT ')}"
    rewritten = _rewriting(wiki)
    for link in wiki.links(f"form IN ('wiki', 'embed') AND target != '' AND {of_name}"):
        if link.target.endswith("/") or wiki.homes(link.stem).fitting(link.key):
            continue
        paths = beside(wiki.bearers(link.key), link.path)
        # A page that links to its own alias means no other name of its file.
        if not paths or paths == [link.path] or is_file(link.target, wiki):
            continue
        is_list = any(stem_of(path) in LISTS for path in paths)
        is_any = len(paths) > 1 or is_list or is_capital_word(link.target)
        if is_any and wiki.vaults.foreign(link.path):
            # What heads several notes, as `# Problem`, is no name of one; a README heads them all.
            continue
        if len(paths) == 1:
            message = f"{link.shown} names [[{stem_of(paths[0])}]] by another name than its file's"
            if not is_capital_word(link.target):
                yield link.found(message, link.target, rewritten(link, paths[0]))
                continue
        else:
            message = f"{link.shown} names no file, and {len(paths)} pages by another name"
        shown = " or ".join(f"[[{stem_of(path)}]]" for path in paths[:3])
        mend = f"Did you mean {shown}?"
        yield link.found(message, link.target, mend)._replace(by_hand=True)


def _is_listing(target: str, wiki: LintedWiki) -> bool:
    """Whether a site's generator writes the page: of a folder (`[[recipes/]]`), or of a tag."""
    place = target.strip("/").replace("\\", "/")
    if target.endswith("/") and place:
        return is_there(f"wiki/{place}", wiki)
    return place.startswith("tags/")
