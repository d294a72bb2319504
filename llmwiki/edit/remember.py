"""wiki remember: one note in the wiki's memory, one commit."""

from __future__ import annotations

from datetime import UTC, datetime

from llmwiki.core.errors import InputError
from llmwiki.core.page_kinds import MEMORY
from llmwiki.core.secrets import refuse
from llmwiki.core.text import fold, normalise
from llmwiki.memory.land import (
    LandingOptions,
    Made,
    Operation,
    OperationOutcome,
    land,
    turn_trailers,
)
from llmwiki.memory.state import WikiState
from llmwiki.pages import write, write_claims
from llmwiki.pages.escape import escape_value
from llmwiki.pages.page import Page
from llmwiki.repo.repository import Repository

_ABOUT = "What people and agents asked this wiki to remember"


def remember(
    repo: Repository,
    state: WikiState,
    text: str,
    *,
    kind: str,
    told_by: str,
    session: str,
    by: str,
    terms: LandingOptions,
    turn: int = 0,
    allowed_secrets: frozenset[str] = frozenset(),
) -> OperationOutcome:
    """Adds a note; one that says the same, case and blanks aside, is not repeated.

    Raises InputError for an empty text, PolicyError for one with a secret, and what `land` raises.
    """
    said = normalise(text)
    if not fold(said):
        raise InputError("there is nothing to remember", fix='Such as: wiki remember "We use UTC."')
    if len(said) > 2000:
        raise InputError(
            f"a note of {len(said)} characters is a document",
            fix="Notes hold up to 2,000 characters; put it into raw/ and ingest it.",
        )
    refuse([said, session], allowed=allowed_secrets, what="the note")
    today = datetime.fromtimestamp(terms.now(), UTC).strftime("%Y-%m-%d")
    details = [("told by", told_by), ("on", today)]
    if normalise(session):
        details.append(("session", normalise(session)))
    details.append(("kind", kind))
    told = "; ".join(f"{name}: {escape_value(value)}" for name, value in details)
    node = write_claims.note_node(("memory",), said, told)

    def make(current: WikiState) -> Made[None]:
        page = current.page(MEMORY) or _new_memory(by)
        if any(n.key == node.key for n in page.body):
            return Made(None, None)
        operation = Operation(
            kind="memory",
            title=said,
            pages={MEMORY: write.add_to_section(page, "Notes", node)},
            trailers={"Wiki-Told-By": told_by, **turn_trailers(session, turn)},
        )
        return Made(operation, None)

    return land(repo, state, make, operation="memory", terms=terms).outcome


def _new_memory(by: str) -> Page:
    return write.create(
        write.NewPage(
            path=MEMORY,
            type="memory",
            title="Memory",
            description=_ABOUT,
            lead=f"{_ABOUT}, each with who said it and when.",
            by=by,
        )
    )
