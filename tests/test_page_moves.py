"""Pages that are renamed and merged, and what an undo makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import wikikit
from clones import move_claim
from longform import seldom
from wikikit import Wiki, answer, check, claim

from llmwiki.pages.page import Claim

A, B, C = (f"wiki/concepts/{name}.md" for name in ("Kettle", "Teapot", "Samovar"))


def fact(thing: str, number: int) -> str:
    return f"The {thing} has the property number {number}."


def learn(
    wiki: Wiki, name: str, facts: list[tuple[str, int]], about: str = "", **more: object
) -> str:
    """Ingests a document that states these facts, perhaps as claims about another thing; the id of
    the operation."""
    lines = [fact(thing, n) for thing, n in facts]
    claims = [
        claim(about or thing, line, lines=(number, number), **more)
        for number, ((thing, _n), line) in enumerate(zip(facts, lines, strict=True), start=3)
    ]
    told = wiki.learn(
        f"raw/{name}.md",
        f"# About {name}\n\n" + "\n".join(lines) + "\n",
        answer(claims, document={"title": f"About {name}", "summary": "Facts."}),
    )
    return str(told["id"])


def grow(wiki: Wiki) -> None:
    learn(wiki, "one", [("Kettle", 1), ("Teapot", 2), ("Kettle", 3)])
    learn(wiki, "two", [("Teapot", 4), ("Samovar", 5)], also=["Kettle"])


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch, grow)


def pages(wiki: Wiki, rev: str = "HEAD") -> dict[str, str]:
    """Every file of the wiki but the log, by blob."""
    return {
        path: oid
        for path, oid in wiki.files(rev).items()
        if path.startswith("wiki/") and not path.startswith("wiki/log")
    }


def ids(wiki: Wiki) -> dict[str, list[str]]:
    """Claim id to the pages it stands on."""
    found: dict[str, list[str]] = {}
    for path, page in sorted(wiki.pages().items()):
        for one in page.claims:
            found.setdefault(one.id, []).append(path)
    assert all(len(homes) == 1 for homes in found.values()), found
    return found


def lint(wiki: Wiki) -> list[str]:
    """The codes of findings that are worse than notes."""
    found = wiki.run("lint", "--json").json["findings"]
    return [f"{f['code']} {f['path']}: {f['message']}" for f in found if f["severity"] != "note"]


def said(claims: Mapping[str, tuple[str, Claim]]) -> dict[str, Claim]:
    """The claims without the pages they are about, which may have another name by now."""
    kept = ((i, c, [a for a in c.attributes if a[0] != "about"]) for i, (_p, c) in claims.items())
    return {ident: replace(claim, attributes=tuple(told)) for ident, claim, told in kept}


OPERATIONS = {
    "rename": ("rename", "Kettle", "Water kettle"),
    "merge": ("merge", "Kettle", "Teapot"),
}


def move(wiki: Wiki, kind: str) -> str:
    """Runs one of the operations; its id."""
    return str(wiki.ok(*OPERATIONS[kind], "--json").json["id"])


@pytest.mark.parametrize("kind", OPERATIONS)
def test_an_operation_loses_nothing_and_its_undo_restores_every_byte(wiki: Wiki, kind: str) -> None:
    before, worse, claims = pages(wiki), lint(wiki), wiki.claims()
    move(wiki, kind)
    check(wiki)
    assert set(lint(wiki)) <= set(worse)
    after = pages(wiki)
    assert said(wiki.claims()) == said(claims)
    wiki.ok("undo")
    assert pages(wiki) == before
    wiki.ok("undo")
    assert pages(wiki) == after
    check(wiki)


@pytest.mark.parametrize("kind", OPERATIONS)
def test_evidence_that_came_since_goes_along_with_its_claim(wiki: Wiki, kind: str) -> None:
    move(wiki, kind)
    home = wiki.claims()[wiki.claim("number 3").id][0]
    learn(wiki, "three", [("Kettle", 3), ("Kettle", 9)], about=Path(home).stem)
    assert len(wiki.claim("number 3").evidence) == 2
    wiki.ok("undo", wiki.git("log", f"--grep=wiki {kind}:", "--format=%H").split()[0])
    ids(wiki)
    again = wiki.claims()[wiki.claim("number 3").id]
    assert again[0] == A and len(again[1].evidence) == 2
    assert wiki.claims()[wiki.claim("number 9").id][0] == (A if kind == "rename" else home)
    check(wiki)


@pytest.mark.parametrize("kind", OPERATIONS)
@pytest.mark.parametrize("source", seldom(["one", "two"], ["two"]))
def test_the_undo_of_an_older_ingest_follows_what_has_moved(
    wiki: Wiki, kind: str, source: str
) -> None:
    move(wiki, kind)
    ident = wiki.git("log", f"--grep=Read raw/{source}.md", "--format=%H").split()[0]
    wiki.ok("undo", ident)
    held = ids(wiki)
    assert held
    left = {"one": {4, 5}, "two": {1, 2, 3}}[source]
    assert {int(c.text.split()[-1][:-1]) for _p, c in wiki.claims().values()} == left
    assert f"{source}-md" not in "".join(page.text for page in wiki.pages().values())
    check(wiki)
    wiki.ok("undo")
    assert len(ids(wiki)) == 5
    check(wiki)


def test_a_page_that_somebody_moved_by_hand_is_undone(wiki: Wiki) -> None:
    wiki.git("mv", A, "wiki/concepts/Cauldron.md")
    wiki.git("commit", "-qm", "moved")
    wiki.ok("undo", wiki.git("log", "--grep=Read raw/one.md", "--format=%H").split()[0])
    assert {c.text for _p, c in wiki.claims().values()} == {fact("Teapot", 4), fact("Samovar", 5)}
    assert "one-md" not in "".join(page.text for page in wiki.pages().values())
    ids(wiki)


def test_a_page_in_a_folder_of_its_kind_is_read_and_written_as_any(wiki: Wiki) -> None:
    """As pages of a large kind are shared out."""
    (wiki.root / "wiki/concepts/3f").mkdir()
    wiki.git("mv", "wiki/concepts/Kettle.md", "wiki/concepts/3f/Kettle.md")
    wiki.git("commit", "-qm", "shared out")
    learn(wiki, "three", [("Kettle", 6)])
    assert wiki.claim(fact("Kettle", 6)) and "wiki/concepts/Kettle.md" not in wiki.files()
    assert "(concepts/3f/Kettle.md)" in wiki.read("wiki/index.md")
    row = wiki.ok("search", "kettle", "--json").json["results"][0]
    assert row["path"] == "wiki/concepts/3f/Kettle.md"
    assert not [line for line in lint(wiki) if "3f/" in line]
    wiki.ok("rename", "Kettle", "Pot")
    wiki.ok("undo")
    assert "wiki/concepts/3f/Kettle.md" in wiki.files()
    check(wiki)


def test_a_claim_that_somebody_moved_by_hand_is_undone(wiki: Wiki) -> None:
    one = wiki.claim("number 3")
    move_claim(wiki, "number 3", C)
    assert ids(wiki)[one.id] == [C]
    wiki.ok("undo", wiki.git("log", "--grep=Read raw/one.md", "--format=%H").split()[0])
    assert one.id not in ids(wiki)


def test_what_a_link_shows_stays_and_code_is_left_alone(wiki: Wiki) -> None:
    first = wiki.claim("number 1").id
    wiki.put(
        "wiki/concepts/Links.md",
        f"""---
type: concept
title: Links
related: "[[Kettle]]"
---

# Links

[[Kettle]], [[kettle|a pot]], [[concepts/Kettle]], [[Kettle#Claims]], [[Kettle#^{first}|this]],
[by file](Kettle.md#Claims), `[[Kettle]]`, \\[[Kettle]], ![[Kettle]], [[Tee kettle]]

| a | b |
| - | - |
| [[Kettle]] | x |

```
[[Kettle]]
```

[ref]: <../concepts/Kettle.md>
""",
    )
    wiki.edit(A, "title: Kettle\n", "title: Kettle\naliases:\n  - Tee kettle\n")
    wiki.git("add", "-A")
    wiki.git("commit", "-qm", "links")
    wiki.ok("rename", "kettle", "Water [kettle]")
    assert (
        wiki.read("wiki/concepts/Links.md").partition("# Links\n")[2]
        == f"""
[[Water -kettle-|Kettle]], [[Water -kettle-|a pot]], [[Water -kettle-|Kettle]], \
[[Water -kettle-#Claims|Kettle]], [[Water -kettle-#^{first}|this]],
[by file](Water%20-kettle-.md#Claims), `[[Kettle]]`, \\[[Kettle]], ![[Water -kettle-]], \
[[Water -kettle-|Tee kettle]]

| a | b |
| - | - |
| [[Water -kettle-\\|Kettle]] | x |

```
[[Kettle]]
```

[ref]: <Water -kettle-.md>
"""
    )
    assert 'related: "[[Water -kettle-|Kettle]]"' in wiki.read("wiki/concepts/Links.md")
    page = wiki.pages()["wiki/concepts/Water -kettle-.md"]
    assert page.title == "Water [kettle]" and set(page.aliases) == {"Tee kettle", "Kettle"}
    assert "# Water \\[kettle\\]\n" in page.text


def test_a_link_that_may_mean_two_pages_is_left_and_said(wiki: Wiki) -> None:
    wiki.put("wiki/entities/Kettle.md", "---\ntype: entity\ntitle: Kettle (Ma)\n---\n\n# Kettle\n")
    wiki.put("wiki/concepts/L.md", "# L\n\n[[Kettle]] and [[concepts/Kettle]].\n")
    wiki.git("add", "-A")
    wiki.git("commit", "-qm", "another")
    done = wiki.ok("rename", "wiki/concepts/Kettle.md", "Water kettle")
    assert "wiki/concepts/L.md:3: more than one page has that name" in done.err
    assert "[[Kettle]] and [[Water kettle|Kettle]]." in wiki.read("wiki/concepts/L.md")


def test_a_rename_that_changes_only_the_case(wiki: Wiki) -> None:
    before = pages(wiki)
    wiki.ok("rename", "Kettle", "KETTLE")
    assert "wiki/concepts/KETTLE.md" in wiki.files() and A not in wiki.files()
    assert wiki.status == ""
    check(wiki)
    wiki.ok("undo")
    assert pages(wiki) == before


def test_the_page_of_a_document_gets_another_title_and_keeps_its_file(wiki: Wiki) -> None:
    before = pages(wiki)
    wiki.ok("rename", "About one", "The first (draft)")
    page = wiki.pages()["wiki/sources/one-md.md"]
    assert (page.title, page.aliases) == ("The first (draft)", ("About one",))
    assert "# The first (draft)\n" in page.text
    assert "[^one-md]: [[sources/one-md|The first (draft)]], raw/one.md" in wiki.read(A)
    check(wiki)
    assert wiki.run("rename", "one-md", "The first (draft)").out.startswith("Nothing to change")
    wiki.ok("undo")
    assert pages(wiki) == before


def test_names_that_cannot_be(wiki: Wiki) -> None:
    for args, code, word in (
        (("rename", "Kettle", "teapot"), 2, "wiki merge"),
        (("rename", "Kettle", " "), 2, "needs a title"),
        (("rename", "Nothing", "X"), 2, "no such page"),
        (("rename", "one-md", " "), 2, "needs a title"),
        (("rename", "one-md", "Kettle"), 2, "another page has that name"),
        (("merge", "Kettle", "kettle"), 2, "one page"),
        (("merge", "one-md", "two-md"), 7, "wiki retract raw/one.md"),
    ):
        done = wiki.run(*args)
        assert (done.code, word in done.err) == (code, True), (args, done)
    assert wiki.run("rename", "Kettle", "Kettle").out.startswith("Nothing to change")
    assert wiki.ok("rename", "Kettle", "Pot", "--dry-run").out.startswith("would be renamed")
    assert A in wiki.files()


def test_a_merge_keeps_what_people_wrote_and_joins_what_says_the_same(wiki: Wiki) -> None:
    learn(wiki, "same", [("Teapot", 1)])
    for name, word in ((A, "Mine."), (B, "Ours.")):
        text = wiki.read(name)
        lead = wiki.pages()[name].lead
        wiki.put(name, text.replace(f"\n{lead}\n", f"\n{word}\n\nTwo [[Samovar]] lines.\n"))
    wiki.put(A, wiki.read(A).replace("## Claims\n", "## Own\n\nMy remark.\n\n## Claims\n"))
    wiki.edit(A, "title: Kettle\n", "title: Kettle\nmood: good\n")
    wiki.git("commit", "-qam", "words")
    wiki.edit(B, f"- {fact('Teapot', 1)} ^", f"- {fact('Kettle', 1)} ^")
    wiki.ok("remember", "So the catalogue is in step.")
    before = pages(wiki)
    told = wiki.ok("merge", "Kettle", "Teapot", "--json").json
    (joined,) = told["claims_joined"]
    text = wiki.read(B)
    for words in ("Ours.", "## Kettle\n\nMine.\n\nTwo [[Samovar]] lines.", "## Own\n\nMy remark."):
        assert words in text
    assert "mood: good" in text and joined["gone"] not in text
    assert {e.source for e in wiki.claim("number 1").evidence} == {"one-md", "same-md"}
    assert told["notes"] == ["the lead of Kettle is a section of Teapot now"]
    check(wiki)
    wiki.ok("undo")
    assert pages(wiki) == before


@pytest.mark.parametrize("kind", OPERATIONS)
def test_what_is_taken_back_already_is_left_alone(wiki: Wiki, kind: str) -> None:
    ident = move(wiki, kind)
    wiki.ok("undo", ident)
    undo, before = wiki.head, pages(wiki)
    assert wiki.ok("undo", ident).out.startswith("nothing to take back: ")
    assert pages(wiki) == before
    wiki.ok("undo", undo)
    after = pages(wiki)
    assert wiki.ok("undo", undo).out.startswith("nothing to take back: ")
    assert pages(wiki) == after
    check(wiki)


@pytest.mark.parametrize("kind", OPERATIONS)
def test_a_move_waits_for_review_and_is_accepted(wiki: Wiki, kind: str) -> None:
    before, head = wiki.pages().keys(), wiki.head
    told = wiki.ok(*OPERATIONS[kind], "--review")
    assert wiki.head == head and wiki.pages().keys() == before
    branch = wiki.git("for-each-ref", "--format=%(refname:short)", "refs/heads/wiki-review").strip()
    assert f"wiki review show {branch.rpartition('/')[2]}" in told.out + told.err
    waiting = subjects(pages(wiki, branch))
    assert waiting != subjects(pages(wiki))
    wiki.ok("review", "accept", branch.rpartition("/")[2], "--yes")
    assert subjects(pages(wiki)) == waiting
    check(wiki)


def subjects(files: dict[str, str]) -> dict[str, str]:
    """Of some files those that are no catalogue."""
    return {path: oid for path, oid in files.items() if path.count("/") > 1}
