"""Pages as the examples of rules have them."""

from __future__ import annotations


def example(body: str, kind: str = "concept", title: str = "Example", front: str = "") -> str:
    """A page; `front` is more lines of its frontmatter."""
    return f"---\ntype: {kind}\ntitle: {title}\n{front}---\n\n# {title}\n\n{body}"


def sourced(sha256: str) -> str:
    """More lines of frontmatter: those of a page that rests on raw/tea.md."""
    source = f"  - {{id: tea-md, resource: /raw/tea.md, sha256: {sha256}}}\n"
    told = "description: What people brew from leaves.\n"
    return f"{told}sources:\n{source}generated: {{by: llmwiki/0.1.0}}\n"
