"""A question: what a model or an agent is asked in parts, and what becomes of each answer.

A kind of question is a class: its rules, the shape of an answer and the words of a job are class
data; which parts there are, how an answer lands and what is told of it are methods.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, cached_property, partial
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Literal,
    NamedTuple,
    Protocol,
    Self,
    TypeVar,
)

from llmwiki.app.questions import QUESTIONS, QuestionRow
from llmwiki.core.text import counted, sha256_hex
from llmwiki.git.store.outcome import Outcome
from llmwiki.ingest.report import OperationReport, ReadingReport, RefusedClaim
from llmwiki.models.agent_jobs import AgentJob, record_of
from llmwiki.models.ask_and_validate import Task, validated
from llmwiki.models.json_answers import output_schema
from llmwiki.models.messages import Prompt, TextBlock

if TYPE_CHECKING:
    from pydantic import BaseModel

    from llmwiki.index.open_index import Index
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.landing.operation import LandingOptions
    from llmwiki.lint.judge_verdict import AcceptedAnswer


class QuestionPart(Protocol):
    """What one answer is about: a NamedTuple."""

    @property
    def id(self) -> str:
        """16 hexadecimal digits that follow from what is shown."""

    @property
    def text(self) -> str:
        """What is shown; data of others stand between fences."""

    def _asdict(self) -> dict[str, Any]: ...


class TextPart(NamedTuple):
    """A part that is a text about some things."""

    about: tuple[str, ...]
    """Their ids, which an answer may name."""
    text: str

    @property
    def id(self) -> str:
        """A hash of what is shown: 16 hexadecimal digits."""
        return sha256_hex(self.text.encode())[:16]


_Part = TypeVar("_Part", bound=QuestionPart)
_Answer = TypeVar("_Answer", bound="BaseModel")
_Model = TypeVar("_Model", bound="BaseModel")
_Result = TypeVar("_Result")


class Question(ABC, Generic[_Part, _Answer, _Result]):
    """One kind of question about one wiki."""

    name: ClassVar[str]
    """In `QUESTIONS`."""
    what: ClassVar[str]
    """What an answer is, for messages: `answers about the wiki`."""
    rules: str
    shape: str
    """An example of an answer, as JSON."""
    answer: type[_Answer]
    """The answer, checked for its shape; `end` of a model and `part` of an agent are added."""
    part: type[_Part]
    asks: ClassVar[str]
    """What a job asks for, as its title: `Tidy the memory`."""
    unit: ClassVar[str]
    """What a part holds some of: `note`."""
    nothing: str
    """Why there is nothing to ask, in a sentence."""
    heading: ClassVar[str]
    """What stands above the text of a part in a job."""
    filling: ClassVar[str] = "A list that would be empty may be left out."
    then: ClassVar[str]
    """What `wiki apply` makes of an answer, in a sentence."""
    checked_first: ClassVar[bool] = True
    """Whether an agent is told to try the answer with `--dry-run`."""
    replaces: ClassVar[bool] = True
    """Whether preparing all parts forgets those that waited."""
    remembers: ClassVar[bool] = False
    """Whether a part that was answered is not asked again while it stays as it is."""
    answered: frozenset[str] = frozenset()
    """The ids of the parts that are remembered, which `parts` leaves out."""
    kinds: ClassVar[Mapping[str, str]] = {}
    """What kinds of parts are called, where there are several."""
    most_tokens: ClassVar[int]
    """Of one answer: what a call reserves of the budget."""
    json: ClassVar[str] = "asked"
    """NAME of the object `llmwiki.NAME/1` that the command prints with `--json`."""

    index: Index

    def __init__(
        self,
        wiki: OpenWiki,
        about: Any = None,
        *,
        dry_run: bool = False,
        terms: LandingOptions | None = None,
    ) -> None:
        """`about` says what is asked about, as each kind has it; with `dry_run` nothing is written;
        `terms` are those of a commit, where they are not the usual ones."""
        self.wiki, self.about, self.dry_run, self._given = wiki, about, dry_run, terms

    @classmethod
    @contextmanager
    def opened(cls, wiki: OpenWiki, about: Any = None, **given: Any) -> Iterator[Self]:
        """The question with the index, open as long as its parts are asked and land; see
        `__init__`."""
        wiki.state.follow()
        question = cls(wiki, about, **given)
        with wiki.index(question.commit) as question.index:
            yield question

    @property
    def row(self) -> QuestionRow:
        """Its row among the kinds."""
        return QUESTIONS[self.name]

    @property
    def commit(self) -> str | None:
        """The commit that is asked about; None: the work tree."""
        return None

    @cached_property
    def terms(self) -> LandingOptions:
        """On what terms an answer lands."""
        return self._given or self.wiki.landing()

    @abstractmethod
    def made(self) -> Iterable[_Part]:
        """What there is to answer, in order, also what was answered before."""

    @cached_property
    def _parts(self) -> tuple[_Part, ...]:
        return tuple(part for part in self.made() if part.id not in self.answered)

    def parts(self) -> Iterable[_Part]:
        """What is to be answered, in order: a sequence, or made part by part."""
        return self._parts

    @abstractmethod
    def amount(self, part: _Part) -> int:
        """How many of `unit` a part holds."""

    @abstractmethod
    def land(self, part: _Part, answer: _Answer, by: str) -> _Result:
        """Holds an answer against the wiki as it is, and lands or keeps what counts. `by` is the
        model, or `agent`."""

    def waits(self) -> str:
        """How much there is to ask, in a sentence without a full stop."""
        total = sum(map(self.amount, self._parts))
        return f"{counted(total, self.unit)} in {counted(len(self._parts), 'part')}"

    def asked(self, part: _Part) -> Sequence[str]:
        """What a model is sent, block by block."""
        return [part.text]

    def counts(self, parts: Iterable[_Part]) -> Mapping[str, int]:
        """How much of each kind is asked; empty where there are no kinds."""
        del parts
        return {}

    @classmethod
    def lines(cls, result: Any) -> Iterable[str]:
        """What is printed of what became of an answer. A result has a `title`, how much of what was
        done, and `left_out`; where it landed, the `outcome`, and perhaps the `details`."""
        outcome: Outcome | None = getattr(result, "outcome", None)
        if outcome is None:
            yield result.title
        else:
            word = outcome.commit[:10] if outcome.commit else ""
            word = word or ("planned" if outcome.differences else "nothing")
            yield f"{word:10}  {result.title or 'no answer changes anything'}"
            yield from (f"            changed  {path}" for path in outcome.pages_changed)
        yield from (f"            {detail}" for detail in getattr(result, "details", ()))
        yield from (f"            refused  {each.what}: {each.reason}" for each in result.left_out)

    def report(self, name: str, result: Any) -> OperationReport | AcceptedAnswer:
        """What became of an agent's answer, which came in the file `name`."""
        refused = tuple(RefusedClaim(each.what, "", each.reason) for each in result.left_out)
        more = f", {len(refused)} refused" if refused else ""
        outcome: Outcome | None = getattr(result, "outcome", None)
        status = "planned" if self.dry_run else "tidied"
        if outcome is None:
            way = "" if self.dry_run else f"; `wiki {self.row.command}` shows them"
            status, note = "planned" if self.dry_run else "kept", f"{result.title}{more}{way}"
        elif outcome.commit or outcome.differences:
            note = f"{result.title}{more}"
        else:
            status, note = "skipped", f"nothing of it counts{more}"
        return report_of(name, status, note, refused, outcome)

    def read(self, record: Mapping[str, Any]) -> _Part:
        """A part out of its record. Raises what pydantic raises."""
        from pydantic import TypeAdapter

        return TypeAdapter(self.part).validate_python(record)

    @classmethod
    def file(cls) -> type[_Answer]:
        """An agent's answer: `part` names what was asked. Unknown keys are refused."""
        return _with(cls.answer, "part", str)

    @classmethod
    def whole(cls) -> type[_Answer]:
        """A model's answer: `end` is last, so that a cut one lacks it."""
        return _with(cls.answer, "end", Literal[True])

    def task(self, part: _Part) -> Task[_Answer]:
        """To answer a part. The same part gives the same bytes."""
        whole = self.whole()
        rules = TextBlock(f"{self.rules.rstrip()}\n\nThe answer\n{self.shape}\n", cache=True)
        return Task(
            self.what,
            Prompt((rules,), tuple(map(TextBlock, self.asked(part)))),
            output_schema(whole.model_json_schema()),
            partial(validated, whole),
        )

    def job(self, part: _Part, number: int) -> str:
        """The same as Markdown, for an agent that answers and runs `wiki apply`."""
        return AgentJob(
            title=f"{self.asks}: part {number}",
            about=f"{counted(self.amount(part), self.unit)}.",
            rules=self.rules,
            data=((self.heading, part.text),),
            record=record_of(self.shape, schema=self.row.schema, part=part.id),
            filling=self.filling,
            file=f"{self.name}-{part.id[:8]}.json",
            then=self.then,
            dry_run=self.checked_first,
        ).text()


@cache
def _with(model: type[_Model], name: str, kind: Any) -> type[_Model]:
    """The same model with one more field, which is required and last."""
    from pydantic import create_model

    fields: dict[str, Any] = {name: (kind, ...)}
    made: type[_Model] = create_model(model.__name__, __base__=model, **fields)
    return made


def report_of(
    name: str,
    status: str,
    note: str,
    refused: tuple[RefusedClaim, ...],
    outcome: Outcome | None,
    statements: int = 0,
) -> OperationReport:
    """What became of the answer in the file `name`."""
    return OperationReport(
        name,
        "",
        status,
        outcome or Outcome(None),
        ReadingReport([*refused]),
        note=note,
        statements=statements,
    )
