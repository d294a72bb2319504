"""How much one answer may bring: a hostile or broken model must not flood the wiki."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from pydantic import BaseModel

from llmwiki.core.claim_attributes import CLAIM_ATTRIBUTES
from llmwiki.core.text import cut
from llmwiki.ingest.extraction.schema import Extraction
from llmwiki.pages.claim_head import LONGEST

MAX_ITEMS: Mapping[str, int] = {"subjects": 400, "claims": 400, "relations": 400, "questions": 100}
"""In one segment of some 24 kB; a careful reading of that much text gives below 100 claims."""

MAX_ALIASES = 1000
"""Aliases of all subjects of one segment; each is a line of the ledger."""

MAX_LINKS = 20
"""Links of one claim to others."""

MAX_DISPUTES = 20
"""Links by which one operation may strike claims of others or call them contradicted."""

MAX_CLAIM = 2000
"""Characters of a claim; a longer one is a passage and not a statement, and is refused."""

MIN_WORDS = 3
MIN_CHARACTERS = 12
"""A quote shorter than both must be a whole heading, field or row: less proves nothing."""

MAX_TITLE, _SENTENCE, _PASSAGE = 200, 500, 4000
_DOCUMENT = {
    "title": MAX_TITLE,
    "summary": _PASSAGE,
    "authors": MAX_TITLE,
    "date": 40,
    "url": _SENTENCE,
    "status": MAX_TITLE,
}
_SUBJECT = {
    "name": MAX_TITLE,
    "description": _SENTENCE,
    "lead": _PASSAGE,
    "add_to_lead": _PASSAGE,
    "tags": 60,
    "aliases": MAX_TITLE,
}
_CLAIM = {
    "subject": MAX_TITLE,
    "also": MAX_TITLE,
    **{each.field: each.longest for each in CLAIM_ATTRIBUTES if each.longest},
    "key": 100,
    "value": _SENTENCE,
    "asked": LONGEST,
}
_RELATION = {"source": MAX_TITLE, "target": MAX_TITLE, "label": MAX_TITLE}
_QUESTION = {"text": _SENTENCE, "about": MAX_TITLE}
_MAX_WORDS = 30
"""Entries of a list of names: aliases, tags, authors, `also`."""

_Model = TypeVar("_Model", bound=BaseModel)


def excess(extraction: Extraction) -> str:
    """What there is too much of in an answer to one segment; empty where nothing is."""
    for name, limit in MAX_ITEMS.items():
        count = len(getattr(extraction, name))
        if count > limit:
            return f"{name}: {count}, and one segment takes at most {limit}"
    names = sum(min(len(s.aliases), _MAX_WORDS) for s in extraction.subjects)
    if names > MAX_ALIASES:
        return f"subjects.aliases: {names}, and one segment takes at most {MAX_ALIASES}"
    for claim in extraction.claims:
        if len(claim.links) > MAX_LINKS:
            return f"claims.links: {len(claim.links)}, and a claim takes at most {MAX_LINKS}"
    return ""


def shortened(extraction: Extraction) -> Extraction:
    """The answer with every name and passage cut at its limit; claims' texts are left alone."""
    return extraction.model_copy(
        update={
            "document": _cut(extraction.document, _DOCUMENT),
            "subjects": [_cut(subject, _SUBJECT) for subject in extraction.subjects],
            "claims": [_cut(claim, _CLAIM) for claim in extraction.claims],
            "relations": [_cut(relation, _RELATION) for relation in extraction.relations],
            "questions": [_cut(question, _QUESTION) for question in extraction.questions],
        }
    )


def _cut(model: _Model, limits: Mapping[str, int]) -> _Model:
    changed: dict[str, object] = {}
    for name, limit in limits.items():
        value = getattr(model, name)
        if isinstance(value, str):
            if len(value) > limit:
                changed[name] = cut(value, limit)
        elif value and (len(value) > _MAX_WORDS or any(len(word) > limit for word in value)):
            changed[name] = [cut(word, limit) for word in value[:_MAX_WORDS]]
    return model.model_copy(update=changed) if changed else model
