"""Two clones of one wiki, in which two people work, and what comes of merging them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import gitkit
from wikikit import Wiki, answer, claim

THINGS = ("Kettle", "Teapot", "Samovar", "Green Tea")
DAY = 86_400


def fact(thing: str, number: int) -> str:
    return f"The {thing} has the property number {number}."


def learn(wiki: Wiki, name: str, facts: list[tuple[str, int]]) -> None:
    """Ingests a document that states these facts, read by an agent."""
    lines = [fact(thing, n) for thing, n in facts]
    text = f"# About {name}\n\n" + "\n".join(lines) + "\n"
    claims = [
        claim(thing, line, lines=(number, number))
        for number, ((thing, _n), line) in enumerate(zip(facts, lines, strict=True), start=3)
    ]
    wiki.learn(name, text, answer(claims, document={"title": f"About {name}", "summary": "Facts."}))


@dataclass
class Clones:
    """A wiki `one` and a clone of it, `two`."""

    one: Wiki
    two: Wiki
    driver: bool

    def merge(self, into: Wiki, other: Wiki) -> list[str]:
        """Merges the other clone's branch; the paths that a person must look at."""
        into.git("fetch", "-q", str(other.root), "HEAD")
        into.git("merge", "-q", "--no-edit", "FETCH_HEAD", ok=(0, 1))
        return into.git("diff", "--name-only", "--diff-filter=U").split("\n")[:-1]


def move_claim(wiki: Wiki, words: str, path: str) -> None:
    """A person moves the claim with these words to another page of its source."""
    home, lines = wiki.block(wiki.claim(words).id)
    wiki.put(home, wiki.read(home).replace(lines, ""))
    wiki.put(path, wiki.read(path).replace("## Claims\n\n", f"## Claims\n\n{lines}"))
    wiki.git("commit", "-qam", "moved by hand")


def clone(wiki: Wiki, place: Path, *, driver: bool) -> Wiki:
    gitkit.git(place.parent, "clone", "-q", str(wiki.root), str(place))
    other = Wiki(place)
    if driver:
        other.ok("init")
    return other


def pair(wiki: Wiki, *, driver: bool) -> Clones:
    """The wiki and a clone of it; without `driver` neither has the merge driver."""
    two = clone(wiki, wiki.root.parent / "two", driver=driver)
    if not driver:
        wiki.git("config", "--remove-section", "merge.llmwiki")
    return Clones(wiki, two, driver)


def bring_together(way: str, into: Wiki, other: Wiki) -> None:
    """Merges, or rebases onto, the other clone; `wiki resolve` must take all that stops it."""
    into.git("fetch", "-q", str(other.root), "HEAD")
    command = ["merge", "-q", "--no-edit"] if way == "merge" else ["rebase", "-q"]
    into.git(*command, "FETCH_HEAD", ok=(0, 1))
    for _step in range(30):
        if into.run("status", "--json").json.get("in_progress") is None and not stopped(into):
            break
        done = into.run("resolve")
        assert done.code == 0, done
        into.git("-c", "core.editor=true", way, "--continue", ok=(0, 1))
    assert not stopped(into)
    into.ok("remember", f"Brought together after {into.count()} commits.")
    if way == "rebase":
        into.ok("lint", "--fix", "--fail-on", "never", "--select", "WK010,WK303")
    assert into.status == ""


def stopped(wiki: Wiki) -> bool:
    folder = wiki.root / ".git"
    return any((folder / name).exists() for name in ("MERGE_HEAD", "rebase-merge", "rebase-apply"))
