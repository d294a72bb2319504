"""The library: the examples of its documentation, what it imports, and its use by many threads."""

from __future__ import annotations

import contextlib
import doctest
import gc
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import wikikit
from jsonschema import Draft202012Validator, ValidationError

import llmwiki
from llmwiki import (
    Callbacks,
    IngestOptions,
    InputError,
    Outcome,
    PolicyError,
    QueryOptions,
    StateError,
    Wiki,
)
from llmwiki.app.json_output.make_json import commands, schema
from llmwiki.app.json_output.special_keys import DIFFERENCES, SPARSE

ROOT = Path(__file__).parents[1]
OFFLINE = IngestOptions(model="offline")


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> wikikit.Wiki:
    wiki = wikikit.make(tmp_path, monkeypatch)
    wiki.put("raw/tea.md", wikikit.NOTE)
    return wiki


# --- documentation -------------------------------------------------------------------------


def test_the_examples_print_what_the_document_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wikikit.bare(tmp_path, monkeypatch)
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs/api.md").read_text("utf-8")
    blocks = text.replace("```pycon\n", "\n").replace("```", "")
    tour = doctest.DocTestParser().get_doctest(blocks, {}, "api.md", "docs/api.md", 0)
    said: list[str] = []
    done = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(tour, out=said.append)
    assert done.attempted > 30
    assert not done.failed, "".join(said)


def test_every_public_name_is_there_and_said_to_be() -> None:
    for name in llmwiki.__all__:
        assert getattr(llmwiki, name) is not None, name
    assert set(llmwiki.__all__) <= set(dir(llmwiki))
    with pytest.raises(AttributeError, match="Nothing"):
        _ = llmwiki.Nothing


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import llmwiki", ("llmwiki.app", "click", "dataclasses")),
        (
            "from llmwiki import Wiki",
            ("llmwiki.query", "pydantic", "anthropic", "sqlite3", "click"),
        ),
        (
            "import llmwiki.interfaces.cli.commands.search_and_context",
            ("pydantic", "anthropic", "networkx", "llmwiki.app.public_types"),
        ),
        (
            "import llmwiki.interfaces.cli.commands.log_and_diff",
            ("pydantic", "typing_extensions", "llmwiki.app.json_output.make_json"),
        ),
    ],
)
def test_what_is_not_asked_for_is_not_imported(code: str, absent: tuple[str, ...]) -> None:
    asked = f"{code}; import sys; print(*(set({absent!r}) & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == ""


# --- values and errors ---------------------------------------------------------------------


def test_nothing_is_printed_and_callbacks_hear(
    scratch: wikikit.Wiki, capfd: pytest.CaptureFixture[str]
) -> None:
    heard: list[str] = []
    landed: list[Outcome] = []
    scratch.put(".llmwiki.toml", 'format = 3\n[model]\nbase_url = "http://example.org"\n')
    wiki = Wiki.open(scratch.root, Callbacks(notice=heard.append, landed=landed.append))
    report = wiki.ingest(["raw/tea.md"])
    wiki.search("tea")
    assert capfd.readouterr() == ("", "")
    assert any("base_url" in each for each in heard)
    assert any("no key for a model" in each for each in heard)
    assert landed[-1].commit == report.operations[0].commit == scratch.head


def test_a_wiki_sees_commits_and_edits_of_others(scratch: wikikit.Wiki) -> None:
    wiki = Wiki.open(scratch.root)
    assert not wiki.search("camellia").rows
    scratch.ok("ingest", "raw/tea.md", "--model", "offline")
    assert wiki.search("camellia").rows
    page = next(path for path in scratch.pages() if path.startswith("wiki/sources/"))
    scratch.put(page, scratch.read(page) + "\nOolong stands between the two.\n")
    assert wiki.search("oolong").rows[0].path == page
    assert wiki.status().dirty == (page,)


def test_a_closed_wiki_says_so(scratch: wikikit.Wiki) -> None:
    with Wiki.open(scratch.root) as wiki:
        assert wiki.log().operations
    with pytest.raises(StateError, match="closed"):
        wiki.log()


def test_failures_are_raised_or_collected(scratch: wikikit.Wiki) -> None:
    wiki = Wiki.open(scratch.root)
    scratch.put("raw/key.md", f"# Key\n\nsk-ant-api03-{'A' * 93}AA\n")
    with pytest.raises(PolicyError):
        wiki.ingest(["raw/key.md"], OFFLINE)
    both = wiki.ingest(["raw"], OFFLINE)
    assert [each.status for each in both.operations] == ["failed", "ingested"]
    assert both.exit_code == PolicyError.exit_code
    with pytest.raises(InputError):
        wiki.query("tea", QueryOptions(title="Of tea"))
    with pytest.raises(StateError, match="not inside a git"):
        Wiki.open(scratch.root.parent / "home")


# --- schemas -------------------------------------------------------------------------------


def test_schemas_are_listed_printed_and_strict(scratch: wikikit.Wiki) -> None:
    listed = [line.split()[0] for line in scratch.ok("schema").out.splitlines()]
    parts: dict[str, object] = {}
    for name in listed:
        made = schema(name)
        Draft202012Validator.check_schema(made)
        for part, each in made.get("$defs", {}).items():
            assert parts.setdefault(part, each) == each, "what is called alike is alike"
    told = scratch.ok("status", "--json").json
    with pytest.raises(ValidationError):
        wikikit.fitting({**told, "further": 1})
    assert scratch.run("schema", "serach").code == 2


def test_every_difference_is_of_a_key_that_there_is() -> None:
    there: dict[str, set[str]] = {}
    for name in commands():
        made = schema(name)
        for kind, each in {name: made, **made.get("$defs", {})}.items():
            there[kind] = set(each.get("properties", ()))
    for kind, ways in DIFFERENCES.items():
        assert ways.keys() - {"*"} <= there[kind], kind
    assert there.keys() >= SPARSE


# --- many threads --------------------------------------------------------------------------

FACTS = 3
"""Sentences of each source that is ingested while others read."""


def _storm(root: Path, sources: int) -> tuple[list[BaseException], int]:
    """Reads by eight threads while sources are ingested one by one; errors, and how many reads."""
    wiki = Wiki.open(root)
    errors: list[BaseException] = []
    over = threading.Event()
    reads = 0

    def reading(look: Callable[[], None]) -> None:
        nonlocal reads
        try:
            while not over.is_set():
                look()
                reads += 1
        except BaseException as error:  # noqa: BLE001 - told by the thread that waits
            errors.append(error)

    looks = (_search, _context, _show, _log, _graph, _search, _context, _show)
    threads = [threading.Thread(target=reading, args=(lambda f=f: f(wiki),)) for f in looks]
    for thread in threads:
        thread.start()
    try:
        for number in range(sources):
            report = wiki.ingest([f"raw/s{number:03}.md"], OFFLINE)
            assert report.exit_code == 0
    finally:
        over.set()
        for thread in threads:
            thread.join()
    return errors, reads


def _search(wiki: Wiki) -> None:
    found = wiki.search("measured kettle", limit=50)
    assert len({row.path for row in found.rows}) == len(found.rows) <= found.pages


def _context(wiki: Wiki) -> None:
    seen = wiki.context("which kettle was measured?")
    for shown in seen.context.shown:
        assert shown.passage.text


def _show(wiki: Wiki) -> None:
    # All of them are called Kettle, and a name that several pages bear shows none.
    shown = wiki.show(wiki.listing("source").entries[0].path)
    assert shown.page is not None
    # A source brings its sentences together or not at all.
    assert len(shown.page.claims) % FACTS == 0, len(shown.page.claims)


def _log(wiki: Wiki) -> None:
    operations = wiki.log(limit=500).operations
    assert [each.kind for each in operations].count("init") == 1
    assert len({each.operation for each in operations}) == len(operations)


def _graph(wiki: Wiki) -> None:
    built = wiki.graph().built
    count = len(built.graph.nodes)
    assert all(edge.source < count and edge.target < count for edge in built.graph.edges)


def _kettle(number: int) -> str:
    facts = "".join(
        f"- The kettle was measured at {number + 10 * fact} degrees in round {number}-{fact}.\n"
        for fact in range(FACTS)
    )
    return f"# Kettle\n\n{facts}"


@pytest.mark.parametrize(
    "sources", [pytest.param(2, id="short"), pytest.param(120, marks=pytest.mark.soak, id="long")]
)
def test_threads_read_while_others_write(
    scratch: wikikit.Wiki, sources: int, record_property: Callable[[str, object], None]
) -> None:
    for number in range(sources + 1):
        scratch.put(f"raw/s{number:03}.md", _kettle(number))
    Wiki.open(scratch.root).ingest([f"raw/s{sources:03}.md"], OFFLINE)
    gc.collect()
    before = _descriptors()
    errors, reads = _storm(scratch.root, sources)
    record_property("reads beside as many ingests", (reads, sources))
    assert not errors, errors[:3]
    assert reads >= sources
    # What other tests of this process left to the collector may come and go meanwhile.
    for _ in range(100):
        gc.collect()
        if len(_descriptors()) <= len(before):
            break
        time.sleep(0.05)
    assert len(_descriptors()) <= len(before), _descriptors() - before
    assert scratch.git("fsck", "--strict") == ""
    wikikit.check(scratch)


def test_writers_of_one_process_take_turns(scratch: wikikit.Wiki) -> None:
    wiki = Wiki.open(scratch.root)
    commits: list[str | None] = []

    def note(number: int) -> None:
        commits.append(wiki.remember(f"Note {number} is kept.").commit)

    threads = [threading.Thread(target=note, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({*commits} - {None}) == 6
    assert [each.kind for each in wiki.log().operations] == ["memory"] * 6 + ["init"]
    wikikit.check(scratch)


def _descriptors() -> set[str]:
    """What is open, each with its number."""
    folder = Path("/proc/self/fd" if Path("/proc/self/fd").exists() else "/dev/fd")
    found = set()
    for name in os.listdir(folder):
        with contextlib.suppress(OSError):
            found.add(f"{name} {os.readlink(folder / name)}")
    return found


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: QueryOptions(looks=99), "--looks is 0 to 5"),
        (lambda: QueryOptions(title="Tea"), "--title goes with --save"),
        (lambda: IngestOptions(max_cost=float("nan")), "--max-cost is 0 to 1_000_000"),
    ],
)
def test_options_hold_their_ranges_in_the_library_too(
    make: Callable[[], object], says: str
) -> None:
    with pytest.raises(InputError, match=says):
        make()
