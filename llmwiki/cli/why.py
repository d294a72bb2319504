"""wiki why: where a claim comes from, and what became of it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from llmwiki.cli.asking import NO_MATCH
from llmwiki.cli.context import WIDTH, open_wiki, say, say_json, tell
from llmwiki.cli.options import AS_JSON
from llmwiki.core.text import counted, cut, normalise

if TYPE_CHECKING:
    from llmwiki import StoryStep, TracedClaim, WhyResult


@click.command()
@click.argument("asked", nargs=-1, required=True, metavar="CLAIM|PAGE|TEXT")
@AS_JSON
@click.pass_context
def command(ctx: click.Context, asked: tuple[str, ...], as_json: bool) -> int:
    """Say why the wiki holds something: quotes, lines, bytes, and who did what to it since.

    CLAIM is an id (c-…), TEXT some words of a claim or of a quote (eight nearly always name one),
    PAGE a title, alias or path, whose claims are told one by one. The story follows a claim
    through renamed and merged pages. Exit code 1: the words stand in several claims, which are
    listed.

    The first calls in a long history read it, part by part, into a table below the git directory;
    until it is whole git is asked instead.

    \b
    Examples:
      wiki why c-9f3a1c22k7
      wiki why "replaces recurrence by self-attention in every layer of"
      wiki why "Green tea" --json
    """
    found = open_wiki(ctx).why(" ".join(asked))
    if as_json:
        from llmwiki.app.to_json.history import why_json

        say_json(why_json(found))
    else:
        say("\n".join(_rows(found)))
    if found.unread:
        tell(f"wiki: {counted(found.unread, 'commit')} not yet in the table: later calls are quick")
    return NO_MATCH if found.candidates else 0


def _rows(found: WhyResult) -> Iterator[str]:
    if found.candidates:
        yield f"{len(found.candidates)} claims hold these words; ask for one of them:"
        for each in found.candidates:
            yield f"  {each.id}  {cut(normalise(each.text), WIDTH)}  ({normalise(each.path)})"
    elif not found.claims:
        yield "No claims stand on this page."
    for number, traced in enumerate(found.claims):
        yield from [""] if number else []
        yield from _claim(traced)


def _claim(traced: TracedClaim) -> Iterator[str]:
    yield from _wrapped("", f"{normalise(traced.claim.text)}  ^{traced.claim.id}")
    where = "on" if traced.stands else "no longer in the wiki; it stood on"
    yield f"  {where} {normalise(traced.title)}, {normalise(traced.path)}"
    if traced.claim.successor is not None:
        yield from _wrapped("  ", f"struck → {normalise(traced.claim.successor)}")
    for quote in traced.quotes:
        yield from _wrapped("  ", f"“{normalise(quote.evidence.quote)}”")
        yield f"      {quote.path or quote.evidence.source} {quote.evidence.span}"
        yield f"      SHA-256 {quote.sha256 or 'not recorded'}"
    for step in traced.story.steps:
        yield from _step(step)
    if traced.story.lacking:
        yield from _wrapped("  ", f"What came before is not in this clone. {traced.story.lacking}")


def _step(step: StoryStep) -> Iterator[str]:
    commit = step.commit
    yield f"  {commit.date:%Y-%m-%d %H:%M}  {commit.oid[:10]}  {_actor(step)}"
    for words in step.told:
        yield from _wrapped("      ", words)


def _actor(step: StoryStep) -> str:
    """The operation, or that there was none, the person, and the model."""
    commit = step.commit
    who = normalise(f"{commit.author} <{commit.email}>")
    if not commit.operation:
        return f"a commit without trailers, by {who}"
    model = f", model {normalise(commit.value('Wiki-Model') or '')}" if step.has_model else ""
    return f"{normalise(commit.kind or '')} {normalise(commit.operation)}, by {who}{model}"


def _wrapped(first: str, text: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=first + "  ",
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
