"""wiki memory: what was learned from conversations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from llmwiki.app.change_settings import user_path
from llmwiki.app.json_output.composed_values import waiting as waiting_parts
from llmwiki.app.observe_sessions import ObserveOptions
from llmwiki.core.errors import InputError
from llmwiki.core.text import counted
from llmwiki.interfaces.cli.command_context import open_wiki, say, say_err, told, wants_json
from llmwiki.interfaces.cli.command_options import AS_JSON, YES, filled, option, options
from llmwiki.interfaces.cli.command_table import CommandGroup
from llmwiki.interfaces.cli.commands.asking import add_asking

if TYPE_CHECKING:
    from llmwiki import (
        CheckedItem,
        LearnedTurn,
        LearnReport,
        MemoryChange,
        MemoryNote,
        MemoryStatus,
        NoteStory,
        PendingItem,
    )

_RULES = {
    "ask": "what is learned waits for your yes (`wiki memory review`)",
    "always": "what is learned is committed, one commit a turn",
    "never": "nothing is learned from conversations",
}


@click.group(cls=CommandGroup)
def command() -> None:
    """What was learned from conversations: look at it, explain it, let it go.

    A note rests on sentences that were said: they stand word for word on the page of their day,
    wiki/daily/DATE.md, and nowhere else is a conversation committed. A later value takes the place
    of an earlier one, which stays, struck.

    \b
    Examples:
      wiki memory status
      wiki memory list
      wiki memory why "office"
      wiki memory observe --transcript ~/.claude/projects/-home-me-notes/4f0c.jsonl
    """


@command.command("status")
@AS_JSON
def status() -> int:
    """Say how much is held, what waits, and whether this clone commits what it learns."""
    found = open_wiki().memory.status()
    return told("memory-status", found, _status_lines(found))


def _status_lines(found: MemoryStatus) -> Iterator[str]:
    kinds = ", ".join(counted(count, kind or "note") for kind, count in sorted(found.kinds.items()))
    yield f"holds     {kinds or 'nothing yet'}"
    if kinds:
        said, days = counted(found.sentences, "sentence"), counted(found.days, "day")
        yield f"rests on  {said} of {days}; {counted(found.replaced, 'note')} replaced"
    yield f"prompts   begin with {found.resident_tokens} of {found.resident_cap} tokens of it"
    yield f"waits     {found.pending}"
    yield f"commit    {found.rule}: {_RULES[found.rule]}; {found.origin}"
    if found.is_reviewed:
        yield "review    ask: what is learned waits until you have seen it"


@command.command("list")
@click.argument("words", nargs=-1, metavar="[WORDS]")
@click.option("--all", "everything", is_flag=True, help="Also what was replaced, and sentences.")
@AS_JSON
def list_notes(words: tuple[str, ...], everything: bool) -> int:
    """List the notes that stand, the newest last; with WORDS those that hold them.

    \b
    Examples:
      wiki memory list
      wiki memory list office --all
    """
    found = open_wiki().memory.notes(words=" ".join(words), everything=everything)
    nothing = "The memory holds nothing of this." if words else "The memory holds nothing yet."
    return told("memory", None, map(_line, found) if found else [nothing], notes=found)


@command.command("why")
@click.argument("asked", nargs=-1, required=True, metavar="ID|WORDS")
@AS_JSON
def why(asked: tuple[str, ...]) -> int:
    """Say on which sentences a note rests, what it replaced, and what holds now.

    \b
    Examples:
      wiki memory why n-4btnttb48c
      wiki memory why "where is the office"
    """
    stories = open_wiki().memory.why(" ".join(asked))
    shown = "\n\n".join("\n".join(_story_lines(story)) for story in stories)
    return told("memory-why", None, [shown], notes=stories)


@command.command("observe")
@click.option("--transcript", required=True, metavar="FILE", help="The conversation to learn from.")
@options(ObserveOptions, "host", "any_project")
@option(
    "--prepare",
    is_flag=True,
    excludes=("--model", "--dry-run"),
    help="Write a job for an agent, and stop.",
)
@options(ObserveOptions, "model", "max_cost", "dry_run")
@YES
@AS_JSON
def observe(transcript: str, prepare: bool, yes: bool, **given: Any) -> int:
    """Learn from a conversation with Claude Code, Codex or Gemini CLI.

    Only what a person typed counts, and answers of the agent that were given before it had seen
    text of others; never what a tool gave. Without --model only what was plainly asked to be kept
    is learned: "remember that …", "I prefer …", "we decided to …", "from now on …", in English and
    Japanese. The same transcript again adds nothing.

    \b
    Examples:
      wiki memory observe --transcript ~/.claude/projects/-home-me-notes/4f0c.jsonl
      wiki memory observe --transcript rollout.jsonl --host codex --prepare
    """
    memory = open_wiki(yes=yes).memory
    path, chosen = user_path(transcript), filled(ObserveOptions, given)
    if prepare:
        job = memory.prepare(path, chosen)
        line = "Nothing to read: no word of it may be learned from."
        if job.file:
            line = f"Read this file, and answer as it says:\n  {job.file}"
        return told("memory-observe", job, [line])
    report = memory.observe(path, chosen)
    return told("memory-observe", report, _report_lines(report, is_dry=chosen.dry_run))


@command.command("review")
@click.option(
    "--accept",
    multiple=True,
    metavar="ID",
    help="Commit this one; `all`: every one.",
)
@click.option("--drop", multiple=True, metavar="ID", help="Let this one go; `all`: every one.")
@AS_JSON
def review(accept: tuple[str, ...], drop: tuple[str, ...]) -> int:
    """Show what was learned and waits for your yes; accept or drop it.

    \b
    Examples:
      wiki memory review
      wiki memory review --accept 3f9c2a71
    """
    memory = open_wiki().memory
    if "all" in accept and drop:
        raise InputError("--accept all leaves nothing to drop", fix="Drop first, then accept.")
    done = memory.decide(accept=accept, drop=drop) if accept or drop else ()
    waiting = memory.pending()
    commits = [turn.outcome.commit for turn in done if turn.outcome.commit]
    parts = {"waiting": waiting_parts(waiting), "commits": commits}
    return told("memory-review", None, _review_lines(done, waiting), **parts)


def _review_lines(done: Sequence[LearnedTurn], waiting: Sequence[PendingItem]) -> Iterator[str]:
    for turn in done:
        if turn.outcome.commit:
            yield f"{turn.outcome.commit[:10]}  {turn.items[0].item.text}"
    yield from pending_lines(waiting)
    if not waiting:
        yield "Nothing waits."


def pending_lines(waiting: Iterable[PendingItem]) -> Iterator[str]:
    """What waits for a person's yes."""
    for each in waiting:
        yield from _item_lines(each.id, each.item)


@command.command("commit")
@click.argument(
    "rule", required=False, type=click.Choice(["ask", "always", "never"]), metavar="[RULE]"
)
def commit(rule: Any) -> int:
    """Say whether this clone commits what is learned: always, never, or ask.

    The answer stays in the git directory of this clone. A repository may forbid it for all
    (`memory.commit = never` in .llmwiki.toml), and cannot allow it.

    \b
    Example:
      wiki memory commit always
    """
    memory = open_wiki().memory
    if rule:
        memory.set_rule(rule)
    held, origin = memory.rule()
    say(f"{held}: {_RULES[held]}; {origin}")
    return 0


@command.command("sweep")
@click.option("--apply", "is_applied", is_flag=True, help="Do it, in one commit.")
@AS_JSON
def sweep(is_applied: bool) -> int:
    """Show what can go from the memory, what belongs together, and what use promotes.

    Notes that proved useful come to wiki/memory.md, which every conversation begins with; use is
    counted in this clone alone and only ever lifts. Never touched: what documents say, and what a
    person told less than 90 days ago or that nothing has replaced. `wiki undo` takes a sweep back.

    \b
    Examples:
      wiki memory sweep
      wiki memory sweep --apply
    """
    report = open_wiki().memory.sweep(apply=is_applied)
    told("memory-change", report, _sweep_lines(report))
    if report.steps and not is_applied and not wants_json():
        say_err("wiki: nothing was changed; --apply does it")
    return 0


def _sweep_lines(report: MemoryChange) -> Iterator[str]:
    for step in report.steps:
        other = f" → {step.other.id}" if step.other else ""
        yield f"{step.code:15} {step.note.id}{other}  {step.note.text}\n    {step.why}"
    if not report.steps:
        yield "Nothing to sweep."
    elif report.outcome and report.outcome.commit:
        yield f"{report.outcome.commit[:10]}  swept {counted(len(report.steps), 'note')}"


add_asking(command, "memory")


@command.command("forget")
@click.argument("ident", metavar="ID")
@AS_JSON
def forget(ident: str) -> int:
    """Take a note's words away, and the sentences that only it rests on.

    They go from the pages, from the transcripts of this clone and from what waits; a note that
    waits itself is let go. The ids stay, so that nothing brings them back. The history of git
    keeps the words, and so do other clones.

    \b
    Example:
      wiki memory forget n-4btnttb48c
    """
    report = open_wiki().memory.forget(ident)
    done = (report.outcome.commit or "")[:10]
    lines = [f"{done or 'no commit':10}  forgot {', '.join(report.ids)}"]
    if report.sessions:
        lines.append(f"            overwritten in {counted(len(report.sessions), 'transcript')}")
    steps = [("forgotten", each, "", "asked for", None) for each in report.ids]
    told("memory-change", report, lines, steps=steps)
    if wants_json():
        return 0
    if report.is_in_log:
        say_err("wiki: wiki/log.md holds the words in a line of the log, which nothing rewrites")
    if done:
        say_err(
            "wiki: earlier commits still hold the words; to take them out of the history, with all"
            " clones told:\n  git filter-repo --replace-text FILE\n"
            "  with a line in FILE for each of them: WORDS==>[forgotten]"
        )
    return 0


def _line(note: MemoryNote) -> str:
    kind = note.kind or "note"
    slot = f"  [{note.key} = {note.value}]" if note.key else ""
    gone = ""
    if note.successor is not None:
        gone = f"  → {note.successor_id or note.successor}"
    return f"{note.id}  {note.day or '          '}  {kind:10} {note.text}{slot}{gone}"


def _story_lines(story: NoteStory) -> Iterator[str]:
    yield _line(story.note)
    for said, heard, sealed in zip(story.sentences, story.heard, story.sealed, strict=True):
        where = f"{said.told_by}, {said.on}, session {said.session}, turn {said.turn}"
        yield f"    “{said.text}”"
        yield f"      {where}  [[{said.on}#^{said.id}]]"
        if not sealed:
            yield "      changed since: its id is not that of these words"
        if heard is not None:
            yield "      the transcript of this clone " + (
                "agrees" if heard else "does not have it"
            )
    if not story.sentences:
        told = f"{story.note.told_by or 'somebody'}, {story.note.on or 'no date'}"
        session = f", session {story.note.session}" if story.note.session else ""
        yield f"    told by {told}{session}; it rests on no sentence"
    for note in story.earlier:
        yield f"    before: {_line(note)}"
    if story.now is not None:
        yield f"    now:    {_line(story.now)}"
    for commit in story.commits:
        yield f"    {commit}"


def _report_lines(report: LearnReport, *, is_dry: bool) -> Iterator[str]:
    for turn in report.learned:
        word = turn.outcome.commit[:10] if turn.outcome.commit else "planned"
        for found in turn.items:
            yield from _item_lines(word, found)
    yield from pending_lines(report.pending)
    for refused in report.refused:
        yield f"refused     {refused.text[:80]}: {refused.reason}"
    if report.skipped:
        yield f"{counted(report.skipped, 'line')} of the transcript could not be read"
    if report.rule == "never":
        yield "Nothing is learned here: memory.commit is never."
    elif report.pending:
        verb = "waits" if len(report.pending) == 1 else "wait"
        yield f"{counted(len(report.pending), 'note')} {verb} for your yes: wiki memory review"
    elif not report.learned:
        turns = counted(report.turns, "turn")
        why = "nothing new" if not is_dry else "nothing new, or nothing that may be committed"
        yield f"Nothing to save: {turns}, {why}."


def _item_lines(word: str, found: CheckedItem) -> Iterator[str]:
    slot = f"  [{found.item.key} = {found.item.value}]" if found.item.key else ""
    yield f"{word:10}  {found.item.kind}, {found.told_by}: {found.item.text}{slot}"
    for quote in found.quotes:
        yield f"            turn {quote.said.turn}: “{quote.words}”"
