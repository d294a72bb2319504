"""How findings are mended: pure functions from the text of a page to its text.

A fix adds or rewrites what one rule found, and takes nothing away that says anything. It looks for
what it mends itself: lines move while others are mended before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from llmwiki.core.page_kinds import PAGE_KINDS
from llmwiki.index.facts import is_catalogue
from llmwiki.language.naming import folded_key
from llmwiki.lint.claims import CLAIMS, homes_of
from llmwiki.lint.finding import Finding
from llmwiki.lint.page_links import NAMES, bearers, paths_of
from llmwiki.lint.rules.mentions import link_names, with_links
from llmwiki.lint.rules.page_kinds import home_type
from llmwiki.lint.texts import Texts
from llmwiki.lint.view import PageView
from llmwiki.pages import write, write_claims
from llmwiki.pages.claim_links import ClaimHome, claim_link
from llmwiki.pages.front import scalar
from llmwiki.pages.link_targets import link_key, name_in
from llmwiki.pages.links import scan
from llmwiki.pages.names import name_key, stem_of
from llmwiki.pages.page import Page
from llmwiki.pages.relink import bar_at, led_to
from llmwiki.pages.taken_out import without_links

if TYPE_CHECKING:
    from llmwiki.lint.wiki import WikiView


class FixContext(NamedTuple):
    """What a fix may look at besides its page."""

    wiki: WikiView
    texts: Texts
    stood: Callable[[Sequence[str]], bool] = lambda _paths: False
    """Whether one of these paths was a page in an earlier commit."""


Fix = Callable[[PageView, Sequence[Finding], FixContext], str]
"""(page, what one rule found on it, ground) to the page's text mended; unchanged where in doubt."""

IN_STEP = frozenset({"WK019", "WK020", "WK021", "WK401", "WK408", "WK409"})
"""Rules about files that code renders: any operation brings them in step."""

TWICE = "WK010"
"""The rule about ids that stand in two places: claims of two pages come to one of them."""

JOINED = "WK303"
"""The rule about equal claims: those of one page are joined, and links on other pages led on."""


# --- lines ---------------------------------------------------------------------------------


def _without_mark(view: PageView, _found: Sequence[Finding], _ground: FixContext) -> str:
    return view.text.removeprefix("\ufeff")


def _with_lf(view: PageView, _found: Sequence[Finding], _ground: FixContext) -> str:
    return view.text.replace("\r\n", "\n")


# --- frontmatter ---------------------------------------------------------------------------


def _with_frontmatter(view: PageView, _found: Sequence[Finding], _ground: FixContext) -> str:
    if view.has_front or view.text.startswith(("---", "\ufeff")):
        return view.text
    head = f"type: {home_type(view)}\ntitle: {scalar(view.page.title)}\n"
    return f"---\n{head}---\n\n{view.text.lstrip(chr(10))}"


def _with_type(view: PageView, _found: Sequence[Finding], _ground: FixContext) -> str:
    kind = home_type(view)
    return _with_key(view, "type", kind) if kind else view.text


def _with_title(view: PageView, _found: Sequence[Finding], _ground: FixContext) -> str:
    # The blank line: what follows the frontmatter is none, though it may look like it.
    return _with_key(view, "title", Page.parse(view.path, f"\n{view.prose}").title or view.stem)


def _with_key(view: PageView, key: str, value: str) -> str:
    """The frontmatter with one more line, or with a line that says nothing filled in."""
    line = f"{key}: {scalar(value)}"
    if key not in view.front_lines:
        first, rest = view.text.split("\n", 1)
        return f"{first}\n{line}\n{rest}"
    number = view.front_lines[key]
    held = view.lines[number - 1].partition(":")[2].strip()
    if held not in ("", "''", '""', "~", "null") and held.strip("'\" \t"):
        return view.text
    return "\n".join([*view.lines[: number - 1], line, *view.lines[number:]])


_TAG_BREAKS = re.compile(r"[\s!-,.:-@\[-^`{-~]+")


def _with_joined_tags(view: PageView, _found: Sequence[Finding], _ground: FixContext) -> str:
    page = view.page
    if view.broken or not page.tags:
        return view.text
    node = next((n for n in page.front.parts if n.key == ("front", "tags")), None) \
        if page.front else None  # fmt: skip
    if node is None:
        return view.text
    text = view.text
    for tag in page.tags:
        joined = _TAG_BREAKS.sub("-", tag.strip()).strip("-")
        if joined and joined != tag and not joined.isdigit() and joined not in page.tags:
            text = _in_front(text, view, "tags", tag, joined)
    return text


def _in_front(text: str, view: PageView, key: str, old: str, new: str) -> str:
    """One word of a list in the frontmatter for another, where it stands there once."""
    start = view.front_lines[key]
    later = [n for n in view.front_lines.values() if n > start]
    end = min(later, default=view.body_line - 1)
    lines = text.split("\n")
    block = "\n".join(lines[start - 1 : end - 1])
    word = re.compile(rf"(?<![\w-]){re.escape(old)}(?![\w-])")
    if len(word.findall(block)) != 1:
        return text
    return "\n".join([*lines[: start - 1], word.sub(lambda _: new, block), *lines[end - 1 :]])


# --- links ---------------------------------------------------------------------------------


def _with_file_name(view: PageView, found: Sequence[Finding], ground: FixContext) -> str:
    """Links by title or alias, rewritten to the name of the file that has it."""

    def meant(target: str) -> str:
        key = link_key(target, view.path)
        group = ground.wiki.group(NAMES, name_in(key))
        same = {path for path, name in bearers(group) if link_key(name) == key}
        return same.pop() if len(same) == 1 else ""

    return _relinked(view, found, ground, meant)


def _with_sure_name(view: PageView, found: Sequence[Finding], ground: FixContext) -> str:
    """Links that differ from one name only in blanks, case, punctuation or number."""

    def meant(target: str) -> str:
        key = folded_key(target)
        paths = ground.wiki.names.by_key(key) if key else ()
        return paths[0] if len(paths) == 1 else ""

    return _relinked(view, found, ground, meant)


def _with_sure_name_or_words(view: PageView, found: Sequence[Finding], ground: FixContext) -> str:
    """As `_with_sure_name`; inside what a page says of a page that was taken out, its words."""
    text = _with_sure_name(view, found, ground)
    gone = {each.about for each in found if _was_page(each.about, ground)}
    page = Page.parse(view.path, text)
    return without_links(page, gone.__contains__).text if gone and not view.broken else text


def _was_page(target: str, ground: FixContext) -> bool:
    """Whether a page of that file name stood in an earlier commit."""
    name = name_in(link_key(target))
    stem = target.rpartition("/")[2].removesuffix(".md")
    if not name or is_catalogue(f"wiki/{name}.md") or set("*?[:\\") & set(stem):
        return False
    return ground.stood([f"wiki/{kind.folder}/{stem}.md" for kind in PAGE_KINDS if kind.folder])


def _relinked(
    view: PageView, found: Iterable[Finding], ground: FixContext, meant: Callable[[str], str]
) -> str:
    stems = {}
    for target in {finding.about for finding in found}:
        path = meant(target)
        if path and path != view.path and not _is_doubtful(path, ground.wiki):
            stems[target] = stem_of(path)
    text, parts, last = view.text, [], 0
    bar, line_end = "", -1
    for link in scan(text) if stems else ():
        if link.target not in stems:
            continue
        if link.start > line_end:
            bar, line_end = bar_at(text, link.start)
        if bar or link.label or link.embed:
            parts += [text[last : link.start], led_to(text, link, stems[link.target], bar)]
            last = link.end
    return "".join([*parts, text[last:]])


def _is_doubtful(path: str, wiki: WikiView) -> bool:
    """Whether a page's file name, as a link, leads elsewhere or to more than this page."""
    stem = stem_of(path)
    read = scan(f"[[{stem}]]")
    if [link[:4] for link in read] != [(stem, "", "", "")]:
        return True
    key = name_key(stem)
    return is_catalogue(f"wiki/{key}.md") or any(
        p != path for p in paths_of(wiki.group(NAMES, key))
    )


def _with_mentions(view: PageView, _found: Sequence[Finding], ground: FixContext) -> str:
    """Claims with links to the pages that they name."""
    return view.text if view.broken else with_links(view, link_names(ground.wiki)).text


def _with_short_chains(view: PageView, found: Sequence[Finding], ground: FixContext) -> str:
    """Arrows of long chains that lead to the claim that stands."""
    page = view.page
    for finding in found:
        *replaced, last = finding.claims
        homes = homes_of(ground.wiki.group(CLAIMS, "^" + last))
        home = ground.wiki.page(homes[0]) if len(homes) == 1 else None
        claim = home.page.claim(last) if home is not None and not home.broken else None
        if home is None or claim is None or claim.successor is not None:
            continue
        link = claim_link(ClaimHome(home.stem, home.page.title, claim.id))
        for ident in replaced:
            if page.claim(ident) is not None:
                page = write_claims.strike(write_claims.restore_claim(page, ident), ident, link)
    return view.text if view.broken else page.text


# --- evidence ------------------------------------------------------------------------------


def _with_cited(view: PageView, _found: Sequence[Finding], ground: FixContext) -> str:
    """What follows from what the page cites: its list of sources, and their footnotes."""
    if view.broken:
        return view.text
    page = view.page
    for source in sorted(page.cited()):
        ledger = ground.wiki.page(f"wiki/sources/{source}.md")
        own = None if ledger is None or ledger.broken else ledger.page.own_source
        if ledger is not None and own is not None and own.id != page.stem:
            page = write.set_source(page, own)
            title, date = ledger.page.title, ledger.page.value("date")
            page = write.add_footnote(page, source, title, own.resource, date)
    return page.text


FIXES: Mapping[str, Fix] = {
    "WK001": _with_frontmatter,
    "WK003": _with_type,
    "WK006": _with_title,
    "WK022": _with_joined_tags,
    "WK026": _with_cited,
    "WK031": _without_mark,
    "WK032": _with_lf,
    "WK101": _with_sure_name_or_words,
    "WK105": _with_file_name,
    "WK113": _with_mentions,
    "WK208": _with_cited,
    "WK211": _with_cited,
    "WK311": _with_short_chains,
}
"""Code of a rule to what mends its findings on one page."""
