"""Rules about what links lead to. `linked.py` has those about how pages are linked."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import islice
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from llmwiki.language.naming import one_apart
from llmwiki.lint.claims import CLAIMS, homes_of
from llmwiki.lint.dashes import leads_by_dashes
from llmwiki.lint.finding import RuleHit
from llmwiki.lint.foreign import beside, meant_from
from llmwiki.lint.page_links import (
    ANY,
    LINK,
    NAMES,
    FileUse,
    LinkRow,
    PageRow,
    bearers,
    file_uses_of,
    heading_key,
    pages_of,
    paths_of,
    uses_of,
)
from llmwiki.lint.relation import Group
from llmwiki.lint.rule import OverGroup, Rule, rule
from llmwiki.lint.rules import backlinks
from llmwiki.lint.rules.page_kinds import MOST
from llmwiki.lint.spellings import meant_by, wikilinks
from llmwiki.lint.view import PageView
from llmwiki.pages.link_targets import PagesOfName, is_attachment, link_key, name_in
from llmwiki.pages.names import name_key, stem_of

if TYPE_CHECKING:
    from llmwiki.lint.wiki import WikiView


def _hit(use: LinkRow | FileUse, message: str, about: str, mend: str = "") -> RuleHit:
    return RuleHit(use.line, message, use.path, use.column, mend, about)


def _few(check: Callable[[Group], Iterable[RuleHit]]) -> Callable[[Group], Iterator[RuleHit]]:
    """The same rule, with at most `MOST` findings on a page about one thing, and how many more."""

    def checked(group: Group) -> Iterator[RuleHit]:
        counted: Counter[tuple[str, str]] = Counter()
        next_ones: dict[tuple[str, str], RuleHit] = {}
        for hit in check(group):
            key = (hit.path, hit.about)
            counted[key] += 1
            if counted[key] <= MOST:
                yield hit
            else:
                next_ones.setdefault(key, hit)
        for key, hit in next_ones.items():
            yield hit._replace(column=0, message=f"… and {counted[key] - MOST} more like it")

    return checked


# --- wikilinks -----------------------------------------------------------------------------


def _broken(group: Group) -> Iterator[RuleHit]:
    paths = paths_of(group)
    if paths:
        yield from _elsewhere(group, paths)
        return
    bearing = _bearing(bearers(group))
    for use in uses_of(group):
        if use.target and not is_attachment(use.target) and not bearing.get(use.key):
            yield _hit(use, f"{use.shown} leads to no page", use.target)


def _elsewhere(group: Group, paths: tuple[str, ...]) -> Iterator[RuleHit]:
    """Links whose name a page has, but not in the folder they name."""
    if not any(row.value[0] == LINK and "/" in str(row.value[3]) for row in group.rows):
        return
    homes, bearing = PagesOfName(paths), _bearing(bearers(group))
    for use in uses_of(group):
        if use.target and not homes.fitting(use.key) and not bearing.get(use.key):
            message = f"{use.shown} leads to no page: {paths[0]} lies in another folder"
            mend = f"Write [[{stem_of(paths[0])}]]." if len(paths) == 1 else ""
            yield _hit(use, message, use.target, mend)


def _with_suggestion(hit: RuleHit, wiki: WikiView) -> RuleHit | None:
    if hit.mend:
        return hit
    if _is_file(hit.about, wiki) or _is_listing(hit.about, wiki):
        return None
    if leads_by_dashes(hit.about, wiki):
        return None
    meant = meant_by(hit.about, wiki, hit.path)
    if not meant and "/" in hit.about:
        meant = meant_by(stem_of(hit.about), wiki, hit.path)
    return hit._replace(mend=f"Did you mean {wikilinks(meant)}?") if meant else hit


def _bearing(borne: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Each title or alias, as a link's key, to the pages that have it."""
    found: dict[str, set[str]] = {}
    for path, name in borne:
        found.setdefault(link_key(name), set()).add(path)
    return {key: sorted(paths) for key, paths in found.items()}


def _aliased(group: Group) -> Iterator[RuleHit]:
    borne = bearers(group)
    if not borne:
        return
    homes, bearing = PagesOfName(paths_of(group)), _bearing(borne)
    for use in uses_of(group):
        if use.target.endswith("/"):
            continue
        paths = [] if homes.fitting(use.key) else beside(bearing.get(use.key, []), use.path)
        if len(paths) == 1:
            written = f"[[{stem_of(paths[0])}|{use.target}]]"
            message = f"{use.shown} names [[{stem_of(paths[0])}]] by another name than its file's"
            yield _hit(use, message, use.target, f"Write {written}.")
        elif paths:
            message = f"{use.shown} names no file, and {len(paths)} pages by another name"
            yield _hit(use, message, use.target, f"Did you mean {wikilinks(tuple(paths[:3]))}?")


def _unless_file(hit: RuleHit, wiki: WikiView) -> RuleHit | None:
    return None if _is_file(hit.about, wiki) else hit


def _ambiguous(group: Group) -> Iterator[RuleHit]:
    paths = paths_of(group)
    if len(paths) < 2:
        return
    homes = PagesOfName(paths)
    at_tops = [path for path in paths if path.count("/") == 1]
    for use in uses_of(group):
        if not use.target or use.target.startswith(("./", "../")):
            continue
        meant = beside(homes.fitting(use.key), use.path)
        if not use.path.startswith("wiki/") or group.limits.is_foreign:
            # Whoever sorts notes by folders means the one beside the link.
            here = use.path.rpartition("/")[0]
            meant = meant if here not in {path.rpartition("/")[0] for path in meant} else []
        at_top = [path for path in at_tops if path in meant] if len(meant) > 1 else []
        if len(meant) > 1 and len(at_top) != 1:
            shown = ", ".join(meant[:3]) + (", …" if len(meant) > 3 else "")
            message = f"{use.shown} may mean {len(meant)} pages: {shown}"
            folder = meant_from(meant, use.path).removeprefix("wiki/").removesuffix(".md")
            mend = f"Name the folder: [[{folder}]]." if folder else ""
            yield _hit(use, message, use.target, mend)


def _missing_attachment(group: Group) -> Iterator[RuleHit]:
    if paths_of(group):
        return
    for use in uses_of(group):
        if is_attachment(use.target):
            yield _hit(use, f"{use.shown} shows a file that is not there", use.target)
    for file in file_uses_of(group):
        if file.embed and not file.resolved.startswith("raw/"):
            yield _hit(file, f"![…]({file.to}) shows a file that is not there", file.resolved)


def _unless_at_top(hit: RuleHit, wiki: WikiView) -> RuleHit | None:
    return None if _at_top(hit.about, wiki) is not None else hit


def _at_top(target: str, wiki: WikiView) -> PageView | None:
    """The catalogue file beside the folders that a target names: `[[index]]` means that one."""
    path = f"wiki/{name_in(link_key(target))}.md" if target and "/" not in target else ""
    if path not in wiki.files:
        return None
    views = _VIEWS.setdefault(wiki, {})
    if path not in views:
        data = wiki.file(path)
        views[path] = None if data is None else PageView(path, data.decode("utf-8", "replace"))
    return views[path]


_VIEWS: WeakKeyDictionary[WikiView, dict[str, PageView | None]] = WeakKeyDictionary()
"""Catalogue files of each wiki that is being linted: a thousand links may lead to one."""
_TITLES: WeakKeyDictionary[WikiView, dict[str, tuple[tuple[str, str], ...]]] = WeakKeyDictionary()
"""The first headings of pages that links with a wrong one lead to, each with its key."""
_COMPARED = 200
"""Headings of a page, and pages of a name, that a wrong one is compared with."""


def _has_heading(view: PageView | None, heading: str) -> bool:
    wanted = {heading_key(part) for part in heading.split("#")} - {""}
    return view is not None and wanted <= _heading_keys(view)


@lru_cache(maxsize=4)
def _heading_keys(view: PageView) -> frozenset[str]:
    return frozenset(heading_key(had.title) for had in view.headings)


def _titles(path: str, wiki: WikiView) -> tuple[tuple[str, str], ...]:
    known = _TITLES.setdefault(wiki, {})
    if path not in known:
        view = wiki.page(path)
        headings = () if view is None else view.headings[:_COMPARED]
        known[path] = tuple((had.title, heading_key(had.title)) for had in headings)
    return known[path]


# --- anchors -------------------------------------------------------------------------------


class _Led:
    """The pages of a group, by what a link with an anchor leads to."""

    def __init__(self, group: Group) -> None:
        self._group = group

    @cached_property
    def _pages(self) -> dict[str, PageRow]:
        return {page.path: page for page in pages_of(self._group)}

    @cached_property
    def _homes(self) -> PagesOfName:
        return PagesOfName(self._pages)

    def page(self, use: LinkRow) -> PageRow | None:
        """The page a link leads to; None: to none of the name."""
        path = self._homes.lead(use.key, use.path) if use.target else use.path
        return self._pages.get(path) if path else None


def _broken_heading(group: Group) -> Iterator[RuleHit]:
    led = _Led(group)
    for use in uses_of(group, "heading"):
        wanted = {heading_key(part) for part in use.heading.split("#")} - {""}
        page = led.page(use) if wanted else None
        if page and not (wanted <= page.headings or ANY in page.headings):
            where = f"[[{stem_of(page.path)}]]" if use.target else "this page"
            message = f"{use.shown} leads to a heading that {where} does not have"
            yield _hit(use, message, f"{use.target}#{use.heading}")


def _with_heading(hit: RuleHit, wiki: WikiView) -> RuleHit | None:
    """With a heading of the page that is written nearly so."""
    target, _, heading = hit.about.partition("#")
    wanted = heading_key(heading.rpartition("#")[2])
    if _has_heading(_at_top(target, wiki), heading):
        return None
    key = link_key(target, hit.path)
    homes = PagesOfName(paths_of(wiki.group(NAMES, name_in(key))) if target else (hit.path,))
    near = _titles(homes.lead(key, hit.path) or hit.path, wiki)
    for title, key in islice(near, _COMPARED):
        begins = min(len(key), len(wanted)) > 3 and (
            key.startswith(wanted) or wanted.startswith(key)
        )
        if begins or one_apart(key, wanted) >= 0:
            return hit._replace(mend=f"Did you mean the heading “{title}”?")
    return hit


def _broken_block(group: Group) -> Iterator[RuleHit]:
    led = _Led(group)
    for use in uses_of(group, "block"):
        page = led.page(use)
        if page and use.block not in page.blocks:
            where = f"[[{stem_of(page.path)}]]" if use.target else "this page"
            message = f"{use.shown} leads to a block that {where} does not have"
            is_claim = use.block.startswith(("c-", "n-"))
            claims = (use.block,) if is_claim else ()
            about = f"{use.target}#^{use.block}"
            yield _hit(use, message, about)._replace(claims=claims)


def _moved_block(hit: RuleHit, wiki: WikiView) -> RuleHit | None:
    """Where a claim stands now; a claim that is nowhere is told of by the rules on evidence where
    a ledger links to it, and by successor-missing where another was struck for it."""
    if not hit.claims:
        return hit
    group = wiki.group(CLAIMS, "^" + hit.claims[0])
    homes = homes_of(group)
    if homes:
        block = hit.claims[0]
        return hit._replace(mend=f"It stands on another page: [[{stem_of(homes[0])}#^{block}]].")
    is_told = any(
        row.path == hit.path and row.value[0] == "struck-for" and row.value[1] == hit.line
        for row in group.rows
    )
    return None if is_told or hit.path.startswith("wiki/sources/") else hit


# --- Markdown links ------------------------------------------------------------------------


def _broken_file(group: Group) -> Iterator[RuleHit]:
    homes = PagesOfName(paths_of(group))
    for use in file_uses_of(group):
        if use.embed and not use.resolved.startswith("raw/"):
            continue
        if not (use.key and homes.fitting(use.key)):
            yield _hit(use, f"({use.to}) leads to no file", use.resolved)


def _still_broken(hit: RuleHit, wiki: WikiView) -> RuleHit | None:
    resolved = hit.about
    if _is_there(resolved, wiki) or _moved_to(resolved, wiki):
        return None
    meant = meant_by(stem_of(resolved), wiki, hit.path)
    return hit._replace(mend=f"Did you mean {wikilinks(meant)}?") if meant else hit


def _if_moved(hit: RuleHit, wiki: WikiView) -> RuleHit | None:
    if _is_there(hit.about, wiki):
        return None
    moved = _moved_to(hit.about, wiki)
    return hit._replace(mend=f"It lies at {moved} now.") if moved else None


def _moved_file(group: Group) -> Iterator[RuleHit]:
    for use in file_uses_of(group):
        if use.resolved.startswith("raw/"):
            yield _hit(use, f"({use.to}) leads to a file that has moved", use.resolved)


def _moved_to(resolved: str, wiki: WikiView) -> str:
    """The one file of that name below raw/, where `resolved` is below raw/ and not there."""
    if not resolved.startswith("raw/"):
        return ""
    name = name_key(resolved.rsplit("/", 1)[-1])
    found = [path for path in _by_name(wiki.files).get(name, ()) if path.startswith("raw/")]
    return found[0] if len(found) == 1 else ""


# --- other files ---------------------------------------------------------------------------


@lru_cache(maxsize=2)
def _by_name(files: frozenset[str]) -> dict[str, tuple[str, ...]]:
    """The files that are no pages, by their folded names."""
    found: dict[str, list[str]] = {}
    for path in sorted(files):
        found.setdefault(name_key(path.rsplit("/", 1)[-1]), []).append(path)
    return {name: tuple(paths) for name, paths in found.items()}


@lru_cache(maxsize=2)
def _folders(files: frozenset[str]) -> frozenset[str]:
    return frozenset(
        name_key(path[:at]) for path in files for at in range(len(path)) if path[at] == "/"
    )


def _is_file(target: str, wiki: WikiView) -> bool:
    """Whether a link's target names a file that is no page: an attachment, a catalogue."""
    names = _by_name(wiki.files)
    name = name_key(target.replace("\\", "/").rstrip("/").rpartition("/")[2].strip())
    return name in names or f"{name}.md" in names


def _is_listing(target: str, wiki: WikiView) -> bool:
    """Whether a site's generator writes the page: of a folder (`[[recipes/]]`), or of a tag below
    one that has a page among those of tags."""
    place = target.strip("/").replace("\\", "/")
    if target.endswith("/") and place:
        return _is_there(f"wiki/{place}", wiki)
    above = place.split("/")[:-1]
    return above[:1] == ["tags"] and any(
        wiki.page(f"wiki/{'/'.join(above[:count])}.md") is not None
        for count in range(2, len(above) + 1)
    )


def _is_there(resolved: str, wiki: WikiView) -> bool:
    """Whether a path leads to a file that is no page, or to a folder; `.md` may be left out."""
    files, paths = wiki.files, wiki.paths
    at = bisect_left(paths, resolved + "/")
    if (at < len(paths) and paths[at].startswith(resolved + "/")) or (
        name_key(resolved) in _folders(files)
    ):
        return True
    here = name_key(resolved)
    name = here.rsplit("/", 1)[-1]
    held = {name_key(path) for end in ("", ".md") for path in _by_name(files).get(name + end, ())}
    return here in held or f"{here}.md" in held


def _unless_attached(hit: RuleHit, wiki: WikiView) -> RuleHit | None:
    return None if _is_file(hit.about, wiki) or _is_there(hit.about, wiki) else hit


_PAGE = "# Example\n\nIt is made as [[Tea]] is.\n"
_TEA = "---\ntype: concept\ntitle: Tea\naliases: [Chai]\n---\n\n# Tea\n\n## Making\n\nPour. ^how\n"


def _two(line: str) -> dict[str, str]:
    return {"wiki/concepts/Example.md": f"# Example\n\n{line}\n", "wiki/concepts/Tea.md": _TEA}


RULES: tuple[Rule, ...] = (
    rule(
        "WK101 warning broken-wikilink",
        OverGroup(NAMES, _few(_broken), _with_suggestion),
        "A wikilink leads to no page: no file has that name, and no page bears it as title or "
        "alias. A link finds its page by file name, in whatever case, as in Obsidian; folders it "
        "names must fit. In a wiki of GitHub's (a page Home, _Sidebar or _Footer, and no blank in "
        "any page's file name) a blank finds a hyphen, as GitHub has it; `[[folder/]]` leads to a "
        "folder that is there.",
        "Correct the name, write the page, or make it plain text.",
        bad=_two("It is made as [[Tae]] is."),
        good=_two("It is made as [[tea|every tea]] is, with `[[ -f leaf ]]` in a shell."),
        fixable=True,
    ),
    rule(
        "WK102 warning broken-heading",
        OverGroup(NAMES, _few(_broken_heading), _with_heading),
        "A link leads to a heading that its page does not have. Case, blanks and punctuation do "
        "not count; a page with anchors written in HTML may have any.",
        "Correct the heading in the link, or leave it out.",
        bad=_two("See [[Tea#Brewing]]."),
        good=_two("See [[Tea#making]]."),
    ),
    rule(
        "WK103 warning broken-block",
        OverGroup(NAMES, _few(_broken_block), _moved_block),
        "A link leads to a block, such as a claim, that its page does not have.",
        "Point to the page on which the claim stands, or to the page as a whole.",
        bad=_two("See [[Tea#^what]]."),
        good=_two("See [[Tea#^how]]."),
    ),
    rule(
        "WK104 warning broken-file-link",
        OverGroup(NAMES, _few(_broken_file), _still_broken),
        "A Markdown link leads to a file below wiki/ or raw/ that is not there. Files elsewhere "
        "and addresses of the web are not looked at.",
        "Correct the path, which begins at the page's own folder.",
        bad=_two("See [how](../entities/Tea.md)."),
        good=_two("See [how](Tea.md#making)."),
    ),
    rule(
        "WK105 warning link-to-alias",
        OverGroup(NAMES, _few(_aliased), _unless_file),
        "A wikilink names a page by its title or an alias. Obsidian finds pages by file name "
        "alone, so for its readers the link is broken.",
        "Write the file's name, a bar and the name to show.",
        bad=_two("It is made as [[Chai]] is."),
        good=_two("It is made as [[Tea|Chai]] is."),
        fixable=True,
    ),
    rule(
        "WK106 note ambiguous-link",
        OverGroup(NAMES, _few(_ambiguous), _unless_at_top, least=2),
        "Several pages have the file name that a wikilink names. Here the one below the fewest "
        "folders is meant, then the nearest to the page; other readers may take another.",
        "Name the folder in the link, or rename all pages but one.",
        bad={
            "wiki/concepts/Example.md": _PAGE,
            "wiki/concepts/Tea.md": _TEA,
            "wiki/entities/Tea.md": _TEA,
        },
        good={
            "wiki/concepts/Example.md": _PAGE.replace("[[Tea]]", "[[concepts/Tea]]"),
            "wiki/concepts/Tea.md": _TEA,
            "wiki/entities/Tea.md": _TEA,
        },
    ),
    *backlinks.RULES,
    rule(
        "WK111 warning missing-attachment",
        OverGroup(NAMES, _few(_missing_attachment), _unless_attached),
        "A page shows or links to an image, a PDF or another file that is not in the wiki.",
        "Put the file there, correct its name, or take the link out.",
        bad="# Example\n\n![[leaf.png]]\n",
        good={"wiki/concepts/Example.md": "# Example\n\n![[leaf.png]]\n", "wiki/leaf.png": ""},
    ),
    rule(
        "WK112 warning moved-raw-file",
        OverGroup(NAMES, _few(_moved_file), _if_moved),
        "A Markdown link leads to a source that now lies elsewhere below raw/.",
        "Write the path at which it lies now.",
        bad={
            "wiki/concepts/Example.md": "# Example\n\nSee [it](../../raw/tea.txt).\n",
            "raw/drinks/tea.txt": "Tea.\n",
        },
        good={
            "wiki/concepts/Example.md": "# Example\n\nSee [it](../../raw/drinks/tea.txt).\n",
            "raw/drinks/tea.txt": "Tea.\n",
        },
    ),
)
