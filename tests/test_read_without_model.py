"""A source read without a model, through `read_without_model`: what holds for any text."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from longform import examples

from llmwiki.core.document import Document
from llmwiki.core.text import fold_quote
from llmwiki.extraction.schema import DOCUMENT, ExtractedClaim, Extraction
from llmwiki.extraction.without_model import read_without_model
from llmwiki.ingest.verify import verify
from llmwiki.sources.document import first_quotable, read_document
from llmwiki.sources.quotes import QuoteFinder

SAMPLES = Path(__file__).parent / "test_offline_documents"
NAMES = ("essay.md", "reference.md", "note-ja.md", "plain.txt", "minutes.md")


def document(text: str, path: str = "raw/note.md", kind: str = "") -> Document:
    kind = kind or ("text/markdown" if path.endswith(".md") else "text/plain")
    sha = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return Document(path, sha, tuple(text.split("\n")), media_type=kind)


def sample(name: str) -> Document:
    return document((SAMPLES / name).read_text(encoding="utf-8"), f"raw/{name}")


def converted(name: str, text: str | bytes) -> Document:
    """A file as an ingest reads it, converted where its format is."""
    return read_document(f"raw/{name}", text.encode() if isinstance(text, str) else text)


def sound(one: Document, known: tuple[str, ...] = ()) -> Extraction:
    """The reading, after all that holds of any: no quote is refused, no word is added."""
    read = read_without_model(one, known, first=first_quotable(one))
    names = [subject.name for subject in read.subjects]
    assert len(set(names)) == len(names)
    assert all(0 < len(name) <= 80 for name in names)
    assert read.document.title and read.document.summary
    accepted, refused = verify(one, read, QuoteFinder(one))
    assert not refused, refused
    assert len(accepted) == len(read.claims)
    for claim in read.claims:
        assert claim.subject in (DOCUMENT, *names)
        assert set(claim.also) <= set(names) - {claim.subject}
        for quote in claim.evidence:
            assert quote.lines is not None
            first, last = quote.lines
            assert first_quotable(one) <= first <= last <= len(one.lines)
            assert fold_quote(quote.quote) in fold_quote("\n".join(one.lines[first - 1 : last]))
        assert not added(claim)
    return read


def added(claim: ExtractedClaim) -> list[str]:
    """The words of a claim that stand in none of its quotes, markup and references aside."""
    quotes = " ".join(quote.quote for quote in claim.evidence)
    plain = re.sub(r"[\\*_`~=\[\]|]", "", quotes)
    held = re.sub(r"\W", "", fold_quote(quotes)), re.sub(r"\W", "", fold_quote(plain))
    words = (re.sub(r"\W", "", word) for word in fold_quote(claim.text).split())
    return [word for word in words if not any(word in text for text in held)]


def texts(extraction: Extraction) -> list[str]:
    return [claim.text for claim in extraction.claims]


@pytest.mark.parametrize("name", NAMES)
def test_each_claim_is_the_words_of_its_quotes(name: str) -> None:
    assert len(sound(sample(name)).claims) >= 3


PIECES = [
    "# ", "## ", "- ", "* ", "1. ", "> ", "| a | b |", "|---|---|", "```", "`", "**", "_", "[x](y)",
    "[[Page|label]]", "<!--", "-->", "---", "===", "\n", "\n\n", "\r\n", "    ", "\t", ". ", "。",
    ": ", " — ", "The river is a stream of water", "Rapid Audit Tool (RAT)", "とは、川である。",
    "Zürich", "café", "\ufffd", "\u202e", "\u00ad", "①", "🙂 ", "e\u0301", "ﬁ", "\\*", "We agreed ",
    "^id", "## Decisions", "## Attendees", "- [ ] ", "> [!note] Title",
    "2024-05-01", "Author: Ana Ruiz", "must never", "https://example.org/a_(b)", "[^1]: ", "\x00",
    "・", "■ 見出し", "(", ")", "（", "」", "?", "Quill elects 3 leaders", ";", "$$",
]  # fmt: skip
written = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=12)), max_size=60).map(
    "".join
)


@settings(max_examples=examples(150), deadline=None)
@given(
    written, st.sampled_from(["a.md", "a.txt", "a.org", "a.adoc"]), st.lists(st.text(max_size=9))
)
def test_any_text_is_read_soundly(text: str, name: str, known: list[str]) -> None:
    sound(document(text, f"raw/{name}"), tuple(known))


_LINE = st.one_of(
    st.sampled_from([
        "[sheet A]", "[page 1]", "[message 1] Ada, 2024-01-01", "row 1 | name | size",
        "[cell 1 code]",
        "row 2 | name: Ada | size: 3 m", "table 1 row 2 | Port: Brest | Height: 7 m", "| a | b |",
        "| --- | --- |", "a[0].name: Brest", "a[0] | name: Brest | high: 7", "b.c: d", "b:", "```",
        "From: Ada <a@example.org>", "> said", "--", "[00:00:01] Ada: Tides rise by 7 m in Brest.",
    ]),
    st.text(max_size=40).filter(lambda text: "\n" not in text),
)  # fmt: skip
_KINDS = (
    "text/csv", "application/json", "application/yaml", "text/vtt", "message/rfc822", "text/html",
    "application/pdf", "application/x-ipynb+json",
)  # fmt: skip


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(_LINE, max_size=25), st.sampled_from(_KINDS))
def test_any_converted_text_is_read_soundly(lines: list[str], kind: str) -> None:
    text = ("# llmwiki-text 1", *lines)
    sound(Document("raw/x.bin", "0" * 64, text, "raw/.text/0.txt", None, kind), ("Brest",))


NASTY = {
    "brackets": "[" * 100_000,
    "parentheses": "(" * 100_000,
    "links": "[a](" * 30_000,
    "stars": "*a" * 50_000,
    "underscores": "_a " * 40_000,
    "backticks": "` " * 50_000,
    "comments": "<!-- a " * 20_000,
    "comment starts in lines": "text <!--\n" * 10_000,
    "quotes": "> " * 50_000,
    "bullets": "- " * 50_000,
    "nested items": "\n".join(" " * (n % 900) + "- item number one" for n in range(3000)),
    "bars": "|" * 100_000,
    "rows": "| a | b is a thing | 3 |\n" * 5_000,
    "blanks": " " * 100_000 + "x",
    "capitals": "Aa Bb " * 20_000,
    "one long line": "The river is a stream of water. " * 4_000,
    "no sentence end": "river " * 20_000,
    "dots": "." * 100_000,
    "japanese dots": "川。" * 30_000,
    "japanese without end": "川は水" * 30_000,
    "digits": "1." * 50_000,
    "colons": "a: " * 40_000,
    "acronyms": "Aa Bb (AB) " * 10_000,
    "headings": "# Heading of a river\n" * 5_000,
    "rules": "-" * 100_000,
    "dashes": "a — " * 30_000,
    "ampersands": "&" * 100_000,
}


@pytest.mark.parametrize("part", [5, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", sorted(NASTY))
def test_hostile_text_is_read_in_bounded_time(name: str, part: int) -> None:
    """A quadratic rule would take minutes on the whole ones, and some seconds on a fifth."""
    text = NASTY[name]
    one = document(text[: len(text) // part])
    began = process_time()
    read_without_model(one)
    assert process_time() - began < 30 / part


@pytest.mark.parametrize(
    "text", ["", "\n\n\n", "---\n", "```\ncode only\n", "# \n", "|\n|-|\n", "\ufffd"]
)
def test_a_document_that_says_nothing_still_gives_a_reading(text: str) -> None:
    read = sound(document(text, "raw/empty-one.md"))
    assert read.end is True
    assert read.claims == []


def test_carriage_returns_change_nothing() -> None:
    text = (SAMPLES / "essay.md").read_text(encoding="utf-8")
    unix = sound(document(text)).model_dump(exclude={"source"})
    assert sound(document(text.replace("\n", "\r\n"))).model_dump(exclude={"source"}) == unix


def test_the_same_bytes_come_out_under_any_hash_seed() -> None:
    rows = ("# llmwiki-text 1", *(f"row {i} | Port: P{i}ort | Height: {i} m" for i in range(60)))
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from test_read_without_model import NAMES, sample, read_without_model, Document\n"
        "known = ['Quill', 'European Eel', 'PostgreSQL', 'プロペラ水車']\n"
        "print([read_without_model(sample(name), known).model_dump_json() for name in NAMES])\n"
        f"table = Document('raw/p.csv', '0' * 64, {rows!r}, 'raw/.text/0.txt', None, 'text/csv')\n"
        "print(read_without_model(table, ('P7ort', 'P50ort'), first=2).model_dump_json())\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program, str(Path(__file__).parent)],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            check=True,
            timeout=60,
        ).stdout
        for seed in ("1", "77")
    }
    assert len(outputs) == 1


def test_a_long_document_is_bounded() -> None:
    parts = [
        f"## Lamp {chr(65 + n % 26)}{chr(97 + n // 26)}ra\n\n"
        f"The lamp number {n} must never burn longer than {n + 3} hours. "
        f"It was built in {1800 + n} and weighs {n} kilograms.\n"
        for n in range(600)
    ]
    read = sound(document("# Lamps\n\n" + "\n".join(parts)))
    assert 60 <= len(read.claims) <= 160
    assert len(read.subjects) <= 41
