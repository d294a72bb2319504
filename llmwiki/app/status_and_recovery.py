"""What a wiki and its index hold, and what finishes that which was cut off or stopped."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from llmwiki.app.show.wiki_status import WikiStatus
    from llmwiki.git.store.recover import Recovery
    from llmwiki.landing.open_wiki import OpenWiki
    from llmwiki.pages.page_tree import Conflict


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What the index holds."""

    pages: int
    words: int
    """Of all pages together."""
    commit: str | None
    """The commit it stands at; None: there is none yet."""
    uncommitted: int
    """Pages that it holds in other bytes than those of the commit."""
    differences: tuple[str, ...] | None
    """Where it differs from one made anew, a sentence each; None: it was not compared."""


def index(wiki: OpenWiki, *, check: bool = False, rebuild: bool = False) -> IndexReport:
    """What the search index holds, brought up to date; every call that needs it does so.

    `check` compares it with one made anew, `rebuild` makes it anew.
    """
    from llmwiki.index import rebuild_and_check
    from llmwiki.index.open_index import open_corpus

    if rebuild:
        rebuild_and_check.rebuild(wiki.repo)
    wrong = tuple(rebuild_and_check.differences(wiki.repo)[1]) if check else None
    with open_corpus(wiki.repo, look="whole", notice=wiki.tell.notice) as held:
        return IndexReport(held.pages, held.words, held.commit, len(held.strays), wrong)


def status(wiki: OpenWiki) -> WikiStatus:
    """What the wiki holds, which sources wait, and what is unfinished."""
    from llmwiki.app.show.wiki_status import survey
    from llmwiki.app.which_model import has_model

    # Who asks how things stand should hear of settings that are ignored.
    return survey(wiki.repo, has_model=has_model(wiki.config))


def recover(wiki: OpenWiki) -> Recovery:
    """Finishes or drops an operation that was cut off; every call that writes does so first."""
    from llmwiki.git.store.transaction import recover as finish

    return finish(wiki.repo, wiki.config.number("lock.wait"))


def merge_files(base: Path, ours: Path, theirs: Path, path: str) -> tuple[Conflict, ...]:
    """Merges three versions of the page at `path`, for git; the result replaces `ours`.

    Returns what both sides worded differently: one wording stands, and the other beside it.
    """
    from llmwiki.changes.git_conflicts import merge_texts

    texts = [p.read_bytes().decode("utf-8", "surrogateescape") for p in (base, ours, theirs)]
    within = path[path.rfind("wiki/") :] if "wiki/" in path else path
    # git hands over an empty base where both sides made the page.
    merged, conflicts = merge_texts(within, texts[0] or None, *texts[1:])
    # A temporary file of git's own, which git then takes for the page; not a file of the wiki.
    ours.write_bytes((merged or "").encode("utf-8", "surrogateescape"))
    return conflicts
