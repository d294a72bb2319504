"""Jobs that wait for an agent's answer, and answers that wait for the other segments.

They lie in the git directory, never in a commit: `jobs/<first 16 of sha256>/…`.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass

from llmwiki.core.document import Document, Segment
from llmwiki.core.errors import InputError
from llmwiki.extraction.schema import EXTRACTION_SCHEMA, Extraction
from llmwiki.repo.repository import Repository
from llmwiki.store.private import PrivateFiles, common_files


@dataclass(frozen=True, slots=True)
class Job:
    """What `wiki apply` needs to know to take an answer."""

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
    """The bytes of a source that has no file of its own: standard input, a message of a mailbox."""
    model: str = ""
    """Who gave the answers that are kept; empty: an agent is to give them."""
    pictures: tuple[str, ...] = ()
    """The places of the pictures that are to be read before there is a text (`page 3`)."""


class Jobs:
    """The jobs of one repository."""

    def __init__(self, repo: Repository) -> None:
        self._files: PrivateFiles = common_files(repo)

    def save(self, job: Job) -> None:
        """Keeps a job; one for the same bytes is replaced, answers to it stay."""
        data = {
            "path": job.path,
            "file": job.file,
            "sha256": job.sha256,
            "segments": [list(s) for s in job.segments],
            "text": job.text,
            "model": job.model,
            "pictures": list(job.pictures),
        }
        if job.kept is not None:
            self._files.write(f"{folder_of(job.sha256)}/source", job.kept)
        self._files.write(
            f"{folder_of(job.sha256)}/job.json",
            json.dumps(data, sort_keys=True).encode(),
        )

    def load(self, sha256: str) -> Job | None:
        """The job for these bytes; None where there is none."""
        if len(sha256) != 64 or not all(c in "0123456789abcdef" for c in sha256):
            return None
        held = self._files.read(f"{folder_of(sha256)}/job.json")
        if held is None:
            return None
        try:
            data = json.loads(held)
            return Job(
                path=str(data["path"]),
                file=str(data["file"]),
                sha256=str(data["sha256"]),
                segments=tuple((int(a), int(b)) for a, b in data["segments"]),
                text=data["text"] if isinstance(data["text"], str) else None,
                kept=self._files.read(f"{folder_of(sha256)}/source"),
                model=str(data.get("model", "")),
                pictures=tuple(str(label) for label in data.get("pictures", ())),
            )
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise InputError(
                "the job cannot be read",
                where=self._files.path(f"{folder_of(sha256)}/job.json").as_posix(),
                fix="Prepare it again: wiki ingest PATH --prepare",
            ) from error

    def answer(self, sha256: str, extraction: Extraction) -> None:
        """Keeps the answer to one segment."""
        data = {"schema": EXTRACTION_SCHEMA, **extraction.model_dump(mode="json", by_alias=True)}
        self._files.write(
            self._answer_name(sha256, extraction.source.segment[0]),
            json.dumps(data).encode(),
        )

    def answer_file(self, sha256: str, number: int) -> str:
        """Where an answer is kept, for `wiki apply`."""
        return self._files.path(self._answer_name(sha256, number)).as_posix()

    @staticmethod
    def _answer_name(sha256: str, number: int) -> str:
        return f"{folder_of(sha256)}/answer-{number}.json"

    def answers(self, sha256: str) -> dict[int, Extraction]:
        """The kept answers by segment."""
        found: dict[int, Extraction] = {}
        for name in self._files.names(folder_of(sha256)):
            if name.rsplit("/", 1)[-1].startswith("answer-"):
                held = self._files.read(name)
                extraction = _kept(held) if held is not None else None
                if extraction is not None:
                    found[extraction.source.segment[0]] = extraction
        return found

    def done(self, sha256: str) -> None:
        """Forgets a job and its answers."""
        for name in self._files.names(folder_of(sha256)):
            self._files.delete(name)
        folder = self._files.path(folder_of(sha256))
        if folder.is_dir() and not any(folder.iterdir()):
            # Somebody else who works on the same source may put a file there just now.
            with suppress(OSError):
                folder.rmdir()

    def waiting(self) -> tuple[tuple[Job, tuple[int, ...]], ...]:
        """All jobs, each with the segments that are answered."""
        base = self._files.path("jobs")
        if not base.is_dir():
            return ()
        found = []
        for folder in sorted(place for place in base.iterdir() if place.is_dir()):
            held = self._files.read(f"jobs/{folder.name}/job.json")
            if held is not None:
                job = self.load(_sha256(held))
                if job is not None:
                    found.append((job, tuple(sorted(self.answers(job.sha256)))))
        return tuple(found)


def job_of(
    document: Document, segments: tuple[Segment, ...], file: str, kept: bytes | None = None
) -> Job:
    """The job for a document that was read."""
    return Job(
        path=document.path,
        file=file,
        sha256=document.sha256,
        segments=tuple((s.first, s.last) for s in segments),
        text="\n".join(document.lines) if document.text_path else None,
        kept=kept,
    )


def _kept(held: bytes) -> Extraction | None:
    """A kept answer; None for one that is cut or that another version of this program kept."""
    try:
        data = json.loads(held)
        data.pop("schema", None)
        return Extraction.model_validate(data)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None


def _sha256(held: bytes) -> str:
    try:
        return str(json.loads(held)["sha256"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return ""


def folder_of(sha256: str) -> str:
    """Where the files of a job lie, from the SHA-256 of its source."""
    return f"jobs/{sha256[:16]}"
