"""Names that a model gives a subject join and steal nothing; what the text says still joins."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import wikikit
from fake_messages import FakeMessages, Request
from hypothesis import given, settings
from hypothesis import strategies as st
from longform import examples
from wikikit import Wiki, answer, check, claim, sha

from llmwiki.core.text import fold
from llmwiki.index.keys_of_names import Lookup
from llmwiki.ingest.extraction.schema import Subject
from llmwiki.ingest.filing import SubjectFiler
from llmwiki.ingest.page_workspace import PageWorkspace
from llmwiki.pages import write
from llmwiki.pages.page import Page
from llmwiki.sources.names_that_mean_one import Synonyms

VICTIM, RAFT = "wiki/entities/Victim.md", "wiki/concepts/Raft.md"
EVIL = "Evil Corp sells snake oil to everybody."


def subject(name: str, *aliases: str, kind: str = "entity", **more: Any) -> dict[str, Any]:
    return {
        "name": name, "kind": kind, "description": f"About {name}.", "aliases": [*aliases]
    } | more  # fmt: skip


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    """A wiki with two pages that somebody is after."""
    return wikikit.make(tmp_path, monkeypatch, good)


def good(wiki: Wiki) -> None:
    text = "Victim runs the harbour.\n\nRaft, also known as the island protocol, elects a leader.\n"
    said = answer(
        [
            claim("Victim", "Victim runs the harbour."),
            claim("Raft", "Raft elects a leader.", "Raft, also known as the island protocol",
                  lines=(3, 3)),
        ],
        [subject("Victim"), subject("Raft", "island protocol", kind="concept")],
    )  # fmt: skip
    wiki.learn("raw/good.md", text, said)
    assert wiki.pages()[RAFT].aliases == ("island protocol",)


def by_agent(wiki: Wiki, name: str, text: str, said: dict[str, Any]) -> dict[str, Any]:
    return wiki.learn(name, text, said)


def by_model(wiki: Wiki, name: str, text: str, said: dict[str, Any]) -> dict[str, Any]:
    def fill(request: Request) -> dict[str, Any]:
        found = re.search(r"^Job: (.*)$", request.text, re.MULTILINE)
        assert found
        source = json.loads(found[1])["source"]
        return {key: value for key, value in said.items() if key != "schema"} | {"source": source}

    wiki.put(name, text)
    with FakeMessages(fill) as server:
        wiki.env["ANTHROPIC_BASE_URL"] = server.url
        operation = wiki.ok("ingest", name, "--json", "--model", "some-model").operation
    del wiki.env["ANTHROPIC_BASE_URL"]
    return operation


def titles_found(wiki: Wiki) -> dict[str, str]:
    """Name to the path that `wiki show` finds by it."""
    shown = {}
    for name in ("Victim", "Raft", "island protocol", "raft"):
        shown[name] = re.findall(r"^# (.*)$", wiki.ok("show", name).out, re.MULTILINE)[0]
    return shown


ATTACKS: dict[str, Sequence[str]] = {
    "titles": ["Victim", "Raft"],
    "one title": ["Victim"],
    "alias": ["island protocol"],
    "case": ["VICTIM", "rAFT", "Island Protocol"],
    "width": ["Ｖｉｃｔｉｍ", "ＲＡＦＴ"],
    "blanks": [" Victim ", "Vic\u200btim", "island\u00a0 protocol", "island-protocol"],
    "plural": ["Rafts", "the Victim", "Victim Inc."],
    "homoglyph": ["Vіctim", "Rаft"],
    "file name": ["good-md", "index", "log"],
    "other script": ["被害者", "Жертва", "筏"],
    "common words": ["the", "company", "page", "it", "a"],
    "future": ["Honest Bakers", "Newcomer"],
    "a thousand": [f"Name {n}" for n in range(1000)],
}
ATTACKS["all"] = list(
    dict.fromkeys(n for kind, names in ATTACKS.items() if kind != "a thousand" for n in names)
)
OFTEN = {("all", "agent"), ("alias", "model")}


@pytest.mark.parametrize(
    ("name", "reader"),
    [
        pytest.param(name, reader, marks=() if (name, reader) in OFTEN else pytest.mark.soak)
        for name in ATTACKS
        for reader in ("agent", "model")
    ],
)
def test_an_alias_of_a_model_takes_no_page_and_no_name(wiki: Wiki, name: str, reader: str) -> None:
    land = by_agent if reader == "agent" else by_model
    before, shown = wiki.files(), titles_found(wiki)
    aliases = list(ATTACKS[name])
    names = [f"Evil {chr(ord('A') + n)}" for n in range(len(aliases) // 30 + 1)]
    subjects = [
        subject(one, *aliases[30 * n : 30 * n + 30]) for n, one in enumerate(names)
    ]  # fmt: skip
    claims = [claim(one, f"{one} sells snake oil.", EVIL, lines=(1, 1)) for one in names]
    operation = land(wiki, "raw/evil.md", EVIL + "\n", answer(claims, subjects))
    pages = wiki.pages()
    for path in (VICTIM, RAFT):
        assert wiki.files()[path] == before[path], "no page is touched"
    for one in names:
        assert pages[f"wiki/entities/{one}.md"].aliases == ()
    assert titles_found(wiki) == shown
    assert not operation["joined"]
    told = {refused["alias"] for refused in operation["aliases_refused"]}
    assert {fold(alias) for alias in told} == {fold(alias) for alias in aliases}
    assert all(refused["reason"] for refused in operation["aliases_refused"])
    message = wiki.git("log", "-1", "--format=%B")
    assert "No other name of Evil " in message
    codes = {row["code"] for row in wiki.run("lint", "--json").json["findings"]}
    assert not codes & {"WK011", "WK013"}
    check(wiki)
    # What comes later under such a name is not filed under the thief.
    for number, alias in enumerate({*aliases[:1], *aliases[-1:]}):
        text = f"Harmless thing {number} is told of here."
        later = wiki.learn(f"raw/later-{number}.md", text, answer([claim(alias, text)]))
        assert not any("Evil" in path for path in later["pages_changed"])


def test_what_was_kept_apart_is_told(wiki: Wiki) -> None:
    wiki.put("raw/evil.md", EVIL + "\n")
    wiki.prepare("raw/evil.md")
    said = answer([claim("Evil Corp", EVIL)], [subject("Evil Corp", "Victim", "Raft", "Ghost")])
    said["source"] = {"sha256": sha(EVIL + "\n"), "segment": [1, 1]}
    planned = wiki.run("apply", "-", "--dry-run", stdin=json.dumps(said).encode())
    done = wiki.run("apply", "-", stdin=json.dumps(said).encode())
    for out in (planned.out, done.out):
        assert "kept apart, perhaps one: Evil Corp and Victim" in out
        assert "kept apart, perhaps one: Evil Corp and Raft" in out
        assert "refused: other name of Evil Corp: Victim (it is a name of Victim)" in out
        assert "refused: other name of Evil Corp: Ghost (neither the text nor the name" in out
    message = " ".join(wiki.git("log", "-1", "--format=%B").split())
    assert "Kept apart, and perhaps one: Evil Corp and Raft." in message
    assert "No other name of Evil Corp: Raft (it is a name of Raft)." in message


@pytest.mark.parametrize(
    ("name", "other"),
    [("Caldin Rail Trust", "Rail Trust of Caldin"), ("Piet Calmann", "P. Calmann")],
)
def test_a_new_page_that_may_be_another_one_is_told(wiki: Wiki, name: str, other: str) -> None:
    for number, each in enumerate((name, other)):
        text = f"{each} has {number + 3} boats.\n"
        wiki.learn(f"raw/{number}.md", text, answer([claim(each, text.strip())], [subject(each)]))
    message = " ".join(wiki.git("log", "-1", "--format=%B").split())
    assert f"Kept apart, and perhaps one: {other} and {name}." in message
    assert {f"wiki/entities/{each}.md" for each in (name, other)} <= wiki.pages().keys()


def test_two_pages_stay_two_whatever_a_model_calls_them(wiki: Wiki) -> None:
    text = "Victim meets Raft here.\n"
    said = answer(
        [claim("Victim", text.strip()), claim("Raft", "Raft is met.", text.strip())],
        [subject("Victim", "Raft", "island protocol"), subject("Raft", "Victim", kind="concept")],
    )
    operation = wiki.learn("raw/both.md", text, said)
    assert sorted(operation["pages_changed"]) == [RAFT, VICTIM]
    pages = wiki.pages()
    assert (pages[VICTIM].aliases, pages[RAFT].aliases) == ((), ("island protocol",))
    assert len(pages[VICTIM].claims) == len(pages[RAFT].claims) == 2


def test_a_chain_of_aliases_over_two_sources_leads_nowhere(wiki: Wiki) -> None:
    first = answer([claim("Evil Corp", EVIL)], [subject("Evil Corp", "Bridge Co")])
    wiki.learn("raw/1.md", EVIL + "\n", first)
    text = "Bridge Co is a firm of good name."
    second = answer([claim("Bridge Co", text)], [subject("Bridge Co", "Victim", "Evil Corp")])
    operation = wiki.learn("raw/2.md", text + "\n", second)
    assert "wiki/entities/Bridge Co.md" in operation["pages_created"]
    assert {row["title"] for row in operation["kept_apart"]} == {"Victim", "Evil Corp"}
    assert not any(
        wiki.pages()[f"wiki/entities/{n}.md"].aliases for n in ("Evil Corp", "Bridge Co")
    )


@pytest.mark.parametrize("land", [by_agent, by_model])
def test_same_as_alone_joins_nothing(wiki: Wiki, land: Any) -> None:
    said = answer([claim("Evil Corp", EVIL)], [subject("Evil Corp", same_as=VICTIM)])
    operation = land(wiki, "raw/evil.md", EVIL + "\n", said)
    assert "wiki/entities/Evil Corp.md" in operation["pages_created"]
    assert operation["kept_apart"] == [{"name": "Evil Corp", "title": "Victim"}]
    # A subject without a claim goes nowhere either.
    text = "Raft is told of once more."
    said = answer(
        [claim("Raft", text, also=["Ghost Corp"])],
        [subject("Raft", kind="concept"), subject("Ghost Corp", same_as=VICTIM)],
    )
    wiki.learn("raw/ghost.md", text + "\n", said)
    assert "Seen in" not in wiki.read(VICTIM)


def test_same_as_joins_what_the_text_or_the_names_say(wiki: Wiki) -> None:
    text = "Harbour Holding, formerly Victim, keeps the cranes."
    said = answer([claim("Harbour Holding", text)], [subject("Harbour Holding", same_as=VICTIM)])
    operation = wiki.learn("raw/a.md", text + "\n", said)
    assert operation["joined"] == [
        {"name": "Harbour Holding", "title": "Victim",
         "why": "named in same_as: Victim: L1 says so"},
    ]  # fmt: skip
    text = "The Great Victim of the harbour is old."
    said = answer([claim("Great Victim", text)], [subject("Great Victim", same_as=VICTIM)])
    operation = wiki.learn("raw/b.md", text + "\n", said)
    assert [row["title"] for row in operation["joined"]] == ["Victim"]


def test_an_alias_that_the_text_gives_joins_and_says_where(wiki: Wiki) -> None:
    text = "# News\n\nHarbour Holding (formerly Victim) keeps the cranes.\n"
    said = answer(
        [claim("Harbour Holding", "Harbour Holding keeps the cranes.",
               "Harbour Holding (formerly Victim) keeps the cranes", lines=(3, 3))],
        [subject("Harbour Holding", "Victim")],
    )  # fmt: skip
    operation = wiki.learn("raw/news.md", text, said)
    assert operation["joined"] == [
        {"name": "Harbour Holding", "title": "Victim", "why": "its other name Victim: L3 says so"}
    ]
    assert wiki.pages()[VICTIM].aliases == ("Harbour Holding",)
    message = " ".join(wiki.git("log", "-1", "--format=%B").split())
    assert "Filed under Victim: Harbour Holding (its other name Victim: L3 says so)." in message
    assert "- Harbour Holding → [[Victim]]" in wiki.read("wiki/sources/news-md.md")
    check(wiki)


def test_names_of_a_person_are_trusted(wiki: Wiki) -> None:
    wiki.edit(VICTIM, "title: Victim\n", "title: Victim\naliases: [Old Firm]\n")
    text = "Old Firm has three cranes."
    said = answer([claim("Old Firm", text)], [subject("Old Firm")])
    operation = wiki.learn("raw/old.md", text + "\n", said)
    assert VICTIM in operation["pages_changed"]
    # What a person wrote at the head of a page defines a name as a source does.
    body = wiki.read(RAFT)
    lead = re.search(r"^# Raft\n\n(.*)\n", body, re.MULTILINE)
    assert lead
    wiki.edit(RAFT, lead[1], "Raft, nicknamed the log ferry, elects a leader.")
    text = "The log ferry needs a majority."
    said = answer([claim("log ferry", text)], [subject("log ferry", kind="concept", same_as=RAFT)])
    operation = wiki.learn("raw/ferry.md", text + "\n", said)
    assert [row["title"] for row in operation["joined"]] == ["Raft"]


def test_one_segment_tells_its_subjects_apart(wiki: Wiki) -> None:
    text = "Evil Corp works with New Firm and with Third Firm.\n"
    quote = text.strip()
    claims = [claim(n, f"{n} works.", quote) for n in ("Evil Corp", "New Firm", "Third Firm")]
    subjects = [
        subject("Evil Corp", "New Firm", "The Firm"),
        subject("New Firm", "The Firm"),
        subject("Third Firm"),
    ]
    for number, order in enumerate(itertools.permutations(subjects)):
        other = f"{text}{number}\n"
        operation = wiki.learn(f"raw/{number}.md", other, answer(claims, order))
        assert not operation["joined"]
    pages = wiki.pages()
    for one in ("Evil Corp", "New Firm", "Third Firm"):
        assert pages[f"wiki/entities/{one}.md"].aliases == ()


def test_subjects_of_one_segment_that_the_text_makes_one_are_one(wiki: Wiki) -> None:
    text = "Reciprocal rank fusion (RRF) adds ranks.\n"
    for number, names in enumerate(itertools.permutations(["Reciprocal rank fusion", "RRF"])):
        subjects = [
            subject("Reciprocal rank fusion", "RRF", kind="concept"),
            subject("RRF", kind="concept"),
        ]
        claims = [claim(name, f"{name} adds ranks.", text.strip()) for name in names]
        wiki.learn(f"raw/{number}.md", f"{text}{number}\n", answer(claims, subjects))
    concepts = [path for path in wiki.pages() if path.startswith("wiki/concepts/")]
    assert len(concepts) == 2, concepts


def test_lint_finds_a_name_that_two_pages_claim(wiki: Wiki) -> None:
    said = answer([claim("Evil Corp", EVIL)], [subject("Evil Corp")])
    wiki.learn("raw/evil.md", EVIL + "\n", said)
    wiki.edit("wiki/entities/Evil Corp.md", "title: Evil Corp\n",
              "title: Evil Corp\naliases: [Victim, Island Protocol]\n")  # fmt: skip
    found = wiki.run("lint", "--json", "--select", "WK011").json["findings"]
    assert {row["path"] for row in found} == {"wiki/entities/Evil Corp.md", RAFT}
    assert any("the title of" in row["message"] for row in found)


# --- the rules alone -----------------------------------------------------------------------


class Still:
    """The state of a wiki that holds these pages."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self.held = {page.path: page for page in pages}
        self.names = Lookup(None, ((page.path, page.title, page.aliases) for page in pages))
        self.file_named = {page.stem.lower(): page.path for page in pages}.get

    def page(self, path: str) -> Page | None:
        return self.held.get(path)

    def fact(self, path: str) -> Page | None:
        return self.held.get(path)

    def types(self) -> dict[str, int]:
        return Counter(page.type for page in self.held.values())

    def with_words(self, phrases: Sequence[str]) -> tuple[str, ...]:
        return tuple(sorted(self.held))


POOL = [
    "Raft", "Victim", "island protocol", "Evil Corp", "Server Components", "RSC", "RAG",
    "React Server Components", "Retrieval-augmented generation", "rafts", "ＶＩＣＴＩＭ", "筏",
    "Royal Society of Chemistry", "GPT-4", "GPT-4.1", "Mercury", "Mercury (planet)", "K8s",
    "Kubernetes", "the log", "Operation log",
]  # fmt: skip
names_of = st.lists(st.sampled_from(POOL), max_size=5)
pages_of = st.dictionaries(st.sampled_from(POOL), names_of, max_size=6)
subjects_of = st.dictionaries(st.sampled_from(POOL), names_of, min_size=1, max_size=6)
texts_of = st.lists(
    st.tuples(st.sampled_from(POOL), st.sampled_from([" (", ", also known as ", " and "]),
              st.sampled_from(POOL)).map(lambda t: f"{t[0]}{t[1]}{t[2]}) is told of."),
    max_size=4,
)  # fmt: skip


def _filed(
    pages: dict[str, list[str]], said: dict[str, list[str]], lines: list[str], order: Sequence[str]
) -> tuple[SubjectFiler, PageWorkspace]:
    made, taken = [], set()
    for title, aliases in sorted(pages.items()):
        own = [a for a in dict.fromkeys(aliases) if fold(a) not in taken and fold(a) != fold(title)]
        if fold(title) in taken:
            continue
        own = [a for a in own if fold(a) not in {fold(t) for t in pages}]
        taken |= {fold(title), *map(fold, own)}
        new = write.create(f"wiki/concepts/{title}.md", "concept", title)
        made.append(write.add_words(new, "aliases", own))
    desk = PageWorkspace(Still(made))  # type: ignore[arg-type]
    text = Synonyms(lines, others=list(said))
    together = [frozenset(map(fold, said))]
    filing = SubjectFiler(desk, together, False, "test/1", text)
    subjects = {
        name: Subject(name=name, kind="concept", description=f"About {name}.", aliases=said[name])
        for name in order
    }
    filing.own_all(subjects.values(), set(map(fold, order)))
    return filing, desk


@settings(max_examples=examples(150), deadline=None)
@given(pages=pages_of, said=subjects_of, lines=texts_of)
def test_aliases_of_a_model_never_change_what_a_title_means(
    pages: dict[str, list[str]], said: dict[str, list[str]], lines: list[str]
) -> None:
    _filing, desk = _filed(pages, said, lines, list(said))
    before: Lookup = desk.state.names  # type: ignore[assignment]
    after = before.revised()
    for path, page in desk.pages.items():
        after.add(path, page.title, page.aliases)
    for title in pages:
        for name in before.names_of(f"wiki/concepts/{title}.md"):
            assert after.by_title(name) == before.by_title(name), (title, name)
    owners: dict[str, set[str]] = {}
    for path, page in desk.pages.items():
        for name in page.aliases:
            owners.setdefault(fold(name), set()).add(path)
    for name, paths in owners.items():
        assert len(paths) == 1, (name, paths)
        titled = {p for p, page in desk.pages.items() if fold(page.title) == name}
        assert titled <= paths, (name, paths, titled)


@settings(max_examples=examples(40), deadline=None)
@given(said=subjects_of, lines=texts_of, pages=pages_of, data=st.data())
def test_which_subjects_are_one_does_not_depend_on_their_order(
    said: dict[str, list[str]], lines: list[str], pages: dict[str, list[str]], data: Any
) -> None:
    order = data.draw(st.permutations(sorted(said)))
    ways = []
    for names in (sorted(said), order):
        filing, _desk = _filed(pages, said, lines, names)
        groups: dict[str, set[str]] = {}
        for name, path in filing.filed.names.items():
            groups.setdefault(path, set()).add(name)
        ways.append(sorted(map(sorted, groups.values())))
    assert ways[0] == ways[1]
