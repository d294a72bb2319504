from __future__ import annotations
from hypothesis import given, settings, strategies as st
from llmwiki.pages import changes
from llmwiki.pages.page import Page
from page_strategies import *
from page_strategies import known

def pages_of(p): return {p.path: p}

@settings(max_examples=600, deadline=None)
@given(bases(), edits, edits)
def test_exact(base, one, two):
    a, b = run(one, base), run(two, base)
    d = changes.diff(pages_of(a), pages_of(b))
    got, _ = changes.apply(d, pages_of(a))
    assert got[PATH].text == b.text
    got, _ = changes.apply(changes.invert(d), pages_of(b))
    assert got[PATH].text == a.text

@settings(max_examples=600, deadline=None)
@given(bases(), edits, edits)
def test_merge(base, one, two):
    a, b = run(one, base), run(two, base)
    m, c = changes.merge3(pages_of(base), pages_of(a), pages_of(b))
    m2, c2 = changes.merge3(pages_of(base), pages_of(b), pages_of(a))
    assert m[PATH].text == m2[PATH].text
    assert c == c2
    assert changes.merge3(pages_of(base), pages_of(a), pages_of(base))[0][PATH].text == a.text
    assert changes.merge3(pages_of(base), pages_of(a), pages_of(a))[0][PATH].text == a.text
