"""Relations as sentences on the page of their subject."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmwiki.core.text import fold, normalise
from llmwiki.pages import write
from llmwiki.pages.claim_links import read_relation, verb_phrase
from llmwiki.pages.page import Page

PATH = "wiki/concepts/Self-attention.md"
HEAD = "---\ntype: concept\ntitle: Self-attention\n---\n\n# Self-attention\n"


def test_a_relation_reads_as_a_sentence() -> None:
    page = Page.parse(PATH, HEAD)
    page = write.add_relation(page, "Transformer", "is part of", "b-md")
    page = write.add_relation(page, "Transformer", "is part of", "a-md")
    assert page.text.endswith(
        "## Related\n\n- **Self-attention** is part of [[Transformer]] [^a-md] [^b-md]\n"
    )
    assert Page.parse(PATH, page.text) == page


@given(
    st.text(min_size=1, max_size=30).filter(fold),
    st.text(min_size=1, max_size=30).filter(fold),
    st.sampled_from(("Transformer", "a b", "sources/x-md")),
)
def test_what_is_written_is_read(own: str, label: str, target: str) -> None:
    said = verb_phrase(label)
    page = write.create(PATH, "concept", normalise(own))
    node = write.add_relation(page, target, said, "a-md").body[-2]
    found = read_relation(node.raw)
    assert found is not None
    assert (found.direction, found.target, found.label) == ("out", target, said)


def test_a_person_may_write_it_from_the_other_side() -> None:
    found = read_relation("- [[Attention]] includes **Self-attention**")
    assert found is not None
    assert (found.direction, found.target, found.label) == ("in", "Attention", "includes")


@pytest.mark.parametrize(
    "line",
    [
        "- **Bold** words alone",
        "- [[A]] and plain words",
        "- **Self** [[A]]",
        "- [[A]] **Self**",
        "- **** is [[A]]",
        "- **Self** is [[A]] of old",
        "- **Self** is [[A]",
    ],
)
def test_what_is_no_relation_stays_a_persons(line: str) -> None:
    assert read_relation(line) is None
    assert [n.kind for n in Page.parse("x.md", f"## Related\n\n{line} [^a]\n").body][1] == "x"


@pytest.mark.parametrize("label", ["", "— of", "→", "1st of"])
def test_a_label_that_begins_with_no_letter_says_nothing(label: str) -> None:
    assert verb_phrase(label) == "related to"
