"""The README, the tour and the sessions beside them print what they say.

`make sessions` writes what is printed now into those that differ; git shows the difference.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import os
from pathlib import Path

import pytest
import wikikit
from sessionkit import CLOCK, Session

ROOT = Path(__file__).parents[1]
RENEW = os.environ.get("LLMWIKI_RENEW") == "1"
PLACE = Path(__file__).parent / "sessions"
TOUR = "docs/tour.md"
SESSIONS = [
    "README.md",
    TOUR,
    "docs/review.md",
    *sorted(f"tests/sessions/{path.name}" for path in PLACE.glob("*.md")),
]
ANSWER = {
    "schema": "llmwiki.extraction/1",
    "source": {
        "sha256": hashlib.sha256((ROOT / "raw/how-retrieval-works.md").read_bytes()).hexdigest(),
        "segment": [1, 1],
        "lines": [1, 207],
    },
    "document": {"title": "How retrieval works", "summary": "How passages are found."},
    "subjects": [
        {"name": "Context", "kind": "concept", "description": "What a model is shown."},
        {"name": "Retrieval", "kind": "concept", "description": "How passages are found."},
    ],
    "claims": [
        wikikit.claim(
            "Context",
            "The catalogue and the log are never part of a context.",
            "The catalogue and the log are never part of a context",
            lines=(186, 187),
            id="k1",
            key="excludes",
            value="catalogue; log",
        ),
        wikikit.claim("Retrieval", "Retrieval has four duties", lines=(12, 12), id="k2"),
        wikikit.claim(
            "Retrieval", "retrieval is always better than embeddings", lines=(12, 12), id="k3"
        ),
    ],
    "end": True,
}
BEFORE = {
    "wiki ingest raw/": f"cp {ROOT}/raw/trust-and-safety.md {ROOT}/raw/why-git.md raw",
    "wiki ingest ../inbox --model offline": (
        f"mkdir ../inbox && cd {ROOT}/tests/data/documents"
        " && cp fees.xlsx notice-locked.pdf report.docx slides.pptx $OLDPWD/../inbox"
        " && cp -R $OLDPWD $OLDPWD/../harbour && cd $OLDPWD/../harbour"
    ),
    'wiki query "What does recovery do with the landing ref?"': "cd ../notes",
    "wiki lint --select WK1,WK2": (
        "printf '\\nBy [[Transacton]].\\n' >> wiki/sources/why-git-md.md"
        " && echo More. >> raw/why-git.md"
    ),
    "wiki graph": "git checkout -q wiki raw",
    "wiki ingest ../how-retrieval-works.md --prepare": f"cp {ROOT}/raw/how-retrieval-works.md ..",
    "wiki apply ../extraction.json": f"cat > ../extraction.json <<'END'\n{json.dumps(ANSWER)}\nEND",
}
"""What the tour tells in words, by the command in front of which it was done."""


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_prints_what_it_says(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = wikikit.bare(tmp_path, monkeypatch).root
    for variable in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        monkeypatch.setenv(variable, f"{CLOCK} +0000")
    # Ada by git's settings, which a clone of somebody else's can overrule.
    (tmp_path / "gitconfig").write_text("[user]\nname = Ada\nemail = ada@example.org\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    for variable in ("AUTHOR_NAME", "AUTHOR_EMAIL", "COMMITTER_NAME", "COMMITTER_EMAIL"):
        monkeypatch.delenv(f"GIT_{variable}")
    text = (ROOT / name).read_text("utf-8")
    now = Session(folder, folder).replayed(text, BEFORE if name == TOUR else {})
    if RENEW:
        (ROOT / name).write_text(now, "utf-8")
    elif text != now:
        both = text.splitlines(), now.splitlines()
        rows = difflib.unified_diff(*both, name, "what is printed now", lineterm="", n=1)
        pytest.fail("\n".join(["to be renewed by `make sessions`:", *rows]), pytrace=False)


def test_what_fits_stays_and_what_differs_is_as_it_is_printed(tmp_path: Path) -> None:
    one, two = "0123456789", "abcdef0123"

    def session(*turns: str) -> str:
        return "Words.\n\n```console\n" + "".join(turns) + "```\n"

    fits = (
        "$ printf '1\\n2\\n3\\n'\n1\n…\n",
        f"$ echo {one}, {two}\naaaaaaaaaa, bbbbbbbbbb\n",
        f"$ cat <<END\n> {one} is it\n> \n> END\naaaaaaaaaa … it\n\n",
        "$ cd /; false\n",
        "$ echo $?; pwd\n1\n/\n",
    )
    assert Session(tmp_path, tmp_path).replayed(session(*fits), {}) == session(*fits)
    other = f"$ echo {two}\naaaaaaaaaa\n"
    now = Session(tmp_path, tmp_path).replayed(session(*fits, other, "$ echo new\n"), {})
    assert now == session(*fits, f"$ echo {two}\n{two}\n", "$ echo new\nnew\n")
