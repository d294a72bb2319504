"""What memory answers after many conversations: 1,000 sessions, 200 facts, 60 of which change.

Each session is a transcript of Claude Code; what is plainly asked in it is learned, one commit a
turn. Then each fact is asked for, offline. Printed: current values answered, outdated ones told as
current, tokens of the memory in every prompt, milliseconds of a question and of a session, at the
beginning and at the end.

    python benchmarks/memory.py [SESSIONS] [FACTS] [CHANGES]
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path

from llmwiki.app.query import QueryOptions
from llmwiki.app.wiki import Wiki
from llmwiki.query.answer_file import markdown

START = date(2024, 1, 1)
THINGS = ("server", "office", "depot", "printer", "meeting", "backup", "garage", "archive")
NAMES = ("Alder", "Birch", "Cedar", "Dogwood", "Elder", "Fir", "Ginkgo", "Hazel", "Iris", "Juniper")
NAMES += ("Kapok", "Larch", "Maple", "Nutmeg", "Oak", "Pine", "Quince", "Rowan", "Spruce", "Teak")
NAMES += ("Ulmus", "Viburnum", "Willow", "Yew", "Zelkova")
PLACES = (
    "Ghent",
    "Bruges",
    "Antwerp",
    "Leuven",
    "Namur",
    "Mons",
    "Arlon",
    "Dinant",
    "Ypres",
    "Spa",
)


def transcript(folder: Path, root: Path, n: int, day: date, typed: list[str]) -> Path:
    """One session as a file."""
    rows = [
        {
            "type": "user",
            "uuid": f"{n}-{i}",
            "parentUuid": None,
            "sessionId": f"s{n:05d}",
            "cwd": str(root),
            "timestamp": f"{day}T12:00:00Z",
            "message": {"role": "user", "content": text},
        }
        for i, text in enumerate(typed)
    ]
    path = folder / f"{n}.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)) + "\n")
    return path


def plan(sessions: int, facts: int, changes: int) -> tuple[list[list[str]], dict[str, list[str]]]:
    """What is typed in each session, and the values of each key in their order."""
    dice = random.Random(17)
    keys = [f"{name} {thing}" for thing in THINGS for name in NAMES][:facts]
    values = {key: [f"in {dice.choice(PLACES)} {dice.randint(10, 9999)}"] for key in keys}
    told: list[list[str]] = [[f"How do I sort list {n}?"] for n in range(sessions)]
    places = sorted(dice.sample(range(sessions // 2), facts))
    for place, key in zip(places, keys, strict=True):
        told[place].append(f"Remember that the {key} is {values[key][0]}.")
    late = sorted(dice.sample(range(sessions // 2, sessions), changes))
    for place, key in zip(late, dice.sample(keys, changes), strict=True):
        values[key].append(f"in {dice.choice(PLACES)} {dice.randint(10, 9999)}")
        told[place].append(f"Correction: the {key} is {values[key][-1]} now.")
    return told, values


def asked(wiki: Wiki, key: str) -> tuple[str, float]:
    """The answer to where a thing is, and the milliseconds it took."""
    begun = time.perf_counter()
    answer = wiki.query(f"Where is the {key}?", QueryOptions(model="offline")).answer
    took = (time.perf_counter() - begun) * 1000
    return markdown(answer) if answer else "", took


def main() -> None:
    """Runs it and prints the figures."""
    given = [int(each) for each in sys.argv[1:4]]
    sessions, facts, changes = [*given, *(1000, 200, 60)[len(given) :]]
    told, values = plan(sessions, facts, changes)
    os.environ.pop("LLMWIKI_NOW", None)
    with tempfile.TemporaryDirectory() as place:
        root, talks = Path(place) / "wiki", Path(place) / "talks"
        root.mkdir()
        talks.mkdir()
        for words in (
            ["init", "-q"],
            ["config", "user.email", "a@b"],
            ["config", "user.name", "A"],
        ):
            subprocess.run(["git", *words], cwd=root, check=True)
        wiki = Wiki.init(root)
        wiki.memory.set_rule("always")
        costs: list[float] = []
        early: list[float] = []
        for n, typed in enumerate(told):
            path = transcript(talks, root, n, START + timedelta(days=n), typed)
            begun = time.perf_counter()
            if wiki.memory.observe(path).learned:
                costs.append((time.perf_counter() - begun) * 1000)
            if n == sessions // 10:
                known = [key for key in values if any(key in t for s in told[:n] for t in s)]
                early = [asked(wiki, key)[1] for key in known[:20]]
        answers = {key: asked(wiki, key) for key in values}
        right = sum(values[key][-1] in text for key, (text, _) in answers.items())
        old = sum(v in text for key, (text, _) in answers.items() for v in values[key][:-1])
        status = wiki.memory.status()
    late = [took for _, took in answers.values()]
    tenth = max(len(costs) // 10, 1)
    print(f"sessions                    {sessions}, of which {len(costs)} taught something")
    print(f"current values answered     {right} of {facts} ({100 * right / facts:.1f} %)")
    print(f"outdated ones as current    {old}")
    print(f"resident text               {status.resident_tokens} of {status.resident_cap} tokens")
    print(f"a question, first tenth     {statistics.median(early or [0]):.0f} ms")
    print(f"a question, at the end      {statistics.median(late):.0f} ms")
    first, last = statistics.median(costs[:tenth]), statistics.median(costs[-tenth:])
    print(f"a session, first tenth      {first:.0f} ms")
    print(f"a session, last tenth       {last:.0f} ms")


if __name__ == "__main__":
    main()
