"""What was read from the pictures of a source, kept until the source has landed.

Reading a picture costs money or somebody's time, and what comes after may fail: nobody shall do it
twice. The files lie beside those of the source's job (`jobs.py`), in the git directory.
"""

from __future__ import annotations

from llmwiki.core.document import Picture
from llmwiki.core.text import sha256_hex
from llmwiki.git.repository import Repository
from llmwiki.git.store.private import RecordFolder, common_files
from llmwiki.ingest.extraction.jobs import folder_of

_ENDING = {"image/png": "png", "image/jpeg": "jpg"}


class Transcripts:
    """Of one source. Pictures are numbered from 1, in the order of the source. Thread-safe."""

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
