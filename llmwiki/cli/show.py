"""wiki show: print one page."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

import click

from llmwiki.cli.context import opened, say, say_json
from llmwiki.core.errors import InputError

if TYPE_CHECKING:
    from llmwiki.memory.state import WikiState


@click.command()
@click.argument("name", metavar="PAGE")
@click.option("--at", "revision", metavar="REV", help="The page as it was in this commit.")
@click.option("--json", "as_json", is_flag=True, help="Print claims and evidence as JSON.")
@click.pass_context
def command(ctx: click.Context, name: str, revision: str | None, as_json: bool) -> int:
    """Print one page as it was committed.

    PAGE is its title, an alias, its path, or the id of a claim on it (c-…); case does not count.
    """
    from llmwiki.memory.state import WikiState

    with opened(ctx, reads_only=True) as repo:
        state = WikiState(repo)
        commit = repo.head() if revision is None else repo.resolve(revision)
        if revision is not None and commit is None:
            raise InputError("there is no such commit", where=revision, fix=repo.beyond)
        state.advance(commit)
        path = _find(state, name)
        page = state.page(path) if path else None
        text = page.text if page else state.text(path or name)
        if not text:
            titles = [entry.title for entry in state.entries()]
            near = difflib.get_close_matches(name, titles, n=3, cutoff=0.6)
            hint = f"Perhaps: {', '.join(near)}." if near else "wiki/index.md lists the pages."
            raise InputError("there is no such page", where=name, fix=hint)
        if as_json and page is not None:
            say_json(
                {
                    "schema": "llmwiki.show/1",
                    "path": page.path,
                    "type": page.type,
                    "title": page.title,
                    "description": page.description,
                    "aliases": list(page.aliases),
                    "claims": [
                        {
                            "id": claim.id,
                            "text": claim.text,
                            "successor": claim.successor,
                            "attributes": [list(a) for a in claim.attributes],
                            "evidence": [
                                {
                                    "source": e.source,
                                    "lines": [e.first, e.last],
                                    "place": e.place or None,
                                    "quote": e.quote,
                                }
                                for e in claim.evidence
                            ],
                        }
                        for claim in page.claims
                    ],
                }
            )
        else:
            say(text.rstrip("\n"))
    return 0


def _find(state: WikiState, name: str) -> str | None:
    from llmwiki.pages.names import name_key

    wanted = name.removeprefix("[[").removesuffix("]]").split("|")[0]
    claim = wanted.rpartition("#^")[2] if "#^" in wanted else wanted.lstrip("^")
    home = state.claim_page.get(claim)
    if home is not None:
        return home
    for path in (wanted, f"wiki/{wanted}", f"wiki/{wanted}.md"):
        if state.fact(path) is not None:
            return path
    if wanted in ("index", "log", "overview"):
        return f"wiki/{wanted}.md"
    found = state.file_names.get(name_key(wanted))
    if found:
        return found
    titled = state.names.by_title(wanted)
    return sorted(titled)[0] if titled else None
