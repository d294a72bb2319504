"""What people write into pages by hand is kept by the readings that follow, and nothing else moves.

Each kind of edit is one function: it changes a page and gives what must hold afterwards.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import wikikit
from longform import LONG
from wikikit import Wiki, answer, check, claim, pages_in

from llmwiki.core.text import fold
from llmwiki.pages.page import Page

CRANE, QUAY = "wiki/concepts/Crane.md", "wiki/concepts/Quay.md"
SAID = {
    "Crane": [
        "The crane lifts 80 tonnes.",
        "The crane was renewed by Brix.",
        "The crane is watched at night.",
        "The crane turns on rails.",
        "The crane fails in frost.",
        "The crane carries chains.",
    ],
    "Quay": ["The quay is wide.", "The quay was built in 1920.", "The quay floods in winter."],
}
TEXT = "# Harbour\n\n" + "\n".join(line for lines in SAID.values() for line in lines) + "\n"
SEEDS = 20 if LONG else 1

Files = dict[str, str]
Holds = Callable[[Files], bool]
Edit = Callable[[random.Random, Files, str], Holds | None]
"""Changes the files at the claim with that id; gives what holds later. None: it cannot be made."""


def reading() -> dict[str, object]:
    lines = TEXT.split("\n")
    claims = [
        {**claim(subject, words, lines=(lines.index(words) + 1,) * 2), "id": f"k{subject}{n}"}
        for subject, said in SAID.items()
        for n, words in enumerate(said)
    ]
    claims[0] |= {"key": "load", "value": "80 tonnes"}
    claims[1]["text"] = "Brix has renewed the crane."
    claims[1]["evidence"] += [{"quote": "The crane lifts 80 tonnes."}]
    claims[4] |= {"stance": "rejected", "scope": "in winter"}
    claims[7] |= {"also": ["Crane"]}
    return answer(claims)


def learn(wiki: Wiki, remark: str = "") -> None:
    """The source, with a remark on top, is read."""
    lines = remark.count("\n")
    told = reading()
    for each in told["claims"]:  # type: ignore[attr-defined]
        for quote in each["evidence"]:
            if "lines" in quote:
                quote["lines"] = [line + lines for line in quote["lines"]]
    wiki.learn("raw/harbour.md", remark + TEXT, told)


def block(text: str, ident: str) -> str:
    """The lines of a claim."""
    found = re.search(rf"^- [^\n]*(?:\n  [^-\n][^\n]*)?\^{ident}\n(?:  - [^\n]*\n)*", text, re.M)
    assert found, ident
    return found[0]


def home(files: Files, ident: str) -> str:
    return next(path for path, text in files.items() if f" ^{ident}\n" in text)


def on(change: Callable[[str], str], holds: Callable[[str], bool]) -> Edit:
    """An edit of the lines of a claim, and what holds of them later."""

    def edit(_rng: random.Random, files: Files, ident: str) -> Holds | None:
        path = home(files, ident)
        old = block(files[path], ident)
        new = change(old)
        if new == old:
            return None
        files[path] = files[path].replace(old, new)
        return lambda after: holds(block(after[home(after, ident)], ident))

    return edit


def page_edit(change: Callable[[str], str], kept: str) -> Edit:
    def edit(_rng: random.Random, files: Files, ident: str) -> Holds | None:
        path = home(files, ident)
        new = change(files[path])
        if new == files[path]:
            return None
        files[path] = new
        return lambda after: kept in after[path]

    return edit


def delete(_rng: random.Random, files: Files, ident: str) -> Holds:
    path = home(files, ident)
    files[path] = files[path].replace(block(files[path], ident), "")
    return lambda after: not any(f" ^{ident}\n" in text for text in after.values())


def swap(rng: random.Random, files: Files, ident: str) -> Holds | None:
    path = home(files, ident)
    ids = re.findall(r" \^(c-\w+)$", files[path], re.M)
    at = ids.index(ident)
    if at + 1 >= len(ids):
        return None
    one, two = block(files[path], ident), block(files[path], ids[at + 1])
    if one + two not in files[path]:
        return None
    files[path] = files[path].replace(one + two, two + one)
    other = ids[at + 1]
    return lambda after: (
        f"^{other}\n" not in after.get(path, "")
        or f"^{ident}\n" not in after.get(path, "")
        or after[path].index(f"^{other}\n") < after[path].index(f"^{ident}\n")
    )


def under_heading(_rng: random.Random, files: Files, ident: str) -> Holds:
    path = home(files, ident)
    lines = block(files[path], ident)
    head, _, tail = files[path].replace(lines, "").partition("\n[^")
    files[path] = f"{head.rstrip()}\n\n### By hand {ident}\n\n{lines}\n[^{tail}"
    return lambda after: f"### By hand {ident}\n\n{lines.split(' ^')[0][:20]}" in after[path]


def to_other_page(_rng: random.Random, files: Files, ident: str) -> Holds:
    path = home(files, ident)
    target = QUAY if path == CRANE else CRANE
    lines = block(files[path], ident)
    files[path] = files[path].replace(lines, "")
    files[target] = files[target].replace("## Claims\n\n", f"## Claims\n\n{lines}", 1)
    return lambda after: home(after, ident) == target


def strike(_rng: random.Random, files: Files, ident: str) -> Holds | None:
    path = home(files, ident)
    others = [i for i in re.findall(r" \^(c-\w+)$", files[path], re.M) if i != ident]
    old = block(files[path], ident)
    if not others or "~~" in old or "](" in old:
        return None
    said = old[2 : old.index(" ^c-")]
    link = f"[[{Path(path).stem}#^{others[0]}|{Path(path).stem}]]"
    files[path] = files[path].replace(old, old.replace(said, f"~~{said}~~ → {link}", 1))
    return lambda after: "~~ → [[" in block(after[home(after, ident)], ident)


def both_words(old: str) -> str:
    """Another wording; of a claim that is its quote the quote stays below it."""
    found = re.match(r"- (?:\*\*Denied:\*\* )?“([^”]*)” (\[\^[^\]]*\])(.*)\n", old)
    if found is None:
        return re.sub(r"^(- (?:\*\*Denied:\*\* )?)[^*\n]*?( \*\(| \^)", r"\1Said by hand.\2", old)
    head, rest = old.split("\n", 1)
    quoted = f"“{found[1]}” {found[2]}"
    return f"{head.replace(quoted, 'Said by hand.')}\n  - {quoted}\n{rest}"


def more(old: str) -> str:
    """With one more attribute on the claim's line."""
    word = "confidence: high"
    if ")* ^c-" in old:
        return old.replace(")* ^c-", f"; {word})* ^c-", 1)
    return old.replace(" ^c-", f" *({word})* ^c-", 1)


def other_lead(text: str) -> str:
    return re.sub(r"(\n# [^\n]*\n\n)[^\n#][^\n]*", r"\1A lead of mine.", text, count=1)


def other_description(text: str) -> str:
    return re.sub(r"^description: .*", "description: Mine.", text, count=1, flags=re.M)


SECTION = "## How we use it\n\nThis is *ours*.\n"
TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n"
ITEM = "- An item of mine.\n"
CLAIM_EDITS: dict[str, Edit] = {
    "reword": on(both_words, lambda b: "Said by hand." in b and "” [^harbour-md]" in b),
    "delete": delete,
    "nest a remark": on(lambda b: b + "  - We saw this. (Ada)\n", lambda b: "(Ada)" in b),
    "swap": swap,
    "under an own heading": under_heading,
    "to another page": to_other_page,
    "attribute": on(more, lambda b: "confidence: high" in b),
    "other attribute": on(
        lambda b: b.replace("scope: in winter", "scope: at night"), lambda b: "at night" in b
    ),
    "no attribute": on(lambda b: b.replace(" *(load = 80 tonnes)*", ""), lambda b: "load" not in b),
    "no denial": on(lambda b: b.replace("**Denied:** ", ""), lambda b: "Denied" not in b),
    # Nothing remembers that a quote went: the next reading that gives it adds it again.
    "one quote less": on(
        lambda b: re.sub(r"  - “The crane lifts[^\n]*\n", "", b),
        lambda b: "  - “The crane lifts" in b,
    ),
    "strike": strike,
    "link": on(lambda b: b.replace(" renewed ", " [[Quay|renewed]] ", 1), lambda b: "[[Quay|" in b),
    "wrap": on(lambda b: re.sub(r"^(- \w+ has) ", r"\1\n  ", b), lambda b: "has\n  renewed" in b),
}
PAGE_EDITS: dict[str, Edit] = {
    "lead": page_edit(other_lead, "A lead of mine."),
    "description": page_edit(other_description, "description: Mine."),
    "alias": page_edit(
        lambda t: t.replace("\ngenerated:", "\naliases:\n  - Own\ngenerated:"), "- Own"
    ),
    "tag": page_edit(
        lambda t: t.replace("\ngenerated:", "\ntags:\n  - mine\ngenerated:"), "- mine"
    ),
    "own key": page_edit(lambda t: t.replace("type:", "owner: Ada\ntype:", 1), "owner: Ada"),
    "own section": page_edit(lambda t: t.replace("\n[^", f"\n{SECTION}\n[^", 1), SECTION),
    "own item": page_edit(lambda t: t.replace("## Claims\n\n", f"## Claims\n\n{ITEM}"), ITEM),
    "own table": page_edit(lambda t: t.replace("## Claims", f"{TABLE}\n## Claims"), TABLE),
}
KINDS = {**CLAIM_EDITS, **PAGE_EDITS}


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch, learn)


def files_of(wiki: Wiki) -> Files:
    return {path: wiki.read(path) for path in (CRANE, QUAY) if path in wiki.files()}


def edited(wiki: Wiki, kinds: list[str], rng: random.Random) -> tuple[dict[str, Holds], set[str]]:
    """Makes edits, each of another claim, in one commit: what holds later, and the claims."""
    files = files_of(wiki)
    free = sorted(re.findall(r" \^(c-\w+)$", "\n".join(files.values()), re.M))
    rng.shuffle(free)
    holds: dict[str, Holds] = {}
    touched: set[str] = set()
    for kind in kinds:
        for ident in [i for i in free if i not in touched]:
            found = KINDS[kind](rng, files, ident)
            if found is not None:
                holds[kind] = found
                touched |= {ident} if kind in CLAIM_EDITS else set()
                break
    for path, text in files.items():
        wiki.put(path, text)
    wiki.git("commit", "-qam", "a person edits", "--no-verify")
    return holds, touched


def told(files: Files) -> dict[str, str]:
    """Each claim with all that it says."""
    return {
        c.id: f"{fold(c.text)} {sorted(c.attributes)} {sorted(e.identity for e in c.evidence)}"
        for p, t in files.items()
        for c in Page.parse(p, t).claims
    }


BATCHES = [[*KINDS][start::5] for start in range(5)]


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("kinds", [*BATCHES, *([[k] for k in KINDS] if LONG else [])], ids="+".join)
def test_edits_by_hand_are_kept(wiki: Wiki, kinds: list[str], seed: int) -> None:
    rng = random.Random(f"{seed} {kinds}")
    holds, touched = edited(wiki, kinds, rng)
    assert holds
    before = told(files_of(wiki))
    learn(wiki, f"A remark of the day {seed}.\nAnd another.\n")
    after = files_of(wiki)
    for kind, held in holds.items():
        assert held(after), (kind, after)
    now = told(after)
    assert {k: v for k, v in now.items() if k not in touched} == {
        k: v for k, v in before.items() if k not in touched
    }
    check(wiki, dangling=True)
    wiki.prepare("raw/harbour.md", "--again")
    again = dict(wiki.contents(lambda p: p.startswith("wiki/concepts/")))
    learn(wiki, f"A remark of the day {seed}.\nAnd another.\n")
    assert dict(wiki.contents(lambda p: p.startswith("wiki/concepts/"))) == again
    assert pages_in(again)
