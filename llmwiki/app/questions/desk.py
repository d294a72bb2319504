"""The desk: one way to have a question answered, by a model or by an agent through files of jobs.

Whatever the question, parts are asked several at once within a limit of money, each answer lands as
soon as it is there, and what is not answered waits for the next run or for an agent.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from llmwiki.app.questions import kind_of
from llmwiki.app.which_model import client_for, limited, model_to_call
from llmwiki.core.declared_options import CheckedOptions, allow_detached, max_cost, opt
from llmwiki.core.errors import InputError
from llmwiki.core.forge_safe_line import plain_line
from llmwiki.core.settings_table import Range
from llmwiki.core.text import counted

if TYPE_CHECKING:
    from llmwiki.app.questions.question import Question
    from llmwiki.core.errors import WikiError
    from llmwiki.git.repository import Repository
    from llmwiki.git.store.private_files import RecordFolder
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.models.agent_jobs import ParsedAnswer
    from llmwiki.models.ask_and_validate import Task, TaskRun

_Result = TypeVar("_Result")

MOST_KNOWN = 1_000
"""Parts that are remembered as answered."""


@dataclass(frozen=True, slots=True)
class AskOptions(CheckedOptions):
    """Who answers a question, and how far."""

    model: str | None = opt(None, "Model to ask.")
    """None: as the settings say."""
    max_cost: float | None = max_cost()
    parts: int | None = opt(None, "Of N parts at most.", metavar="N", range=Range(1, math.inf))
    dry_run: bool = opt(False, "Check every answer and write nothing.")
    allow_detached: bool = allow_detached()


@dataclass(frozen=True, slots=True)
class DeskRun(Generic[_Result]):
    """How far a model came with a question."""

    parts: int
    """Parts that there were to answer, as far as they were looked for."""
    model: str = ""
    run: TaskRun | None = None
    """What was called; None: nothing was."""
    results: tuple[_Result, ...] = ()
    """Of the parts that were answered, in the order of the answers."""
    kind: str = ""
    """Of the question."""
    waits: str = ""
    """Why there was nothing to ask."""

    @property
    def lines(self) -> tuple[str, ...]:
        """What is printed of the results."""
        kind = kind_of(self.kind)
        return tuple(line for result in self.results for line in kind.lines(result))

    @property
    def failure(self) -> WikiError | None:
        """What kept a part from being answered."""
        return (self.run.failure or self.run.over_budget) if self.run else None

    @property
    def exit_code(self) -> int:
        """That of `wiki`: of the failure; 0: there was none."""
        return self.failure.exit_code if self.failure else 0


@dataclass(frozen=True, slots=True)
class DeskJobs:
    """What an agent is to answer."""

    waits: str
    """How much there is, or why there is nothing."""
    parts: int = 0
    files: tuple[str, ...] = ()
    """A Markdown file for each part, absolute."""
    questions: Mapping[str, int] = field(default_factory=dict)
    """How many of each kind, where a question has kinds."""


def opened(
    wiki: OpenWiki, kind: str, about: Any = None, **given: Any
) -> AbstractContextManager[Question[Any, Any, Any]]:
    """A question of one kind, open as long as its parts are asked and land; `given` as
    `Question` takes it. Raises InputError for no such kind."""
    return kind_of(kind).opened(wiki, about, **given)


def ask_parts(
    wiki: OpenWiki, kind: str, options: AskOptions | None = None, about: Any = None
) -> DeskRun[Any]:
    """Lets a model answer one kind of question, part after part.

    `kind` is a name in `app.questions.QUESTIONS`; the class behind it says what is asked, and
    whether an answer lands, one commit a part, or is kept. `about` says of `judgement` which pages,
    as `lint` takes it. Raises InputError where there is no model, PolicyError for what a call may
    cost.
    """
    chosen = options or AskOptions()
    with opened(wiki, kind, about, dry_run=chosen.dry_run) as question:
        if chosen.allow_detached:
            question.terms = wiki.landing(chosen.allow_detached)
        return ask(wiki, question, chosen)


def prepare_parts(
    wiki: OpenWiki, kind: str, most: int | None = None, about: Any = None
) -> DeskJobs:
    """Writes the parts of the same question, the first `most`, as files for an agent; `apply` takes
    the answers."""
    with opened(wiki, kind, about) as question:
        return prepare(wiki, question, most)


def ask(
    wiki: OpenWiki, question: Question[Any, Any, _Result], options: AskOptions
) -> DeskRun[_Result]:
    """Lets a model answer, part after part; what is answered before a failure counts.

    Raises InputError where there is no model, and what landing raises; what a call raised is
    `DeskRun.failure`.
    """
    from llmwiki.models.ask_and_validate import run_tasks

    settings = model_to_call(wiki, options.model)
    if settings is None:
        raise InputError(
            f"`wiki {question.row.command}` needs a model",
            fix=f"Set a key, or let an agent answer: wiki {question.row.command} --prepare.",
        )
    settings = limited(settings, question.most_tokens)
    question.answered = frozenset(_answered(wiki.repo, question.name))
    made = question.parts()
    begun = 0
    results: list[_Result] = []

    def tasks() -> Iterator[tuple[Any, Task[Any]]]:
        nonlocal begun
        for part in islice(made, options.parts):
            begun += 1
            yield part, question.task(part)

    def take(part: Any, answer: Any) -> None:
        results.append(question.land(part, answer, settings.model))
        wiki.tell.step(f"{counted(len(results), 'part')} answered", 0, 0)
        if not question.dry_run:
            _close(wiki.repo, question, part.id)

    if isinstance(made, Sequence) and not made:
        return DeskRun(0, settings.model, kind=question.name, waits=question.nothing)
    with client_for(wiki.config, settings, options.max_cost) as client:
        run = run_tasks(tasks(), client, take, parallel=wiki.config.whole("ingest.parallel"))
    parts = len(made) if isinstance(made, Sequence) else begun
    return DeskRun(parts, settings.model, run, tuple(results), question.name)


def prepare(wiki: OpenWiki, question: Question[Any, Any, Any], most: int | None = None) -> DeskJobs:
    """Writes the job of each part, of the first `most`, for an agent."""
    question.answered = frozenset(_answered(wiki.repo, question.name))
    made = list(islice(question.parts(), most))
    if not made:
        return DeskJobs(question.nothing)
    waiting = _waiting(wiki.repo, question.name)
    if question.replaces:
        forget(wiki.repo, question.name)
    files = []
    for number, part in enumerate(made, start=1):
        waiting.put(part.id, part._asdict())
        place = f"{question.name}/texts/{number:03d}-{part.id[:8]}.md"
        text = question.job(part, number).encode("utf-8", "replace")
        waiting.files.write(place, text)
        files.append(waiting.files.path(place).absolute().as_posix())
    return DeskJobs(question.waits(), len(made), tuple(files), questions=question.counts(made))


def take(
    wiki: OpenWiki, question: Question[Any, Any, _Result], given: ParsedAnswer, by: str
) -> _Result:
    """Checks and lands an agent's answer.

    Raises ModelOutputError for what is no such answer, InputError for a part that does not wait.
    """
    answer = given.valid(question.file())
    ident = str(getattr(answer, "part", ""))
    waiting = _waiting(wiki.repo, question.name)
    part = waiting.get(ident, question.read) if re.fullmatch("[0-9a-f]{16}", ident) else None
    if part is None:
        raise InputError(
            f"no part {plain_line(ident, 40)} waits here: it was answered, or prepared anew",
            where=given.name,
            fix=f"Run: wiki {question.row.command} --prepare",
        )
    result = question.land(part, answer, by or "agent")
    if not question.dry_run:
        _close(wiki.repo, question, ident)
    return result


def forget(repo: Repository, name: str) -> None:
    """Drops the parts of one question that wait, and their jobs: they hold words of pages."""
    from llmwiki.git.store.private_files import remove_folder

    waiting = _waiting(repo, name)
    remove_folder(waiting.files, waiting.folder)
    remove_folder(waiting.files, f"{name}/texts")


def _waiting(repo: Repository, name: str) -> RecordFolder:
    """The parts of a question that wait for an agent, by their ids."""
    from llmwiki.git.store.private_files import RecordFolder, common_files

    return RecordFolder(common_files(repo), f"{name}/jobs", f"llmwiki.{name}-part/1")


def _close(repo: Repository, question: Question[Any, Any, Any], ident: str) -> None:
    """Forgets a part that was answered, but for its id where the question remembers that."""
    _waiting(repo, question.name).delete(ident)
    if question.remembers:
        ids = [each for each in _answered(repo, question.name) if each != ident]
        _known(repo, question.name).put("parts", {"ids": [*ids, ident][-MOST_KNOWN:]})


def _answered(repo: Repository, name: str) -> list[str]:
    """The parts that were answered as they stand, the last one last."""
    return _known(repo, name).get("parts", lambda data: list(map(str, data["ids"]))) or []


def _known(repo: Repository, name: str) -> RecordFolder:
    from llmwiki.git.store.private_files import RecordFolder, common_files

    return RecordFolder(common_files(repo), f"{name}/answered", f"llmwiki.{name}-answered/1")
