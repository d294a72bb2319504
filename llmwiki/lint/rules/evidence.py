"""Evidence: quotes against the texts they are taken from, and what pages record of sources."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import groupby

from llmwiki.core.language.figures_and_names import Support
from llmwiki.lint import text_fixes
from llmwiki.lint.findings import Finding, found_at, found_on_claim, named, short
from llmwiki.lint.own_and_foreign_pages import LEDGERS, is_ledger, is_recorded, is_taken_back
from llmwiki.lint.page_view import PageView
from llmwiki.lint.quoted_texts import Fault, Texts
from llmwiki.lint.rule import SOURCED, example, recorded, rule
from llmwiki.lint.rules.grammar import evidence_of
from llmwiki.lint.whole_wiki_view import LintedWiki
from llmwiki.pages.linked_text import read
from llmwiki.pages.page import Claim
from llmwiki.pages.tombstones import is_retracted

_PAGE, _LEDGER, _RAW = "wiki/concepts/Example.md", "wiki/sources/tea-md.md", "raw/tea.md"
_SOURCE = "# Tea\n\nTea is an infusion of leaves.\n"
_SHA = "1e90aa65aef464b121d76355695572916edd40cee47dca5dac7f0e806b11b062"
_TOP = example("", title="Tea", front=SOURCED)
_EVIDENCE = "  - “Tea is an infusion of leaves.” [^tea-md]\n"
_CLAIM = f"- Tea is an infusion. ^c-9f3a1c22k7\n{_EVIDENCE}"
_FOOT = "\n[^tea-md]: [[sources/tea-md|Tea]], raw/tea.md\n"
_GOOD = _TOP + _CLAIM + _FOOT
_OWN = example("An infusion.\n\n", "source", "Tea", recorded(_SHA))
_TOLD = _OWN + "> [!note]- Record\n> - c-9f3a1c22k7\n"
_WHOLE = {_PAGE: _GOOD, _LEDGER: _TOLD, _RAW: _SOURCE}


# --- quotes and texts ----------------------------------------------------------------------


@rule(
    "WK201 error quote-not-in-text",
    bad=_WHOLE | {_PAGE: _GOOD.replace("infusion of leaves", "infusion of roots")},
    good=_WHOLE | {_PAGE: _GOOD.replace("infusion of leaves", "infusion  of leaves")},
)
def quote_not_in_text(view: PageView, texts: Texts) -> Iterator[Finding]:
    """The quote of a standing claim is nowhere in the text of its source, so that nothing shows
    that the source says so. White space and typographic variants do not count.

    Quote the words as they stand in the text, or strike the claim.
    """
    for lost in texts.compared(view).lost:
        claim = lost.claim.claim
        # A struck claim keeps the quotes of the bytes it came from; those may be gone for good.
        if claim.successor is None:
            yield found_on_claim(
                claim.id,
                lost.line,
                f"The quote “{short(lost.evidence.quote)}” is not in {lost.text.path}",
            )


def _of_ledger(fault: Fault, view: PageView, texts: Texts) -> Iterator[Finding]:
    own = None if view.broken or not is_ledger(view) else view.own_source
    if own is not None and is_recorded(own) and (text := texts.text(own)).fault == fault:
        mend = _AGAIN.format(path=shlex.quote(text.path)) if fault == "changed" else ""
        yield found_at(
            view.front_line("source"), f"{text.path} {text.why}", mend=mend, about=text.path
        )


_WORD = re.compile(r"\w+")
_AGAIN = "Run `wiki ingest {path}`: quotes that still stand are followed, the rest is struck."


@rule(
    "WK203 error source-missing",
    was="WK204 WK206 text-missing source-unreadable",
    bad={_LEDGER: _TOLD},
    good={_LEDGER: _TOLD, _RAW: _SOURCE},
)
def source_missing(view: PageView, texts: Texts) -> Iterator[Finding]:
    """The file that a ledger tells of is no longer below raw/, or cannot be read as text, or the
    converted text through which it is read is gone: none of its quotes can be compared. It is never
    converted again, since another version of the converter gives other lines.

    `git log --oneline -- raw/…` names the commit that read it: `git checkout <commit> -- raw/…`
    brings it back; where it shall go, `wiki undo <commit>` takes back what it gave.
    """
    yield from _of_ledger("missing", view, texts)


@rule(
    "WK205 warning source-changed",
    was="WK405 raw-changed",
    bad={_LEDGER: _TOLD, _RAW: _SOURCE + "More.\n"},
    good={_LEDGER: _TOLD, _RAW: _SOURCE},
)
def source_changed(view: PageView, texts: Texts) -> Iterator[Finding]:
    """The bytes of a source are others than those its ledger records. Its quotes are not compared
    until the new version is ingested.

    Ingest it again, or bring the old bytes back from git.
    """
    yield from _of_ledger("changed", view, texts)


# --- claims --------------------------------------------------------------------------------


@rule(
    "WK207 warning claim-missing-evidence",
    bad=_TOP + "- Tea is an infusion. ^c-9f3a1c22k7\n",
    good=_GOOD,
)
def claim_missing_evidence(view: PageView) -> Iterator[Finding]:
    """A claim stands without a quote of a source, so that nobody can check it.

    Add a nested item `- “quote” [^source-id]`, or strike the claim.
    """
    for placed in view.claims:
        if placed.claim.successor is None and not placed.evidence:
            yield found_on_claim(
                placed.claim.id,
                placed.line,
                f"The claim “{short(placed.claim.text)}” has no evidence",
            )


@rule(
    "WK208 error evidence-unknown-source",
    bad=_GOOD.replace("” [^tea-md]", "” [^coffee-md]"),
    good=_GOOD,
    fix=text_fixes.with_cited,
)
def evidence_unknown_source(view: PageView) -> Iterator[Finding]:
    """Evidence cites a source of which the page has no footnote that leads to the source's page and
    names its file: nothing else finds the page by that source.

    Cite the id of a source, and define it at the end of the page: `[^id]: [[sources/id|Title]],
    raw/path`; --fix does where the source has a page.
    """
    if view.broken:
        return
    known = {ref.id for ref in view.sources}
    for placed, evidence, line in evidence_of(view):
        if evidence.source not in known:
            yield found_at(
                line,
                f"The evidence cites `{short(evidence.source)}`, of which the page has no footnote",
                about=f"{placed.claim.id} {evidence.source}",
                claims=(placed.claim.id,),
            )


@rule(
    "WK221 warning claim-beyond-quotes",
    bad=_WHOLE | {_PAGE: _GOOD.replace("Tea is an infusion.", "Tea is an infusion since 1848.")},
    good=_WHOLE,
)
def claim_beyond_quotes(view: PageView, texts: Texts) -> Iterator[Finding]:
    """A standing claim says a number or a date that none of its quotes holds, nor the name of its
    page or document; or a name that stands nowhere in the document either: nobody who checks it
    finds where that comes from. Another ending of a word, a number in words and a name in short
    count as said.

    Say no more than the quotes do, or add the quote that says it.
    """
    for placed in view.claims:
        claim = placed.claim
        quotes = [evidence.quote for evidence, _line in placed.evidence]
        text = read(claim.text)
        # Most claims say no word that their quotes do not.
        is_said = {*_WORD.findall(text)} <= {*_WORD.findall(" ".join(quotes))}
        if claim.successor is not None or is_said or not quotes:
            continue
        cited = sorted({evidence.source for evidence, _line in placed.evidence})
        said = Support(" … ".join((*quotes, *_around(view, claim, cited))))
        number = said.lacking_number(text)
        names = [] if number else said.lacking_names(text)
        if names:
            held = texts.cited(view)
            sources = [held[each].document for each in cited if each in held]
            lines = [line for source in sources if source is not None for line in source.lines]
            whole = Support("\n".join(lines))
            names = [name for name in names if lines and not whole.names(name)]
        if lacking := [number] if number else names[:1]:
            message = f"“{short(lacking[0])}” stands in none of the quotes of this claim"
            yield found_on_claim(claim.id, placed.line, message)


def _around(view: PageView, claim: Claim, cited: Sequence[str]) -> Iterator[str]:
    """What a claim is read with besides its quotes: its sources by name, dates, attributes, the
    names and the description of its page."""
    titles = {p.node.key[1]: p.node.raw for p in view.body if p.node.kind == "fn"}
    yield from (titles.get(source, "") for source in cited)
    yield view.date_of(claim)
    yield from (value for _name, _op, value in claim.attributes)
    if not view.broken:
        yield from (view.title, *view.page.aliases, view.page.description)


# --- sources of a page ---------------------------------------------------------------------


@rule(
    "WK212 warning malformed-source",
    was="WK219 two-ledgers",
    bad={_LEDGER: _OWN.replace(_SHA, "7a4f")},
    good={_LEDGER: _OWN},
)
def malformed_source(wiki: LintedWiki) -> Iterator[Finding]:
    """A ledger does not say which file below raw/ its source is, or which bytes were read: nothing
    can be compared with it. Or two ledgers tell of one file, so that its claims are divided between
    them.

    Write `source` and `sha256`; `wiki ingest` of the source does it. Merge two ledgers by hand into
    the one whose id the pages cite.
    """
    odd = (
        "SELECT path FROM lint.page AS page WHERE id IN (SELECT page FROM lint.source WHERE "
        "role = '') ORDER BY path"
    )
    for (path,) in wiki.rows(odd):
        view = wiki.page(path)
        for hit in _malformed_entries(view) if view is not None else ():
            yield hit._replace(path=path)
    rows = wiki.rows(
        "SELECT resource, path, line FROM lint.resource AS resource JOIN lint.page AS page "
        "ON page.id = resource.page WHERE resource IN (SELECT resource FROM lint.resource "
        "GROUP BY resource HAVING count(*) > 1) ORDER BY resource, path"
    )
    for resource, together in groupby(rows, lambda row: row[0]):
        (_, first, _), *others = together
        for _, path, line in others:
            message = f"{short(resource)} has another ledger already, `{first}`"
            yield found_at(line, message, path, about=resource)


def _malformed_entries(view: PageView) -> Iterator[Finding]:
    own = view.own_source
    if own is not None and not is_recorded(own) and not is_taken_back(view, own):
        yield found_at(
            view.front_line("source"),
            f"The source `{short(own.id)}` names no file below raw/ with its SHA-256",
            mend="A ledger has `source: raw/…` and `sha256: <64 hexadecimal digits>`.",
            about=own.id,
        )


@rule(
    "WK215 warning source-page-out-of-step",
    was="WK216 WK217 WK218 ledger-missing ledger-mismatch ledger-claim-gone ledger-misses-claim",
    bad={_LEDGER: _TOLD},
    good=_WHOLE,
)
def source_page_out_of_step(wiki: LintedWiki) -> Iterator[Finding]:
    """Pages rest on a source that has no page of its own, or record another file or other bytes of
    it than that page does; a claim quotes a source on whose page it is not recorded, so that nobody
    would notice if it were deleted, or one that was retracted: a merge brought it back; or a
    source's page records a claim that stands nowhere: somebody deleted it by hand.

    The next ingest of the source brings both in step: it records what quotes it, and buries what is
    gone. Bring a page or a claim back from git if it went by accident. Retract once more what was.
    """
    yield from _missing_ledgers(wiki)
    yield from _unlike_ledgers(wiki)
    yield from _lost_claims(wiki)
    yield from _untold_claims(wiki)


_SOURCES = (
    "FROM lint.source AS source JOIN lint.page AS page ON page.id = source.page "
    "WHERE role = 'lists'"
)


def _missing_ledgers(wiki: LintedWiki) -> Iterator[Finding]:
    """Said once, on the first of the pages that list the source."""
    rows = wiki.rows(
        f"SELECT source.id, path, line {_SOURCES} AND NOT EXISTS (SELECT 1 FROM lint.source AS own "
        "WHERE own.id = source.id AND own.role = 'own') AND NOT EXISTS (SELECT 1 FROM lint.page "
        f"AS ledger WHERE ledger.path = '{LEDGERS}' || source.id || '.md') "
        "ORDER BY source.id, path, source.rowid"
    )
    for ident, listing in groupby(rows, lambda row: row[0]):
        (_, first, line), *others = listing
        pages = sorted({first, *(path for _, path, _ in others)})
        message = (
            f"The source `{short(ident)}` has no ledger `{LEDGERS}{short(ident)}.md`;"
            f" {named(pages)} {'rests' if len(pages) == 1 else 'rest'} on it"
        )
        yield found_at(line, message, first, about=ident)


def _unlike_ledgers(wiki: LintedWiki) -> Iterator[Finding]:
    for ident, path, line, at, resource in wiki.rows(
        "SELECT source.id, path, source.line, source.resource, own.resource "
        "FROM lint.source AS source JOIN lint.page AS page ON page.id = source.page "
        "JOIN lint.source AS own ON own.id = source.id AND own.role = 'own' AND own.resource != '' "
        "WHERE source.role = 'lists' AND source.resource != '' "
        "AND source.resource != own.resource ORDER BY source.id, path"
    ):
        what = f"lies at `{short(at)}` here, and at `{short(resource)}` in its ledger"
        yield found_at(line, f"The source `{short(ident)}` {what}", path, about=ident)


def _lost_claims(wiki: LintedWiki) -> Iterator[Finding]:
    for claim, path, line in wiki.rows(
        "SELECT record.claim, path, line FROM lint.record AS record JOIN lint.page AS page "
        "ON page.id = record.page WHERE kind = 'at' AND NOT EXISTS (SELECT 1 FROM lint.claim AS "
        "claim WHERE claim.id = record.claim) AND NOT EXISTS (SELECT 1 FROM lint.record AS dead "
        "WHERE dead.claim = record.claim AND dead.kind = 'dead') ORDER BY path, line"
    ):
        message = f"The claim {claim}, which this source supports, is nowhere in the wiki"
        yield found_on_claim(claim, line, message, path=path)


def _untold_claims(wiki: LintedWiki) -> Iterator[Finding]:
    ledgers: dict[str, PageView | None] = {}
    for claim, source, path, line in wiki.rows(
        "SELECT claim, source, path, line FROM lint.evidence AS evidence JOIN lint.page AS page "
        "ON page.id = evidence.page WHERE NOT EXISTS (SELECT 1 FROM lint.record AS record "
        "JOIN lint.page AS ledger ON ledger.id = record.page WHERE record.claim = evidence.claim "
        "AND record.kind = 'at' AND ledger.path = 'wiki/sources/' || evidence.source || '.md') "
        "ORDER BY path, line, source"
    ):
        if source not in ledgers:
            found = wiki.page(f"{LEDGERS}{source}.md")
            ledgers[source] = found if found is not None and is_ledger(found) else None
        ledger = ledgers[source]
        if ledger is None:
            continue
        if is_retracted(ledger.head):
            message = f"The claim {claim} quotes `{short(source)}`, which was retracted"
            mend = f"Retract it again: `wiki retract {short(ledger.head.value('source'))}`."
        else:
            message = (
                f"The ledger of `{short(source)}` does not tell of the claim {claim},"
                " which quotes it"
            )
            mend = f"Add `> - {claim}` to the record of `{LEDGERS}{short(source)}.md`."
        yield found_at(
            line, message, path=path, mend=mend, about=f"{claim} {source}", claims=(claim,)
        )
