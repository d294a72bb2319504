"""A wiki's facts in plain dictionaries: the oracle of what the index and the state answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import gitkit
from hypothesis import strategies as st

from llmwiki.git.repository import Repository
from llmwiki.git.trees import object_id
from llmwiki.index.keys_of_names import entry_of, keys_of
from llmwiki.index.lookups import Corpus, Sums
from llmwiki.index.page_facts_record import PageFacts, is_page
from llmwiki.index.page_facts_scan import facts_of
from llmwiki.landing.wiki_state import WikiState
from llmwiki.pages.catalogue import Entry


class HeldPage(NamedTuple):
    """One page as it is known: its facts and git's blob id of its bytes."""

    facts: PageFacts
    oid: str


def held(path: str, text: str) -> HeldPage:
    """A page as it is known from its text."""
    return HeldPage(facts_of(path, text), object_id("blob", text.encode(), "sha1"))


class PlainPages:
    """Pages in a dictionary, and which of them has a key."""

    def __init__(self, pages: Mapping[str, HeldPage]) -> None:
        self.pages = dict(sorted(pages.items()))
        self.keys = {path: keys_of(page.facts) for path, page in self.pages.items()}
        self._by_key: dict[str, list[str]] = {}
        for path, keys in self.keys.items():
            for key in keys:
                self._by_key.setdefault(key, []).append(path)

    @property
    def sums(self) -> Sums:
        facts = [page.facts for page in self.pages.values()]
        claims = sum(len(f.claims) for f in facts)
        return Sums(len(facts), claims, sum(f.struck for f in facts))

    def paths(self, keys: Iterable[str]) -> dict[str, tuple[str, ...]]:
        return {key: tuple(found) for key in keys if (found := self._by_key.get(key))}

    def tally(self, prefix: str) -> dict[str, int]:
        found = Counter(k for keys in self.keys.values() for k in keys if k.startswith(prefix))
        return {key[len(prefix) :]: count for key, count in found.items()}

    def top(self, prefix: str, least: int) -> list[tuple[str, int]]:
        rows = sorted(self.tally(prefix).items(), key=lambda row: (-row[1], row[0]))
        last = rows[least - 1][1] if len(rows) >= least else 0
        return [row for row in rows if row[1] >= last]

    def facts(self, paths: Iterable[str]) -> dict[str, PageFacts]:
        return {path: self.pages[path].facts for path in paths if path in self.pages}

    def entries(self, paths: Iterable[str]) -> dict[str, Entry]:
        return {path: entry_of(facts) for path, facts in self.facts(paths).items()}

    def oids(self, paths: Iterable[str]) -> dict[str, str]:
        return {path: self.pages[path].oid for path in paths if path in self.pages}


def same_as(index: Corpus, pages: Mapping[str, HeldPage]) -> None:
    """The index answers every question of memory as the pages themselves do."""
    plain = PlainPages(pages)
    keys = sorted({key for found in plain.keys.values() for key in found})
    assert index.sums[:3] == plain.sums[:3]
    assert index.paths([*keys, "n:nobody"]) == plain.paths(keys)
    assert index.present([*keys, "n:nobody"]) == set(keys)
    for prefix in ("y:", "e:", "l:", "g:"):
        assert index.tally(prefix) == plain.tally(prefix)
        assert index.counts(prefix, [*plain.tally(prefix), "nothing"]) == plain.tally(prefix)
        for least in (1, 3, len(plain.tally(prefix)) + 1):
            assert index.top(prefix, least) == plain.top(prefix, least)
    asked = [*pages, "wiki/concepts/None.md"]
    assert index.facts(asked) == plain.facts(asked)
    assert index.oids(asked) == plain.oids(asked)
    assert index.entries(asked) == plain.entries(asked)
    assert index.entries() == plain.entries(pages)


def read_commit(repo: Repository, commit: str) -> dict[str, HeldPage]:
    """Every page of a commit, read one by one."""
    tree = {p: entry[1] for p, entry in repo.tree(commit, "wiki").items() if is_page(p)}
    blobs = repo.read_many(list(tree.values()))
    return {
        path: HeldPage(facts_of(path, blob.decode("utf-8", "ignore")), oid)
        for (path, oid), blob in zip(tree.items(), blobs, strict=True)
    }


# --- pages ---------------------------------------------------------------------------------

STEMS = ("Alpha", "beta", "Beta-2", "gamma-md", "RAG", "自注意力", "Übung", "zeta")
NAMES = (
    *("Alpha", "alpha", "Alphas", "Retrieval-Augmented Generation", "RAG", "自注意力"),
    *("Beta testing", "Beta test", "beta", "Übung", "The Zeta of Things", "…"),
)
SOURCES = ("gamma-md", "alpha-md", "Alpha")
CLAIMS = tuple(f"c-{letter * 10}" for letter in "0123456")


def page_text(**said: Any) -> str:
    """A page that says these things of itself."""
    front = [f"type: {said['type']}"] if said["type"] else []
    front += [f'title: "{said["title"]}"'] if said["title"] else []
    front += [f"description: {said['description']}"] if said["description"] else []
    front += [f"aliases: [{', '.join(said['aliases'])}]", f"tags: [{', '.join(said['tags'])}]"]
    front += [f"source: raw/{r}\nsha256: {s}" for _i, r, s in said["sources"][:1]]
    lines = [f"- Said {claim}. ^{claim}" for claim in said["claims"]]
    lines += [f"- ~~Gone {claim}.~~ → gone in 01234567 ^{claim}" for claim in said["struck"]]
    lines += [f"- [[{link}]]" for link in said["links"]]
    lines += ["", *(f"[^{i}]: [[sources/{i}|S]], raw/{r}" for i, r, _s in said["sources"])]
    return "---\n" + "\n".join(front) + "\n---\n\n" + "\n".join(lines) + "\n"


def _some(values: Iterable[str]) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(sorted(values)), max_size=3, unique=True)


page_texts = st.builds(
    page_text,
    type=st.sampled_from(["concept", "entity", "source", "synthesis", "odd", ""]),
    title=st.sampled_from(["", *NAMES]),
    description=st.sampled_from(["", "What it is"]),
    aliases=_some(NAMES),
    tags=_some(["deep", "wide", "old", "retracted"]),
    sources=st.lists(
        st.tuples(
            st.sampled_from(SOURCES), st.sampled_from(["a.md", "b.md"]), st.sampled_from(["1", "2"])
        ),
        max_size=2,
        unique_by=lambda source: source[0],
    ),
    claims=_some(CLAIMS[:4]),
    struck=_some(CLAIMS[4:]),
    links=_some([*STEMS, "Nowhere"]),
)
page_paths = st.builds(
    lambda folder, stem: f"wiki/{folder}/{stem}.md",
    st.sampled_from(["concepts", "entities", "sources"]),
    st.sampled_from(STEMS),
)
page_sets = st.dictionaries(page_paths, page_texts, max_size=8)


# --- a history -----------------------------------------------------------------------------


def concept(title: str, body: str = "", **more: str) -> str:
    front = "".join(f"{key}: {value}\n" for key, value in more.items())
    return f"---\ntype: concept\ntitle: {title}\n{front}---\n\n{body}\n"


def ledger(ident: str, resource: str, sha256: str) -> str:
    return page_text(
        type="source",
        title=ident,
        description="",
        aliases=(),
        tags=("read",),
        sources=((ident, resource, sha256),),
        claims=(),
        struck=(),
        links=(),
    )


HISTORY: tuple[dict[str, str | bytes | None], ...] = (
    {
        "wiki/concepts/Alpha.md": concept("Alpha", "- It is. ^c-aaaaaaaaaa\n- [[Beta]]"),
        "wiki/concepts/Beta.md": concept("Beta", "[[Alpha]]", aliases="[Bet]", tags="[x]"),
        "wiki/sources/a-md.md": ledger("a-md", "a.md", "11"),
        "wiki/index.md": "# Not a page\n",
    },
    {
        "wiki/concepts/Alpha.md": concept("Alpha", "- ~~It is.~~ → gone in 1 ^c-aaaaaaaaaa"),
        "wiki/concepts/Gamma.md": concept("Bet", "[[Alpha]] [[Beta]]"),
        "wiki/sources/b-md.md": ledger("b-md", "b.md", "11"),
        "wiki/sources/a-md.md": ledger("a-md", "c.md", "22"),
    },
    {
        "wiki/concepts/Beta.md": None,
        "wiki/concepts/Alpha.md": None,
        "wiki/entities/Alpha.md": concept("Alpha", "- So. ^c-aaaaaaaaaa", tags="[x, y]"),
        "wiki/concepts/bad.md": b"---\ntitle: [\n---\n\xff\xfe [[Gamma]] [[\xffx]]\n",
    },
    {"raw/b.md": "nothing in wiki/ moves\n"},
)
ODD = b"wiki/concepts/\xfe.md".decode("utf-8", "surrogateescape")
"""A path that is no UTF-8."""


def commit(root: Path, files: Mapping[str, str | bytes | None]) -> str:
    """Writes the files as a person would and commits everything; the commit."""
    gitkit.put(root, files)
    gitkit.git(root, "add", "-A")
    gitkit.git(root, "commit", "-q", "-m", "step")
    return gitkit.git(root, "rev-parse", "HEAD").strip()


def commits(repo: Repository) -> list[str]:
    return gitkit.git(repo.root, "rev-list", "--reverse", "HEAD").split()


def same(state: WikiState, repo: Repository, commit: str) -> None:
    """The state answers what that commit holds."""
    assert state.commit == commit
    pages = read_commit(repo, commit)
    facts = {path: page.facts for path, page in pages.items()}
    assert [e.path for e in state.entries()] == sorted(pages)
    assert state.facts([*pages, "wiki/concepts/None.md"]) == facts
    oracle = PlainPages(pages)
    assert state.ledgers() == [f for f in facts.values() if f.type == "source"]
    assert state.sums[:3] == oracle.sums[:3]
    assert state.types() == oracle.tally("y:")
    for key, found in oracle.paths({k for keys in oracle.keys.values() for k in keys}).items():
        kind, name = key[:2], key[2:]
        if kind == "f:":
            assert state.file_named(name) == found[0]
        elif kind == "c:":
            assert state.claim_page(name) == found[0]
        elif kind == "h:":
            assert tuple(f.path for f in state.ledgers_with(name)) == found
        elif kind == "n:":
            assert state.names.by_title(name) == found
        elif kind == "k:":
            assert state.names.by_key(name) == found
        elif kind == "s:":
            own = {p for p in found if facts[p].type == "source"}
            assert state.citing(name) == tuple(p for p in found if p not in own)
    for path, page in pages.items():
        parsed = state.page(path)
        assert parsed is not None
        assert parsed.text == repo.read_many([page.oid])[0].decode("utf-8", "surrogateescape")
    assert state.page("wiki/concepts/None.md") is None
    assert state.page("wiki/index.md") is None
    assert state.claim_pages(["c-aaaaaaaaaa", "c-none"]) == oracle_homes(oracle)


def oracle_homes(oracle: PlainPages) -> dict[str, str]:
    found = oracle.paths(["c:c-aaaaaaaaaa"]).get("c:c-aaaaaaaaaa")
    return {"c-aaaaaaaaaa": found[0]} if found else {}
