"""What lint leaves out where it can tell beforehand that nothing would come of it."""

from __future__ import annotations

import random

import pytest
from longform import examples

from llmwiki.lint.view import PageView

PIECES = (
    "# Tea\n", "#  Tea #\r\n", "#Tea\n", "## Cup\n", "    # Tea\n", "Tea\n===\n", "- # Tea\n",
    "```\n# Tea\n```\n", "<!--\n# Tea\n-->\n", "<div>\n# Tea\n\n", "\n", " \t\n", "Tea.\n", "# \n",
    "> # Tea\n", "$$\n# Tea\n$$\n", "---\n", "\ufeff", "- Tea. ^c-9f3a1c22k7\n", "^n-\n",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(examples(300)))
def test_a_page_without_its_body_tells_what_the_whole_one_does(seed: int) -> None:
    rng = random.Random(seed)
    front = rng.choice(
        ["", "---\ntitle: Tea\n---\n", "---\ntags: [a, b]\n---\n", "---\n: [\n---\n"]
    )
    view = PageView(
        "wiki/concepts/Tea.md", front + "".join(rng.choices(PIECES, k=rng.randint(0, 5)))
    )
    first = next(((p.node.raw, p.line) for p in view.body if p.node.kind == "h1"), None)
    assert view.first_heading == first
    assert view.head.front == view.page.front
    assert len(view.claims) == len(view.page.claims)
    if not view.broken:
        assert view.title == view.page.title
        assert view.head.sources == view.page.sources


@pytest.mark.parametrize("text", ["TO\u212aEN", "\u0130GNORE", "Token", "\udc80" + "KEY", "Ä"])
def test_words_are_found_in_lower_case_as_python_has_it(text: str) -> None:
    wanted = text.lower().encode("utf-8", "replace")
    view = PageView("wiki/a.md", text)
    assert all(bytes([c]) in view.lower for c in wanted if chr(c).isascii() and chr(c).isalpha())
