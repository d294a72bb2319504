"""A document in, its reading without a model out, after all that holds of any reading."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from llmwiki.core.document import Document
from llmwiki.core.text import fold_quote
from llmwiki.ingest.extraction.schema import DOCUMENT, ExtractedClaim, Extraction
from llmwiki.ingest.extraction.without_model import read_without_model
from llmwiki.ingest.reading import verify
from llmwiki.sources.formats import own_text_type
from llmwiki.sources.quotes import QuoteFinder
from llmwiki.sources.read_source import first_quotable, read_document
from llmwiki.sources.strip_markup import strip_markup

SAMPLES = Path(__file__).parent / "test_offline_documents"
NAMES = ("essay.md", "note-ja.md", "minutes.md")


def document(text: str, path: str = "raw/note.md", kind: str = "") -> Document:
    kind = kind or own_text_type(path) or "text/plain"
    sha = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return Document(path, sha, tuple(text.split("\n")), media_type=kind)


def sample(name: str) -> Document:
    return document((SAMPLES / name).read_text(encoding="utf-8"), f"raw/{name}")


def converted(name: str, text: str | bytes) -> Document:
    """A file as an ingest reads it, converted where its format is."""
    return read_document(f"raw/{name}", text.encode() if isinstance(text, str) else text)


def sound(one: Document) -> Extraction:
    """The reading, after all that holds of any: no quote is refused, no word is added."""
    read = read_without_model(one, first=first_quotable(one))
    names = [subject.name for subject in read.subjects]
    assert len(set(names)) == len(names)
    assert all(0 < len(name) <= 80 for name in names)
    assert read.document.title and read.document.summary
    accepted, refused = verify(one, read, QuoteFinder(one))
    assert not refused, refused
    assert len(accepted) == len(read.claims)
    for claim in read.claims:
        assert claim.subject in (DOCUMENT, *names)
        assert not claim.also
        for quote in claim.evidence:
            assert quote.lines is not None
            first, last = quote.lines
            assert first_quotable(one) <= first <= last <= len(one.lines)
            assert fold_quote(quote.quote) in fold_quote("\n".join(one.lines[first - 1 : last]))
        assert not added(claim)
    return read


def added(claim: ExtractedClaim) -> list[str]:
    """The words of a claim that stand in none of its quotes, markup and references aside."""
    quotes = " ".join(f"{quote.quote} {strip_markup(quote.quote)}" for quote in claim.evidence)
    held = re.sub(r"[\W_]", "", fold_quote(quotes))
    words = (re.sub(r"[\W_]", "", word) for word in fold_quote(claim.text).split())
    return [word for word in words if word not in held]


def texts(extraction: Extraction) -> list[str]:
    return [claim.text for claim in extraction.claims]


def read(text: str, path: str = "raw/boats.md") -> Extraction:
    return sound(document(text, path))


def told(text: str, path: str = "raw/boats.md") -> list[str]:
    return texts(read(text, path))
