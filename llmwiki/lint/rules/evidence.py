"""Evidence: quotes against the texts they are taken from, and what pages record of sources."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from functools import partial

from llmwiki.core.page_kinds import SUBJECTS
from llmwiki.core.text import counted, normalise
from llmwiki.lint.finding import RuleHit
from llmwiki.lint.rule import OverGroup, OverPage, OverSources, Rule, rule
from llmwiki.lint.rules import ledgers
from llmwiki.lint.rules.examples import SOURCED, example, recorded
from llmwiki.lint.rules.page_kinds import kind_of, short
from llmwiki.lint.texts import Fault, Texts, quoting
from llmwiki.lint.view import PageView, PlacedClaim
from llmwiki.pages.escape import unescape
from llmwiki.pages.links import scan
from llmwiki.pages.page import Evidence
from llmwiki.sources.quotes import MAX_CJK, MAX_WORDS, too_long


def _evidence(view: PageView) -> Iterator[tuple[PlacedClaim, Evidence, int]]:
    for placed in quoting(view):
        for evidence, line in placed.evidence:
            yield placed, evidence, line


def _ids(view: PageView) -> frozenset[str]:
    return frozenset() if view.broken else frozenset(ref.id for ref in view.head.sources)


# --- quotes and texts ----------------------------------------------------------------------


def _not_in_text(view: PageView, texts: Texts) -> Iterator[RuleHit]:
    for lost in texts.lost(view):
        claim = lost.claim.claim
        # A struck claim keeps the quotes of the bytes it came from; those may be gone for good.
        if claim.successor is None:
            yield RuleHit.of_claim(
                claim.id,
                lost.line,
                f"The quote “{short(lost.evidence.quote)}” is not in {lost.text.path}",
            )


def _not_compared(view: PageView, texts: Texts) -> Iterator[RuleHit]:
    """Quotes that nothing can be said of: one finding a source."""
    held = texts.cited(view)
    lines_of: dict[str, list[int]] = {}
    for _placed, evidence, line in _evidence(view):
        text = held.get(evidence.source)
        if view.broken or (text is not None and text.fault):
            lines_of.setdefault(evidence.source, []).append(line)
    for source, lines in sorted(lines_of.items(), key=lambda item: item[1]):
        text = held.get(source)
        quotes = counted(len(lines), "quote")
        were = "was" if len(lines) == 1 else "were"
        why = f"{short(text.path)} {text.why}" if text else "the frontmatter cannot be read"
        yield RuleHit(
            lines[0],
            f"{quotes} of `{short(source)}` {were} not compared with the text: {why}",
            about=source,
        )


def _of_ledger(fault: Fault, view: PageView, texts: Texts) -> Iterator[RuleHit]:
    own = None if view.broken or not ledgers.is_ledger(view) else ledgers.own_source(view)
    if own is not None and ledgers.is_recorded(own):
        text = texts.text(own)
        if text.fault == fault:
            mend = _AGAIN.format(path=shlex.quote(text.path)) if fault == "changed" else ""
            yield RuleHit(
                ledgers.own_line(view), f"{text.path} {text.why}", mend=mend, about=text.path
            )


_AGAIN = "Run `wiki ingest {path}`: quotes that still stand are followed, the rest is struck."


# --- claims --------------------------------------------------------------------------------


def _without_evidence(view: PageView) -> Iterator[RuleHit]:
    for placed in view.claims:
        if placed.claim.successor is None and not placed.evidence:
            yield RuleHit.of_claim(
                placed.claim.id,
                placed.line,
                f"The claim “{short(placed.claim.text)}” has no evidence",
            )


def _unknown_source(view: PageView) -> Iterator[RuleHit]:
    if view.broken:
        return
    known = _ids(view)
    for placed, evidence, line in _evidence(view):
        if evidence.source not in known:
            yield RuleHit(
                line,
                f"The evidence cites `{short(evidence.source)}`, which is not among the page's"
                " sources",
                about=f"{placed.claim.id} {evidence.source}",
                claims=(placed.claim.id,),
            )


def _too_long(view: PageView) -> Iterator[RuleHit]:
    for placed, evidence, line in _evidence(view):
        if over := too_long(normalise(evidence.quote)):
            yield RuleHit.of_claim(
                placed.claim.id, line, f"The quote “{short(evidence.quote)}” is longer than {over}"
            )


# --- sources of a page ---------------------------------------------------------------------


def _no_sources(view: PageView) -> Iterator[RuleHit]:
    if view.broken or kind_of(view) not in SUBJECTS or _ids(view) or view.is_deprecated:
        return
    if "sources" in view.front_lines or "generated" in view.front_lines or view.claims:
        yield RuleHit(view.front_line("sources"), "The page names no sources", about="sources")


def _malformed_entries(view: PageView) -> Iterator[RuleHit]:
    if view.broken or not {"source", "sources"} & view.front_lines.keys():
        return
    cited = {evidence.source for _placed, evidence, _line in _evidence(view)}
    if ledgers.is_ledger(view):
        cited.add(view.stem)
    seen: dict[str, tuple[str, str]] = {}
    for ref in view.head.sources:
        if ref.id not in cited:
            continue
        said = (ref.resource, ref.sha256)
        is_own = ledgers.is_ledger(view) and ref.id == view.stem
        if ledgers.is_taken_back(view, ref) or (not is_own and not ref.sha256):
            continue
        if not ledgers.is_recorded(ref):
            what = "names no file below raw/ with its SHA-256"
        elif seen.setdefault(ref.id, said) != said:
            what = "stands twice, with different files or bytes"
        else:
            continue
        yield RuleHit(
            ledgers.own_line(view),
            f"The entry `{short(ref.id)}` of the sources {what}",
            mend="A ledger has `source: raw/…` and `sha256: <64 hexadecimal digits>`; other pages"
            " list `[[sources/id]]`.",
            about=ref.id,
        )


def _uncited(view: PageView) -> Iterator[RuleHit]:
    if view.broken or not view.claims or kind_of(view) not in SUBJECTS:
        return
    used = view.page.cited() | {node.key[1] for node in view.page.body if node.kind == "fn"}
    for ref in view.head.sources:
        if ref.id not in used and ref.id != view.stem:
            yield RuleHit(
                view.front_line("sources"),
                f"Nothing on the page cites its source `{short(ref.id)}`",
                about=ref.id,
            )


def _footnotes(view: PageView) -> Iterator[RuleHit]:
    if view.broken:
        return
    refs = {ref.id: ref for ref in view.head.sources if not ref.sha256 or ledgers.is_recorded(ref)}
    for placed in view.body if refs else ():
        if placed.node.kind != "fn" or placed.node.key[1] not in refs:
            continue
        ref = refs[placed.node.key[1]]
        what = _footnote_fault(placed.node.raw, ref.id, ref.resource.removeprefix("/"))
        if what:
            yield RuleHit(
                placed.line, f"The footnote `{short(ref.id)}` leads to {what}", about=ref.id
            )


def _footnote_fault(raw: str, source: str, path: str) -> str:
    """Where a footnote leads instead of its source's ledger and file; empty where it is right."""
    for link in scan(raw):
        target = link.target.strip()
        if target.casefold() not in (source.casefold(), f"sources/{source}".casefold()):
            return f"[[{short(target)}]] instead of the ledger of its source"
        break
    named = raw.rpartition("]], ")[2].strip()
    if named.startswith("raw/") and unescape(named) != path:
        return f"{short(unescape(named))}, but its source is {short(path)}"
    return ""


# --- the rules -----------------------------------------------------------------------------

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
_PDF = {
    _LEDGER: _TOLD.replace("tea.md", "tea.pdf").replace(
        _SHA, "0716f9264c9fe19f5d7455276107f3ddcc1d3497f63d60689a73558ae8a1bf5e"
    ),
    "raw/tea.pdf": "%PDF-1.7\n",
}
_MANY = "Tea is an infusion of leaves, and it is drunk hot in the morning. " * 5

RULES: tuple[Rule, ...] = (
    rule(
        "WK201 error quote-not-in-text",
        OverSources(_not_in_text),
        "The quote of a standing claim is nowhere in the text of its source, so that nothing"
        " shows that the source says so. White space and typographic variants do not count.",
        "Quote the words as they stand in the text, or strike the claim.",
        bad=_WHOLE | {_PAGE: _GOOD.replace("infusion of leaves", "infusion of roots")},
        good=_WHOLE | {_PAGE: _GOOD.replace("infusion of leaves", "infusion  of leaves")},
    ),
    rule(
        "WK203 error source-missing",
        OverSources(partial(_of_ledger, "gone")),
        "The file that a ledger tells of is no longer below raw/: none of its quotes can be"
        " compared.",
        "`git log --oneline -- raw/…` names the commit that read it: `git checkout <commit> --"
        " raw/…` brings it back; where it shall go, `wiki undo <commit>` takes back what it gave.",
        bad={_LEDGER: _TOLD},
        good={_LEDGER: _TOLD, _RAW: _SOURCE},
    ),
    rule(
        "WK204 error text-missing",
        OverSources(partial(_of_ledger, "textless")),
        "A source that is read through a converted text has lost it. It is never converted again,"
        " since another version of the converter gives other lines.",
        "Bring raw/.text/… back from git (`git checkout <commit> -- raw/.text`).",
        bad=_PDF,
        good={_LEDGER: _TOLD, _RAW: _SOURCE},
    ),
    rule(
        "WK205 warning source-changed",
        OverSources(partial(_of_ledger, "changed")),
        "The bytes of a source are others than those its ledger records. Its quotes are not"
        " compared until the new version is ingested.",
        "Ingest it again, or bring the old bytes back from git.",
        bad={_LEDGER: _TOLD, _RAW: _SOURCE + "More.\n"},
        good={_LEDGER: _TOLD, _RAW: _SOURCE},
    ),
    rule(
        "WK206 warning source-unreadable",
        OverSources(partial(_of_ledger, "unreadable")),
        "A source, or its numbered text, is there with the right bytes but cannot be read as text.",
        "The message says why; bring the file back from git.",
        bad=_PDF | {"raw/.text/0716f9264c9fe19f.txt": "Tea is an infusion of leaves.\n"},
        good={_LEDGER: _TOLD, _RAW: _SOURCE},
    ),
    rule(
        "WK207 warning claim-missing-evidence",
        OverPage(_without_evidence),
        "A claim stands without a quote of a source, so that nobody can check it.",
        "Add a nested item `- “quote” [^source-id]`, or strike the claim.",
        bad=_TOP + "- Tea is an infusion. ^c-9f3a1c22k7\n",
        good=_GOOD,
    ),
    rule(
        "WK208 error evidence-unknown-source",
        OverPage(_unknown_source),
        "Evidence cites a source that the page does not list in its frontmatter: nothing else"
        " finds the page by that source.",
        "Cite the id of an entry of `sources`, or add the entry `[[sources/id]]`.",
        bad=_GOOD.replace("[^tea-md]", "[^coffee-md]"),
        good=_GOOD,
        fixable=True,
    ),
    rule(
        "WK210 note quote-too-long",
        OverPage(_too_long),
        f"A quote of more than {MAX_WORDS} words, or {MAX_CJK} characters of Chinese, Japanese or "
        "Korean, is more than anybody checks at a glance.",
        "Quote the words that carry the claim; several pieces of evidence may stand below one"
        " claim.",
        bad=_GOOD.replace("Tea is an infusion of leaves.", _MANY),
        good=_GOOD,
    ),
    rule(
        "WK211 warning missing-source-ids",
        OverPage(_no_sources),
        "A page about a subject, with claims or made by this program, names no sources at all.",
        "List the sources of its claims under `sources` in the frontmatter; an ingest does it.",
        bad="---\ntype: entity\ntitle: Tea\nsources: []\n---\n\n# Tea\n\nAn infusion.\n",
        good=_GOOD,
        fixable=True,
        of_ours=True,
    ),
    rule(
        "WK212 warning malformed-source",
        OverPage(_malformed_entries),
        "A ledger does not say which file below raw/ its source is, or which bytes were read:"
        " nothing can be compared with it.",
        "Write `source` and `sha256`; `wiki ingest` of the source does it.",
        bad={_LEDGER: _OWN.replace(_SHA, "7a4f")},
        good={_LEDGER: _OWN},
    ),
    rule(
        "WK213 note uncited-source",
        OverPage(_uncited),
        "The frontmatter of a page with claims lists a source that no claim, relation or footnote"
        " of the page cites.",
        "Take the entry out, or cite it where it belongs.",
        bad=_GOOD.replace("sources:\n", 'sources:\n  - "[[sources/cup-md]]"\n'),
        good=_GOOD,
    ),
    rule(
        "WK214 warning footnote-mismatch",
        OverPage(_footnotes),
        "The footnote of a source leads to another ledger than that of its label, or names another"
        " file than the page's entry of that source.",
        "Write `[^id]: [[sources/id|Title]], raw/path`.",
        bad=_TOP + _CLAIM + _FOOT.replace("sources/tea-md", "sources/coffee-md"),
        good=_GOOD,
    ),
    rule(
        "WK215 warning ledger-missing",
        OverGroup(ledgers.SOURCES, ledgers.missing_ledger),
        "Pages rest on a source that has no page of its own, so that nothing says what the source"
        " contributed.",
        "Bring the ledger back from git, or ingest the source again.",
        bad={_PAGE: _GOOD},
        good={_PAGE: _GOOD, _LEDGER: _TOLD},
    ),
    rule(
        "WK216 warning ledger-mismatch",
        OverGroup(ledgers.SOURCES, ledgers.unlike_ledger),
        "A page records other bytes, or another file, of a source than the source's ledger: one"
        " of them speaks of an older version.",
        "Ingest the source again; it brings all pages to the same version.",
        bad=_WHOLE | {_PAGE: _GOOD.replace(", raw/tea.md", ", raw/old/tea.md")},
        good=_WHOLE,
    ),
    rule(
        "WK217 warning ledger-claim-gone",
        OverGroup(ledgers.CLAIMS, ledgers.lost_claim),
        "A ledger's roster has a claim that stands nowhere: somebody deleted it by hand.",
        "Bring the claim back from git if it was an accident. If not, the next ingest of the"
        " source writes the tombstone.",
        bad={_LEDGER: _TOLD},
        good=_WHOLE,
    ),
    rule(
        "WK218 warning ledger-misses-claim",
        OverGroup(ledgers.CLAIMS, ledgers.untold_claim, ledgers.with_ledger),
        "A claim quotes a source on whose ledger's roster it is not, so that nobody would notice if"
        " it were deleted by hand.",
        "Add `> - c-…` to the record of the ledger; the next ingest of the source does it.",
        bad={_PAGE: _GOOD, _LEDGER: _OWN},
        good=_WHOLE,
    ),
    rule(
        "WK219 warning two-ledgers",
        OverGroup(ledgers.RESOURCES, ledgers.two_ledgers, least=2),
        "Two ledgers tell of one file below raw/, so that its claims are divided between them.",
        "Merge them by hand into the one whose id the pages cite, and delete the other.",
        bad={_LEDGER: _TOLD, "wiki/sources/tea-2.md": _TOLD},
        good={_LEDGER: _TOLD},
    ),
    rule(
        "WK904 note quotes-not-compared",
        OverSources(_not_compared),
        "Quotes could not be compared with the text of their source: the text is missing, has"
        " changed, cannot be read, or is in Git LFS or at the remote of a partial clone, and not"
        " in this one. Nothing is said of them,"
        " neither good nor bad.",
        "The message, or the finding on the source's ledger or on the page's frontmatter, says how"
        " to mend it.",
        bad=_WHOLE | {_RAW: _SOURCE + "More.\n"},
        good=_WHOLE,
    ),
)
