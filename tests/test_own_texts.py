"""Texts that people write are their own text, and what was converted once stays as it was read."""

from __future__ import annotations

from pathlib import Path

import pytest
from wikikit import Wiki, answer, check, claim, make

from llmwiki.lint.quoted_texts import SourceText
from llmwiki.sources.quotes import QuoteFinder
from llmwiki.sources.read_source import read_document

RST = """PEP: 20
Title: The Zen of Pumps
Author: Ada Lovelace <ada@example.org>,
        Tim Peters
Status: Active
Created: 19-Aug-2004

Abstract
========

The ``seal ring`` of a pump is made of *graphite* [1]_, see :ref:`seals <ring>` and
the `list of parts <https://example.org/parts>`_.

.. include:: /etc/passwd

Maintenance
===========

The bearing must be greased with ``pump grease --type 2`` every 400 hours.
Pumps without a filter wear out twice as fast as pumps with one.
"""

ORG = """#+TITLE: Tides of the harbour
#+AUTHOR: Ada Lovelace
#+DATE: 2024-05-06
#+INCLUDE: "/etc/passwd"
* Heights
The sea rises twice a day by *seven metres*, see [[https://example.org][the almanac]].
** Gates
The outer gate must be closed at half tide by the keeper of the harbour.
"""

ADOC = """= Guide to the lock
:author: Ada Lovelace
:revdate: 2024-05-06
:toc:

The lock opens two hours before *high* water for boats of up to ten metres.

== Steps

[source,sh]
----
include::/etc/passwd[]
----

. Call the keeper of the lock by radio.

* The gate of the lock must be closed by the keeper in a storm of force nine.
"""


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return make(tmp_path, monkeypatch)


def finder(name: str, text: str) -> QuoteFinder:
    return QuoteFinder(read_document(f"raw/{name}", text.encode()))


@pytest.mark.parametrize(
    ("name", "text", "title", "line", "said"),
    [
        ("pep-0020.rst", RST, "The Zen of Pumps", 19, "The bearing must be greased"),
        ("tides.org", ORG, "Tides of the harbour", 8, "The outer gate must be closed at half tide"),
        ("lock.adoc", ADOC, "Guide to the lock", 17, "The gate of the lock must be closed"),
    ],
)
def test_lines_are_those_of_the_file(
    wiki: Wiki, name: str, text: str, title: str, line: int, said: str
) -> None:
    wiki.put(f"raw/{name}", text)
    wiki.ok("ingest", f"raw/{name}", "--model", "offline")
    assert not (wiki.root / "raw" / ".text").exists()
    page = wiki.pages()[f"wiki/sources/{name.replace('.', '-')}.md"]
    assert (page.title, page.value("text")) == (title, "")
    assert "Ada Lovelace" in page.text
    assert "passwd" not in page.text
    evidence = wiki.claim(said).evidence[0]
    assert wiki.lines(said) == [(line, line)]
    assert text.split("\n")[line - 1].removeprefix("* ") == evidence.quote
    check(wiki)


@pytest.mark.parametrize(
    ("name", "text", "quote", "line"),
    [
        ("a.rst", RST, "The seal ring of a pump is made of graphite", 11),
        ("a.rst", RST, "The ``seal ring`` of a pump", 11),
        ("a.rst", RST, "see seals and the list of parts.", 11),
        ("a.rst", RST, "made of graphite [1], see", 11),
        ("a.rst", RST, "made of graphite [^1], see", 11),
    ],
)
def test_a_quote_may_leave_inline_markup_out(name: str, text: str, quote: str, line: int) -> None:
    found = finder(name, text).find(quote, 1, 1)
    assert found is not None
    assert (found.first, found.quote) == (line, quote)
    document = read_document(f"raw/{name}", text.encode())
    assert SourceText(f"raw/{name}", "", "", document).stands(quote)


@pytest.mark.parametrize(
    "quote", ["The seal rings of a pump", "the seal ring of a pump", "is made of ring graphite"]
)
def test_the_words_must_be_those_of_the_text(quote: str) -> None:
    assert finder("a.rst", RST).find(quote, 1, 30) is None


def test_markup_of_markdown_and_of_plain_text_is_no_markup_that_goes() -> None:
    for name in ("a.md", "a.txt"):
        assert (
            finder(name, "The ``seal ring`` is of *graphite*.\n").find("of graphite", 1, 1) is None
        )


def test_an_answer_that_quotes_without_markup_is_taken_and_stays_checked(wiki: Wiki) -> None:
    quote = "The seal ring of a pump is made of graphite"
    given = [claim("Pump", "The seal ring is of graphite.", quote, lines=(11, 11))]
    wiki.learn("raw/pump.rst", RST, answer(given))
    assert wiki.lines("The seal ring")[0][0] == 11
    assert "no issues found" in wiki.ok("lint").out
