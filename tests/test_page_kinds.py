"""A kind of pages is one row of the table: every room takes it from there."""

from __future__ import annotations

import pytest
from lintkit import HeldWiki

from llmwiki.core.page_and_note_kinds import KINDS, PAGE_KINDS, PageKind
from llmwiki.index.keys_of_names import keys_of
from llmwiki.index.lookups import NAME
from llmwiki.index.page_facts_scan import facts_of
from llmwiki.ingest.page_of_subject import _kind_of
from llmwiki.landing.operation import PAGE_PATH
from llmwiki.lint.own_and_foreign_pages import kind_of
from llmwiki.pages.catalogue import Entry, render_index
from llmwiki.pages.page_file_names import folder_of, page_path


@pytest.fixture(params=PAGE_KINDS, ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> PageKind:
    assert isinstance(request.param, PageKind)
    return request.param


def _path(kind: PageKind) -> str:
    return f"wiki/{kind.folder}/Tea.md" if kind.folder else f"wiki/{kind.name}.md"


def test_a_row_is_known_in_every_room(kind: PageKind) -> None:
    path = _path(kind)
    assert path.startswith(folder_of(kind.name))
    assert PAGE_PATH.fullmatch(path), "a commit may write it"
    if kind.folder:
        assert facts_of(path, "").type == kind.name
    view = HeldWiki({path: "# Tea\n"}).page(path)
    assert view is not None
    assert kind_of(view) == kind.name
    assert (_kind_of(path) is not None) is kind.is_subject


def test_only_subjects_and_documents_are_found_by_their_names(kind: PageKind) -> None:
    facts = facts_of(_path(kind), f"---\ntype: {kind.name}\ntitle: Tea\n---\n")
    assert (NAME + "tea" in keys_of(facts)) is kind.is_named


def test_the_index_has_a_heading_for_it(kind: PageKind) -> None:
    entry = Entry(_path(kind), kind.name, "Tea", "")
    assert f"## {kind.plural}" in render_index([entry])


def test_a_titled_page_lies_in_its_folder(kind: PageKind) -> None:
    if kind.is_titled:
        assert page_path(kind.name, "Tea", lambda _key: False) == _path(kind)


def test_what_identifies_a_row_is_its_own() -> None:
    assert len({kind.listed for kind in PAGE_KINDS}) == len(KINDS) == len(set(KINDS))
