"""What --fix mends is mended, once, in one commit, and nothing is lost on the way."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
import wikikit
from lintkit import HeldWiki, held_texts, lint_held_wiki, lint_texts
from wikikit import NOTE, Wiki

from llmwiki.lint import autofix
from llmwiki.lint.rule import FixContext, WikiFix
from llmwiki.lint.rules import RULES
from llmwiki.pages.page import Page

WORD, LINES = re.compile(r"\w+"), re.compile(r"L\d+")
BY_CODE = {rule.code: rule for rule in RULES}
PAGE = "wiki/concepts/Example.md"
LEAD = "It is one of many, and stands here so that there is a page to speak of.\n"
RAW = b"# Tea\n\nTea is an infusion of leaves.\n\nIt is drunk hot.\n"
SHA = hashlib.sha256(RAW).hexdigest()
OWN = f"source: raw/tea.md\nsha256: {SHA}\n"
LEDGER = f"---\ntype: source\ntitle: On tea\n{OWN}---\n\n# On tea\n\n{LEAD}"


def front(*lines: str, kind: str = "concept", title: str = "Example") -> str:
    more = "".join(f"{line}\n" for line in lines)
    head = f"type: {kind}\ntitle: {title}\ndescription: One of many.\n{more}"
    return f"---\n{head}---\n\n# Example\n\n"


FOOT = "\n[^tea-md]: [[sources/tea-md|On tea]], raw/tea.md\n"


def claim(foot: str = FOOT) -> str:
    return (
        "## Claims\n\n- Tea is an infusion. ^c-9f3a1c22k7\n"
        f"  - “Tea is an infusion of leaves.” [^tea-md]\n{foot}"
    )


TEA = {"wiki/concepts/Black tea.md": front("aliases: [Chai]", title="Black tea") + LEAD}
TOLD = {"wiki/sources/tea-md.md": LEDGER, "raw/tea.md": RAW}

CASES: list[tuple[str, Mapping[str, str | bytes], str, str]] = [
    (
        "WK001",
        {PAGE: f"# Example\n\n{LEAD}"},
        "# Example",
        "---\ntype: concept\ntitle: Example\n---\n\n# Example",
    ),
    (
        "WK001",
        {PAGE: front().replace("type: concept\n", "") + LEAD},
        "---\ntitle",
        "---\ntype: concept\ntitle",
    ),
    ("WK001", {PAGE: front(kind="") + LEAD}, "type: \n", "type: concept\n"),
    ("WK001", {PAGE: front(title="'  '") + LEAD}, "title: '  '", "title: Example"),
    ("WK026", TOLD | {PAGE: front() + claim(foot="")}, "[^tea-md]\n", f"[^tea-md]\n{FOOT}"),
    ("WK031", {PAGE: "\ufeff" + front() + LEAD}, "\ufeff", ""),
    ("WK031", {PAGE: (front() + LEAD).replace("\n", "\r\n")}, "\r\n", "\n"),
    (
        "WK101",
        TEA | {PAGE: front() + "As [[black teas]] and [[Blakc tea]] are."},
        "[[black teas]]",
        "[[Black tea|black teas]]",
    ),
    (
        "WK101",
        TEA | {PAGE: front() + "As [[Black-Tea#Claims|this]] is."},
        "[[Black-Tea#Claims|this]]",
        "[[Black tea#Claims|this]]",
    ),
    (
        "WK105",
        TEA | {PAGE: front() + "As [[Chai]] is, and `[[Chai]]` in code."},
        "As [[Chai]]",
        "As [[Black tea|Chai]]",
    ),
    (
        "WK105",
        TEA | {PAGE: front() + "| a | b |\n|---|---|\n| [[chai]] | x |\n"},
        "[[chai]]",
        "[[Black tea\\|chai]]",
    ),
    (
        "WK208",
        TOLD | {PAGE: front() + claim(FOOT.replace("sources/tea", "sources/cup"))},
        "sources/cup",
        "sources/tea",
    ),
]


def mended(texts: Mapping[str, str | bytes], code: str) -> tuple[autofix.FixPlan, HeldWiki]:
    wiki = HeldWiki(texts)
    ground = FixContext(wiki, held_texts(wiki))
    return autofix.plan(lint_held_wiki(wiki, [BY_CODE[code]]), ground, lambda _path: False), wiki


@pytest.mark.parametrize(
    ("code", "texts", "before", "after"),
    CASES,
    ids=lambda x: x if isinstance(x, str) and x.startswith("WK") else "",
)
def test_a_page_before_and_after(
    code: str, texts: Mapping[str, str | bytes], before: str, after: str
) -> None:
    text = texts[PAGE]
    assert isinstance(text, str) and before in text
    mending, _wiki = mended(texts, code)
    done = mending.pages[PAGE]
    assert done.after == text.replace(before, after)
    assert done.codes == (code,)
    again, _wiki = mended(dict(texts) | {PAGE: done.after}, code)
    assert not again, "once mended, there is nothing left to mend"


def test_what_is_mended_no_longer_fires() -> None:
    fired = {code for code, _texts, _before, _after in CASES}
    for code, texts, _before, _after in CASES:
        mending, _wiki = mended(texts, code)
        left = lint_texts(dict(texts) | {PAGE: mending.pages[PAGE].after}, [BY_CODE[code]])
        assert [f for f in left if f.about != "Blakc tea"] == []
    by_text = {r.code for r in RULES if r.fixable and not isinstance(r.fix, WikiFix)}
    assert fired == by_text


DOUBTFUL: list[tuple[str, Mapping[str, str]]] = [
    # Two pages bear the name; the page of that file name is not the only one.
    ("WK105", {
        PAGE: front() + "[[Chai]]",
        "wiki/concepts/A.md": front("aliases: [Chai]", title="A") + LEAD,
        "wiki/concepts/B.md": front("aliases: [Chai]", title="B") + LEAD,
    }),
    # One letter apart is a guess.
    ("WK101", TEA | {PAGE: front() + "[[Blakc tea]]"}),
    # Nobody records what the source is.
    ("WK208", {PAGE: front() + claim()}),
]  # fmt: skip


@pytest.mark.parametrize(("code", "texts"), DOUBTFUL)
def test_where_there_is_doubt_nothing_changes(code: str, texts: Mapping[str, str]) -> None:
    mending, _wiki = mended(texts, code)
    assert not mending


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.code)
def test_no_fix_loses_anything_of_any_example(rule) -> None:  # type: ignore[no-untyped-def]
    for example in filter(None, (rule.bad, rule.good)):
        texts = {PAGE: example} if isinstance(example, str) else example
        wiki = HeldWiki(texts)
        ground = FixContext(wiki, held_texts(wiki))
        mending = autofix.plan(lint_held_wiki(wiki, RULES), ground, lambda _path: False)
        for path, done in mending.pages.items():
            old, new = Page.parse(path, done.before), Page.parse(path, done.after)
            assert {c.id: (c.text, len(c.evidence)) for c in old.claims}.items() <= {
                c.id: (c.text, len(c.evidence)) for c in new.claims
            }.items()
            lost = Counter(WORD.findall(done.before)) - Counter(WORD.findall(done.after))
            # An arrow may lead elsewhere: the claim that it led to still stands.
            standing = {c.id.removeprefix("c-") for c in new.claims}
            assert not [w for w in lost if not LINES.fullmatch(w) and w not in standing]


# --- the command ----------------------------------------------------------------------------


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch, tea)


def tea(made: Wiki) -> None:
    made.put("raw/tea.md", NOTE)
    made.ok("ingest", "raw/tea.md", "--model", "offline")


def broken(wiki: Wiki) -> None:
    """A person's page with faults, and an index that lost a line."""
    wiki.put("wiki/concepts/Steeping.md", f"# Steeping\n\nAs [[camellia sinensi]] is. {LEAD}")
    index = wiki.read("wiki/index.md").splitlines(keepends=True)
    wiki.put("wiki/index.md", "".join(row for row in index if "sources/" not in row))
    wiki.git("add", "-A")
    wiki.git("commit", "-qm", "a person writes")


def test_one_commit_mends_all_and_says_what(wiki: Wiki) -> None:
    broken(wiki)
    before, commits = wiki.files(), wiki.count()
    assert wiki.run("lint", "--select", "WK001,WK019").code == 1
    done = wiki.run("lint", "--fix")
    assert wiki.count() == commits + 1
    assert "mended 1 page" in done.err
    assert wiki.trailer("Wiki-Op") == "lint"
    assert set(wiki.files()) >= set(before), "nothing is deleted"
    assert wiki.read("wiki/concepts/Steeping.md").startswith("---\ntype: concept\n")
    assert "sources/" in wiki.read("wiki/index.md")
    assert wiki.run("lint", "--select", "WK001,WK019,WK019,WK401").code == 0
    assert wiki.status == ""
    wiki.run("lint", "--fix")
    assert wiki.count() == commits + 1, "there was nothing left to mend"


def test_a_dry_run_shows_the_difference_and_writes_nothing(wiki: Wiki) -> None:
    broken(wiki)
    head = wiki.head
    done = wiki.run("lint", "--fix", "--dry-run")
    assert "+type: concept" in done.out and "--- a/wiki/concepts/Steeping.md" in done.out
    assert wiki.head == head and wiki.status == ""


def test_undo_takes_a_mending_back(wiki: Wiki) -> None:
    broken(wiki)
    before = wiki.read("wiki/concepts/Steeping.md")
    wiki.run("lint", "--fix")
    wiki.ok("undo")
    assert wiki.read("wiki/concepts/Steeping.md") == before


def test_a_page_with_uncommitted_edits_is_left_alone(wiki: Wiki) -> None:
    broken(wiki)
    wiki.put("wiki/concepts/Steeping.md", wiki.read("wiki/concepts/Steeping.md") + "\nMore.\n")
    done = wiki.run("lint", "--fix")
    assert "uncommitted" in done.err
    assert wiki.read("wiki/concepts/Steeping.md").endswith("More.\n")
    assert "type:" not in wiki.git("show", "HEAD:wiki/concepts/Steeping.md")
    assert "sources/" in wiki.read("wiki/index.md"), "what else there is, is mended"


@pytest.mark.parametrize(
    "said",
    [
        ("{} *(as of 2015; load = 1 t)* ^{}", "{} *(as of 2020; load = 9 t)* ^{}"),
        ("**Denied:** {} *(says Bob)* ^{}", "{} *(says Eve)* ^{}"),
        ("**Denied:** {} ^{}", "{} ^{}"),
        ("{} *(says Bob)* ^{}", "{} ^{}"),
    ],
)
def test_copies_of_one_id_that_mean_unlike_things_stay_and_are_told(
    wiki: Wiki, said: tuple[str, str]
) -> None:
    path, held = next(iter(wiki.claims().values()))
    lines = wiki.read(path).split("\n")
    at = next(i for i, line in enumerate(lines) if line.endswith(f"^{held.id}"))
    cited = lines[at].removeprefix("- ").rpartition(" ^")[0]
    copies = [f"- {each.format(cited, held.id)}" for each in said]
    wiki.put(path, "\n".join([*lines[:at], *copies, *lines[at + 1 :]]))
    wiki.git("commit", "-qam", "a merge leaves both", "--no-verify")
    for command in (("lint", "--fix", "--fail-on", "never"), ("remember", "x")):
        wiki.ok(*command)
        assert all(copy in wiki.read(path).split("\n") for copy in copies)
        assert "WK010" in wiki.run("lint", "--fail-on", "never").out


def test_a_missing_log_line_comes_back(wiki: Wiki) -> None:
    rows = wiki.read("wiki/log.md").splitlines(keepends=True)
    ingest = next(row for row in rows if " ingest | " in row)
    wiki.put("wiki/log.md", "".join(row for row in rows if row != ingest))
    wiki.git("commit", "-qam", "a person loses a line")
    wiki.put("raw/more.md", "# Coffee\n\nCoffee is a drink made of roasted beans.\n")
    wiki.ok("ingest", "raw/more.md", "--model", "offline")
    ident = ingest.rsplit(" ", 1)[1].strip()
    wiki.run("lint", "--fix")
    assert ident in wiki.read("wiki/log.md")
