"""Pages as the examples of rules have them."""

from __future__ import annotations


def example(body: str, kind: str = "concept", title: str = "Example", front: str = "") -> str:
    """A page; `front` is more lines of its frontmatter."""
    return f"---\ntype: {kind}\ntitle: {title}\n{front}---\n\n# {title}\n\n{body}"


_ABOUT = "description: What people brew from leaves.\n"

SOURCED = f'{_ABOUT}sources:\n  - "[[sources/tea-md]]"\ngenerated: llmwiki/0.1.0\n'
"""More lines of frontmatter: those of a page that rests on raw/tea.md."""


def recorded(sha256: str) -> str:
    """More lines of frontmatter: those of the page of raw/tea.md itself."""
    return f"{_ABOUT}source: raw/tea.md\nsha256: {sha256}\ngenerated: llmwiki/0.1.0\n"
