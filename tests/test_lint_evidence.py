"""Quotes against their texts, and what pages and ledgers record of sources."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

import gitkit
import pytest
from lintkit import beginning, lint_texts

from llmwiki.core.text import sha256_hex
from llmwiki.git.find_repository import layout_of
from llmwiki.git.repository import Repository
from llmwiki.lint.page_view import PageView
from llmwiki.lint.quoted_texts import Texts
from llmwiki.lint.wiki_files import WikiFiles
from llmwiki.pages.page import SourceRef

RAW = """# Tea

Tea is an infusion of leaves.
It is drunk hot, “in the morning”, by many.

Green tea is steeped at 80 degrees
for two minutes.
"""
RULES = beginning("WK2", "WK023")
PAGE, LEDGER = "wiki/concepts/Tea.md", "wiki/sources/tea-md.md"
ID = "c-9f3a1c22k7"


FOOT = "\n[^tea-md]: [[sources/tea-md|Tea]], raw/tea.md\n"


def page(body: str, foot: str = FOOT) -> str:
    return (
        "---\ntype: concept\ntitle: Tea\ndescription: A drink.\ntags: [tea]\n"
        f"generated: llmwiki/0.1.0\n---\n\n# Tea\n\n{body}{foot}"
    )


def claim(quote: str, *, ident: str = ID, text: str = "Tea.") -> str:
    return f"- {text} ^{ident}\n  - “{quote}” [^tea-md]\n"


def told(*idents: str) -> str:
    own = f"source: raw/tea.md\nsha256: {sha256_hex(RAW.encode())}\n"
    return (
        page(record(*idents), "")
        .replace("concept", "source")
        .replace("description: A drink.\ntags: [tea]\n", own)
    )


def record(*idents: str) -> str:
    lines = "".join(f"> - {ident}\n" for ident in idents)
    return f"> [!note]- Record\n{lines}" if lines else ""


def found(files: str | Mapping[str, str | bytes]) -> list[tuple[str, str, int]]:
    held = {PAGE: files, LEDGER: told(ID), "raw/tea.md": RAW} if isinstance(files, str) else files
    names = {rule.code: rule.name for rule in RULES}
    return [(f.path, names[f.code], f.line) for f in lint_texts(held, RULES)]


# --- quotes --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "quote",
    [
        "Tea is an infusion of leaves.",
        "infusion of leaves",
        "Tea  is an infusion of leaves. It is drunk hot",
        '"in the morning"',
        "steeped at 80 degrees for two minutes.",
        "Tea is an infusion of leaves.",
    ],
)
def test_quotes_that_stand_in_their_source_are_fine(quote: str) -> None:
    assert found(page(claim(quote))) == []


@pytest.mark.parametrize("quote", ["infusion of roots", "tea is an infusion", "fusion of leaves"])
def test_a_quote_that_is_nowhere_is_an_error(quote: str) -> None:
    assert found(page(claim(quote))) == [(PAGE, "quote-not-in-text", 12)]


def test_a_struck_claim_may_keep_a_quote_that_is_gone() -> None:
    gone = claim("infusion of roots").replace("Tea. ^", "~~Tea.~~ → gone in 12345678 ^")
    replaced = claim("infusion of roots").replace("Tea. ^", "~~Tea.~~ → [[Tea#^c-0000000000]] ^")
    assert found(page(gone)) == []
    assert found(page(replaced)) == []


# --- texts that cannot be compared with -----------------------------------------------------


def test_a_changed_source_is_told_and_its_quotes_are_not_judged() -> None:
    files = {PAGE: page(claim("of roots")), LEDGER: told(ID), "raw/tea.md": RAW + "More.\n"}
    assert found(files) == [(LEDGER, "source-changed", 4)]
    assert "wiki ingest raw/tea.md" in lint_texts(files, RULES)[0].mend


def test_a_missing_source_is_an_error_of_its_ledger() -> None:
    files = {PAGE: page(claim("of roots")), LEDGER: told(ID)}
    assert found(files) == [(LEDGER, "source-missing", 4)]


def converted(text: bytes | None) -> dict[str, str | bytes]:
    pdf = b"%PDF-1.7\n"
    digest = sha256_hex(pdf)

    def moved(page: str) -> str:
        return page.replace("tea.md", "tea.pdf").replace(sha256_hex(RAW.encode()), digest)

    files: dict[str, str | bytes] = {
        PAGE: moved(page(claim("infusion of leaves"))),
        LEDGER: moved(told(ID)),
        "raw/tea.pdf": pdf,
    }
    if text is not None:
        head = f"# llmwiki-text 1 converter=pypdf/7.1.0 sha256={digest}\n".encode()
        files[f"raw/.text/{digest[:16]}.txt"] = text.replace(b"HEAD\n", head)
    return files


def test_a_converted_source_is_compared_with_its_numbered_text() -> None:
    assert found(converted(b"HEAD\nAn infusion of leaves.\n")) == []
    assert found(converted(b"HEAD\nAn infusion.\n")) == [(PAGE, "quote-not-in-text", 12)]


def test_a_lost_numbered_text_is_an_error_and_is_not_made_again() -> None:
    assert found(converted(None)) == [
        (LEDGER, "source-missing", 4),
    ]


def test_the_text_of_other_bytes_is_unreadable() -> None:
    files = converted(b"# llmwiki-text 1 converter=x/1 sha256=" + b"0" * 64 + b"\nLeaves.\n")
    assert found(files) == [(LEDGER, "source-missing", 4)]


@pytest.mark.parametrize(
    "resource",
    [
        "/raw/../secret.md",
        "/etc/passwd",
        "raw/.text/0.txt",
        "https://example.org/tea",
        "",
        "/raw/a\0",
    ],
)
def test_what_is_no_source_is_never_opened(resource: str, tmp_path: Path) -> None:
    class Files:
        def stamp(self, path: str) -> str:
            raise AssertionError(path)

        read = stamp

    texts = Texts(Files(), {}.get)
    ref = SourceRef("x", resource, sha256_hex(b""))
    assert texts.text(ref).fault == "unrecorded"
    assert texts.identity(ref) == ""


# --- what pages record ----------------------------------------------------------------------


def test_a_claim_without_evidence() -> None:
    alone = f"- Tea. ^{ID}\n"
    other = claim("infusion of leaves", ident="c-0000000000")
    files = {PAGE: page(alone + other), LEDGER: told(ID, "c-0000000000"), "raw/tea.md": RAW}
    assert found(files) == [(PAGE, "claim-missing-evidence", 11)]
    struck = alone.replace("Tea. ^", "~~Tea.~~ → gone in 12345678 ^")
    assert found({**files, PAGE: page(struck + other)}) == []
    assert found(page("- Tea.\n")) == [(LEDGER, "source-page-out-of-step", 12)]


def test_evidence_of_a_source_that_the_page_does_not_list() -> None:
    other = "  - “of leaves” [^cup-md]\n"
    text = page(claim("infusion of leaves") + other)
    assert found(text) == [(PAGE, "evidence-unknown-source", 13)]


@pytest.mark.parametrize("own", ["source: raw/tea.md\nsha256: 12\n", "source: https://a.b\n"])
def test_a_ledger_that_records_no_bytes(own: str) -> None:
    text = re.sub(r"source: raw/.*\nsha256: .*\n", own, told())
    assert found({LEDGER: text}) == [(LEDGER, "malformed-source", 4)]


@pytest.mark.parametrize(
    ("note", "name"),
    [
        ("[[sources/tea-md|Tea]], raw/tea.md", ""),
        ("[[tea-md]], raw/tea.md", ""),
        ("[[sources/cup-md|Tea]], raw/tea.md", "evidence-unknown-source"),
        ("[[sources/tea-md|Tea]], raw/cup.md", "source-page-out-of-step"),
        ("Ada's own words about the source.", "evidence-unknown-source"),
    ],
)
def test_footnotes_lead_to_the_ledger_and_the_file(note: str, name: str) -> None:
    text = page(claim("infusion of leaves"), f"\n[^tea-md]: {note}\n")
    names = [each for _path, each, _line in found(text)]
    assert names == [name] * bool(name)


# --- ledgers --------------------------------------------------------------------------------


def test_a_missing_ledger_is_told_once() -> None:
    one, other = page(claim("infusion of leaves")), page("Text.\n")
    files = {PAGE: one, "wiki/concepts/Z.md": other, "raw/tea.md": RAW}
    assert found(files) == [(PAGE, "source-page-out-of-step", 14)]
    assert "`wiki/concepts/Z.md`" in lint_texts(files, RULES)[0].message


def test_a_ledger_with_a_claim_that_is_nowhere() -> None:
    gone = {LEDGER: told(ID), "raw/tea.md": RAW}
    assert found(gone) == [(LEDGER, "source-page-out-of-step", 12)]
    buried = told(ID) + f"> - {ID} retracted person q-0123456789abcdef\n"
    assert found({LEDGER: buried, "raw/tea.md": RAW}) == []


def test_a_claim_that_its_ledger_does_not_tell_of() -> None:
    text = page(claim("infusion of leaves"))
    files = {PAGE: text, LEDGER: told(), "raw/tea.md": RAW}
    assert found(files) == [(PAGE, "source-page-out-of-step", 11)]
    assert f"> - {ID}" in lint_texts(files, RULES)[0].mend


# --- a vault of somebody else's --------------------------------------------------------------

FOREIGN = {
    "wiki/Home.md": "Hello [[Tea]] ![[x.png]]\n\n> “Tea” [^1]\n\n[^1]: [[Book|B]], raw/b.md\n",
    "wiki/sources/book.md": '---\ntype: source\nsources: ["[[Home]]", https://a.b]\n---\n# Book\n',
    "wiki/concepts/Paper.md": "---\nsources:\n  - {id: a, resource: https://a.b}\n---\n# P\n[^a]\n",
    "wiki/entities/Ann.md": "- text ^block-1\n  - “quote” [^book]\n",
    "wiki/log.md": "# My log\n\nToday I read.\n",
}


def test_pages_of_a_foreign_vault_are_left_alone() -> None:
    assert found(FOREIGN) == []


# --- texts of real files ---------------------------------------------------------------------


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    gitkit.isolate(monkeypatch)
    root = gitkit.make_wiki(tmp_path / "top", prefix="docs/kb", pages=1)
    gitkit.put(root, {"raw/tea.md": RAW})
    gitkit.git(root, "add", "-A")
    gitkit.git(root, "commit", "-q", "-m", "more")
    return Repository(layout_of(root))


REF = SourceRef("tea-md", "/raw/tea.md", sha256_hex(RAW.encode()))


def test_the_work_tree_and_a_commit_are_read_apart(repo: Repository) -> None:
    with repo:
        commit = repo.head()
        (repo.root / "raw/tea.md").write_text("other")
        assert Texts(WikiFiles(repo), {}.get).text(REF).fault == "changed"
        assert Texts(WikiFiles(repo, commit), {}.get).text(REF).fault == ""
        (repo.root / "raw/tea.md").unlink()
        assert Texts(WikiFiles(repo), {}.get).text(REF).fault == "missing"


def test_a_link_in_place_of_a_source_is_not_followed(repo: Repository, tmp_path: Path) -> None:
    with repo:
        (tmp_path / "outside.md").write_text(RAW)
        (repo.root / "raw/tea.md").unlink()
        os.symlink(tmp_path / "outside.md", repo.root / "raw/tea.md")
        assert Texts(WikiFiles(repo), {}.get).text(REF).fault == "missing"


def test_too_large_a_source_is_not_read(repo: Repository) -> None:
    with repo:
        with open(repo.root / "raw/tea.md", "r+b") as file:
            file.truncate(100_000_001)
        text = Texts(WikiFiles(repo), {}.get).text(REF)
        assert text.fault == "missing"
        assert "100,000,000" in text.why


def test_coverage_counts_what_could_be_compared(repo: Repository) -> None:
    claims = claim("infusion of leaves") + claim("x", ident="c-0000000000")
    view = PageView(LEDGER, f"{told()}{claims}")
    with repo:
        assert Texts(WikiFiles(repo), {}.get).compared(view).compared == 2
        (repo.root / "raw/tea.md").unlink()
        assert Texts(WikiFiles(repo), {}.get).compared(view).compared == 0
