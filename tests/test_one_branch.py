"""Index, overview and log are written on one branch: others carry pages and sources only, so that
git and any forge merge them, and the next operation on that one brings it up to date."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import gitkit
import pytest
import wikikit
import yaml
from clones import THINGS, learn
from wikikit import Wiki

import llmwiki

MAIN = "main"
INDEX, LOG, OVERVIEW = "wiki/index.md", "wiki/log.md", "wiki/overview.md"
CATALOGUE = (INDEX, LOG, OVERVIEW)
TEA = "wiki/concepts/Tea.md"


def tea(wiki: Wiki) -> None:
    learn(wiki, "raw/tea.md", [("Tea", 0), ("Kettle", 0)])


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch, tea)


def on_branch(wiki: Wiki, name: str, act: Callable[[], object]) -> str:
    """What somebody does on a new branch that begins from main; its commit."""
    wiki.git("switch", "-q", "-c", name, MAIN)
    act()
    head = wiki.head
    wiki.git("switch", "-q", MAIN)
    return head


def catalogue(wiki: Wiki, revision: str = "HEAD") -> list[str]:
    return [wiki.git("show", f"{revision}:{path}") for path in CATALOGUE]


def identity(wiki: Wiki, revision: str = "HEAD") -> list[str]:
    trailers = "--format=%(trailers:key=Wiki-Id,valueonly)"
    return wiki.git("log", "-1", trailers, revision).split()


def plain(wiki: Wiki) -> None:
    """Leaves the clone as a forge has it: neither drivers nor attributes."""
    (wiki.root / ".git/info").mkdir(exist_ok=True)
    wiki.put(".git/info/attributes", "* merge=text\n")
    wiki.git("config", "--remove-section", "merge.llmwiki", ok=(0, 128))


def codes(wiki: Wiki) -> list[str]:
    return [found["code"] for found in wiki.run("lint", "--json").json["findings"]]


def is_up_to_date(wiki: Wiki, *operations: str) -> None:
    """The log tells of these once, and the files are those that would be rendered."""
    log = wiki.read(LOG)
    assert [log.count(f" · {each}\n") for each in operations] == [1] * len(operations)
    assert not {"WK019"} & set(codes(wiki))
    assert not {"WK401", "WK402"} & set(codes(wiki))


# --- where they are written ----------------------------------------------------------------


def test_init_names_the_branch_it_runs_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wiki = wikikit.bare(tmp_path, monkeypatch)
    wiki.git("init", "-q", "-b", 'trunk"ä')
    wiki.ok("init")
    assert wiki.read(".llmwiki.toml").endswith('\nbranch = "trunk\\"ä"\n')
    wiki.ok("remember", "The kettle is broken.")
    assert identity(wiki)[0] in wiki.read(LOG)
    assert "is complete; nothing to do" in wiki.run("init").out


@pytest.mark.parametrize("where", ["branch", "detached"])
def test_elsewhere_none_of_them_is_touched(wiki: Wiki, where: str) -> None:
    before = catalogue(wiki)
    more = ["--allow-detached"] if where == "detached" else []
    wiki.git("switch", "-q", *(["--detach"] if more else ["-c", "topic"]))
    learn_on = [
        ("remember", "The kettle is broken.", *more),
        ("rename", "Tea", "Tea plant drink", *more),
        ("undo", *more),
    ]
    for command in learn_on:
        wiki.ok(*command)
        assert catalogue(wiki) == before
    assert wiki.run("lint").code == 0, "lint asks nothing of them here"
    wiki.put(LOG, "# Log\n")
    wiki.put(INDEX, "# Index\n\n* [Overview](overview.md) - x\n")
    assert wiki.run("lint").code == 0
    done = wiki.run("lint", "--fix", *more)
    assert (done.code, wiki.read(LOG)) == (0, "# Log\n")


def test_no_branch_where_they_are_another_tools(wiki: Wiki) -> None:
    before = catalogue(wiki)
    wiki.edit(".llmwiki.toml", 'branch = "main"', 'branch = ""')
    wiki.ok("remember", "The kettle is broken.")
    assert catalogue(wiki) == before
    assert wiki.run("lint").code == 0


def test_a_branch_that_is_nowhere_is_said(wiki: Wiki) -> None:
    wiki.git("branch", "-m", MAIN, "trunk")
    done = wiki.ok("remember", "The kettle is broken.")
    assert "written on the branch main, which is not here" in done.err
    wiki.edit(".llmwiki.toml", 'branch = "main"', 'branch = "trunk"')
    done = wiki.ok("remember", "The kettle is mended.")
    assert "branch" not in done.err
    is_up_to_date(wiki)


# --- coming back ---------------------------------------------------------------------------


def fast_forward(wiki: Wiki, topic: str) -> None:
    wiki.git("merge", "-q", "--ff-only", topic)


def button(wiki: Wiki, topic: str) -> None:
    wiki.git("merge", "-q", "--no-ff", "-m", f"Merge {topic}", topic)


def squash(wiki: Wiki, topic: str) -> None:
    told = wiki.git("log", "--reverse", "--format=* %B", f"HEAD..{topic}")
    wiki.git("merge", "-q", "--squash", topic)
    wiki.git("commit", "-q", "-m", f"Two things ({topic})\n\n{told}")


def rebase(wiki: Wiki, topic: str) -> None:
    wiki.git("rebase", "-q", MAIN, topic)
    wiki.git("switch", "-q", MAIN)
    fast_forward(wiki, topic)


def pick(wiki: Wiki, topic: str) -> None:
    wiki.git("cherry-pick", "-x", f"HEAD..{topic}")


WAYS = (fast_forward, button, squash, rebase, pick)


@pytest.mark.parametrize(
    ("way", "next_one"),
    [*((way, "operation") for way in WAYS), (button, "fix"), (pick, "fix")],
    ids=lambda each: getattr(each, "__name__", each),
)
def test_the_next_operation_brings_them_up_to_date(
    wiki: Wiki, way: Callable[[Wiki, str], None], next_one: str
) -> None:
    told: list[str] = []

    def act() -> None:
        for name, thing in (("raw/a.md", "Kettle"), ("raw/b.md", "Samovar")):
            learn(wiki, name, [(thing, 1)])
            told.extend(identity(wiki))

    on_branch(wiki, "topic", act)
    if way is not fast_forward:
        learn(wiki, "raw/c.md", [("Teapot", 2)])
        told.extend(identity(wiki))
    plain(wiki)
    way(wiki, "topic")
    assert set(codes(wiki)) <= {"WK401"}, "what is due is a note, and no warning"
    assert wiki.run("lint").code == 0
    before = wiki.count()
    if next_one == "fix":
        wiki.ok("lint", "--fix")
    else:
        wiki.ok("remember", "The kettle is broken.")
    assert wiki.count() == before + 1
    is_up_to_date(wiki, *told, *identity(wiki))
    assert "Samovar" in wiki.read(INDEX)
    if way is not squash:
        wikikit.check(wiki)


def test_a_session_that_landed_on_the_topic_branch_itself(wiki: Wiki) -> None:
    """What it landed last it takes for told only where it told it."""
    with llmwiki.Wiki.open(wiki.root).session() as open_wiki:
        wiki.git("switch", "-q", "-c", "topic")
        open_wiki.remember("The kettle is broken.")
        topic = identity(wiki)
        wiki.git("switch", "-q", MAIN)
        fast_forward(wiki, "topic")
        open_wiki.remember("The kettle is mended.")
    is_up_to_date(wiki, *topic, *identity(wiki))


def test_a_merge_of_main_into_a_topic_branch_keeps_mains(wiki: Wiki) -> None:
    on_branch(wiki, "topic", lambda: learn(wiki, "raw/a.md", [("Kettle", 1)]))
    learn(wiki, "raw/c.md", [("Teapot", 2)])
    plain(wiki)
    wiki.git("switch", "-q", "topic")
    wiki.git("merge", "-q", "--no-edit", MAIN)
    wiki.ok("remember", "The kettle is broken.")
    assert catalogue(wiki) == catalogue(wiki, MAIN)
    own = identity(wiki)
    wiki.git("switch", "-q", MAIN)
    button(wiki, "topic")
    wiki.ok("remember", "The teapot, too.")
    is_up_to_date(wiki, *own, *identity(wiki))


# --- two topic branches --------------------------------------------------------------------


def test_branches_without_a_common_page_merge_by_any_forge(wiki: Wiki) -> None:
    """Eight pairs: new pages, old ones, a note, a rename, a retraction, an undo."""
    for number, thing in enumerate(THINGS):
        learn(wiki, f"raw/old-{number}.md", [(thing, number)])
    acts: dict[str, Callable[[], object]] = {
        "new": lambda: learn(wiki, "raw/n.md", [("Cup", 7)]),
        "old": lambda: learn(wiki, "raw/o.md", [(THINGS[0], 8)]),
        "newer": lambda: learn(wiki, "raw/p.md", [("Saucer", 9)]),
        "note": lambda: wiki.ok("remember", "The kettle is broken."),
        "rename": lambda: wiki.ok("rename", THINGS[1], "Pot"),
        "retract": lambda: wiki.ok("retract", "raw/old-2.md"),
        "again": lambda: learn(wiki, "raw/q.md", [("Spoon", 10), ("Fork", 11)]),
        "undo": lambda: wiki.ok("undo"),
        "last": lambda: learn(wiki, "raw/r.md", [("Tray", 12)]),
    }
    for name, act in acts.items():
        on_branch(wiki, name, act)
    plain(wiki)
    for one, other in pairwise(acts):
        done = wiki.git("merge-tree", "--write-tree", one, other, ok=(0, 1))
        assert "CONFLICT" not in done, (one, other)
    for name in acts:
        button(wiki, name)
    wiki.ok("remember", "All is merged.")
    is_up_to_date(wiki)
    wikikit.check(wiki)


def test_a_branch_for_review_is_one_of_them(wiki: Wiki) -> None:
    """Begun on a topic branch, too."""
    before = catalogue(wiki)
    wiki.git("switch", "-q", "-c", "topic")
    wiki.put("raw/n.md", "# N\n\nA tea of the north is a kind of tea.\n")
    told = wiki.ok("ingest", "raw/n.md", "--model", "offline", "--review", "--json").operation
    branch = f"wiki-review/{told['id']}"
    assert catalogue(wiki, branch) == before
    wiki.ok("review", "accept", told["id"], "--yes")
    assert catalogue(wiki) == before
    wiki.git("switch", "-q", MAIN)
    fast_forward(wiki, "topic")
    wiki.ok("remember", "The kettle is broken.")
    is_up_to_date(wiki, told["id"], *identity(wiki))


# --- what the button cannot merge ------------------------------------------------------------


def put_in_path(monkeypatch: pytest.MonkeyPatch, folder: Path, name: str, script: str) -> None:
    folder.mkdir()
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def run_last_step(workflow: str, where: Path) -> str:
    """What the last step of a workflow in docs/ci.md says, run in a clone."""
    text = (Path(__file__).parents[1] / "docs/ci.md").read_text()
    block = next(each for each in text.split("```yaml\n") if each.startswith(f"# {workflow}\n"))
    (job,) = yaml.safe_load(block.partition("```")[0])["jobs"].values()
    done = subprocess.run(
        ["bash", "-c", job["steps"][-1]["run"]],
        cwd=where,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done
    return done.stdout


def test_a_job_resolves_what_the_button_cannot_merge(
    wiki: Wiki, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last step of the workflow in docs/ci.md, with a bare repository as the forge."""
    forge = tmp_path / "forge.git"
    gitkit.git(tmp_path, "init", "-q", "--bare", "-b", MAIN, str(forge))
    on_branch(wiki, "topic", lambda: learn(wiki, "raw/a.md", [("Tea", 1), ("Kettle", 2)]))
    on_branch(wiki, "other", lambda: learn(wiki, "raw/b.md", [("Cup", 3)]))
    on_branch(
        wiki,
        "person",
        lambda: wiki.edit(
            TEA, "- The Tea has the property number 0", "- A Tea has the property number 0"
        ),
    )
    wiki.edit(TEA, "- The Tea has the property number 0", "- Each Tea has the property number 0")
    learn(wiki, "raw/c.md", [("Tea", 4)])
    names = ("topic", "other", "person")
    wiki.git("push", "-q", str(forge), MAIN, *names)
    before = {name: wiki.git("rev-parse", name) for name in names}
    for name in ("topic", "person"):
        assert "CONFLICT" in gitkit.git(forge, "merge-tree", "--write-tree", MAIN, name, ok=(1,))
    gitkit.git(tmp_path, "clone", "-q", str(forge), "job")
    put_in_path(monkeypatch, tmp_path / "bin", "gh", "echo other person topic")
    run_last_step(".github/workflows/wiki-resolve.yml", tmp_path / "job")
    after = {name: gitkit.git(forge, "rev-parse", name) for name in names}
    assert [name for name in names if after[name] != before[name]] == ["topic", "person"]
    both = gitkit.git(forge, "show", f"person:{TEA}")
    assert "The other side of a merge: " in both and "A Tea has" in both and "Each Tea has" in both
    gitkit.git(forge, "merge-tree", "--write-tree", MAIN, "topic")
    wiki.git("fetch", "-q", str(forge), "topic:merged")
    assert catalogue(wiki, "merged") == catalogue(wiki)
    plain(wiki)
    button(wiki, "merged")
    wiki.ok("remember", "All is merged.")
    is_up_to_date(wiki)
    page = wiki.read(TEA)
    assert "property number 1" in page and "property number 4" in page
