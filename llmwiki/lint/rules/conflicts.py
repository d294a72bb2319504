"""Rules about what the claims of the wiki say of one another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import groupby

from llmwiki.core.claim_attributes import UPDATED_BY
from llmwiki.core.language.figures_and_names import Support
from llmwiki.core.language.name_keys import folded_key
from llmwiki.core.page_and_note_kinds import SUBJECTS
from llmwiki.core.text import cut, fold
from llmwiki.lint.findings import Finding, found_at, short
from llmwiki.lint.own_and_foreign_pages import kind_of
from llmwiki.lint.page_rows import is_overtaken, tools_prose
from llmwiki.lint.page_view import PageView
from llmwiki.lint.rule import WikiFix, example, rule
from llmwiki.lint.whole_wiki_view import LintedWiki
from llmwiki.pages.claim_links import chain_of
from llmwiki.pages.linked_text import read
from llmwiki.pages.page import Claim, prose_hash
from llmwiki.pages.page_file_names import stem_of

_WORD = re.compile(r"[^\W_]{3,}")
_STEM = 4
"""Letters that two forms of a word share, such as `merge` and `merging`."""
_A, _B = "c-aaaaaaaaaa", "c-bbbbbbbbbb"
_TEA = "wiki/concepts/Tea.md"
_page = partial(example, title="Tea")


def _claims(*items: str) -> dict[str, str]:
    return {_TEA: _page("## Claims\n\n" + "".join(f"- {item}\n" for item in items))}


_AGAINST = f"\n  - (contradicts: [[Tea#^{_B}|Tea]] they cannot both hold)"


def _link(path: str, claim_id: str) -> str:
    return f"[[{stem_of(path)}#^{claim_id}]]"


# --- claims against claims -----------------------------------------------------------------


@rule(
    "WK301 warning contradiction-present",
    bad=_claims(f"Green. ^{_A}{_AGAINST}", f"Red. ^{_B}"),
    good=_claims(f"~~Green.~~ → [[Tea#^{_B}]] ^{_A}{_AGAINST}", f"Red. ^{_B}"),
)
def contradiction_present(wiki: LintedWiki) -> Iterator[Finding]:
    """A claim says that it contradicts another, and both stand. It is said once.

    Find out which holds, and supersede the other: once it is struck, this is over.
    """
    rows = wiki.rows(
        "SELECT one, other, path, line FROM lint.dispute AS dispute JOIN lint.page AS page "
        "ON page.id = dispute.page ORDER BY one, other, path, line"
    )
    for pair, together in groupby(rows, lambda row: (row[0], row[1])):
        (*_, path, line), *more = together
        # It is over once one of the two is struck.
        if any(
            places and all(one.is_struck for one in places) for places in map(wiki.places, pair)
        ):
            continue
        message = f"{' and '.join(f'^{one}' for one in pair)} contradict one another"
        others = sorted({row[2] for row in more} - {path})
        mend = f"The other one stands on {', '.join(others)}." if others else ""
        yield found_at(line, message, path, 0, mend, " ".join(pair), pair)


@rule(
    "WK302 warning claim-conflict",
    bad=_claims(
        f"Tea costs 3 euros. ^{_A}\n  - (price = 3 EUR)",
        f"Tea costs 4 euros. ^{_B}\n  - (price = 4 EUR)",
    ),
    good=_claims(
        f"Tea costs 3 euros. ^{_A}\n  - (as of: 2025; price = 3 EUR)",
        f"Tea costs 4 euros. ^{_B}\n  - (as of: 2026; price = 4 EUR)",
    ),
)
def claim_conflict(wiki: LintedWiki) -> Iterator[Finding]:
    """Standing claims about one subject, on whatever pages they stand, give the same key, with the
    same scope and as of the same time, unlike values. A claim that `updates` the other, is
    proposed, expected, an opinion or rejected is no conflict.

    Supersede the one that no longer holds, or give both their scope or time.
    """
    rows = wiki.rows(
        "SELECT slot.name, scope, of, path, line, claim, said, value, at, beside "
        "FROM lint.slot AS slot JOIN lint.page AS page ON page.id = slot.page "
        "WHERE (slot.name, scope) IN (SELECT name, scope FROM lint.slot GROUP BY name, scope "
        "HAVING count(DISTINCT value) > 1) ORDER BY slot.name, scope, path, line"
    )
    told: set[str] = set()
    for _key, together in groupby(rows, lambda row: (row[0], row[1])):
        by_subject: dict[str, list[_Slot]] = {}
        for _name, _scope, of, path, line, claim, said, value, at, beside in together:
            slot = (path, line, claim, said, value, at, beside)
            by_subject.setdefault(_subject(of, wiki), []).append(slot)
        for slots in by_subject.values():
            for hit in _unlike(slots):
                if hit.about not in told:
                    told.add(hit.about)
                    yield hit


_Slot = tuple[str, int, str, str, str, str, str]


def _subject(of: str, wiki: LintedWiki) -> str:
    """What values are of, by the first page that has it as title or alias."""
    rows = wiki.rows(
        "SELECT min(path) FROM lint.spelling AS spelling JOIN lint.page AS page "
        "ON page.id = spelling.page WHERE key = ?",
        f"k:{of}",
    )
    return (of and rows[0][0]) or of


def _unlike(rows: list[_Slot]) -> Iterator[Finding]:
    ties = {claim: {claim, *beside.split()} for _, _, claim, *_, beside in rows}
    for path, line, claim, name, value, at, _ in rows:
        for other_path, _, other, _, other_value, other_at, _ in rows:
            is_tied = other in ties[claim] or claim in ties[other]
            if _plain(value) != _plain(other_value) and at == other_at and not is_tied:
                message = (
                    f"`{name}` is “{short(value)}” here and “{short(other_value)}” in"
                    f" {_link(other_path, other)}"
                )
                claims = tuple(sorted((claim, other)))
                yield found_at(line, message, path, about=claim, claims=claims)
                break


def _plain(value: str) -> str:
    return folded_key(value) or fold(value)


@rule(
    "WK303 warning duplicate-claim",
    bad=_claims(f"Tea is made of leaves. ^{_A}", f"tea is  made of leaves. ^{_B}"),
    good=_claims(f"Tea is made of leaves. ^{_A}", f"Tea is made of water. ^{_B}"),
    fix=WikiFix.JOIN,
)
def duplicate_claim(wiki: LintedWiki) -> Iterator[Finding]:
    """Two standing claims say the same, word for word. A claim stands once, on its subject's page,
    and names others that it is about. What a document says on its own page may stand elsewhere
    too: another document says the same.

    `wiki lint --fix` joins those of one page: one stands with the evidence of both. Of two pages,
    strike the one that is out of place: `wiki supersede OLD NEW`.
    """
    standing = "is_struck = 0 AND id LIKE 'c-%' AND digest NOT LIKE '%-'"
    rows = wiki.rows(
        "SELECT digest, own, path, line, claim.id FROM lint.claim AS claim JOIN lint.page AS page "
        f"ON page.id = claim.page WHERE {standing.replace('id LIKE', 'claim.id LIKE')} AND digest "
        f"IN (SELECT digest FROM lint.claim WHERE {standing} GROUP BY digest, own "
        "HAVING count(DISTINCT id) > 1) ORDER BY digest, own, path, line"
    )
    # Two documents may say the same: what stands on the page of one is compared there alone.
    for _said, together in groupby(rows, lambda row: (row[0], row[1])):
        (_, _, first_path, _, first), *others = together
        for _, _, path, line, ident in others:
            if ident != first:
                message = f"^{ident} says the same as {_link(first_path, first)}"
                way_out = f"Strike one of the two: `wiki supersede {ident} {first}`."
                mend = way_out if path != first_path else ""
                claims = tuple(sorted((first, ident)))
                yield found_at(line, message, path, 0, mend, ident, claims)


# --- claims that were replaced -------------------------------------------------------------


@rule(
    "WK310 warning superseded-still-cited",
    bad={
        **_claims(f"~~Hot.~~ → [[Tea#^{_B}]] ^{_A}", f"Warm. ^{_B}"),
        "wiki/concepts/Cup.md": _page(f"Full of [[Tea#^{_A}]].\n"),
    },
    good={
        **_claims(f"~~Hot.~~ → [[Tea#^{_B}]] ^{_A}", f"Warm. ^{_B}"),
        "wiki/concepts/Cup.md": _page(f"Full of [[Tea#^{_B}]].\n"),
    },
)
def superseded_still_cited(wiki: LintedWiki) -> Iterator[Finding]:
    """A text, a note or another claim's `supports` rests on a claim that was struck.

    Cite the claim that replaced it, after checking that it still says so.
    """
    for claim, path, line, column, by, shown in wiki.rows(
        "SELECT claim, path, line, column, by, shown FROM lint.citation AS citation "
        "JOIN lint.page AS page ON page.id = citation.page "
        "WHERE EXISTS (SELECT 1 FROM lint.claim AS claim WHERE claim.id = citation.claim) "
        "AND NOT EXISTS (SELECT 1 FROM lint.claim AS claim WHERE claim.id = citation.claim "
        "AND NOT is_struck) ORDER BY path, line, column"
    ):
        message = f"{f'^{by}' if by else 'This'} rests on {shown}, which was struck"
        last = _chain(claim, wiki)[-1]
        places = wiki.places(last) if last != claim else []
        mend = f"It was replaced by {_link(places[0].path, last)}." if places else ""
        claims = tuple(sorted({claim, by} - {""}))
        yield found_at(line, message, path, column, mend, claim, claims)


def _chain(claim_id: str, wiki: LintedWiki) -> list[str]:
    """A claim and those that replaced it, one after the other; a circle ends where it closes."""

    def after(ident: str) -> str:
        places = wiki.places(ident)
        return places[0].successor if places else ""

    return chain_of(claim_id, after)


# --- what the tool wrote at the head of a page ---------------------------------------------

_LEAD = "Tea costs 3 euros."
_led = partial(
    example,
    title="Tea",
    front=f"generated: llmwiki/0.1.0 {prose_hash(_LEAD)}\n",
)
_CLAIMS = (
    f"{{}}\n\n## Claims\n\n- Tea costs 3 euros. ^{_A}\n  - ({UPDATED_BY}: [[Tea#^{_B}]])\n"
    f"- Tea costs 4 euros. ^{_B}\n"
)


@rule(
    "WK316 note stale-lead",
    was="WK317 lead-beyond-claims",
    bad={_TEA: _led(_CLAIMS.format(_LEAD))},
    good={_TEA: _led(_CLAIMS.format("Tea costs 4 euros."))},
)
def stale_lead(view: PageView) -> Iterator[Finding]:
    """A lead that the tool wrote says a number or a date that no claim of the page says which still
    stands and that no other updates, nor any of their quotes; or a name that no claim says at all.
    Of a description only numbers of claims that were struck or updated are told.

    Write it anew from the claims that stand (`wiki tidy`; a reading that names the page as its
    subject's does so too), or ingest the source that says it.
    """
    if view.broken or not view.claims or kind_of(view) not in SUBJECTS:
        return
    prose = list(tools_prose(view))
    if not prose:
        return
    page = view.page
    past = [placed.claim for placed in view.claims if is_overtaken(placed.claim)]
    now = [placed.claim for placed in view.claims if not is_overtaken(placed.claim)]
    around = [view.title, *page.aliases]
    around += [read(found.node.raw) for found in view.body if found.node.kind in ("rel", "fn")]
    held = Support(" … ".join((*around, *_said(view, now))))
    for what, line, text in prose:
        number = held.lacking_number(text)
        ids = [c.id for c in past if number and not _lacks(number, _said(view, [c]))]
        names = []
        if not number and what == "lead":
            before = Support(" … ".join(_said(view, past)))
            names = [name for name in held.lacking_names(text) if not before.names(name)][:1]
        if lacking := (number if ids or what == "lead" else "") or "".join(names):
            message = f"The {what} says “{short(lacking)}”, and no claim here that stands does"
            yield found_at(line, message, about=f"{what} {lacking}", claims=tuple(ids))


def _said(view: PageView, claims: Iterable[Claim]) -> Iterator[str]:
    """What claims say, with their dates, values and quotes."""
    for claim in claims:
        yield from (read(claim.text), view.date_of(claim))
        yield from (evidence.quote for evidence in claim.evidence)
        yield from (value for name, _op, value in claim.attributes if name != UPDATED_BY)


def _lacks(number: str, said: Iterable[str]) -> str:
    return Support(" … ".join(said)).lacking_number(number)


# --- questions -------------------------------------------------------------------------------

_BULLET = re.compile(r"^ {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+(?P<done>\[[xX]\]|~~)?")


@rule(
    "WK304 note open-question",
    bad="# Example\n\n## Open questions\n\n- Is it hot?\n",
    good="# Example\n\n## Open questions\n\n- [x] Is it hot?\n",
)
def open_question(view: PageView) -> Iterator[Finding]:
    """A question stands under `## Open questions` of a page of ours: nobody has answered it yet.

    Find a source that answers it, or tick it off (`- [x]`).
    """
    if "uestions" not in view.text:
        return
    for placed in view.body:
        node = placed.node
        if fold(placed.section) != "open questions" or node.kind not in ("x", "n", "c"):
            continue
        item = _BULLET.match(node.raw)
        if item and not item["done"]:
            text = node.raw[item.end() :].split("\n", 1)[0].strip()
            shown = cut(text, 100)
            yield found_at(placed.line, f"Open question: {shown}", about=shown)


# --- names of pages ----------------------------------------------------------------------------


@rule(
    "WK318 note name-not-said",
    bad={
        "wiki/concepts/Steeping.md": example(
            f"## Claims\n\n- Tea is hot. ^{_A}\n  - “Tea is hot.” [^tea-md]\n",
            title="Steeping",
        )
    },
    good=_claims(f"Tea is hot. ^{_A}\n  - “Tea is hot.” [^tea-md]"),
)
def name_not_said(view: PageView) -> Iterator[Finding]:
    """No claim and no quote on the page of an entity or concept says its name, another name of it,
    or a part of one: it may be about another thing, or have a name that nobody uses.

    Rename it to what its sources say (`wiki rename PAGE TITLE`), or merge it into the page of that
    thing (`wiki merge PAGE INTO`).
    """
    if view.broken or kind_of(view) not in SUBJECTS:
        return
    quotes = [e.quote for placed in view.claims for e, _line in placed.evidence]
    if not quotes:
        return
    texts = fold(" ".join([*quotes, *(read(placed.claim.text) for placed in view.claims)]))
    names = [fold(name) for name in (view.title, *view.page.aliases)]
    words = {word[:_STEM] for name in names for word in _WORD.findall(name)}
    if not words or any(word in texts for word in words):
        return
    spoken = _squeezed(texts)
    if not any(squeezed in spoken for squeezed in map(_squeezed, names) if squeezed):
        yield found_at(view.front_line("title"), f"Nothing on this page says “{short(view.title)}”")


def _squeezed(text: str) -> str:
    return "".join(filter(str.isalnum, text))
