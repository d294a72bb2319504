"""Jobs that wait for an agent's answer, and a model's answers until their source has landed.

They lie in the git directory, never in a commit: `jobs/<first 16 of sha256>/…` is what one source
waits for, `paid/<first 16 of sha256>/…` what a model has answered of a source that has not landed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

from pydantic import TypeAdapter

from llmwiki.core.document import Document, Picture, Segment, SourceOrigin
from llmwiki.core.text import sha256_hex
from llmwiki.git.repository import Repository
from llmwiki.git.store.private_files import RecordFolder, common_files, drop_oldest, remove_folder
from llmwiki.ingest.extraction.schema import Extraction
from llmwiki.models.agent_jobs import EXTRACTION_SCHEMA
from llmwiki.models.tokens_and_cost import Usage

_JOB_SCHEMA = "llmwiki.job/1"
_PAID_SCHEMA = "llmwiki.paid/1"


@dataclass(frozen=True, slots=True)
class Job:
    """What `wiki apply` needs to take an answer."""

    path: str
    """Below raw/: where the source is, or will be copied to."""
    file: str
    """Where its bytes were read, absolute; empty where they lie at `path`."""
    sha256: str
    segments: tuple[tuple[int, int], ...]
    """First and last line of each segment; none while the text stands in pictures only."""
    text: str | None = None
    """The numbered text of a converted source."""
    kept: bytes | None = None
    """The bytes of a source that has no file of its own: standard input, a page of
    the web."""
    origin: SourceOrigin | None = None
    """Of a copy: where it came from."""
    pictures: tuple[str, ...] = ()
    """The places of the pictures that are to be read before there is a text (`page 3`)."""


_JOB = TypeAdapter(Job).validate_python


class Jobs:
    """The jobs of one repository."""

    def __init__(self, repo: Repository) -> None:
        self._files = common_files(repo)

    def save(self, job: Job) -> None:
        """Keeps a job; one for the same bytes is replaced, answers to it stay."""
        folder = folder_of(job.sha256)
        data = asdict(job)
        if data.pop("kept") is not None:
            self._files.write(f"{folder}/source", job.kept or b"")
        RecordFolder(self._files, folder, _JOB_SCHEMA).put("job", data)

    def load(self, sha256: str) -> Job | None:
        """The job for these bytes; None where there is none that can be read."""
        if len(sha256) != 64 or not all(c in "0123456789abcdef" for c in sha256):
            return None
        return self._load(folder_of(sha256))

    def _load(self, folder: str) -> Job | None:
        job = RecordFolder(self._files, folder, _JOB_SCHEMA).get("job", _JOB)
        return job and replace(job, kept=self._files.read(f"{folder}/source"))

    def write_rules(self, text: str) -> str:
        """Writes what all jobs have in common; the absolute path of the file."""
        return self._written("job-rules.md", text)

    def write_job(self, sha256: str, number: int, text: str) -> str:
        """Writes the job of one segment for an agent; the absolute path of the file."""
        return self._written(f"{folder_of(sha256)}/segment-{number}.md", text)

    def _written(self, name: str, text: str) -> str:
        self._files.write(name, text.encode("utf-8", "replace"))
        return self._files.path(name).absolute().as_posix()

    def answer(self, sha256: str, extraction: Extraction) -> None:
        """Keeps the answer to one segment, as the file that an agent would hand in."""
        name = _answer_name(extraction.source.segment[0])
        self._answers(sha256).put(name, extraction.model_dump(mode="json", by_alias=True))

    def answer_file(self, sha256: str, number: int) -> str:
        """Where an answer is kept, for `wiki apply`."""
        return self._answers(sha256).path(_answer_name(number))

    def answers(self, sha256: str) -> dict[int, Extraction]:
        """The kept answers by segment."""
        folder = self._answers(sha256)
        names = (name for name in folder.names() if name.startswith("answer-"))
        kept = (folder.get(name, Extraction.model_validate) for name in names)
        return {each.source.segment[0]: each for each in kept if each is not None}

    def done(self, sha256: str) -> None:
        """Forgets a job and its answers."""
        remove_folder(self._files, folder_of(sha256))

    def waiting(self) -> tuple[tuple[Job, tuple[int, ...]], ...]:
        """All jobs, each with the segments that are answered."""
        base = self._files.path("jobs")
        names = sorted(place.name for place in base.iterdir()) if base.is_dir() else []
        jobs = [self._load(f"jobs/{name}") for name in names if (base / name).is_dir()]
        return tuple((job, tuple(sorted(self.answers(job.sha256)))) for job in jobs if job)

    def _answers(self, sha256: str) -> RecordFolder:
        return RecordFolder(self._files, folder_of(sha256), EXTRACTION_SCHEMA)


_ENDING = {"image/png": "png", "image/jpeg": "jpg"}


class Transcripts:
    """What was read from the pictures of one source, kept until it has landed, for nobody shall
    read one twice: that costs money or somebody's time. They lie beside the files of its job.

    Pictures are numbered from 1, in the order of the source. Thread-safe."""

    def __init__(self, repo: Repository, sha256: str) -> None:
        """`sha256` is that of the source's bytes."""
        self._files = common_files(repo)
        self._folder = folder_of(sha256)
        self._read = RecordFolder(self._files, self._folder, "llmwiki.picture/1")

    def text(self) -> bytes | None:
        """The whole numbered text of the source; None while it is not read."""
        return self._files.read(f"{self._folder}/text")

    def keep_text(self, text: bytes) -> None:
        """Keeps the whole text, as it shall be committed."""
        self._files.write(f"{self._folder}/text", text)

    def forget_text(self) -> None:
        """Drops the whole text: one of its pictures is answered anew."""
        self._files.delete(f"{self._folder}/text")

    def read(self, number: int, tool: str, digest: str) -> str | None:
        """What `tool` read from the picture of that SHA-256; None where it has not."""
        held = self._read.get(f"picture-{number}", lambda data: {**data})
        same = held is not None and (held.get("tool"), held.get("sha256")) == (tool, digest)
        return str(held["text"]) if held and same and isinstance(held.get("text"), str) else None

    def count(self) -> int:
        """How many pictures are read."""
        return sum(1 for name in self._read.names() if name.startswith("picture-"))

    def keep(self, number: int, tool: str, digest: str, text: str) -> None:
        """Keeps what `tool` read from one picture."""
        self._read.put(f"picture-{number}", {"tool": tool, "sha256": digest, "text": text})

    def show(self, number: int, picture: Picture) -> str:
        """Writes a picture for somebody to look at; the absolute path of the file."""
        for ending in _ENDING.values():
            self._files.delete(f"{self._folder}/picture-{number}.{ending}")
        name = f"{self._folder}/picture-{number}.{_ENDING[picture.media_type]}"
        self._files.write(name, picture.data)
        return self._files.path(name).absolute().as_posix()

    def shown(self, number: int) -> str:
        """The SHA-256 of the picture that was shown; empty where none was."""
        for ending in _ENDING.values():
            data = self._files.read(f"{self._folder}/picture-{number}.{ending}")
            if data is not None:
                return sha256_hex(data)
        return ""


MOST_PAID = 20_000_000
"""Bytes of the answers that are kept of sources which have not landed."""


class PaidAnswers:
    """What a model has answered of one source, by the key of each task, until it has landed."""

    def __init__(self, repo: Repository, sha256: str) -> None:
        """`sha256` is that of the source's bytes."""
        files = common_files(repo)
        self._folder = RecordFolder(files, f"paid/{sha256[:16]}", _PAID_SCHEMA)

    def read(
        self, key: str, check: Callable[[dict[str, Any]], Extraction]
    ) -> tuple[Extraction, Usage] | None:
        """The answer to that task and what it took; None where it is not kept."""
        return self._folder.get(
            key, lambda data: (check(data["extraction"]), Usage(**data["usage"]))
        )

    def keep(self, key: str, extraction: Extraction, usage: Usage) -> None:
        """Keeps an answer and what it took, durably; those of sources that are longest untouched
        may go for it."""
        told = extraction.model_dump(mode="json", by_alias=True)
        self._folder.put(key, {"extraction": told, "usage": asdict(usage)})
        drop_oldest(self._folder.files, "paid", MOST_PAID)

    def forget(self) -> None:
        """Drops all."""
        remove_folder(self._folder.files, self._folder.folder)


def with_text(job: Job, document: Document, segments: tuple[Segment, ...]) -> Job:
    """The job for a source whose text was read."""
    text = "\n".join(document.lines) if document.text_path else None
    return replace(job, segments=tuple((s.first, s.last) for s in segments), text=text)


def folder_of(sha256: str) -> str:
    """Where the files of a job lie, from the SHA-256 of its source."""
    return f"jobs/{sha256[:16]}"


def _answer_name(number: int) -> str:
    return f"answer-{number}"
