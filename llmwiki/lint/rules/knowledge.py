"""Rules about what the claims of the wiki say of one another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from llmwiki.core.page_kinds import SUBJECTS, TOPICS
from llmwiki.core.text import cut, fold
from llmwiki.language.naming import folded_key
from llmwiki.lint.claims import CLAIMS, GIVES, SAYS, STRUCK_FOR, cited_in, homes_of, stands_in
from llmwiki.lint.finding import RuleHit
from llmwiki.lint.page_links import kind_of
from llmwiki.lint.relation import Group, GroupRow
from llmwiki.lint.rule import OverGroup, OverPage, Rule, rule
from llmwiki.lint.rules import ageing, naming
from llmwiki.lint.rules.examples import example
from llmwiki.lint.rules.page_kinds import short
from llmwiki.lint.view import PageView
from llmwiki.pages.chains import chain_of
from llmwiki.pages.names import stem_of

if TYPE_CHECKING:
    from llmwiki.lint.wiki import WikiView


def _link(path: str, claim_id: str) -> str:
    return f"[[{stem_of(path)}#^{claim_id}]]"


# --- claims against claims -----------------------------------------------------------------


def _disputed(group: Group) -> Iterator[RuleHit]:
    """Two claims that a claim says cannot both hold: once, where the first of them stands."""
    if not group.key.startswith("!"):
        return
    for path, (_, line, *ids) in group.rows[:1]:
        claims = tuple(str(one) for one in ids)
        message = f"{' and '.join(f'^{one}' for one in claims)} contradict one another"
        others = sorted({row.path for row in group.rows} - {path})
        mend = f"The other one stands on {', '.join(others)}." if others else ""
        yield RuleHit(int(line), message, path, mend=mend, about=" ".join(claims), claims=claims)


def _while_both_stand(hit: RuleHit, wiki: WikiView) -> RuleHit | None:
    """A contradiction is over once one of its claims is struck."""
    for claim_id in hit.claims:
        places = stands_in(wiki.group(CLAIMS, "^" + claim_id))
        if places and all(one.is_struck for one in places):
            return None
    return hit


def _conflict(group: Group) -> Iterator[RuleHit]:
    if group.key.startswith("="):
        yield from _values(group)
    elif group.key.startswith("^"):
        yield from _copies(group)


def _values(group: Group) -> Iterator[RuleHit]:
    """Claims that give one slot unlike values as of the same time."""
    rows = [
        (row.path, *(str(part) for part in row.value[1:]))
        for row in group.rows if row.value[0] == GIVES
    ]  # fmt: skip
    if len(rows) < 2:
        return
    linked = _by_update([(claim_id, set(updated.split())) for _, _, claim_id, *_, updated in rows])
    for path, line, claim_id, name, value, as_of, _ in rows:
        for other_path, _, other_id, _, other_value, other_as_of, _ in rows:
            if (
                _plain(value) != _plain(other_value)
                and as_of == other_as_of
                and linked[claim_id] != linked[other_id]
            ):
                message = (
                    f"`{name}` is “{short(value)}” here and “{short(other_value)}” in"
                    f" {_link(other_path, other_id)}"
                )
                yield RuleHit(
                    int(line), message, path, about=claim_id,
                    claims=tuple(sorted((claim_id, other_id))),
                )  # fmt: skip
                break


def _plain(value: str) -> str:
    return folded_key(value) or fold(value)


def _by_update(claims: list[tuple[str, set[str]]]) -> dict[str, str]:
    """Each claim to the first of those that `updates` links join with it."""
    joined = {claim_id: claim_id for claim_id, _ in claims}

    def first(claim_id: str) -> str:
        while joined[claim_id] != claim_id:
            joined[claim_id] = joined[joined[claim_id]]
            claim_id = joined[claim_id]
        return claim_id

    for claim_id, updated in claims:
        for other in sorted(updated & joined.keys()):
            low, high = sorted((first(claim_id), first(other)))
            joined[high] = low
    return {claim_id: first(claim_id) for claim_id in joined}


def _copies(group: Group) -> Iterator[RuleHit]:
    """One claim's id on several pages that say unlike things under it."""
    places = stands_in(group)
    if len({(one.text, one.is_struck) for one in places}) < 2 or len({p.path for p in places}) < 2:
        return
    claim_id = group.key[1:]
    for one in places:
        other = next(
            o for o in places if (o.text, o.is_struck) != (one.text, one.is_struck)
        )  # fmt: skip
        message = f"^{claim_id} says something else in {_link(other.path, claim_id)}"
        yield RuleHit.of_claim(claim_id, one.line, message, path=one.path)


def _repeated(group: Group) -> Iterator[RuleHit]:
    # Two documents may say the same: what stands on the page of one is compared there alone.
    said: dict[object, list[GroupRow]] = {}
    for row in group.rows:
        if row.value[0] == SAYS:
            said.setdefault(row.value[3], []).append(row)
    for rows in said.values():
        first = str(rows[0].value[2])
        for path, (_, line, claim_id, _own) in rows[1:]:
            if claim_id != first:
                message = f"^{claim_id} says the same as {_link(rows[0].path, first)}"
                claims = tuple(sorted((first, str(claim_id))))
                way_out = f"Strike one of the two: `wiki supersede {claim_id} {first}`."
                mend = way_out if path != rows[0].path else ""
                yield RuleHit(int(line), message, path, 0, mend, str(claim_id), claims)


# --- claims that were replaced -------------------------------------------------------------


def _outdated(group: Group) -> Iterator[RuleHit]:
    places = stands_in(group)
    if not places or not all(one.is_struck for one in places):
        return
    claim_id = group.key[1:]
    for use in cited_in(group):
        is_text = use.role == "prose" and use.path.startswith("wiki/syntheses/")
        if use.role not in ("lead", "note", "supports") and not is_text:
            continue
        who = {"lead": "The lead", "supports": f"^{use.by}"}.get(use.role, f"^{use.by}")
        does = "supports" if use.role == "supports" else "cites"
        who = who if use.by or use.role == "lead" else "The text"
        message = f"{who} {does} {use.shown}, which was struck"
        claims = tuple(sorted({claim_id, use.by} - {""}))
        yield RuleHit(use.line, message, use.path, use.column, about=claim_id, claims=claims)


def _with_successor(hit: RuleHit, wiki: WikiView) -> RuleHit:
    chain = _chain(hit.about, wiki)
    last = chain[-1]
    homes = homes_of(wiki.group(CLAIMS, "^" + last))
    if len(chain) < 2 or not homes:
        return hit
    return hit._replace(mend=f"It was replaced by {_link(homes[0], last)}.")


def _chain(claim_id: str, wiki: WikiView) -> list[str]:
    """A claim and those that replaced it, one after the other; a circle ends where it closes."""

    def after(ident: str) -> str:
        places = stands_in(wiki.group(CLAIMS, "^" + ident))
        return places[0].successor if places else ""

    return chain_of(claim_id, after)


def _replaced_twice(group: Group) -> Iterator[RuleHit]:
    """Claims struck for one that is struck itself: where a long chain may begin."""
    if not any(one.successor for one in stands_in(group)):
        return
    for path, value in group.rows:
        if value[0] == STRUCK_FOR:
            claim_id = str(value[2])
            yield RuleHit.of_claim(claim_id, int(value[1]), "", path=path)


def _if_long(hit: RuleHit, wiki: WikiView) -> RuleHit | None:
    """Told at the claim the chain begins with; of a circle, at the first by id."""
    chain = _chain(hit.about, wiki)
    closes = len(set(chain)) < len(chain)
    if closes and hit.about == min(chain) and chain[-1] == hit.about:
        message = f"^{hit.about} was replaced, at last, by itself"
        return hit._replace(message=message, claims=tuple(chain[:-1]))
    begins = not any(row.value[0] == STRUCK_FOR for row in wiki.group(CLAIMS, "^" + hit.about).rows)
    if closes or not begins or len(chain) - 1 < wiki.limits.chain:
        return None
    homes = homes_of(wiki.group(CLAIMS, "^" + chain[-1]))
    message = f"^{hit.about} was replaced {len(chain) - 1} times over, at last by ^{chain[-1]}"
    mend = f"Let its arrow point to {_link(homes[0], chain[-1])}." if homes else ""
    return hit._replace(message=message, mend=mend, claims=tuple(chain))


def _no_successor(group: Group) -> Iterator[RuleHit]:
    if homes_of(group) or not group.key.startswith("^"):
        return
    for path, value in group.rows:
        if value[0] == STRUCK_FOR:
            claim_id, missing = str(value[2]), group.key[1:]
            message = f"^{claim_id} was struck for ^{missing}, which is nowhere"
            yield RuleHit(int(value[1]), message, path, about=claim_id, claims=(claim_id, missing))


# --- pages alone ---------------------------------------------------------------------------

_BULLET = re.compile(r"^ {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+(?P<done>\[[xX]\]|~~)?")


def _question(view: PageView) -> Iterator[RuleHit]:
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
            yield RuleHit(placed.line, f"Open question: {shown}", about=shown)


_GAP = re.compile(
    r"\b(?:TODO|FIXME|TBD|TK)\b(?=[ \t]*(?::|$|[|).\]]))|\[citation needed\]|\?{3,}", re.MULTILINE
)
_GAP_SIGNS = ("TODO", "FIXME", "TBD", "TK", "[citation needed]", "???")
"""One of these stands in every text in which `_GAP` finds something; looking is quicker."""


def _gap(view: PageView) -> Iterator[RuleHit]:
    kind = kind_of(view)
    if kind not in (*TOPICS, "source") or view.is_deprecated:
        return
    is_ours = not view.broken and bool(view.head.sources or "generated" in view.values)
    if is_ours and kind in SUBJECTS:
        standing = any(placed.claim.successor is None for placed in view.claims)
        if not standing:
            had = " any more" if view.claims else ""
            yield RuleHit(0, f"No claim stands on this page{had}")
    if not any(sign in view.text for sign in _GAP_SIGNS) or not _GAP.search(view.text):
        return
    for placed in view.body:
        raw = placed.node.raw
        if placed.node.kind not in ("x", "lead") or raw.lstrip().startswith(("```", "~~~", "<!")):
            continue
        ticks, line, counted = 0, placed.line, 0
        for found in _GAP.finditer(raw):
            ticks += raw.count("`", counted, found.start())
            line += raw.count("\n", counted, found.start())
            counted = found.start()
            if ticks % 2 == 0:
                yield RuleHit(line, f"Something is yet to be filled in: {found[0]}", about=found[0])


def _misplaced(view: PageView) -> Iterator[RuleHit]:
    kind = kind_of(view)
    if kind in ("", "source", *SUBJECTS):
        return
    for placed in view.claims:
        message = f"^{placed.claim.id} stands on a {kind} page"
        yield RuleHit.of_claim(placed.claim.id, placed.line, message)


# --- the rules -----------------------------------------------------------------------------

_A, _B, _C, _D = "c-aaaaaaaaaa", "c-bbbbbbbbbb", "c-cccccccccc", "c-dddddddddd"
_TEA = "wiki/concepts/Tea.md"
_page = partial(example, title="Tea")


def _claims(*items: str) -> dict[str, str]:
    return {_TEA: _page("## Claims\n\n" + "".join(f"- {item}\n" for item in items))}


_AGAINST = f"\n  - (contradicts: [[Tea#^{_B}|Tea]] they cannot both hold)"
_CHAIN = (
    f"~~One.~~ → [[Tea#^{_B}]] ^{_A}",
    f"~~Two.~~ → [[Tea#^{_C}]] ^{_B}",
    f"~~Three.~~ → [[Tea#^{_D}]] ^{_C}",
    f"Four. ^{_D}",
)

RULES: tuple[Rule, ...] = (
    rule(
        "WK301 warning contradiction-present",
        OverGroup(CLAIMS, _disputed, _while_both_stand),
        "A claim says that it contradicts another, and both stand. It is said once.",
        "Find out which holds, and supersede the other: once it is struck, this is over.",
        bad=_claims(f"Green. ^{_A}{_AGAINST}", f"Red. ^{_B}"),
        good=_claims(f"~~Green.~~ → [[Tea#^{_B}]] ^{_A}{_AGAINST}", f"Red. ^{_B}"),
    ),
    rule(
        "WK302 warning claim-conflict",
        OverGroup(CLAIMS, _conflict, least=2),
        "Standing claims about one subject give the same key, with the same scope and as of the "
        "same time, unlike values; or one claim's id says unlike things on two pages. A claim that "
        "`updates` the other, is proposed, expected, an opinion or rejected is no conflict.",
        "Supersede the one that no longer holds, or give both their scope or time.",
        bad=_claims(
            f"Tea costs 3 euros. ^{_A}\n  - (price = 3 EUR)",
            f"Tea costs 4 euros. ^{_B}\n  - (price = 4 EUR)",
        ),
        good=_claims(
            f"Tea costs 3 euros. ^{_A}\n  - (as of: 2025; price = 3 EUR)",
            f"Tea costs 4 euros. ^{_B}\n  - (as of: 2026; price = 4 EUR)",
        ),
    ),
    rule(
        "WK303 warning duplicate-claim",
        OverGroup(CLAIMS, _repeated, least=2),
        "Two standing claims say the same, word for word. A claim stands once, on its subject's "
        "page, and names others that it is about. What a document says on its own page "
        "may stand elsewhere too: another document says the same.",
        "`wiki lint --fix` joins those of one page: one stands with the evidence of both. Of two "
        "pages, strike the one that is out of place: `wiki supersede OLD NEW`.",
        bad=_claims(f"Tea is made of leaves. ^{_A}", f"tea is  made of leaves. ^{_B}"),
        good=_claims(f"Tea is made of leaves. ^{_A}", f"Tea is made of water. ^{_B}"),
        fixable=True,
    ),
    rule(
        "WK304 note open-question",
        OverPage(_question),
        "A question stands under `## Open questions`: nobody has answered it yet.",
        "Find a source that answers it, or tick it off (`- [x]`).",
        bad="# Example\n\n## Open questions\n\n- Is it hot?\n",
        good="# Example\n\n## Open questions\n\n- [x] Is it hot?\n",
    ),
    rule(
        "WK305 note data-gap",
        OverPage(_gap),
        "An entity or concept that the tool keeps has no claim that stands; or a page still says "
        "`TODO:`, `TBD`, `???` or `[citation needed]` in its text.",
        "Ingest a source that tells of it, or fill in what is missing.",
        bad=_page("Tea comes from TBD.\n"),
        good=_page("Tea comes from leaves; see `TBD` and the TODO list.\n"),
        of_ours=True,
    ),
    *ageing.RULES,
    rule(
        "WK310 warning superseded-still-cited",
        OverGroup(CLAIMS, _outdated, _with_successor),
        "A page's lead, a note, a synthesis or another claim's `supports` rests on a claim that "
        "was struck.",
        "Cite the claim that replaced it, after checking that it still says so.",
        bad={
            **_claims(f"~~Hot.~~ → [[Tea#^{_B}]] ^{_A}", f"Warm. ^{_B}"),
            "wiki/concepts/Cup.md": _page(f"Full of [[Tea#^{_A}]].\n"),
        },
        good={
            **_claims(f"~~Hot.~~ → [[Tea#^{_B}]] ^{_A}", f"Warm. ^{_B}"),
            "wiki/concepts/Cup.md": _page(f"Full of [[Tea#^{_B}]].\n"),
        },
    ),
    rule(
        "WK311 warning replaced-chain-long",
        OverGroup(CLAIMS, _replaced_twice, _if_long),
        "A claim was replaced by one that was replaced in turn, three times or more, or in a "
        "circle: who follows the arrows walks far.",
        "`wiki lint --fix` lets the arrows point to the claim that stands; a circle is yours to "
        "open.",
        bad=_claims(*_CHAIN),
        good=_claims(*_CHAIN[1:]),
        fixable=True,
    ),
    rule(
        "WK312 warning successor-missing",
        OverGroup(CLAIMS, _no_successor),
        "A claim was struck for another that is nowhere in the wiki.",
        "Restore the other claim, or let the arrow point to one that stands.",
        bad=_claims(_CHAIN[0]),
        good=_claims(_CHAIN[0], f"Two. ^{_B}"),
    ),
    *naming.RULES,
    rule(
        "WK315 warning misplaced-claim",
        OverPage(_misplaced),
        "A claim stands on a page that is neither of a subject nor of a document. Syntheses, days "
        "and memory hold notes (`^n-…`).",
        "Move it to the page of its subject, and link to it from here.",
        bad={"wiki/daily/2026-06-01.md": _page(f"## Claims\n\n- Tea is hot. ^{_A}\n", "daily")},
        good={"wiki/sources/tea-md.md": _page(f"## Claims\n\n- Tea is hot. ^{_A}\n", "source")},
    ),
)
