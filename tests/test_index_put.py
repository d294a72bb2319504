"""Pages put into an index: the same pages give the same answers, however they came there."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from longform import examples
from statekit import (
    NAMES,
    HeldPage,
    held,
    page_paths,
    page_sets,
    page_text,
    page_texts,
    same_as,
)

from llmwiki.core.language.acronyms import acronyms_of
from llmwiki.core.language.name_keys import folded_key
from llmwiki.core.page_and_note_kinds import NAMED, SUBJECTS
from llmwiki.core.text import fold
from llmwiki.index import tables
from llmwiki.index.keys_of_names import Lookup
from llmwiki.index.lookups import Corpus
from llmwiki.index.put_pages import PageVersion, put
from llmwiki.index.rebuild_and_check import differing
from llmwiki.landing import index_and_overview
from llmwiki.query.retrieval.page_names_in_text import mentioned

TEXT = "We read of Alpha and alphas, of RAG. The Zeta of Things; 自注意力的 beta testing…\n\nÜbung"


def all_held(pages: Mapping[str, str]) -> dict[str, HeldPage]:
    return {path: held(path, text) for path, text in pages.items()}


def put_all(index: Corpus, pages: Mapping[str, str | None]) -> None:
    for path, text in pages.items():
        found = held(path, text) if text is not None else None
        version = found and PageVersion(path, found.oid, (text or "").encode())
        put(index.db, path, version)
    index.look_again()


def index_of(pages: Mapping[str, str | None]) -> Corpus:
    """An index in memory that holds these pages."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    tables.create(db)
    index = Corpus(db)
    index.hold()
    put_all(index, pages)
    return index


def names_in(index: Corpus) -> Lookup:
    return Lookup(lambda: index)


def same_names(names: Lookup, pages: dict[str, HeldPage]) -> None:
    """The names answer as a lookup in memory does."""
    named = {p: h.facts for p, h in pages.items() if h.facts.type in NAMED}
    oracle = Lookup(None, ((path, f.title, f.aliases) for path, f in named.items()))
    # What the letters of a document's title spell is no name of it.
    of_subjects = Lookup(
        None, ((path, f.title, f.aliases) for path, f in named.items() if f.type in SUBJECTS)
    )
    assert mentioned(TEXT, names) == mentioned(TEXT, oracle)
    assert names.by_title(*NAMES) == oracle.by_title(*NAMES)
    for name in NAMES:
        assert names.by_title(name) == oracle.by_title(name)
        assert names.by_key(folded_key(name)) == oracle.by_key(folded_key(name))
        assert names.opens([fold(name)]) >= oracle.opens([fold(name)])
        for acronym in ("", *acronyms_of(name)):
            assert names.by_acronym(acronym) == of_subjects.by_acronym(acronym)
    for path in pages:
        assert names.names_of(path) == oracle.names_of(path)


STEPS = st.lists(
    st.dictionaries(page_paths, st.none() | page_texts, min_size=1, max_size=4), max_size=4
)


@settings(max_examples=examples(120), deadline=None)
@given(page_sets, STEPS)
def test_pages_put_over_others_answer_as_if_they_had_always_been_there(
    base: dict[str, str], steps: list[dict[str, str | None]]
) -> None:
    pages = dict[str, str | None](base)
    index = index_of(pages)
    for step in steps:
        put_all(index, step)
        pages |= step
        standing = {path: text for path, text in pages.items() if text is not None}
        same_as(index, all_held(standing))
        same_names(names_in(index), all_held(standing))
        assert not differing(index, index_of(standing))


@settings(max_examples=examples(60), deadline=None)
@given(page_sets, STEPS)
def test_what_is_rolled_back_leaves_no_trace(
    base: dict[str, str], steps: list[dict[str, str | None]]
) -> None:
    index = index_of(base)
    index.db.execute("SAVEPOINT one")
    for step in steps:
        put_all(index, step)
    index.forget()
    index.db.execute("ROLLBACK TO one")
    index.look_again()
    same_as(index, all_held(base))
    assert not differing(index, index_of(base))


@settings(max_examples=examples(60), deadline=None)
@given(page_sets, st.dictionaries(page_paths, page_texts, max_size=4))
def test_names_entered_anew_hide_those_below(base: dict[str, str], new: dict[str, str]) -> None:
    pages = all_held(base)
    names = names_in(index_of(base)).revised()
    for path, page in all_held(new).items():
        names.add(path, page.facts.title, page.facts.aliases)
        subject = page_text(
            type="concept",
            title=page.facts.title,
            description="",
            aliases=page.facts.aliases,
            tags=(),
            sources=(),
            claims=(),
            struck=(),
            links=(),
        )
        pages[path] = held(path, subject)
    same_names(names, pages)


@pytest.mark.parametrize("extra", [-1, 0, 1, 40])
def test_the_catalogue_after_a_change_is_that_of_a_whole_rendering(
    extra: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Around the size where shards begin, and beyond."""
    monkeypatch.setattr(index_and_overview, "SHARD_ABOVE", 60)
    count = 60 + extra
    index = index_of(
        {
            f"wiki/concepts/P{n}.md": f"---\ntype: concept\ntitle: {'abc'[n % 3]} {n}\n---\n"
            for n in range(count)
        }
    )
    files = index_and_overview.index_files(index)
    for new in (
        {"wiki/concepts/P1.md": None, "wiki/concepts/P2.md": None},
        {"wiki/concepts/N.md": "---\ntype: entity\ntitle: Zulu\n---\n"},
        {"wiki/concepts/N.md": "---\ntype: entity\ntitle: Yankee\n---\n"},
        {"wiki/concepts/N.md": None, "wiki/concepts/P2.md": "# Quebec\n"},
        {"wiki/concepts/P1.md": "# Romeo\n", "wiki/concepts/P0.md": "# Sierra\n"},
    ):
        before = {path: index.facts((path,)).get(path) for path in new}
        put_all(index, new)
        for path, text in index_and_overview.index_files_after(index, before).items():
            files.pop(path, None)
            if text is not None:
                files[path] = text
        assert files == index_and_overview.index_files(index)


def test_the_most_linked_are_found_below_those_that_are_linked_more_and_not_ranked() -> None:
    """Ledgers and missing pages are linked most; they do not hide the pages behind them."""
    pages = {
        path: f"---\ntype: {kind}\ntitle: {name}\n---\n{links}\n"
        for n in range(120)
        for kind, folder, name in (("source", "sources", f"s{n}"), ("concept", "concepts", f"k{n}"))
        for path in [f"wiki/{folder}/{name}.md"]
        for links in [" ".join(f"[[{x}{m}]]" for m in range(n) for x in ("s", "gone", "k"))]
    }
    totals = index_and_overview.totals(index_of(pages))
    assert [(entry.title, count) for entry, count in totals.top[:2]] == [("k0", 238), ("k1", 236)]
    assert len(totals.top) == 30


def test_a_count_that_falls_lets_others_pass() -> None:
    index = index_of({f"wiki/concepts/P{n}.md": f"[[A]] {'[[B]]' * (n % 2)}" for n in range(10)})
    assert index.top("l:", 1) == [("a", 10)]
    put_all(index, {f"wiki/concepts/P{n}.md": None for n in range(0, 10, 2)})
    assert index.top("l:", 1) == [("a", 5), ("b", 5)]
    put_all(index, {f"wiki/concepts/P{n}.md": "[[B]]" for n in range(1, 5)})
    assert index.top("l:", 1) == [("b", 7)]
    assert index.top("l:", 2) == [("b", 7), ("a", 3)]
