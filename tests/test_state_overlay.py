"""Pages put over a base answer as a wiki that holds them would: same pages, same answers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from longform import examples
from statekit import NAMES, MemoryBase, held, page_paths, page_sets, page_text, page_texts

from llmwiki.core.page_kinds import NAMED, SUBJECTS
from llmwiki.core.text import fold
from llmwiki.index.lookup import Lookup, MemoryLookup, RevisedLookup
from llmwiki.index.mentioned import mentioned
from llmwiki.language.acronyms import acronyms_of
from llmwiki.language.naming import folded_key
from llmwiki.memory import listing
from llmwiki.memory.names import StateNames
from llmwiki.memory.overlay import HeldPage, Overlay
from llmwiki.memory.ranking import KeyRanking
from llmwiki.pages.catalogue import SHARD_ABOVE

TEXT = "We read of Alpha and alphas, of RAG. The Zeta of Things; 自注意力的 beta testing…\n\nÜbung"


def all_held(pages: dict[str, str]) -> dict[str, HeldPage]:
    return {path: held(path, text) for path, text in pages.items()}


def names_over(pages: dict[str, HeldPage]) -> StateNames:
    view = Overlay(MemoryBase(pages))
    return StateNames(lambda question: question(view))


def same_answers(view: Overlay, pages: dict[str, HeldPage]) -> None:
    """The view answers as if the base held exactly these pages."""
    oracle = MemoryBase(pages)
    keys = {key for found in oracle.keys.values() for key in found} | {"n:nobody", "c:c-none"}
    keys = {key for key in keys if not key.startswith(("l:", "L:", "g:"))}
    assert view.paths(keys) == oracle.paths(keys)
    assert view.present(keys) >= oracle.present(keys)
    assert view.facts(pages) == oracle.facts(pages)
    assert {path: view.oid(path) for path in pages} == oracle.oids(pages)
    assert sorted(view.all_entries(), key=lambda e: e.path) == list(oracle.all_entries())
    assert view.sums == oracle.sums
    assert view.types() == {k[2:]: n for k, n in sorted(oracle.tally("y:").items())}
    assert {"/".join(s): n for s, n in view.shards().items()} == {
        key[2:]: n for key, n in oracle.tally("e:").items()
    }
    assert listing.index_files(view) == listing.index_files(Overlay(oracle))
    assert listing.totals(view) == listing.totals(Overlay(oracle))
    for ranking, prefix in ((view.links, "l:"), (view.tags, "g:")):
        for least in (1, 2, 5, 100):
            rows = [(key[2:], count) for key, count in oracle.top(prefix, least)]
            assert ranking.top(least) == rows


def same_names(names: Lookup, pages: dict[str, HeldPage]) -> None:
    """The names answer as a lookup in memory does."""
    named = {p: h.facts for p, h in pages.items() if h.facts.type in NAMED}
    oracle = MemoryLookup((path, f.title, f.aliases) for path, f in named.items())
    # What the letters of a document's title spell is no name of it.
    of_subjects = MemoryLookup(
        (path, f.title, f.aliases) for path, f in named.items() if f.type in SUBJECTS
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
@given(page_sets, STEPS, st.booleans())
def test_a_view_answers_as_if_the_base_held_what_was_put(
    base: dict[str, str], steps: list[dict[str, str | None]], asks: bool
) -> None:
    pages = all_held(base)
    view = Overlay(MemoryBase(pages))
    names = StateNames(lambda question: question(view))
    for step in steps:
        if asks:
            same_answers(view, pages)
            same_names(names, pages)
        put = {path: text and held(path, text) for path, text in step.items()}
        view.put({path: page or None for path, page in put.items()})
        for path, page in put.items():
            pages.pop(path, None)
            if page:
                pages[path] = page
    same_answers(view, pages)
    same_names(names, pages)


@settings(max_examples=examples(60), deadline=None)
@given(page_sets, st.dictionaries(page_paths, page_texts, max_size=4))
def test_names_entered_anew_hide_those_below(base: dict[str, str], new: dict[str, str]) -> None:
    pages = all_held(base)
    names = RevisedLookup(names_over(pages))
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
def test_the_catalogue_after_a_change_is_that_of_a_whole_rendering(extra: int) -> None:
    """Around the size where shards begin, and beyond."""
    count = SHARD_ABOVE + extra
    pages = {
        path: held(path, f"---\ntype: concept\ntitle: {'abc'[n % 3]} {n}\n---\n")
        for n in range(count)
        for path in [f"wiki/concepts/P{n}.md"]
    }
    view = Overlay(MemoryBase(pages))
    files = listing.index_files(view)
    for new in (
        {"wiki/concepts/P1.md": None, "wiki/concepts/P2.md": None},
        {"wiki/concepts/N.md": "---\ntype: entity\ntitle: Zulu\n---\n"},
        {"wiki/concepts/N.md": "---\ntype: entity\ntitle: Yankee\n---\n"},
        {"wiki/concepts/N.md": None, "wiki/concepts/P2.md": "# Quebec\n"},
        {"wiki/concepts/P1.md": "# Romeo\n", "wiki/concepts/P0.md": "# Sierra\n"},
    ):
        before = {path: view.facts((path,)).get(path) for path in new}
        view.put({path: held(path, text) if text else None for path, text in new.items()})
        for path, text in listing.index_files_after(view, before).items():
            files.pop(path, None)
            if text is not None:
                files[path] = text
        assert files == listing.index_files(view)


def test_the_most_linked_are_found_below_those_that_are_linked_more_and_not_ranked() -> None:
    """Ledgers and missing pages are linked most; they do not hide the pages behind them."""
    pages = {
        path: held(path, f"---\ntype: {kind}\ntitle: {name}\n---\n{links}\n")
        for n in range(120)
        for kind, folder, name in (("source", "sources", f"s{n}"), ("concept", "concepts", f"k{n}"))
        for path in [f"wiki/{folder}/{name}.md"]
        for links in [" ".join(f"[[{x}{m}]]" for m in range(n) for x in ("s", "gone", "k"))]
    }
    totals = listing.totals(Overlay(MemoryBase(pages)))
    assert [(entry.title, count) for entry, count in totals.top[:2]] == [("k0", 238), ("k1", 236)]
    assert len(totals.top) == 30


def test_a_count_that_falls_lets_others_pass() -> None:
    base = {
        f"wiki/concepts/P{n}.md": held(f"wiki/concepts/P{n}.md", f"[[A]] {'[[B]]' * (n % 2)}")
        for n in range(10)
    }
    links = KeyRanking(MemoryBase(base), "l:")
    assert links.top(1) == [("a", 10)]
    links.know(["a"])
    for _ in range(8):
        links.count(["a"], -1)
    assert links.top(1) == [("b", 5)]
    assert links.top(2) == [("b", 5), ("a", 2)]
    for _ in range(2):
        links.count(["a"], -1)
    assert links.top(2) == [("b", 5)]
