"""Whether what an answer cites is there: every citation against what may be cited."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from llmwiki.core.text import fold
from llmwiki.pages.find_links import Link, scan
from llmwiki.pages.link_targets import link_key, name_in
from llmwiki.pages.page_file_names import name_key
from llmwiki.query.split_answer import AnswerStatement

if TYPE_CHECKING:
    from llmwiki.landing.wiki_state import WikiState
    from llmwiki.pages.page import Evidence, Page
    from llmwiki.query.retrieval.context import Context
    from llmwiki.query.retrieval.passage import Passage


@dataclass(frozen=True, slots=True)
class CitedPassage:
    """What a citation stands for."""

    handle: str
    """The citation as it is written: `[[Self-attention#^c-9f3a1c22k7]]`."""
    path: str
    """Of the page; of the source for lines of one."""
    title: str
    """Of the page."""
    kind: str
    """`claim`, `note`, or what kind of passage it is."""
    text: str
    """What stands there, as plain text."""
    line: int
    """From 1, in the page."""
    successor: str = ""
    """Of a claim that no longer stands: a wikilink, or `gone in <hex>`; empty while it stands."""
    updated_by: tuple[str, ...] = ()
    """Of a claim: the citations of those that tell what has become of it since."""
    evidence: tuple[Evidence, ...] = ()
    """Of a claim: its quotes, with source id and lines."""
    resources: tuple[str, ...] = ()
    """For each evidence the file of its source, below the wiki's root; else the source's id."""
    rests_on: tuple[str, ...] = ()
    """Of a note: the citations behind it."""

    @property
    def place(self) -> tuple[str, str, int]:
        """What makes two the same: passages without an id may share a handle."""
        return self.handle, self.path, self.line


Known = Callable[[Link], CitedPassage | None]
"""What a citation stands for; None where it stands for nothing that may be cited."""


@dataclass(frozen=True, slots=True)
class CheckedStatement:
    """A statement whose citations were looked up."""

    statement: AnswerStatement
    cited: tuple[CitedPassage, ...]
    """Those that are known, each once, in order."""
    unknown: tuple[str, ...]
    """Those that are not, as they were written."""

    @property
    def status(self) -> str:
        """How far the statement may be believed.

        `supported`: every citation is known. `partly`: some are. `unsupported`: none of those it
        has. `uncited`: it has none. `gap`: it says what is not in the wiki. `frame`: a heading or
        a line that introduces others, which needs no citation.
        """
        if self.cited:
            return "partly" if self.unknown else "supported"
        if self.unknown:
            return "unsupported"
        if self.statement.kind == "gap":
            return "gap"
        introduces = self.statement.kind == "sentence" and self.statement.text.endswith((":", "："))
        return "frame" if introduces or self.statement.kind == "heading" else "uncited"


def check(statement: AnswerStatement, known: Known) -> CheckedStatement:
    """Looks up what a statement cites."""
    cited: dict[tuple[str, str, int], CitedPassage] = {}
    unknown: dict[str, None] = {}
    for link in statement.citations:
        found = known(link)
        if found is None:
            unknown[written(link)] = None
        else:
            cited.setdefault(found.place, found)
    return CheckedStatement(statement, tuple(cited.values()), tuple(unknown))


def written(link: Link) -> str:
    """A citation as it was written, without its label."""
    block = f"#^{link.block}" if link.block else ""
    heading = f"#{link.heading}" if link.heading else ""
    return f"[[{link.target}{heading}{block}]]"


def all_cited(checked: Iterable[CheckedStatement]) -> tuple[CitedPassage, ...]:
    """What statements cite, each once, in the order of its first use."""
    return tuple({c.place: c for each in checked for c in each.cited}.values())


def of_passage(passage: Passage) -> CitedPassage:
    """A passage as what its handle stands for."""
    return CitedPassage(
        handle=passage.handle,
        path=passage.title if passage.kind == "source" else passage.path,
        title=passage.title,
        kind=passage.kind,
        text=passage.text,
        line=passage.line,
        successor=passage.successor or "",
        updated_by=tuple(pointer.handle for pointer in passage.updated_by),
        evidence=passage.evidence,
        resources=passage.sources,
        rests_on=_behind(passage.markdown) if passage.kind == "note" else (),
    )


def in_context(context: Context) -> Known:
    """What may be cited after that context was shown: the passages in it, and nothing else.

    The id of a claim or note decides, for it stands once in a wiki; a citation without an id
    must name page and heading as the context did; a page's path counts as its name, and a bare
    name that two shown pages have counts for neither.
    """
    blocks: dict[str, CitedPassage] = {}
    places: dict[tuple[str, str], CitedPassage] = {}
    named: dict[str, set[str]] = {}
    for shown in context.shown:
        passage = shown.passage
        handle = next(iter(scan(passage.handle)), None)
        if handle is None:
            continue
        cited = of_passage(passage)
        if handle.block:
            blocks.setdefault(handle.block, cited)
        else:
            for name in {_whole(passage.path), _bare(handle.target)}:
                named.setdefault(name, set()).add(passage.path)
                places.setdefault((name, fold(handle.heading)), cited)

    def known(link: Link) -> CitedPassage | None:
        if link.block:
            return blocks.get(link.block)
        name = name_key(link.target.removeprefix("wiki/"))
        return places.get((name, fold(link.heading))) if len(named.get(name, ())) == 1 else None

    return known


def standing(state: WikiState) -> Known:
    """What may be cited of a wiki's committed pages: whatever is there, struck claims too."""

    def known(link: Link) -> CitedPassage | None:
        page = _page_of(state, link)
        if page is None:
            return None
        name = link.target if page.path == f"wiki/{link.target}.md" else page.stem
        if not link.block and not link.heading:
            about = page.description or page.title
            return CitedPassage(f"[[{name}]]", page.path, page.title, "page", about, 1)
        from llmwiki.query.retrieval.split_page_in_passages import passages

        shown = passages(page.path, page.title, page.text, name=name)
        return next((of_passage(each) for each in shown if _is_named(each, link)), None)

    return known


def _is_named(passage: Passage, link: Link) -> bool:
    """Whether a citation of a page by id or heading means a passage of it."""
    if link.block:
        return passage.id == link.block
    own = next(iter(scan(passage.handle)), None)
    return own is not None and not own.block and _last(own.heading) == _last(link.heading)


def _page_of(state: WikiState, link: Link) -> Page | None:
    """The page a citation names: by claim, by path below wiki/, by file name."""
    home = state.claim_page(link.block) if link.block.startswith("c-") else None
    if home is None:
        key = link_key(link.target)
        home = state.resolver.lead(key)
        if home is None and link.block:
            # The id decides: only what has none must name its folder rightly.
            home = state.resolver.lead(name_in(key))
    return state.page(home) if home else None


def _whole(path: str) -> str:
    """A page's path as a link may name it, folded."""
    return name_key(path.removeprefix("wiki/").removesuffix(".md"))


def _bare(target: str) -> str:
    """The file name in a link's target, folded."""
    return name_key(target.rpartition("/")[2])


def _last(heading: str) -> str:
    """The innermost of a path of headings, `Results#Speed`, folded."""
    return fold(heading.rpartition("#")[2])


def _behind(note: str) -> tuple[str, ...]:
    """What the line `from:` below a note names."""
    _, _, below = note.partition("\n")
    return tuple(dict.fromkeys(written(link) for link in scan(below) if link.block))
