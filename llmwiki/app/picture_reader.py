"""The reader of a source's pictures, as the settings choose it; made once there are pictures."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from llmwiki.core.config import Config
from llmwiki.core.errors import InputError
from llmwiki.ingest.extraction.types import ReaderFor, nobody

if TYPE_CHECKING:
    from collections.abc import Iterable

    from llmwiki.core.document import Picture
    from llmwiki.git.repository import Repository
    from llmwiki.ingest.extraction.jobs import Transcripts
    from llmwiki.models.client import Client
    from llmwiki.sources.pictures import PictureReader

_MODEL, _TESSERACT, _NONE = "model", "tesseract", "none"


@dataclass(frozen=True, slots=True)
class _Unable:
    """A reader that the settings ask for and that is not there: told once there are pictures."""

    error: InputError
    tool: str = "none/0"

    def read(self, pictures: Iterable[Picture]) -> list[str]:
        """Raises the error."""
        del pictures
        raise self.error


def model_reads(config: Config) -> bool:
    """Whether the model or agent that reads the text reads the pictures too."""
    return _choice(config) in ("", _MODEL)


def reader_for(repo: Repository, config: Config, client: Client | None) -> ReaderFor:
    """Who reads pictures beside the model of `client`; None: no model is called.

    Raises InputError for a setting that names nobody.
    """
    choice = _choice(config)
    if choice == _NONE:
        return nobody
    if choice == _TESSERACT or (client is None and not choice):
        return _text_recognition(repo, config)
    return _model(config, client)


def _choice(config: Config) -> str:
    choice = config.text("ingest.pictures")
    if choice not in ("", _MODEL, _TESSERACT, _NONE):
        raise InputError(
            f"ingest.pictures is `{choice}`",
            where=config.settings["ingest.pictures"].origin,
            fix=f"It is {_MODEL}, {_TESSERACT}, {_NONE} or empty.",
        )
    return choice


def _model(config: Config, client: Client | None) -> ReaderFor:
    def reader(kept: Transcripts) -> PictureReader:
        from llmwiki.ingest.extraction.vision import ModelReader

        if client is not None:
            return ModelReader(client, kept, config.whole("ingest.parallel"))
        return _Unable(
            InputError(
                "a model shall read the pictures (ingest.pictures), and none is called",
                fix="Set a key, name a --model, or let a coding agent read them: --prepare",
            )
        )

    return reader


def _text_recognition(repo: Repository, config: Config) -> ReaderFor:
    """tesseract, looked for once and only when a source may need it; None where it is missing."""

    @cache
    def find() -> PictureReader | None:
        from llmwiki.sources.tesseract import find_tesseract

        try:
            found = find_tesseract(config.text("ingest.ocr_languages"), root=repo.root)
        except InputError as error:
            return _Unable(error)
        if found is None and _choice(config) == _TESSERACT:
            return _Unable(
                InputError(
                    "tesseract shall read the pictures (ingest.pictures), and it is not installed",
                    fix="Install it, such as `apt install tesseract-ocr`, or change the setting.",
                )
            )
        return found

    return lambda kept: find()
