"""A claim that is its quote, reworded in place by a person: the quote goes below it again."""

from __future__ import annotations

import json
from pathlib import Path

import gitkit
import pytest
import wikikit
from test_life import GREEN, PAGE, again, said
from wikikit import NOTE, Wiki, answer, check, claim

MINE = "Green tea wants about 80 degrees."
BELOW = f"\n  - “{GREEN}” [^tea-md]\n"


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    wiki = wikikit.make(tmp_path, monkeypatch)
    wiki.learn("raw/tea.md", NOTE, said())
    return wiki


def reword(wiki: Wiki, marks: str) -> str:
    """A person writes other words over the quote; gives the claim's id."""
    ident: str = wiki.claim("Green").id
    text = wiki.read(PAGE)
    assert f"- “{GREEN}” [^tea-md] ^{ident}\n" in text
    wiki.put(PAGE, text.replace(f"“{GREEN}”", marks.format(MINE)))
    told = wiki.ok("diff").out
    assert "1 claim reworded" in told and "evidence" not in told and "[^tea-md]" not in told, told
    wiki.git("commit", "-qam", "a person's edit", "--no-verify")
    return ident


def restored(wiki: Wiki, ident: str) -> None:
    assert f"- {MINE} ^{ident}{BELOW}" in wiki.read(PAGE)
    assert f"“{MINE}”" not in wiki.read(PAGE)
    check(wiki)


BOTH = pytest.mark.parametrize("marks", ["{}", "“{}”"])


@BOTH
def test_the_next_operation_puts_the_quote_below(wiki: Wiki, marks: str) -> None:
    ident = reword(wiki, marks)
    wiki.learn("raw/b.md", "Milk is white.\n", answer([claim("Milk", "Milk is white.")]))
    restored(wiki, ident)


@BOTH
def test_lint_puts_the_quote_below(wiki: Wiki, marks: str) -> None:
    ident = reword(wiki, marks)
    code = "WK207" if marks == "{}" else "WK201"
    found = [f for f in json.loads(wiki.run("lint", "--json").out)["findings"] if f["code"] == code]
    assert found and "[^" not in found[0]["message"]
    wiki.run("lint", "--fix")
    restored(wiki, ident)
    assert code not in wiki.run("lint").out


@BOTH
@pytest.mark.parametrize("committed", [False, True])
def test_a_new_version_follows_the_quote(wiki: Wiki, marks: str, *, committed: bool) -> None:
    ident = reword(wiki, marks)
    new = NOTE.replace(f"- {GREEN}\n", "")
    for text in ("A remark.\n\n" + NOTE, new, NOTE):
        if committed:
            wiki.put("raw/tea.md", text)
            wiki.git("commit", "-qam", "a person's commit", "--no-verify")
        again(wiki, text)
        held = wiki.claims()[ident][1]
        assert held.text == MINE and [e.quote for e in held.evidence] == [GREEN]
        assert (held.successor or "").startswith("gone in ") == (text == new)


def test_an_edit_that_is_a_quote_itself_stays(wiki: Wiki) -> None:
    """Other words of the source in quotation marks are the claim's quote from then on."""
    ident = wiki.claim("Green").id
    part = "Green tea is steeped at 80 degrees"
    wiki.put(PAGE, wiki.read(PAGE).replace(f"“{GREEN}”", f"“{part}”"))
    wiki.git("commit", "-qam", "a person's edit", "--no-verify")
    wiki.learn("raw/b.md", "Milk is white.\n", answer([claim("Milk", "Milk is white.")]))
    assert f"- “{part}” [^tea-md] ^{ident}\n" in wiki.read(PAGE)


@BOTH
def test_a_clone_that_lacks_the_commit_finds_the_quote_in_the_source(
    wiki: Wiki, tmp_path: Path, marks: str
) -> None:
    ident = reword(wiki, marks)
    root = tmp_path / "clone"
    gitkit.git(tmp_path, "clone", "-q", "--depth=1", wiki.root.as_uri(), str(root))
    clone = Wiki(root)
    clone.learn("raw/tea.md", f"A remark.\n{NOTE}", said())
    assert f"- {MINE} ^{ident}{BELOW}" in clone.read(PAGE)


@BOTH
def test_a_clone_that_lacks_the_commit_loses_nothing(
    wiki: Wiki, tmp_path: Path, marks: str
) -> None:
    ident, text = reword(wiki, marks), wiki.read(PAGE)
    root = tmp_path / "clone"
    gitkit.git(tmp_path, "clone", "-q", "--depth=1", wiki.root.as_uri(), str(root))
    clone = Wiki(root)
    clone.learn("raw/b.md", "Milk is white.\n", answer([claim("Milk", "Milk is white.")]))
    assert clone.read(PAGE) == text
    assert ("WK207" if marks == "{}" else "WK201") in clone.run("lint").out
    clone.run("lint", "--fix")
    assert f"- {MINE} ^{ident}{BELOW}" in clone.read(PAGE)


def test_a_mark_behind_a_persons_words_is_no_text(wiki: Wiki) -> None:
    ident = reword(wiki, "{}")
    for args in (["why", ident], ["lint"], ["search", "wants about"]):
        told = wiki.run(*args).out
        assert MINE in told and f"{MINE} [^tea-md]" not in told, args
