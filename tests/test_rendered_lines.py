"""What follows from the rest of a wiki is written anew: without it one operation brings it back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import wikikit
from wikikit import Wiki, answer, claim

NOTES = {
    "raw/report.md": ("2025-03-01", ("Brix renewed the crane.", "The crane lifts 80 tonnes.")),
    "raw/audit.md": ("2019-06-02", ("The crane was checked.", "The quay is wide.")),
}
FOOTNOTE = re.compile(r"^\[\^[^\]\n]+\]: \[\[sources/[^\n]*\n", re.MULTILINE)


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    made = wikikit.make(tmp_path, monkeypatch)
    for name, (date, said) in NOTES.items():
        text = f"# Report {date}\n\n" + "\n".join(said) + "\n"
        subjects = ("Quay" if "quay" in words else "Crane" for words in said)
        claims = [
            {**claim(subject, words, lines=(n, n)), "id": f"k{n}"}
            for n, (subject, words) in enumerate(zip(subjects, said, strict=True), 3)
        ]
        made.learn(name, text, answer(claims))
    return made


def pages(wiki: Wiki) -> dict[str, str]:
    return {n: wiki.read(n) for n in wiki.files() if n.startswith("wiki/") and n.endswith(".md")}


def test_rendered_lines_come_back_with_one_operation(wiki: Wiki) -> None:
    before = pages(wiki)
    gone = 0
    for name, text in before.items():
        if name in ("wiki/index.md", "wiki/overview.md"):
            left = "# Gone\n"
        else:
            left = FOOTNOTE.sub("", text).rstrip("\n") + "\n"
        gone += left != text
        wiki.put(name, left)
    assert gone == 4
    wiki.git("commit", "-qam", "all that follows from the rest", "--no-verify")
    head = wiki.head
    wiki.ok("lint", "--fix")
    assert wiki.git("rev-parse", "HEAD~1").strip() == head
    after = pages(wiki)
    log = "wiki/log.md"
    assert {**after, log: ""} == {**before, log: ""}
    assert after[log].startswith(before[log])
