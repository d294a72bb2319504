"""A document has one page: by its title, by its other names, and for the thing that it is about."""

from __future__ import annotations

from pathlib import Path

import pytest
from wikikit import Wiki, answer, check, claim, make

from llmwiki.sources.document_facts import names_of

PEP = """PEP: 257
Title: Docstring Conventions
Author: Ada Lovelace
Status: Active

Abstract
========

Multi-line docstrings must begin with one summary line that fits on a line of its own.
"""

ENCRYPTION = """# Encryption

Encryption is a way to make data unreadable for everybody without the key.
Encryption must be switched on by the owner of the vault before the first backup.
Encryption protects notes on the way to the server and on its disks.
"""


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return make(tmp_path, monkeypatch)


def homes(wiki: Wiki, words: str) -> set[str]:
    return {path for path, one in wiki.claims().values() if words in one.text}


@pytest.mark.parametrize(
    ("title", "lines", "names"),
    [
        ("Docstring Conventions", ("PEP: 257", "Title: Docstring Conventions"), ("PEP 257",)),
        ("PEP 7 – Style Guide for C Code", (), ("PEP 7", "Style Guide for C Code")),
        ("RFC 9110: HTTP Semantics", (), ("RFC 9110", "HTTP Semantics")),
        ("HTTP Semantics", ("Request for Comments: 9110      June 2022",), ("RFC 9110",)),
        ("PEP 20", ("PEP: 20",), ()),
        ("Ten rules", ("1. PEP: 20 is short", "Version: 3"), ()),
        ("ISO 8601", (), ()),
    ],
)
def test_other_names_of_a_document(
    title: str, lines: tuple[str, ...], names: tuple[str, ...]
) -> None:
    assert names_of(title, lines) == names


def test_a_document_that_defines_its_title_has_one_page(wiki: Wiki) -> None:
    wiki.put("raw/encryption.md", ENCRYPTION)
    wiki.ok("ingest", "raw/encryption.md", "--model", "offline")
    assert sorted(wiki.pages()) == ["wiki/sources/encryption-md.md"]
    first = wiki.pages()["wiki/sources/encryption-md.md"].claims[0]
    assert first.text.startswith("Encryption is a way")
    check(wiki)


def test_a_subject_that_had_a_page_keeps_it(wiki: Wiki) -> None:
    said = "Encryption slows old telephones down."
    wiki.learn("raw/phones.md", f"# Phones\n\n{said}\n", answer([claim("Encryption", said)]))
    wiki.put("raw/encryption.md", ENCRYPTION)
    wiki.ok("ingest", "raw/encryption.md", "--model", "offline")
    assert homes(wiki, "Encryption") == {"wiki/concepts/Encryption.md"}
    check(wiki)


def test_two_documents_of_one_title_own_no_name(wiki: Wiki) -> None:
    for folder in ("a", "b"):
        wiki.put(f"raw/{folder}/encryption.md", ENCRYPTION + f"The copy of {folder} is older.\n")
        wiki.ok("ingest", f"raw/{folder}/encryption.md", "--model", "offline")
    said = "Encryption slows old telephones down."
    wiki.learn("raw/phones.md", f"# Phones\n\n{said}\n", answer([claim("Encryption", said)]))
    assert homes(wiki, said) == {"wiki/concepts/Encryption.md"}
    check(wiki)


def test_a_document_is_found_and_linked_by_its_number(wiki: Wiki) -> None:
    quote = "We know that good docstrings follow PEP 257 in all modules."
    said = claim("Style", "Good docstrings follow PEP 257 in all modules.", quote)
    wiki.learn("raw/style.md", f"# On style\n\n{quote}\n", answer([said]))
    wiki.put("raw/pep-0257.rst", PEP)
    wiki.ok("ingest", "raw/pep-0257.rst", "--model", "offline")
    page = wiki.pages()["wiki/sources/pep-0257-rst.md"]
    assert page.aliases == ["PEP 257"] or tuple(page.aliases) == ("PEP 257",)
    assert "[[pep-0257-rst|PEP 257]]" in wiki.read("wiki/concepts/Style.md"), "when it is born"
    quote = "Linters check PEP 257 by default."
    later = claim("Linter", "Linters check PEP 257.", quote)
    wiki.learn("raw/lint.md", f"# On linters\n\n{quote}\n", answer([later]))
    assert "[[pep-0257-rst|PEP 257]]" in wiki.read("wiki/concepts/Linter.md"), "when it stands"
    found = wiki.ok("search", "PEP 257", "--json").json["results"]
    assert found[0]["path"] == "wiki/sources/pep-0257-rst.md"
    assert wiki.ok("show", "PEP 257").out.startswith("# Docstring Conventions")
    check(wiki)


def test_a_claim_about_a_document_known_by_its_number_stands_on_its_page(wiki: Wiki) -> None:
    wiki.put("raw/pep-0257.rst", PEP)
    wiki.ok("ingest", "raw/pep-0257.rst", "--model", "offline")
    said = "PEP 257 is older than most linters."
    wiki.learn("raw/lint.md", f"# On linters\n\n{said}\n", answer([claim("PEP 257", said)]))
    assert homes(wiki, said) == {"wiki/sources/pep-0257-rst.md"}


@pytest.mark.parametrize(
    "sentence",
    [
        "The tea of Mr. Jones is green.",
        "Some teas, e.g. this one, are green.",
        "Viele Tees, z. B. Sencha, sind grün.",
        "緑茶は緑である。",
    ],
)
def test_a_description_is_a_whole_sentence(wiki: Wiki, sentence: str) -> None:
    next_one = "紅茶は赤い。" if sentence.endswith("。") else " A second one follows."
    told = {"title": "On tea", "summary": sentence + next_one}
    wiki.learn("raw/tea.md", f"Tea is a plant.\n\n{sentence}\n", answer([], document=told))
    (page,) = [page for path, page in wiki.pages().items() if "/sources/" in path]
    assert page.description == sentence
