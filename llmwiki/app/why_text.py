"""Why the wiki says something, as text for people and agents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from llmwiki.core.text import cut, normalise
from llmwiki.pages.wording import qualified, spoken

if TYPE_CHECKING:
    from llmwiki.app.why import TracedClaim, WhyResult
    from llmwiki.history.why import StoryStep

_LISTED = 20
"""Claims that are listed where a text stands in several; of more the number is said."""
Wrapped = Callable[[str, str], Sequence[str]]
"""The lines of a text behind an indent."""


def unwrapped(indent: str, text: str) -> Sequence[str]:
    """A text as one line."""
    return (indent + text,)


def why_lines(found: WhyResult, wrapped: Wrapped, width: int = 80) -> Iterator[str]:
    """What was found out, as lines of text.

    `wrapped` gives the lines of a text behind an indent; `width` is that of a claim in a list.
    """
    if found.candidates:
        yield f"{len(found.candidates)} claims hold these words; ask for one of them:"
        for each in found.candidates[:_LISTED]:
            yield f"  {each.id}  {cut(normalise(each.text), width)}  ({normalise(each.path)})"
        if len(found.candidates) > _LISTED:
            yield f"  and {len(found.candidates) - _LISTED} more; more words name fewer"
    elif not found.claims:
        yield "No claims stand on this page."
    for number, traced in enumerate(found.claims):
        yield from [""] if number else []
        yield from _claim(traced, wrapped)
    if found.more:
        yield ""
        told = "`wiki show` lists them, `wiki why ID` tells of one"
        yield f"and {found.more} more on this page; {told}"


def _claim(traced: TracedClaim, wrapped: Wrapped) -> Iterator[str]:
    said = spoken(qualified(traced.claim))
    yield from wrapped("", f"{said}  ^{traced.claim.id}")
    where = "on" if traced.stands else "no longer in the wiki; it stood on"
    yield f"  {where} {normalise(traced.title)}, {normalise(traced.path)}"
    if traced.claim.successor is not None:
        yield from wrapped("  ", f"struck → {normalise(traced.claim.successor)}")
    for quote in traced.quotes:
        yield from wrapped("  ", f"“{normalise(quote.evidence.quote)}”")
        yield f"      {quote.path or quote.evidence.source} {quote.evidence.span}".rstrip()
        yield f"      SHA-256 {quote.sha256 or 'not recorded'}"
    for step in traced.story.steps:
        yield from _step(step, wrapped)
    if traced.story.lacking:
        yield from wrapped("  ", f"What came before is not in this clone. {traced.story.lacking}")


def _step(step: StoryStep, wrapped: Wrapped) -> Iterator[str]:
    commit = step.commit
    yield f"  {commit.date:%Y-%m-%d %H:%M}  {commit.oid[:10]}  {_actor(step)}"
    for words in list(step.told) or ["wrote only its links or marks anew"]:
        yield from wrapped("      ", words)


def _actor(step: StoryStep) -> str:
    """The operation, or that there was none, the person, and the model."""
    commit = step.commit
    who = normalise(f"{commit.author} <{commit.email}>")
    if not commit.operation:
        return f"a commit without trailers, by {who}"
    model = f", model {normalise(commit.value('Wiki-Model') or '')}" if step.has_model else ""
    return f"{normalise(commit.kind or '')} {normalise(commit.operation)}, by {who}{model}"
