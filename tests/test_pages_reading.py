"""Text to page: lossless, tolerant, and never mistaken about what is a claim."""

from __future__ import annotations

from hypothesis import given, settings

from llmwiki.pages.page import Page
from llmwiki.pages.syntax import PageError
from page_strategies import PATH, texts


@settings(max_examples=1000, deadline=None)
@given(texts())
def test_any_text_comes_back(text: str) -> None:
    page = Page.parse(PATH, text)
    assert page.text == text
    assert page.claims is not None and page.lead is not None and page.title
    try:
        assert page.sources is not None and page.aliases is not None
    except PageError:
        pass
