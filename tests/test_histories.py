"""Random lives of a wiki: sources read, retracted, undone and redone, and people at work between.

After each step the claims and their quotes are those of a life in which what was undone and what
was retracted never happened.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import wikikit
from diffkit import check_diffs
from longform import LONG
from wikikit import Wiki, answer, check, claim

SOURCES = 5
THINGS = ("Kettle", "Teapot", "Samovar")


def fact(number: int) -> tuple[str, str]:
    """(subject, sentence); numbers below 6 are shared by several sources."""
    thing = THINGS[number % len(THINGS)]
    return thing, f"The {thing} has the well known property number {number} of the list."


def facts_of(source: int, rng: random.Random) -> list[int]:
    shared = rng.sample(range(6), 2)
    return sorted([*shared, *(10 * (source + 1) + k for k in range(3))])


@dataclass
class Step:
    """An operation that landed."""

    kind: str
    id: str
    source: int = -1
    undoes: Step | None = None
    is_undone: bool = False


@dataclass
class Life:
    wiki: Wiki
    rng: random.Random
    facts: dict[int, list[int]] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    """What people wrote under claims."""
    strikes: str = ""
    fixed: set[int] = field(default_factory=set)
    """Sources whose retraction is not undone any more."""

    def expected(self) -> dict[str, set[str]]:
        """Sentence to the ids of the sources that say it."""
        held: dict[str, set[str]] = {}
        for step in self.steps:
            if step.is_undone or step.undoes is not None:
                continue
            name = f"s{step.source}-md"
            if step.kind == "ingest":
                for number in self.facts[step.source]:
                    held.setdefault(fact(number)[1], set()).add(name)
            else:
                for sources in held.values():
                    sources.discard(name)
        return {sentence: sources for sentence, sources in held.items() if sources}

    def held(self, claims: Mapping[str, tuple[str, Any]]) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for _path, one in claims.values():
            assert one.evidence, one
            for piece in one.evidence:
                found.setdefault(piece.quote, set()).add(piece.source)
        return found

    # --- what happens --------------------------------------------------------------------

    def ingest(self) -> None:
        source = self.rng.randrange(SOURCES)
        if self.in_force(source):
            return
        numbers = self.facts.setdefault(source, facts_of(source, self.rng))
        name = f"raw/s{source}.md"
        lines = [fact(n)[1] for n in numbers]
        text = f"# Source {source}\n\n" + "\n".join(lines) + "\n"
        claims: list[dict[str, Any]] = [
            claim(fact(n)[0], line, lines=(at, at))
            for at, (n, line) in enumerate(zip(numbers, lines, strict=True), start=3)
        ]
        target = next((c for _p, c in self.wiki.claims().values() if c.text == self.strikes), None)
        if source and target is not None:
            claims[-1]["links"] = [{"to": target.id, "how": "supersedes"}]
        self.wiki.put(name, text)
        self.wiki.prepare(name)
        said = answer(claims, document={"title": f"Source {source}", "summary": "Facts."})
        source_of = {"sha256": wikikit.sha(text), "segment": [1, 1]}
        done = self.wiki.apply({**said, "source": source_of})
        if done.code == 0 and done.operation["id"]:
            self.steps.append(Step("ingest", done.operation["id"], source))

    def in_force(self, source: int) -> bool:
        return any(s.source == source and not s.is_undone for s in self.steps if s.undoes is None)

    def retract(self) -> None:
        """Of a source but the first, whose claim others strike."""
        read = sorted({s.source for s in self.steps if s.kind == "ingest" and s.source})
        if not read:
            return
        source = self.rng.choice(read)
        done = self.wiki.run("retract", f"raw/s{source}.md", "--json")
        if done.code == 0 and done.json["id"]:
            self.steps.append(Step("retract", done.json["id"], source))

    def undo(self) -> None:
        standing = [s for s in self.steps if not s.is_undone and s.source]
        if not standing:
            return
        step = self.rng.choice(standing[-4:])
        if not self.may_undo(step):
            return
        head = self.wiki.head
        done = self.wiki.run("undo", step.id, "--json")
        if done.code == 3:
            assert self.wiki.head == head
            return
        told = done.json
        if told["id"] is None:
            return
        step.is_undone = True
        self.steps.append(Step("undo", told["id"], step.source, undoes=step))
        if step.undoes is not None:
            step.undoes.is_undone = False

    def may_undo(self, step: Step) -> bool:
        """Whether what the undo shall give can be told: of one source one operation at a time."""
        others = [
            s for s in self.steps
            if s.source == step.source and s is not step and s.undoes is None and not s.is_undone
        ]  # fmt: skip
        if step.undoes is not None:
            # What a retraction takes out once more is what it took out: an ingest before it.
            place = self.steps.index
            before = [s for s in others if place(s) < place(step.undoes)]
            return not others or (step.undoes.kind == "retract" and others == before[:1])
        if step.kind == "retract":
            return len(others) == 1
        return not others

    def annotate(self) -> None:
        """A person writes under a claim, in a commit of their own."""
        claims = sorted(self.wiki.claims().items())
        if not claims:
            return
        ident, (path, one) = self.rng.choice(claims)
        line = f"  - Remark {len(self.lines)} of Ann."
        text = self.wiki.read(path)
        piece = one.evidence[-1]
        at = next(
            row for row in text.split("\n")
            if f"“{piece.quote}”" in row and f"[^{piece.source}]" in row
        )  # fmt: skip
        assert f"^{ident}" in text
        self.lines.append(line)
        self.wiki.edit(path, at, f"{at}\n{line}")

    def remember(self) -> None:
        self.wiki.ok("remember", f"Note {len(self.steps)} of the day.")


def live(wiki: Wiki, seed: int, steps: int) -> None:
    rng = random.Random(seed)
    life = Life(wiki, rng)
    life.facts[0] = [0, 1, 7, 8, 9]
    life.strikes = fact(9)[1]
    kinds = ("ingest", "ingest", "ingest", "retract", "undo", "undo", "annotate", "remember")
    for number in range(steps):
        what = "ingest" if number < 3 else rng.choice(kinds)
        getattr(life, what)()
        told = (seed, number, what, [(s.kind, s.source, s.is_undone) for s in life.steps])
        pages = wiki.pages()
        standing = wikikit.claims_on(pages)
        assert life.held(standing) == life.expected(), told
        text = "\n".join(page.text for page in pages.values())
        for line in life.lines:
            assert line in text, (told, line)
        struck = [c for _p, c in standing.values() if c.successor]
        for one in struck:
            assert any(f"^{ident}|" in one.successor for ident in standing), (told, one)
    check(wiki)
    check_diffs(wiki, rng)


@pytest.mark.parametrize("seed", range(200 if LONG else 2))
def test_a_life_is_as_if_what_was_taken_back_had_never_been(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    live(wikikit.make(tmp_path, monkeypatch), seed, 14 if LONG else 10)
