"""Other names that a source gave a page: a spelling, a short form, or said by the source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from llmwiki.core.page_kinds import SECOND_HAND
from llmwiki.lint.finding import RuleHit
from llmwiki.lint.rule import OverSources, Rule, rule
from llmwiki.lint.rules.examples import example, recorded
from llmwiki.lint.rules.ledgers import is_ledger, own_source
from llmwiki.lint.rules.page_kinds import bounded, short
from llmwiki.lint.view import PageView
from llmwiki.pages.escape import unescape

if TYPE_CHECKING:
    from llmwiki.lint.texts import Texts

_NAME = re.compile(r"- (?P<alias>.+) → \[\[(?P<stem>[^\[\]|]+)(?:\|[^\[\]]*)?\]\]")
_TOLD_APART = re.compile(r" \((?:entity|concept|\d+)\)\Z")


def _unsupported(view: PageView, texts: Texts) -> Iterator[RuleHit]:
    # An imported page lists the other names of its subject, and no sentence has to repeat them.
    is_told = is_ledger(view) and view.values.get("status") != SECOND_HAND
    named = _named(view) if is_told else {}
    own = own_source(view) if named else None
    text = texts.text(own) if own is not None else None
    if text is None or text.document is None or text.fault:
        return
    from llmwiki.retrieval.identity import agree
    from llmwiki.sources.document import first_quotable
    from llmwiki.sources.synonyms import Synonyms

    synonyms = Synonyms(text.document.lines, first_quotable(text.document))

    def told(a: str, b: str) -> str:
        return f"L{line}" if (line := synonyms.line(a, b)) else ""

    hits = (
        RuleHit(
            line,
            f"Neither {short(text.path)} nor the name itself says that “{short(alias)}” is another"
            f" name of [[{short(stem)}]]",
            mend="",
            about=alias[:200],
        )
        for stem, aliases in named.items()
        for alias, line in aliases.items()
        if not any(
            agree(alias, other, told)
            for other in (_TOLD_APART.sub("", stem), *aliases)
            if other != alias
        )
    )
    yield from bounded(hits)


def _named(view: PageView) -> dict[str, dict[str, int]]:
    """File name of a page to the aliases that the ledger says its source gave it, with lines."""
    named: dict[str, dict[str, int]] = {}
    for placed in view.body:
        found = _NAME.fullmatch(placed.node.raw) if placed.section == "Names" else None
        if found:
            named.setdefault(found["stem"], {})[unescape(found["alias"])] = placed.line
    return named


_SHA = "5a5e46a77cd168e28bc436cd02d8053e8e9c2c4c849b6ddbd7ccc1db2e92e8cf"
_LEDGER = example("## Names\n\n- NAME → [[Tea]]\n", "source", "On tea", recorded(_SHA))
_RAW = {"raw/tea.md": "Tea, also known as chai, is an infusion of leaves.\n"}

RULES: tuple[Rule, ...] = (
    rule(
        "WK220 note unsupported-alias",
        OverSources(_unsupported),
        "A ledger says that its source gives a page another name, and the source does not: the name"
        " is no spelling or short form of the page's, and no sentence says that both mean one"
        " thing. What is later told under that name lands on this page.",
        "Take the alias from the page and the line from the ledger; keep it only if you know it to"
        " be right.",
        bad={"wiki/sources/tea-md.md": _LEDGER.replace("NAME", "Coffee"), **_RAW},
        good={"wiki/sources/tea-md.md": _LEDGER.replace("NAME", "chai"), **_RAW},
    ),
)
