"""A wiki that exists already: read before anything is made, adopted in one commit."""

from __future__ import annotations

from pathlib import Path

import gitkit
import pytest
import wikikit
from wikikit import Wiki, fitting

from llmwiki import Callbacks, InputError, StateError
from llmwiki import Wiki as Library
from llmwiki.lint.own_and_foreign_pages import are_parallel, meant_from
from llmwiki.lint.whole_wiki_view import LintedWiki

VAULT = {
    ".obsidian/app.json": "{}",
    ".obsidian/notes.md": "# Hidden\n",
    "CLAUDE.md": "# To agents\n",
    "Green tea.md": "Green tea is steeped at 80 degrees. See [[Teapot]] and ![[pot.png]].\n",
    "Things/Teapot.md": "---\ntags: [pots]\n---\n# Teapot\n\nOf iron: [tea](../Green%20tea.md).\n",
    "Things/pot.png": "x",
    "raw/paper.md": "# Paper\n",
    "index.md": "# Start\n\n[[Green tea]] and [[Nowhere]].\n",
}


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    """A vault of another tool in a repository, with one commit."""
    return filled(wikikit.bare(tmp_path, monkeypatch), VAULT)


def filled(place: Wiki, files: dict[str, str]) -> Wiki:
    place.root.mkdir(exist_ok=True)
    gitkit.git(place.root, "init", "-q", "-b", "main")
    gitkit.put(place.root, dict(files))
    gitkit.git(place.root, "add", "-f", ".")
    gitkit.git(place.root, "commit", "-qm", "notes")
    return place


def found(wiki: Wiki) -> set[str]:
    return {row["path"] for row in wiki.ok("search", "tea", "--json").json["results"]}


def test_a_vault_is_read_before_it_is_a_wiki(vault: Wiki) -> None:
    before = wikikit.outside(vault)
    assert found(vault) == {"Green tea.md", "Things/Teapot.md", "index.md"}
    assert vault.ok("status", "--json").json["pages"] == {"": 3}
    assert "80 degrees" in vault.ok("context", "How is green tea steeped?").out
    assert "80 degrees" in vault.ok("query", "How is green tea steeped?", "--model", "offline").out
    graph = vault.ok("graph", "--format", "json").json
    assert len(graph["nodes"]) == 3 and len(graph["edges"]) == 2
    assert "Teapot" in vault.ok("graph").out
    assert "Of iron" in vault.ok("show", "Teapot").out
    told = vault.run("lint", "--json").json["findings"]
    assert ("index.md", "WK101") in [(each["path"], each["code"]) for each in told]
    assert wikikit.outside(vault) == before
    assert gitkit.status(vault.root) == ""


@pytest.mark.parametrize(
    "command",
    [
        ("ingest", "raw/paper.md"),
        ("remember", "Tea."),
        ("lint", "--fix"),
        ("lint", "--fix", "--dry-run"),
        ("undo",),
    ],
)
def test_what_writes_refuses_before(vault: Wiki, command: tuple[str, ...]) -> None:
    done = vault.run(*command)
    assert done.code == 3
    assert "no wiki found here" in done.err and "wiki adopt" in done.err


def test_a_wiki_that_root_names_is_only_read(vault: Wiki) -> None:
    vault.ok("adopt")
    assert "Leave --root out" in vault.run("--root", ".", "lint", "--fix").err


def test_a_dry_run_of_mending_shows_no_note_that_mending_leaves_alone(vault: Wiki) -> None:
    vault.ok("adopt")
    vault.put("Sloppy.md", "# Sloppy\n\nOne line.\r\n\n[[green Tea]]\n")
    gitkit.git(vault.root, "add", "-A")
    gitkit.git(vault.root, "commit", "-qm", "a note")
    shown, done = (vault.run("lint", "--fix", *more) for more in (("--dry-run",), ()))
    assert shown.out == "" and "nothing to be mended" in shown.err
    told = vault.run("lint", "--json").json["findings"]
    assert told and not any(each["fixable"] for each in told)
    assert "nothing to be mended" in done.err


def test_a_note_of_many_lost_links_is_read_for_each_rule_and_not_for_each_link(
    vault: Wiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = "".join(f"[[Wish {n}]] [a](gone{n}.md) [b](Tea.md#no{n})\n" for n in range(300))
    vault.put("Big.md", lost)
    read: list[str] = []
    real = LintedWiki.of_card
    monkeypatch.setattr(
        LintedWiki, "of_card", lambda wiki, card: (read.append(card.path), real(wiki, card))[1]
    )
    vault.run("lint")
    assert 0 < read.count("Big.md") < 20


def test_what_mends_many_notes_alike_is_told_once(vault: Wiki) -> None:
    for name in "abcde":
        vault.put(f"{name}.md", f"# {name}\n\nIt is\x08 green, see [[{name}]].\n")
    told = vault.run("lint", "--select", "WK031", "--json").json["findings"]
    also = "also on 4 other pages: `b.md`, `c.md`, `d.md` and 1 more"
    assert [(each["path"], each["message"].partition("; ")[2]) for each in told] == [("a.md", also)]


def test_notes_without_git_are_told_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = wikikit.bare(tmp_path, monkeypatch)
    notes.root.mkdir(exist_ok=True)
    (notes.root / "Tea.md").write_text("# Tea\n\nA drink.\n")
    done = notes.run("search", "tea")
    assert done.code == 3 and "`git init`" in done.err and "`wiki adopt`" in done.err


def test_the_first_index_says_what_takes_so_long(vault: Wiki) -> None:
    told: list[str] = []
    listening = Callbacks(step=lambda doing, _done, _total: told.append(doing))
    for _ in range(2):
        with Library.open(vault.root, listening) as opened:
            opened.search("tea")
    assert told == ["reading all pages for the index", ""]


def test_the_folder_to_read_may_be_named(vault: Wiki) -> None:
    gone = vault.run("--root", "Nothing", "status")
    assert gone.code == 2 and "there is no such folder" in gone.err
    told = vault.ok("--root", "Things", "status", "--json").json
    assert told["pages"] == {"": 1}
    assert vault.ok("status", "--json").json["pages"] == {"": 3}


def test_adopting_writes_settings_and_no_page(vault: Wiki) -> None:
    before, head = wikikit.outside(vault), gitkit.git(vault.root, "rev-parse", "HEAD")
    told = vault.ok("adopt", "--dry-run")
    assert "an Obsidian vault" in told.out and "3 in all folders" in told.out
    assert wikikit.outside(vault) == before
    assert gitkit.git(vault.root, "rev-parse", "HEAD") == head
    vault.ok("adopt")
    changed = gitkit.git(vault.root, "diff", "--name-only", head.strip(), "HEAD").split()
    assert changed == [".gitattributes", ".llmwiki.toml"]
    assert gitkit.git(vault.root, "rev-list", "--count", "HEAD").strip() == "2"
    assert found(vault) == {"Green tea.md", "Things/Teapot.md", "index.md"}
    assert vault.run("adopt").code == 3


def test_what_is_found_and_done_is_told_as_json(vault: Wiki) -> None:
    told = fitting(vault.ok("adopt", "--dry-run", "--json").json)
    assert (told["dry_run"], told["commit"]) == (True, None)
    assert told["files"] == [".gitattributes", ".llmwiki.toml"]
    assert told["found"]["pages"] == len(found(vault))
    assert gitkit.git(vault.root, "rev-list", "--count", "HEAD").strip() == "1"
    done = fitting(vault.ok("adopt", "--json").json)
    assert done["commit"] == vault.head
    assert {**done, "commit": None, "dry_run": True}["found"] == told["found"]


def test_what_is_ingested_stands_below_wiki_and_the_notes_stay(vault: Wiki) -> None:
    vault.ok("adopt")
    notes = {path: (vault.root / path).read_bytes() for path in VAULT}
    vault.put("raw/tea.md", "# Green tea\n\nGreen tea is a drink of leaves from Uji.\n")
    vault.ok("ingest", "raw/tea.md")
    assert (vault.root / "wiki/sources/tea-md.md").is_file()
    assert "Green tea.md" not in (vault.root / "wiki/index.md").read_text().replace(
        "Green tea](sources/tea-md.md", ""
    )
    assert {path: (vault.root / path).read_bytes() for path in VAULT} == notes
    assert {"Green tea.md", "wiki/sources/tea-md.md"} <= found(vault)
    codes = {each["code"] for each in vault.run("lint", "--json").json["findings"]}
    assert not codes & {"WK001", "WK009", "WK019", "WK401"}
    vault.ok("undo")
    vault.run("lint", "--fix")
    assert {path: (vault.root / path).read_bytes() for path in VAULT} == notes


def test_a_wiki_of_another_tool_keeps_its_index_and_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "wiki/index.md": "# Index\n\n- [Tea](concepts/Tea.md) — a drink\n",
        "wiki/log.md": "## [2026-01-01] ingest | Tea\n",
        "wiki/concepts/Tea.md": "---\ntype: concept\nsources: [paper]\n---\n# Tea\n\nA drink.\n",
        "raw/paper.md": "# Paper\n\nA samovar is a heated vessel for boiling water.\n",
    }
    wiki = filled(wikikit.bare(tmp_path, monkeypatch), files)
    told = wiki.run("lint", "--json").json["findings"]
    assert not {each["code"] for each in told} & {"WK001", "WK009", "WK019", "WK401"}
    assert wiki.run("ingest", "raw/paper.md").code == 3
    assert "Kept" in wiki.ok("adopt").out
    wiki.ok("ingest", "raw/paper.md")
    assert len(list((wiki.root / "wiki/sources").iterdir())) == 1
    for path, text in files.items():
        assert (wiki.root / path).read_text() == text
    codes = {each["code"] for each in wiki.run("lint", "--json").json["findings"]}
    assert not codes & {"WK019", "WK401"}


def test_the_setting_names_a_folder_and_no_other_place(vault: Wiki, tmp_path: Path) -> None:
    vault.ok("adopt")
    settings = vault.root / ".llmwiki.toml"
    text = settings.read_text()
    settings.write_text(text.replace('wiki = "."', 'wiki = "Things"'))
    assert found(vault) == {"Things/Teapot.md"}
    (vault.root / "away").symlink_to(tmp_path)
    for named in ("..", "/", "away", "Things/../.."):
        settings.write_text(text.replace('wiki = "."', f'wiki = "{named}"'))
        with pytest.raises(InputError, match=r"layout\.wiki"):
            Library.open(vault.root)


def test_where_there_is_no_markdown_nothing_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = filled(wikikit.bare(tmp_path, monkeypatch), {"a.txt": "x"})
    with pytest.raises(StateError, match="no wiki found"):
        Library.open(place.root)
    assert place.run("adopt").code == 2


# --- lint on pages of other tools ----------------------------------------------------------

LONG = "It holds two litres of water and was made of iron in the year 1911, as the label says. "
QUIET = {
    "a/Kettle.md": f"# Kettle\n\n{LONG}[[Kettle]] [[Internal link]] [[Lid]] ![x](https://a.org/b.png)\n",
    "a/Lid.md": '<iframe src="https://a.org"></iframe> ![[pot.png]]^shown\n\n[[#^shown]] [[Tag]]\n',
    "b/Lid.md": f"{LONG}[[Kettle]] TODO\n",
    "Tag.md": "",
    "a/pot.png": "x",
    "en/Security.md": f"{LONG}[[Sync]]\n",
    "de/Security.md": f"{LONG}[[Sync]]\n",
    "en/Sync.md": f"{LONG}[[Security]]\n",
    "de/Sync.md": f"{LONG}[[Security]]\n",
    "en/Introduction to Offline Sync.md": f"{LONG}[[Sync]] [[iOS]]\n",
    "en/iOS.md": f"{LONG}[[Sync]] a\u200b\u200b\u200bb\n",
}


def told(wiki: Wiki) -> list[tuple[str, str, str]]:
    found = wiki.run("lint", "--json").json["findings"]
    return [(each["code"], each["path"], each["mend"]) for each in found]


def test_what_nobody_wants_to_hear_of_notes_is_not_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = filled(wikikit.bare(tmp_path, monkeypatch), QUIET)
    assert told(vault) == []
    vault.put("Empty.md", "")
    vault.put("c/Pan.md", f"{LONG}[[Lid]] [[Kettl]] [[Securitty]]\n")
    assert [each[:2] for each in told(vault)] == [("WK017", "Empty.md"), ("WK101", "c/Pan.md")]
    # Both pages on security are as near, and "Kettl" is too short to be a slip.
    assert {mend for code, _path, mend in told(vault) if code == "WK101"} == {
        "Write a page for those that deserve one."
    }


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("en/Tea.md", "de/Tee.md", True),
        ("docs/pt-BR/a/Tea.md", "docs/en/Tea.md", True),
        ("en/Tea.md", "en/Tee.md", False),
        ("en/Tea.md", "Tea.md", False),
        ("go/Tea.md", "js/Tea.md", False),
    ],
)
def test_folders_of_two_languages_are_parallel(one: str, other: str, expected: bool) -> None:
    assert are_parallel(one, other) is expected


def test_the_page_meant_is_the_nearest_and_none_of_several() -> None:
    assert meant_from(["a/b/T.md", "a/T.md", "T.md"], "a/X.md") == "a/T.md"
    assert meant_from(["a/b/T.md", "c/T.md"], "a/X.md") == "a/b/T.md"
    assert meant_from(["b/T.md", "c/T.md"], "a/X.md") == ""
    assert meant_from([], "a/X.md") == ""


@pytest.mark.parametrize("name", ["Teapot", "Things/Teapot.md", "[[Teapot]]"])
def test_a_note_of_a_person_is_not_renamed_and_that_is_said(vault: Wiki, name: str) -> None:
    vault.ok("adopt")
    head = vault.head
    for command in (("rename", name, "Pot"), ("merge", name, "Green tea")):
        done = vault.run(*command)
        assert done.code == 7 and "Things/Teapot.md: a note of yours" in done.err, done
    assert "no such page" in vault.run("rename", "Kettle", "Pot").err
    assert vault.head == head


def test_a_graph_leaves_a_vault_as_clean_as_it_was(vault: Wiki) -> None:
    vault.ok("adopt")
    vault.put("graph/Mine.md", "# Mine\n")
    before = vault.status
    done = vault.ok("graph")
    assert "graph/graph.html" in done.out and (vault.root / "graph/graph.html").is_file()
    assert vault.status == before and "graph/" in before, "a person's note is not hidden"


def test_a_wiki_further_down_is_named(vault: Wiki) -> None:
    assert "There is a wiki in" not in vault.run("status").err
    vault.ok("init", "docs/kb")
    vault.put("Things/kettle.txt", "The kettle is a vessel of two litres.\n")
    way = "There is a wiki in docs/kb/: wiki -C "
    assert way in vault.run("ingest", "Things/kettle.txt").err
    assert way in vault.ok("-C", str(vault.root / "Things"), "search", "tea").err
    done = vault.ok(
        "-C", str(vault.root / "docs/kb"), "ingest", str(vault.root / "Things/kettle.txt")
    )
    assert "1 claim" in done.out and "There is a wiki in" not in done.err


def test_a_note_is_found_by_its_alias_and_one_of_two_is_not_guessed(vault: Wiki) -> None:
    vault.put("notes/sesame.md", "---\naliases: [Big Bird, TCP/IP]\n---\n# Sesame\n\nYellow.\n")
    for place in ("a", "b"):
        vault.put(f"{place}/home.md", f"---\naliases: [Den]\n---\n# House\n\nOf {place}.\n")
    vault.git("add", ".")
    vault.git("commit", "-qm", "more notes")
    for name in ("big bird", "Big Bird", "[[Big Bird]]", "tcp/ip", "notes/sesame"):
        assert "Yellow." in vault.ok("show", name).out, name
    for name in ("home", "House", "den"):
        for command in (["show"], ["log"], ["show", "--at", "HEAD"]):
            done = vault.run(command[0], name, *command[1:])
            assert done.code == 2 and "2 pages bear this name" in done.err, done
            assert "a/home.md, b/home.md" in done.err
    assert "Of b." in vault.ok("show", "b/home.md").out
    assert "Of b." in vault.ok("show", "b/home").out


def test_the_log_of_a_note_follows_its_renames(vault: Wiki) -> None:
    vault.git("mv", "Things/Teapot.md", "Things/Pot.md")
    vault.git("commit", "-qm", "moved")
    vault.put("Things/Pot.md", vault.read("Things/Pot.md") + "\nIt holds a litre.\n")
    vault.git("mv", "Things/Pot.md", "Kettle.md")
    vault.git("commit", "-qam", "moved and written on")
    told = vault.ok("log", "Kettle", "--json").json["commits"]
    assert [f"{row['kind']} {row['verb']}" for step in told for row in step["rows"][:1]] == [
        "page moved",
        "page moved",
        "page added",
    ]
    assert told[-1]["commit"] == vault.git("rev-list", "HEAD").split()[-1]
    assert "Things/Teapot.md" in vault.ok("log", "Kettle.md").out


def test_a_folder_without_git_is_read_and_nothing_is_written_into_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = wikikit.bare(tmp_path, monkeypatch)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    place.root.mkdir(exist_ok=True)
    gitkit.put(place.root, dict(VAULT))
    before = sorted(path.as_posix() for path in place.root.rglob("*"))
    done = place.ok("--root", ".", "search", "tea")
    assert "Green tea.md" in done.out and "no git in" in done.err
    assert "Teapot" in place.ok("--root", ".", "graph").out
    assert place.run("--root", ".", "remember", "x").code == 3
    for asked in (("status",), ("diff",), ("log",), ("show", "Green tea"), ("why", "Green tea")):
        needs = place.run("--root", ".", *asked)
        assert needs.code == 3 and "this needs git" in needs.err, asked
    refused = place.run("search", "tea")
    assert refused.code == 3 and "wiki --root" in refused.err
    assert before == sorted(path.as_posix() for path in place.root.rglob("*"))


def test_links_of_a_folder_are_paths_also_through_symbolic_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = wikikit.bare(tmp_path, monkeypatch)
    links = "[a](new.md#pot) [b](two/Tea.md) [c](two/pot.pdf) [d](../../two/Tea.md) [e](off/Tea.md)"
    files = {"docs/Tea.md": "# Pot\n", "docs/pot.pdf": "x", "docs/Links.md": f"{links}\n"}
    gitkit.put(place.root, files)
    (place.root / "docs/new.md").symlink_to("Tea.md")
    (place.root / "docs/two").symlink_to(".")
    (place.root / "two").symlink_to("docs")
    (place.root / "docs/off").symlink_to("/")
    done = place.run("--root", ".", "lint", "--json").json["findings"]
    told = [(row["message"], row["mend"]) for row in done if row["code"] in ("WK102", "WK104")]
    assert told == [
        ("(../../two/Tea.md) leads to no file", "Did you mean (Tea.md)?"),
        ("(off/Tea.md) leads to no file", "Did you mean (Tea.md)?"),
    ]
