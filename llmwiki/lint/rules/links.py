"""Rules about what links lead to, and to which pages none leads."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache
from itertools import islice

from llmwiki.core.language.search_terms import STOP_WORDS
from llmwiki.core.page_and_note_kinds import INDEX, OVERVIEW, SUBJECTS
from llmwiki.core.text import fold, listed
from llmwiki.index.facts import is_catalogue
from llmwiki.lint.finding import Finding, Severity, found_at, short
from llmwiki.lint.fixes import is_capital_word, with_file_name
from llmwiki.lint.links_and_anchors import ANY, LinkRow, heading_key
from llmwiki.lint.own_and_foreign_pages import (
    beside,
    is_clipping,
    is_report,
    is_to_come,
    kind_of,
    meant_from,
)
from llmwiki.lint.rule import example, rule
from llmwiki.lint.spellings import Name, asked, meant_by
from llmwiki.lint.vault import VaultKind
from llmwiki.lint.view import PageView
from llmwiki.lint.wiki import LintedWiki
from llmwiki.pages.link_targets import is_attachment, link_key, name_in
from llmwiki.pages.links import scan, targets
from llmwiki.pages.names import name_key, stem_of
from llmwiki.pages.relink import bar_at, led_to

_NUMBER = re.compile(r"\d|\b[IVX]+\b")
_NO_HEADING = re.compile(r"(?:fn|cite|top\Z|L\d|:~:|[/!^?])", re.IGNORECASE)
"""Begins a fragment that leads to a footnote, a line, a passage, or is an address of a program."""
_REPEATED = re.compile(r"[-_]\d{1,2}\Z")
_ALIKE = 0.65
"""How alike a heading is to one that is named, as `difflib` tells it, to be asked about."""
_COMPARED = 200
"""Headings of a page that a wrong one is compared with."""
_WEB = re.compile(
    r"www\.|(?:[a-z0-9-]{1,63}\.){2,4}[a-z]{2,6}(?:/|\Z)"
    r"|[a-z0-9-]{1,63}\.(?:app|com|de|dev|edu|fr|gov|io|live|me|net|org)(?:/|\Z)",
    re.IGNORECASE,
)
_NO_NAME = (
    "NOT EXISTS (SELECT 1 FROM lint.name AS name WHERE name.key = link.key AND which != 'file')"
)


def _hit(link: LinkRow, message: str, about: str, mend: str = "") -> Finding:
    return found_at(link.line, message, link.path, link.column, mend, about)


_TEA = "---\ntype: concept\ntitle: Tea\naliases: [Chai]\n---\n\n# Tea\n\n## Making\n\nPour. ^how\n"


def _two(line: str) -> dict[str, str]:
    return {"wiki/concepts/Example.md": f"# Example\n\n{line}\n", "wiki/concepts/Tea.md": _TEA}


# --- wikilinks -----------------------------------------------------------------------------


@rule(
    "WK101 warning broken-wikilink",
    was="WK109 missing-page",
    bad=_two("It is made as [[Tae]] is."),
    good=_two("It is made as [[tea|every tea]] is, with `[[ -f leaf ]]` in a shell."),
    fix=with_file_name,
)
def broken_wikilink(wiki: LintedWiki) -> Iterator[Finding]:
    """A wikilink leads to no page: no file has that name, and no page bears it as title or alias.
    A link finds its page by file name, in whatever case, as in Obsidian; folders it names must fit.
    In a wiki of GitHub's (a page Home, _Sidebar or _Footer, and no blank in any page's file name) a
    blank finds a hyphen, as GitHub has it; `[[folder/]]` leads to a folder that is there. In notes
    of other tools a link may wait for a page to be written: it is a note where no page is nearly
    named so, one for all such names where they are many, and nothing in the docs of a project that
    have no wikilinks; a log or the report of a lint there only quotes links.

    Correct the name, write the page, or make it plain text.
    """
    is_wiki = "form IN ('wiki', 'embed') AND target != ''"
    uses = dict(
        wiki.rows(
            "SELECT stem, count(DISTINCT page) AS pages FROM lint.link AS link WHERE form = 'wiki' "
            f"AND {wiki.no_page} GROUP BY stem HAVING pages > 2"
        )
    )
    wishes: list[LinkRow] = []
    is_logseq = wiki.vaults.vault is VaultKind.LOGSEQ
    view, anchors = lru_cache(maxsize=2)(wiki.page), _anchors(wiki)
    for link in wiki.links("form = 'address'"):
        message = f"{link.shown}: an address stands between wikilink brackets"
        found = scan(_line(link, view(link.path)))
        address = f"{link.target}{link.heading and '#'}{link.heading}"
        mend = f"Write [{found[0].label}]({address})." if found and found[0].label else _ANGLES
        yield _hit(link, message, link.target, mend)
    for link in wiki.links(f"{is_wiki} AND {wiki.no_page} AND {_NO_NAME}"):
        if is_attachment(link.target) or _is_no_page(link, wiki):
            continue
        meant = _meant(link.target, wiki, link.path)
        if any(stem_of(one.path).split() == link.target.split() for one in meant):
            # Blanks that do not break are blanks, as in Obsidian.
            continue
        did = asked(meant, wiki.vaults.vault)
        mend = did if meant else _otherwise(link, anchors, wiki)
        if not mend and link.form == "wiki" and wiki.vaults.foreign(link.path):
            if not (wiki.is_by_path or is_logseq):
                wishes.append(link)
            continue
        is_often = link.stem in uses and not wiki.vaults.foreign(link.path)
        also = f", as on {uses[link.stem] - 1} other pages" if is_often else ""
        yield _hit(link, f"{link.shown} leads to no page{also}", link.target, mend)
    yield from _wishes(wishes, wiki)
    if not is_logseq:
        # There a slash is part of the name.
        yield from _elsewhere(wiki, f"{is_wiki} AND instr(target, '/') AND {_NO_NAME}")


def _elsewhere(wiki: LintedWiki, where: str) -> Iterator[Finding]:
    """Those of links that name a folder in which no page of their name lies."""
    # Most fit as they are written; what else fits, `homes` knows.
    plainly = (
        "EXISTS (SELECT 1 FROM lint.head AS head JOIN lint.page AS there ON there.id = head.page "
        "WHERE head.stem = link.stem AND substr(lower(there.path), -length(link.key) - 4) = "
        "'/' || link.key || '.md')"
    )
    rewritten = _rewriting(wiki)
    for link in wiki.links(f"{where} AND NOT {plainly} AND NOT {wiki.no_page}"):
        if wiki.homes(link.stem).fitting(link.key) or is_report(link.path, wiki.vaults):
            continue
        paths = wiki.of_stem(link.stem)
        message = f"{link.shown} leads to no page: `{paths[0]}` lies in another folder"
        mend = rewritten(link, paths[0]) if len(paths) == 1 else ""
        if not (_leads_by_dashes(link.target, wiki) if mend else _is_no_page(link, wiki)):
            yield _hit(link, message, link.target, mend)


_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp")
_ANGLES = "Write it between angle brackets: `<https://…>`."


def _otherwise(link: LinkRow, anchors: Callable[[str], frozenset[str]], wiki: LintedWiki) -> str:
    """What a link to no page means that is none: a heading of the page itself, by an old name of
    that, or a file of the name."""
    if link.heading and f"#{heading_key(link.heading)}" in anchors(link.path):
        return f"Did you mean [[#{link.heading}]]?"
    held = _by_stem(wiki.files).get(_name_of(link.target), ())
    # A picture of a thing is no page on it.
    names = [path for path in held if not path.lower().endswith(_PICTURES)]
    found = meant_from(names, link.path)
    return f"Did you mean [[{posixpath.basename(found)}]]?" if found else ""


def _line(link: LinkRow, page: PageView | None) -> str:
    """The line that a link stands in, from the link on."""
    return page.lines[link.line - 1][link.column - 1 :] if page and link.column else ""


_TOPICS = 20
"""Names without a page from which on they are counted, and not told one by one."""


def _wishes(links: Sequence[LinkRow], wiki: LintedWiki) -> Iterator[Finding]:
    """Links of another tool's notes to names that no page has nearly: whoever writes one wishes for
    that page, or only marks a topic, as whole vaults do."""
    names = Counter(link.stem for link in links)
    if len(names) > _TOPICS:
        most = sorted(names, key=lambda stem: (-names[stem], stem))[:3]
        first = {link.stem: link for link in reversed(links)}
        shown = [
            first[stem].shown + (f" ({names[stem]} times)" if names[stem] > 1 else "")
            for stem in most
        ]
        message = f"{len(names)} linked names have no page yet, most often {listed(shown)}"
        hit = _hit(first[most[0]], message, "topics", "Write a page for those that deserve one.")
        yield hit._replace(severity=Severity.NOTE, by_hand=True)
        return
    for link in links:
        message = f"{link.shown} leads to no page yet, and none is named nearly so"
        yield _hit(link, message, link.target)._replace(severity=Severity.NOTE, by_hand=True)


def _rewriting(wiki: LintedWiki) -> Callable[[LinkRow, str], str]:
    """Gives the advice how to write a link to a page, with the words and the anchor that it has."""
    view = lru_cache(maxsize=2)(wiki.page)

    def advice(link: LinkRow, path: str) -> str:
        line, stem = _line(link, view(link.path)), stem_of(path)
        for had in scan(line):
            return f"Write {led_to(line, had, stem, bar_at(line, 0)[0] or '|')}."
        return f"Write [[{stem}|{link.target}]]."

    return advice


def _is_no_page(link: LinkRow, wiki: LintedWiki) -> bool:
    """Whether a link without a page leads to what is none, or only shows how links are written."""
    return (
        is_report(link.path, wiki.vaults)
        or _is_file(link.target, wiki)
        or link.key in _catalogue(wiki)
        or _is_listing(link.target, wiki)
        or _leads_by_dashes(link.target, wiki)
        or (wiki.vaults.foreign(link.path) and is_to_come(link.target))
    )


def _meant(target: str, wiki: LintedWiki, path: str) -> tuple[Name, ...]:
    meant = meant_by(target, wiki, path)
    has_folder = "/" in target and wiki.vaults.vault is not VaultKind.LOGSEQ
    return meant or (meant_by(stem_of(target), wiki, path) if has_folder else ())


def _leads_by_dashes(target: str, wiki: LintedWiki) -> bool:
    """Whether a link without a page of its very name leads to one as GitHub has it."""
    key = name_in(link_key(target))
    other = key.replace(" ", "-")
    return other != key and wiki.has_dashes and bool(wiki.of_stem(other))


@rule(
    "WK105 warning link-to-alias",
    was="WK007 WK008 title-not-heading title-not-file-name",
    bad=_two("It is made as [[Chai]] is."),
    good=_two("It is made as [[Tea|Chai]] is."),
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
        if not paths or paths == [link.path] or _is_file(link.target, wiki):
            continue
        if len(paths) > 1 and wiki.vaults.foreign(link.path):
            # What heads several notes, as `# Problem`, is no name of one.
            continue
        if len(paths) == 1:
            message = f"{link.shown} names [[{stem_of(paths[0])}]] by another name than its file's"
            if not is_capital_word(link.target):
                yield _hit(link, message, link.target, rewritten(link, paths[0]))
                continue
        else:
            message = f"{link.shown} names no file, and {len(paths)} pages by another name"
        shown = " or ".join(f"[[{stem_of(path)}]]" for path in paths[:3])
        mend = f"Did you mean {shown}?"
        yield _hit(link, message, link.target, mend)._replace(by_hand=True)


@lru_cache(maxsize=2)
def _catalogue(wiki: LintedWiki) -> Mapping[str, PageView]:
    """The files of the catalogue, which are no pages, by the links that mean them."""
    found = {}
    for path in sorted(filter(is_catalogue, wiki.files)):
        view = PageView(path, (wiki.file(path) or b"").decode("utf-8", "replace"))
        names = (view.stem, *(() if view.broken else (view.title, *view.head.aliases)))
        found.update({link_key(name): view for name in names})
    return found


# --- anchors -------------------------------------------------------------------------------


@rule(
    "WK102 warning broken-anchor",
    was="WK103 WK312 broken-heading broken-block successor-missing",
    bad=_two("See [[Tea#Brewing]]."),
    good=_two("See [[Tea#making]], [[Tea#^how]] and [making](Tea.md#making)."),
)
def broken_anchor(wiki: LintedWiki) -> Iterator[Finding]:
    """A link leads to a heading or a block, such as a claim or what a struck one was replaced by,
    that its page does not have; so does the anchor of a Markdown link, told once for all of a page
    that lead to one other, and not where the page was copied from the web. Case, blanks and
    punctuation of headings do not count, nor the number behind one that is repeated; anchors
    written as HTML or `{#name}` do, and a page with headings in HTML, or that a program fills in,
    may have any.

    Correct the heading or the block in the link.
    """
    yield from _broken_headings(wiki)
    yield from _broken_fragments(wiki)
    yield from _broken_blocks(wiki)


def _led(link: LinkRow, wiki: LintedWiki) -> str | None:
    """The page a link with an anchor leads to; None: to none of the name."""
    return wiki.homes(link.stem).lead(link.key, link.path) if link.target else link.path


def _anchors(wiki: LintedWiki) -> Callable[[str], frozenset[str]]:
    """Gives what links may point to on a page; what was asked last is held."""

    @lru_cache(maxsize=64)
    def read(path: str) -> frozenset[str]:
        rows = wiki.rows(
            "SELECT key FROM lint.anchor AS anchor JOIN lint.page AS page "
            "ON page.id = anchor.page WHERE path = ?",
            path,
        )
        return frozenset(key for (key,) in rows)

    return read


def _has(had: frozenset[str], keys: set[str]) -> bool:
    """Whether a page has all these anchors, or may have any."""
    return keys <= had or ANY in had


def _broken_headings(wiki: LintedWiki) -> Iterator[Finding]:
    anchors = _anchors(wiki)
    for link in wiki.links("form IN ('wiki', 'embed') AND heading != ''"):
        wanted = {heading_key(part) for part in link.heading.split("#")} - {""}
        page = _led(link, wiki) if wanted else None
        if page is None or _has(anchors(page), {f"#{key}" for key in wanted}):
            continue
        if (top := _catalogue(wiki).get(link.key)) and wanted <= {
            heading_key(had.title) for had in top.headings
        }:
            continue
        where = f"[[{stem_of(page)}]]" if link.target else "this page"
        message = f"{link.shown} leads to a heading that {where} does not have"
        mend = _meant_heading(wiki.page(page), link.heading.rpartition("#")[2])
        yield _hit(link, message, f"{link.target}#{link.heading}", mend)


def _broken_fragments(wiki: LintedWiki) -> Iterator[Finding]:
    """The anchors of Markdown links, as sites and forges make them of headings."""
    anchors = _anchors(wiki)
    lost: dict[tuple[str, str], list[LinkRow]] = {}
    for link in wiki.links("form = 'file' AND heading != ''"):
        page = _page_of(link, wiki)
        if (
            page
            and not _NO_HEADING.match(link.heading)
            and not _has_slug(anchors(page), link.heading)
        ):
            lost.setdefault((link.path, page), []).append(link)
    for (path, page), found in lost.items():
        first, view = found[0], wiki.page(page)
        mend = next(filter(None, (_meant_heading(view, link.heading) for link in found)), "")
        # Among wikilinks, which name headings by their words, such anchors came with a copied text.
        is_copied = wiki.vaults.foreign(path) and not (wiki.is_by_path or mend)
        if is_copied or _is_of_clipping(first, wiki):
            continue
        where = "this page" if page == path else f"`{page}`"
        count = (
            f"{len(found)} links lead to headings"
            if len(found) > 1
            else "A link leads to a heading"
        )
        names = listed([f"`#{short(link.heading)}`" for link in found[:3]])
        more = f" and {len(found) - 3} more" if len(found) > 3 else ""
        yield _hit(first, f"{count} that {where} does not have: {names}{more}", f"{page}#", mend)


def _page_of(link: LinkRow, wiki: LintedWiki) -> str | None:
    """The page that a Markdown link leads to by its path; None: to none."""
    if not link.target:
        return link.path
    path = name_key(_followed(link.resolved, wiki))
    wanted = (path, f"{path}.md")
    return next((page for page in wiki.of_stem(link.stem) if name_key(page) in wanted), None)


def _has_slug(had: frozenset[str], written: str) -> bool:
    """Whether a page has the heading that a fragment of an address was made of. Some sites leave
    out what is not ASCII; of headings that are alike all but the first get a number."""
    name = written.removeprefix("user-content-")
    # Gollum writes the headings that one stands below before it.
    ways = (name, _REPEATED.sub("", name), name.rpartition("_")[2])
    keys = {*map(heading_key, ways)} - {""}
    if ANY in had or not keys or _has(had, {f"#{heading_key(name)}"}):
        return True
    plain = {"".join(filter(str.isascii, key[1:])) for key in had if key[0] == "#"}
    return bool(keys & (plain | {key[1:] for key in had}))


def _meant_heading(view: PageView | None, written: str) -> str:
    """Names the heading that is most like one that is not there; numbers tell headings apart."""
    headings = islice(view.headings if view else (), _COMPARED)
    numbers = _NUMBER.findall(written)
    titles = {
        heading_key(h.title): h.title for h in headings if _NUMBER.findall(h.title) == numbers
    }
    near = get_close_matches(heading_key(written), titles, 1, _ALIKE)
    return f"Did you mean the heading “{titles[near[0]]}”?" if near else ""


def _broken_blocks(wiki: LintedWiki) -> Iterator[Finding]:
    # Asked of all pages of a name first: few links remain to be looked at.
    lacking = (
        "form IN ('wiki', 'embed') AND block != '' AND (target = '' OR EXISTS ("
        "SELECT 1 FROM lint.head AS head WHERE head.stem = link.stem AND NOT EXISTS (SELECT 1 FROM "
        "lint.anchor AS anchor WHERE anchor.key = '^' || link.block AND anchor.page = head.page)))"
    )
    anchors = _anchors(wiki)
    for link in wiki.links(lacking):
        page = _led(link, wiki)
        if page is None or f"^{link.block}" in anchors(page):
            continue
        is_claim = link.block.startswith(("c-", "n-"))
        places = wiki.places(link.block) if is_claim else []
        if is_claim and not places and link.path.startswith("wiki/sources/"):
            # That a recorded claim is gone is told by another rule.
            continue
        where = f"[[{stem_of(page)}]]" if link.target else "this page"
        at = f"[[{stem_of(places[0].path)}#^{link.block}]]" if places else ""
        yield _hit(
            link,
            f"{link.shown} leads to a block that {where} does not have",
            f"{link.target}#^{link.block}",
            f"It stands on another page: {at}." if at else "",
        )._replace(claims=(link.block,) if is_claim else ())


# --- files ---------------------------------------------------------------------------------


@rule(
    "WK104 warning broken-file-link",
    was="WK111 WK112 missing-attachment moved-raw-file",
    bad=_two("See [how](../entities/Tea.md)."),
    good=_two("See [how](Tea.md#making)."),
)
def broken_file_link(wiki: LintedWiki) -> Iterator[Finding]:
    """A Markdown link leads to a file below wiki/ or raw/ that is not there, or lies elsewhere
    below raw/ now; or a page shows an image, a PDF or another file that is not in the wiki. Files
    elsewhere and addresses of the web are not looked at. In notes of another tool a path that
    begins with `/` may begin at any folder above the page, as sites have it; where they have
    wikilinks, or are Obsidian's, a page is found by its name, in whatever folder; what was copied
    from the web has links that led somewhere there; files of an ending of which hardly one is there
    are told once, as a note. What git ignores is there for its owner; a path without an ending,
    which may be an address of a site, is told where it is known what it means.

    Correct the path, or add the file. A path begins at the folder of the page it stands on.
    """
    lost: dict[str, list[Finding]] = {}
    for link, path in _without_file(wiki):
        is_theirs = wiki.vaults.foreign(link.path)
        if "://" in link.target:
            message = "An address stands between the round brackets of a link, and more than that"
            yield _hit(link, message, "link", "Write the address alone between the round brackets.")
            continue
        if link.target.startswith("["):
            continue
        mend = _at_hand(link, wiki) if link.resolved else ""
        if is_theirs and not mend and (not _ending(path) or _is_of_clipping(link, wiki)):
            continue
        if link.form == "file":
            message, ending = f"({link.target}) leads to no file", ""
        else:
            shown = f"![…]({link.target})" if link.resolved else link.shown
            message, ending = f"{shown} shows a file that is not there", _ending(path)
        hit = _hit(link, message, path, mend)
        lost.setdefault(ending if is_theirs and not mend else "", []).append(hit)
    for ending, hits in lost.items():
        if not ending or len(hits) < _ABSENT or _finds(ending, hits, wiki) > _STRAY * len(hits):
            yield from hits
        else:
            message = f"{len(hits)} links show files `{ending}` that are not in the folder"
            mend = "If they are kept elsewhere, nothing is wrong."
            first = hits[0]._replace(message=message, mend=mend, about=ending)
            yield first._replace(severity=Severity.NOTE)


def _without_file(wiki: LintedWiki) -> list[tuple[LinkRow, str]]:
    """The links that lead to no file though they should, each with the path that it means."""
    found = [*_lost_files(wiki)]
    ignored = wiki.ignored({path for _link, path in found})
    return [(link, path) for link, path in found if path not in ignored]


def _lost_files(wiki: LintedWiki) -> Iterator[tuple[LinkRow, str]]:
    forms = "form IN ('file', 'shown')"
    if wiki.vaults.vault is not VaultKind.LOGSEQ:
        forms += f" OR (form IN ('wiki', 'embed') AND {wiki.no_page})"
    for link in wiki.links(forms):
        path = link.resolved or link.target
        if not link.resolved and not is_attachment(path):
            continue
        if _is_page(link, path, wiki) or (path.startswith("../") and not _is_below(path, wiki)):
            continue
        # Obsidian finds what is shown by its name alone.
        is_by_name = not (link.form == "file" or path.startswith("raw/") or wiki.is_by_path)
        if _is_there(path, wiki) or (is_by_name and _is_file(path, wiki)):
            continue
        if not (wiki.vaults.foreign(link.path) and _is_made_elsewhere(link, path, wiki)):
            yield link, path


_ABSENT = 5
"""Lost files of an ending, from which on they are told as one."""
_STRAY = 0.1
"""Links that find a file of the ending, for each that finds none, up to which that is so."""


def _finds(ending: str, hits: list[Finding], wiki: LintedWiki) -> int:
    """How many links find a file of that ending, in the folder in which most find none."""
    folders = Counter(_folder(hit.path) for hit in hits)
    folder = max(sorted(folders), key=folders.__getitem__)
    links = wiki.links("form IN ('file', 'shown', 'embed')")
    paths = (link.resolved or link.target for link in links if _folder(link.path) == folder)
    found = (path for path in paths if _ending(path) == ending)
    return sum(_is_there(path, wiki) or _is_file(path, wiki) for path in found)


def _folder(path: str) -> tuple[str, ...]:
    """The folder of a note, at most the second from the top: a site beside notes is another one."""
    return tuple(path.split("/")[:-1][:2])


def _ending(path: str) -> str:
    return posixpath.splitext(path)[1].lower()


def _is_below(path: str, wiki: LintedWiki) -> bool:
    """Whether what a path above the root names lies below it: it goes up by too many folders."""
    return wiki.is_by_path and _is_there(path.replace("../", ""), wiki)


def _is_of_clipping(link: LinkRow, wiki: LintedWiki) -> bool:
    view = wiki.page(link.path)
    return view is not None and is_clipping(view)


def _is_page(link: LinkRow, path: str, wiki: LintedWiki) -> bool:
    """Whether a link that names a file leads to a page: to one of the name, or where links are
    paths to the one there. A path without an ending may count the page itself as a folder, as the
    addresses of sites do."""
    if not link.key:
        return False
    if not (wiki.is_by_path and link.form == "file"):
        return bool(wiki.homes(link.stem).fitting(link.key))
    own = link.path.removesuffix(".md")
    below = "" if "." in posixpath.basename(path) else posixpath.join(own, link.target)
    return any(_is_there(posixpath.normpath(each), wiki) for each in (path, below) if each)


def _at_hand(link: LinkRow, wiki: LintedWiki) -> str:
    """What a path most likely means: the file of that name in another folder, or one of nearly that
    name; an address of the web."""
    if link.form == "file" and _WEB.match(link.target) and _ending(link.target) != ".md":
        return f"An address of the web begins with its scheme: (https://{link.target})."
    if odd := next((sign for sign in link.target if not sign.isprintable()), ""):
        return f"Take the invisible character U+{ord(odd):04X} out of the path."
    name = name_key(posixpath.basename(link.resolved))
    names = _by_name(wiki.files).get(name) or wiki.of_stem(link.stem)
    found = meant_from(_most_alike([e for e in names if e != link.path], link), link.resolved)
    if not found and wiki.is_by_path:
        folders = _folders_named(wiki.paths).get(name, ())
        found = meant_from(_most_alike(folders, link), link.resolved)
    if not found and _ending(link.target):
        near = meant_by(stem_of(link.resolved), wiki, link.path)
        found = near[0].path if len(near) == 1 else ""
    if not found:
        return ""
    path = posixpath.relpath(found, posixpath.dirname(link.path))
    return f"Did you mean {f'(<{path}>)' if ' ' in path else f'({path})'}?"


def _most_alike(paths: Sequence[str], link: LinkRow) -> Sequence[str]:
    """Of files of one name those that share most folders before it with what a link names."""
    wanted = [name_key(part) for part in reversed(link.resolved.split("/")[:-1])]
    shared = {
        path: len(posixpath.commonprefix([wanted, list(reversed(name_key(path).split("/")[:-1]))]))
        for path in paths
    }
    most = max(shared.values(), default=0)
    # Without an ending it may be an address, in which other folders mean other things.
    if (
        wanted
        and not (most or _ending(link.target))
        and "/" in link.target.replace("../", "").strip("/")
    ):
        return ()
    return [path for path in paths if shared[path] == most]


def _is_made_elsewhere(link: LinkRow, path: str, wiki: LintedWiki) -> bool:
    """Whether a link of another tool's note leads to what is made, or looked for, elsewhere: a page
    of a site (`index.html`, `/logo.svg`), a file in a hidden folder, a note that is to come. One
    from the root of a site may begin at any folder above the page."""
    inside = path.replace("../", "")
    if is_to_come(path) or path.endswith((".html", ".htm")) or "/." in f"/{inside}":
        return True
    if link.target.startswith("/"):
        above = link.path.split("/")[:-1]
        places = ("/".join((*above[:n], path)) for n in range(len(above) + 1))
        return not path.endswith(".md") or any(_is_there(place, wiki) for place in places)
    name = posixpath.basename(path.rstrip("/"))
    # By the id that a site's generator makes an address of.
    is_named = "." not in name and wiki.is_by_path and bool(wiki.bearers(link_key(name)))
    return is_named or _is_there(link.target, wiki)


@lru_cache(maxsize=2)
def _by_name(files: frozenset[str]) -> Mapping[str, tuple[str, ...]]:
    """Files by their folded names."""
    found: dict[str, list[str]] = {}
    for path in sorted(files):
        found.setdefault(name_key(path.rsplit("/", 1)[-1]), []).append(path)
    return {name: tuple(paths) for name, paths in found.items()}


@lru_cache(maxsize=2)
def _by_stem(files: frozenset[str]) -> Mapping[str, Sequence[str]]:
    """Attachments by their folded names without ending."""
    found: dict[str, list[str]] = {}
    for path in sorted(filter(is_attachment, files)):
        found.setdefault(name_key(posixpath.basename(path).rpartition(".")[0]), []).append(path)
    return found


@lru_cache(maxsize=2)
def _folders(files: frozenset[str]) -> frozenset[str]:
    return frozenset(
        name_key(path[:at]) for path in files for at in range(len(path)) if path[at] == "/"
    )


@lru_cache(maxsize=2)
def _folders_named(paths: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """The folders of pages by their folded names."""
    found: dict[str, list[str]] = {}
    for folder in sorted(
        {path[:at] for path in paths for at in range(len(path)) if path[at] == "/"}
    ):
        found.setdefault(name_key(posixpath.basename(folder)), []).append(folder)
    return found


def _is_file(target: str, wiki: LintedWiki) -> bool:
    """Whether a link's target names a file that is no page: an attachment, a catalogue."""
    names = _by_name(wiki.files)
    name = _name_of(target)
    return name in names or f"{name}.md" in names


def _name_of(target: str) -> str:
    """The folded file name that a path ends in."""
    return name_key(target.replace("\\", "/").rstrip("/").rpartition("/")[2].strip())


def _is_listing(target: str, wiki: LintedWiki) -> bool:
    """Whether a site's generator writes the page: of a folder (`[[recipes/]]`), or of a tag."""
    place = target.strip("/").replace("\\", "/")
    if target.endswith("/") and place:
        return _is_there(f"wiki/{place}", wiki)
    return place.startswith("tags/")


def _is_there(resolved: str, wiki: LintedWiki) -> bool:
    """Whether a path leads to a file or a folder; `.md` may be left out, `.html` stand for it."""
    files, paths = wiki.files, wiki.paths
    resolved = _followed(resolved, wiki)
    at = bisect_left(paths, resolved + "/")
    if (at < len(paths) and paths[at].startswith(resolved + "/")) or (
        name_key(resolved) in _folders(files)
    ):
        return True
    here = name_key(resolved)
    name = here.rsplit("/", 1)[-1]
    held = {name_key(path) for end in ("", ".md") for path in _by_name(files).get(name + end, ())}
    stem = name_key(stem_of(resolved.removesuffix(".html")))
    held.update(name_key(path) for path in wiki.of_stem(stem))
    return bool(held & {here, f"{here}.md", f"{here.removesuffix('.html')}.md"})


def _followed(path: str, wiki: LintedWiki) -> str:
    """A path with the symbolic link in it replaced by what that leads to."""
    if not wiki.symlinks:
        return path
    ends = (at for at in range(len(path) + 1) if at == len(path) or path[at] == "/")
    linked = next((at for at in ends if path[:at] in wiki.symlinks), None)
    return path if linked is None else wiki.symlinks[path[:linked]] + path[linked:]


# --- pages and what leads to them ------------------------------------------------------------


def _pages(**texts: str) -> dict[str, str]:
    return {f"wiki/concepts/{n}.md": example(f"{text}\n", title=n) for n, text in texts.items()}


@rule(
    "WK107 warning orphan",
    bad=_pages(Example="Tea.", Leaf="A leaf of [[Cup]].", Cup="A [[Leaf]]."),
    good=_pages(Example="In a [[Cup]].", Leaf="A leaf makes [[example|tea]].", Cup="A [[Leaf]]."),
)
def orphan(wiki: LintedWiki) -> Iterator[Finding]:
    """No page links to this entity, concept or synthesis: readers find it through the catalogue
    alone, and the graph has it aside. A page with claims is found from the pages of their sources.

    Link to it where its subject is spoken of; the lists of the catalogue do not count.
    """
    by_hand = _linked_by_hand(wiki)
    for path, stem in wiki.rows(
        "SELECT path, stem FROM lint.head AS head JOIN lint.page AS page ON page.id = head.page "
        "WHERE quotes = 0 AND kind IN ('entity', 'concept', 'synthesis') AND "
        "(NOT EXISTS (SELECT 1 FROM lint.link AS link "
        "WHERE link.stem = head.stem AND link.page != head.page AND link.key != '') OR EXISTS "
        "(SELECT 1 FROM lint.head AS twin WHERE twin.stem = head.stem AND twin.page != head.page)) "
        "ORDER BY path"
    ):
        if not (stem in by_hand or path in wiki.users(stem) or _is_named(path, wiki)):
            yield found_at(0, f"No page links to [[{stem_of(path)}]]", path, about=stem)


def _is_named(path: str, wiki: LintedWiki) -> bool:
    """Whether another page links to one by its title or an alias."""
    # A name's key tells its stem; links are found by the stem, without a look at each.
    named = (
        "SELECT 1 FROM lint.name AS name JOIN lint.page AS own ON own.id = name.page "
        "JOIN lint.link AS link ON link.stem = name.stem AND link.key = name.key "
        "AND link.page != name.page "
        "WHERE own.path = ? AND which != 'file' LIMIT 1"
    )
    return bool(wiki.rows(named, path))


def _linked_by_hand(wiki: LintedWiki) -> frozenset[str]:
    """What the wikilinks of the catalogue's files name; its lists are Markdown links."""
    texts = [(wiki.file(path) or b"").decode("utf-8", "replace") for path in (OVERVIEW, INDEX)]
    return frozenset(name_in(link_key(target)) for text in texts for target in targets(text))


_CUP = example("## Claims\n\n- A cup is {} for tea. ^c-aaaaaaaaaa\n", title="Cup")


@rule(
    "WK115 note link-on-common-word",
    bad={"wiki/concepts/Cup.md": _CUP.format("[[Set|set]]")},
    good={"wiki/concepts/Cup.md": _CUP.format("a [[Set|set of cups]]")},
)
def link_on_common_word(view: PageView) -> Iterator[Finding]:
    """A claim or lead links a word that may mean anything, such as `set` or `main`, to a page of
    that name: most readers who follow it find another thing than the sentence speaks of.

    Take the link out, or link words that say which thing is meant.
    """
    if kind_of(view) not in (*SUBJECTS, "source"):
        return
    dressed = {placed.line for placed in view.claims if placed.claim.successor is None}
    dressed |= {placed.line for placed in view.body if placed.node.kind == "lead"}
    yield from (
        found_at(
            link.line,
            f"“{short(shown)}” is linked to [[{short(link.target)}]], and may be any word",
            about=f"{link.target} {shown}",
        )
        for link in view.links
        if link.line in dressed
        and not (link.heading or link.block or link.embed)
        and (shown := link.label or link.target)
        and fold(shown) in (fold(link.target), fold(link.target) + "s")
        and not link.target.islower()
        and " " not in shown
        and (shown.islower() or fold(shown) in STOP_WORDS)
    )
