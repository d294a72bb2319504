"""This repository's own wiki: what raw/ says, each quote in the lines it names."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from llmwiki.pages.page import Page
from llmwiki.pages.write_claims import claim_node, evidence_node
from llmwiki.sources.quotes import QuoteFinder
from llmwiki.sources.read_source import read_document

ROOT = Path(__file__).parent.parent
PAGES = {
    path.relative_to(ROOT).as_posix(): Page.parse(
        path.relative_to(ROOT).as_posix(), path.read_text("utf-8")
    )
    for path in sorted((ROOT / "wiki").rglob("*.md"))
}


def test_it_holds_what_the_documents_say() -> None:
    ledgers = [page for page in PAGES.values() if page.type == "source"]
    documents = list((ROOT / "raw").glob("*.md"))
    assert len(ledgers) == len(documents) >= 6
    assert all(len(path.read_text("utf-8").split()) >= 1200 for path in documents)
    assert len(PAGES) >= 40
    assert sum(len(page.claims) for page in PAGES.values()) >= 200


def test_every_quote_stands_in_its_source() -> None:
    finders: dict[str, QuoteFinder] = {}
    checked = 0
    for page in PAGES.values():
        resources = {source.id: source.resource.removeprefix("/") for source in page.sources}
        for claim in page.claims:
            assert claim.evidence, (page.path, claim.id)
            if claim.successor is not None:
                # What was replaced may rest on words that a newer version of its source lacks.
                continue
            for evidence in claim.evidence:
                path = resources[evidence.source]
                if path not in finders:
                    finders[path] = QuoteFinder(read_document(path, (ROOT / path).read_bytes()))
                assert finders[path].find_nth(evidence.quote), (page.path, evidence)
                checked += 1
    assert checked >= 200


def test_every_quote_stands_as_it_is_written_today() -> None:
    for page in PAGES.values():
        assert all("\\`" not in node.raw for node in page.body), page.path
        for claim in page.claims:
            written = "\n".join(part.raw for part in claim_node(claim).parts)
            for evidence in claim.evidence[1:]:
                assert evidence_node(evidence).raw in written
                assert evidence_node(evidence).raw + "\n" in (ROOT / page.path).read_text("utf-8")


@pytest.mark.parametrize("name", ["AGENTS.md", "CLAUDE.md", "GEMINI.md"])
def test_agents_that_work_on_the_code_are_told_what_to_read(name: str) -> None:
    before, _, _ = (ROOT / name).read_text("utf-8").partition("<!-- llmwiki:start -->")
    assert "[CONTRIBUTING.md](CONTRIBUTING.md)" in before


def test_every_page_is_reached_from_the_index() -> None:
    index = (ROOT / "wiki" / "index.md").read_text("utf-8")
    listed = {
        unquote(path) for path in re.findall(r"^\* \[[^\n]*?\]\(<?([^)>\n]+)>?\)", index, re.M)
    }
    missing = {
        path
        for path in PAGES
        if path != "wiki/index.md" and path.removeprefix("wiki/") not in listed
    }
    assert not missing
