"""How findings are mended: pure functions from the text of a page to its text.

A fix adds or rewrites what one rule found, and takes nothing away that says anything. It looks for
what it mends itself: lines move while others are mended before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from llmwiki.core.language.search_terms import STOP_WORDS
from llmwiki.core.text import fold
from llmwiki.index.page_facts_record import is_catalogue
from llmwiki.lint.findings import Finding
from llmwiki.lint.own_and_foreign_pages import home_type
from llmwiki.lint.page_view import PageView
from llmwiki.lint.rule import FixContext
from llmwiki.lint.similar_names import spelled
from llmwiki.pages import write
from llmwiki.pages.find_links import scan
from llmwiki.pages.frontmatter import scalar
from llmwiki.pages.link_targets import link_key
from llmwiki.pages.page import Page
from llmwiki.pages.page_file_names import name_key, stem_of
from llmwiki.pages.redirect_links import bar_at, led_to

if TYPE_CHECKING:
    from llmwiki.lint.whole_wiki_view import LintedWiki


# --- frontmatter ---------------------------------------------------------------------------


def with_head(view: PageView, found: Sequence[Finding], _ground: FixContext) -> str:
    """Frontmatter with a type and a title, as far as folder, heading and file name tell them."""
    kind = home_type(view)
    if not view.has_front and not view.text.startswith(("---", "\ufeff")):
        head = f"type: {kind}\ntitle: {scalar(view.page.title)}\n"
        return f"---\n{head}---\n\n{view.text.lstrip(chr(10))}"
    typed = view
    if kind:
        typed = PageView(view.path, _with_key(view, "type", kind), view.vaults)
    if not any(finding.about == "title" for finding in found):
        return typed.text
    # The blank line: what follows the frontmatter is none, though it may look like it.
    title = Page.parse(view.path, f"\n{typed.prose}").title or view.stem
    return _with_key(typed, "title", title)


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


# --- links ---------------------------------------------------------------------------------


def is_capital_word(name: str) -> bool:
    """Whether a name may be a short form or a common word in capitals, as OR and AND are."""
    return name.isupper() and fold(name) in STOP_WORDS


def with_file_name(view: PageView, found: Sequence[Finding], ground: FixContext) -> str:
    """Links by title or alias, or that differ from one name only in blanks, case, punctuation or
    number, rewritten to the name of the file that has it."""
    wiki, stems = ground.wiki, {}
    for target in {finding.about for finding in found if not is_capital_word(finding.about)}:
        paths = wiki.bearers(link_key(target, view.path)) or spelled(target, wiki)
        if len(paths) == 1 and paths[0] != view.path and not _is_doubtful(paths[0], wiki):
            stems[target] = stem_of(paths[0])
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


def _is_doubtful(path: str, wiki: LintedWiki) -> bool:
    """Whether a page's file name, as a link, leads elsewhere or to more than this page."""
    stem = stem_of(path)
    read = scan(f"[[{stem}]]")
    if [link[:4] for link in read] != [(stem, "", "", "")]:
        return True
    key = name_key(stem)
    return is_catalogue(f"wiki/{key}.md") or any(p != path for p in wiki.of_stem(key))


# --- evidence ------------------------------------------------------------------------------


def with_cited(view: PageView, _found: Sequence[Finding], ground: FixContext) -> str:
    """The footnotes of the sources that the page cites."""
    if view.broken:
        return view.text
    page = view.page
    for source in sorted(page.cited()):
        ledger = ground.wiki.page(f"wiki/sources/{source}.md")
        own = None if ledger is None or ledger.broken else ledger.page.own_source
        if ledger is not None and own is not None and own.id != page.stem:
            title, date = ledger.page.title, ledger.page.value("date")
            page = write.add_footnote(page, source, title, own.resource, date)
    return page.text
