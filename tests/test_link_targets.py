"""What a link leads to is one answer: for the graph, for lint and its fixes, and for retrieval."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
import wikikit
from corpuskit import MemoryCorpus
from lintkit import HeldWiki, held_texts, lint_held_wiki
from longform import examples

from llmwiki.graph.read_edges import links_of
from llmwiki.index.lookups import Card
from llmwiki.index.page_facts_scan import facts_of
from llmwiki.lint import autofix
from llmwiki.lint.findings import Finding
from llmwiki.lint.rule import FixContext, rules_in
from llmwiki.lint.rules import RULES, file_links, links
from llmwiki.pages.link_targets import (
    PagesOfName,
    file_key,
    link_key,
    outgoing,
    resolver_of,
)
from llmwiki.query.retrieval.linked_pages import LinkNeighbourhood

NAMES = ("Tea", "tea", "README", "Green tea", "Tea-cup", "Café", "index", "A.b")
FOLDERS = ("", "concepts/", "entities/", "notes/", "notes/concepts/", "notes/Tea/", "Café/")


def _vault(rng: random.Random, *, names: tuple[str, ...] = NAMES) -> dict[str, str]:
    """Pages of few names in many folders, which link to each other in every way there is."""
    places = [f"wiki/{folder}{name}.md" for folder in FOLDERS for name in names]
    paths = [p for p in rng.sample(places, 14) if p not in ("wiki/index.md",)]
    return {path: _page(rng, path, paths) for path in paths}


def _page(rng: random.Random, path: str, paths: list[str]) -> str:
    head = rng.choice(["", "aliases: [Chai, Tea drink]\n", "aliases: [A/B tea]\n"])
    title = rng.choice(["", "title: Brew\n", "title: Tea\n"])
    front = rng.choice(["", 'up: "[[Tea]]"\n', "up: [[notes/README]]\n"])
    return f"---\n{head}{title}{front}---\n\n" + "\n\n".join(
        _link(rng, path, rng.choice(paths)) for _ in range(rng.randint(0, 6))
    )


def _link(rng: random.Random, path: str, to: str) -> str:
    below, stem = to.removeprefix("wiki/").removesuffix(".md"), to.rpartition("/")[2][:-3]
    up = "../" * path.removeprefix("wiki/").count("/")
    return rng.choice(
        [
            f"[[{stem}]]", f"[[{stem.upper()}|x]]", f"![[{stem}#Part]]", f"[[{stem}.md]]",
            f"[[{below}]]", f"[[wiki/{below}#^c-1]]", f"[[kb/wiki/{below}]]", f"[[/{below}]]",
            f"[[{below.replace('/', chr(92))}]]", f"[[./{stem}]]", f"[[{up}{below}]]",
            f"[[elsewhere/{stem}]]", f"[[{rng.choice(('Chai', 'brew', 'A/B tea', 'tea drink'))}]]",
            f"[a]({(up + below).replace(' ', '%20')}.md)", f"[a](<{stem}.md#part>)",
            f"[a](<{up}{below}>)", f"[a](</wiki/{below}.md>)", f"[a](<{up}nowhere/{stem}.md>)",
            f"[a](<{stem}.html>)", f"[r]: {up}{below}.md",
            "[a](https://example.org/Tea.md)", f"`[[{stem}]]`", f"%% [[{stem}]] %%",
            "![[leaf.png]]", "![x](leaf.png)", "[[Nothing]]", "x[0] [[ -f Tea ]]", f"\\[[{stem}]]",
        ]
    )  # fmt: skip


def _by_graph(texts: Mapping[str, str]) -> set[tuple[str, str]]:
    pages = []
    for number, path in enumerate(sorted(texts)):
        facts = facts_of(path, texts[path])
        head = (number, path, "", facts.type, facts.title, facts.description, facts.aliases)
        pages.append(Card(*head, tuple(sorted(facts.links)), ()))
    rows = links_of(pages).leads
    return {(pages[at].path, pages[to].path) for at, row in enumerate(rows) for to in row}


def _by_lint(texts: Mapping[str, str]) -> set[tuple[str, str]]:
    """Unordered pairs, each both ways."""
    wiki, found = HeldWiki(texts), set()
    lint_held_wiki(wiki, [])
    for link in wiki.links("link.key != ''"):
        stems = [link.stem, link.stem.replace(" ", "-")] if wiki.has_dashes else [link.stem]
        keys = [link.key, link.key.replace(" ", "-")]
        led = [
            wiki.homes(stem).lead(key, link.path) for stem, key in zip(stems, keys, strict=False)
        ]
        if "//" not in link.key:
            led.append(PagesOfName(wiki.bearers(link.key)).lead("", link.path))
        home = next(filter(None, led), None)
        if home is not None and home != link.path:
            found |= {(link.path, home), (home, link.path)}
    return found


def _by_retrieval(texts: Mapping[str, str]) -> set[tuple[str, str]]:
    corpus = MemoryCorpus((path, texts[path]) for path in sorted(texts))
    near = LinkNeighbourhood(corpus, ())
    near.load(range(corpus.pages))
    return {
        (card.path, near.cards[other].path)
        for doc, card in near.cards.items()
        for other, reason in near.near[doc].reasons.items()
        if reason.startswith("links to ")
    }


@pytest.mark.parametrize("seed", range(examples(150)))
def test_graph_lint_and_retrieval_follow_the_same_links(seed: int) -> None:
    rng = random.Random(seed)
    names = NAMES if seed % 5 else ("Home", "Green-tea", "Tea")
    texts = _vault(rng, names=names)
    led = _by_graph(texts)
    assert _by_lint(texts) == led | {(other, one) for one, other in led}
    assert _by_retrieval(texts) == led


@pytest.mark.parametrize("seed", range(examples(60)))
def test_no_link_that_leads_to_a_page_is_broken_and_no_other_is_whole(seed: int) -> None:
    texts = _vault(random.Random(1000 + seed))
    wiki = HeldWiki(texts)
    views = {path: facts_of(path, text) for path, text in texts.items()}
    resolver = resolver_of((path, facts.called) for path, facts in views.items())
    broken = {
        (f.path, f.about)
        for f in lint_held_wiki(wiki, (*rules_in(links), *rules_in(file_links)))
        if f.code in ("WK101", "WK104")
    }
    for path, text in texts.items():
        for link in outgoing(path, text):
            if link.target == "" or link.is_loose or f"%% [[{link.target}" in text:
                continue
            about = link.resolved or link.target
            leads = bool(link.key) and resolver.lead(link.key, path) is not None
            if leads:
                assert (path, about) not in broken
            elif not about.endswith((".png", "index")) and not (link.resolved and link.embed):
                held = (path, about) in broken or about.rpartition("/")[2].startswith("index")
                assert held, (path, about)


@pytest.mark.parametrize(
    ("target", "source", "page"),
    [
        ("Tea", "wiki/notes/x.md", "wiki/Tea.md"),
        ("concepts/Tea", "wiki/x.md", "wiki/concepts/Tea.md"),
        ("concepts/Tea", "wiki/notes/x.md", "wiki/concepts/Tea.md"),
        ("notes/concepts/tea", "wiki/x.md", "wiki/notes/concepts/Tea.md"),
        ("./Tea", "wiki/notes/concepts/x.md", "wiki/notes/concepts/Tea.md"),
        ("../Cup", "wiki/notes/concepts/x.md", "wiki/notes/Cup.md"),
        ("Cup", "wiki/notes/concepts/x.md", "wiki/notes/Cup.md"),
        ("Cup", "wiki/things/y.md", "wiki/things/Cup.md"),
        ("Cup", "wiki/x.md", "wiki/notes/Cup.md"),
        ("kb/wiki/things/Cup", "wiki/x.md", "wiki/things/Cup.md"),
        ("elsewhere/Cup", "wiki/x.md", None),
        ("Mug", "wiki/x.md", "wiki/notes/Cup.md"),
        ("elsewhere/Mug", "wiki/x.md", None),
    ],
)
def test_where_a_wikilink_leads(target: str, source: str, page: str | None) -> None:
    pages = {
        "wiki/Tea.md": (), "wiki/concepts/Tea.md": (), "wiki/notes/concepts/Tea.md": (),
        "wiki/notes/Cup.md": ("mug",), "wiki/things/Cup.md": (),
    }  # fmt: skip
    assert resolver_of(pages.items()).lead(link_key(target, source), source) == page


def test_a_page_of_a_site_is_the_page_that_it_is_made_of() -> None:
    assert file_key("wiki/notes/x.md", "Tea.html") == file_key("wiki/notes/x.md", "Tea.md") != ""


def test_a_markdown_link_is_looked_for_beside_its_page_first() -> None:
    homes = PagesOfName(["wiki/a/Tea.md", "wiki/b/Tea.md"])
    assert homes.lead(file_key("wiki/b/x.md", "Tea.md"), "wiki/b/x.md") == "wiki/b/Tea.md"
    assert homes.lead(file_key("wiki/b/x.md", "../a/Tea.md"), "wiki/b/x.md") == "wiki/a/Tea.md"
    assert homes.lead(file_key("wiki/c/x.md", "Tea.md"), "wiki/c/x.md") == "wiki/a/Tea.md"
    assert file_key("wiki/b/x.md", "../../raw/tea.txt") == ""


def test_mending_twice_changes_nothing_the_second_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiki = wikikit.make(tmp_path, monkeypatch)
    for path, text in _vault(random.Random(7)).items():
        wiki.put(path, text)
    wiki.git("add", "-A")
    wiki.git("commit", "-qm", "a vault")
    before = wiki.head
    wiki.run("lint", "--fix")
    first = wiki.head
    wiki.run("lint", "--fix")
    assert before != first == wiki.head


@pytest.mark.parametrize("seed", range(examples(40)))
def test_what_is_mended_is_gone(seed: int) -> None:
    rng = random.Random(3000 + seed)
    texts = dict(_vault(rng))
    texts["wiki/notes/Green-Teas.md"] = "[[green teas]] [[Brew]] [[GreenTeas]] | [[brew]]\n"
    ground, found = _linted(texts)
    mending = autofix.plan(found, ground, lambda _path: False)
    after = texts | {path: page.after for path, page in mending.pages.items()}
    ground, left = _linted(after)
    for path, page in mending.pages.items():
        assert page.before != page.after
        for code in page.codes:
            told = Counter((f.about, f.message) for f in found if (f.path, f.code) == (path, code))
            now = Counter((f.about, f.message) for f in left if (f.path, f.code) == (path, code))
            assert told - now, (path, code)
    again = autofix.plan(left, ground, lambda _path: False)
    assert not again.pages


def _linted(texts: Mapping[str, str]) -> tuple[FixContext, list[Finding]]:
    wiki = HeldWiki(texts)
    rules = [rule for rule in RULES if rule.fixable]
    return FixContext(wiki, held_texts(wiki)), lint_held_wiki(wiki, rules)
