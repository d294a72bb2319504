"""Parts of the wiki that a model answers one after another, or an agent by files of jobs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from llmwiki.app.models import client_for, limited, model_to_call
from llmwiki.core.errors import InputError
from llmwiki.core.plain_line import plain_line

if TYPE_CHECKING:
    from llmwiki.app.open_wiki import OpenWiki
    from llmwiki.core.errors import WikiError
    from llmwiki.models.run import TaskRun
    from llmwiki.models.settings import ModelSettings
    from llmwiki.models.task import Task

_Part = TypeVar("_Part", bound=Any)
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class AnsweredParts:
    """How far the answers of a model came."""

    parts: int
    """Parts that there were to answer."""
    model: str = ""
    run: TaskRun | None = None
    """How far a model came; None: none was called."""

    @property
    def failure(self) -> WikiError | None:
        """What kept a part from being answered."""
        return (self.run.failure or self.run.over_budget) if self.run else None

    @property
    def exit_code(self) -> int:
        """That of `wiki`: of the failure; 0: there was none."""
        return self.failure.exit_code if self.failure else 0


class PartJobs(Generic[_Part]):
    """The parts that wait for an agent, each a NamedTuple with an `id` of 16 hexadecimal digits."""

    def __init__(
        self, wiki: OpenWiki, command: str, folder: str, read: Callable[[dict[str, Any]], _Part]
    ) -> None:
        """They are kept in `folder` of the common git directory; `read` makes one of its record."""
        from llmwiki.store.private import common_files
        from llmwiki.store.records import RecordFolder

        self._files = common_files(wiki.repo)
        self._records = RecordFolder(self._files, f"{folder}/jobs", f"llmwiki.{folder}-part/1")
        self._texts = f"{folder}/texts"
        self._command, self._read = command, read

    def prepare(
        self, parts: tuple[_Part, ...], job: Callable[[_Part, int, int], str]
    ) -> tuple[str, ...]:
        """Writes the job of each part, in place of all that waited; the files, absolute."""
        self.forget()
        written = []
        for number, part in enumerate(parts, start=1):
            self._records.put(part.id, part._asdict())
            name = f"{self._texts}/{number:03d}-{part.id[:8]}.md"
            self._files.write(name, job(part, number, len(parts)).encode())
            written.append(self._files.path(name).absolute().as_posix())
        return tuple(written)

    def part(self, ident: str, name: str) -> _Part:
        """The part that the answer in the file `name` is about. Raises InputError for none."""
        is_id = re.fullmatch("[0-9a-f]{16}", ident)
        part = self._records.get(ident, self._read) if is_id else None
        if part is None:
            raise InputError(
                f"no part {plain_line(ident, 40)} waits here: it was answered, or prepared anew",
                where=name,
                fix=f"Run: wiki {self._command} --prepare",
            )
        return part

    def settle(self, part: _Part) -> None:
        """Forgets a part that was answered."""
        self._records.delete(part.id)

    def forget(self) -> None:
        """Drops all that waits: it holds words of pages."""
        from llmwiki.store.records import remove_folder

        remove_folder(self._files, self._records.folder)
        remove_folder(self._files, self._texts)


def reader(wiki: OpenWiki, command: str, model: str | None, most: int) -> ModelSettings:
    """The model that `command` asks, for answers of `most` tokens. Raises InputError for none."""
    settings = model_to_call(wiki, model)
    if settings is None:
        raise InputError(
            f"`wiki {command}` needs a model",
            fix=f"Set a key, or let an agent answer: wiki {command} --prepare.",
        )
    return limited(settings, most)


def ask(
    wiki: OpenWiki,
    settings: ModelSettings,
    max_cost: float | None,
    tasks: Iterable[tuple[_Part, Task[_Answer]]],
    take: Callable[[_Part, _Answer], None],
) -> TaskRun:
    """Lets the model answer the parts, several at once; `take` is called in this thread."""
    from llmwiki.models.run import run_tasks

    with client_for(wiki.config, settings, max_cost) as client:
        return run_tasks(tasks, client, take, parallel=wiki.config.whole("ingest.parallel"))
