"""The rule about links to claims whose words are not those of the claim any more."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from llmwiki.lint.claims import digest
from llmwiki.lint.finding import RuleHit
from llmwiki.lint.relation import Group, Relation, Value
from llmwiki.lint.rule import OverGroup, Rule, rule
from llmwiki.lint.rules.examples import example
from llmwiki.lint.view import PageView
from llmwiki.pages.claim_links import ClaimHome
from llmwiki.pages.link_words import worded_links, words_for

_SAYS, _SHOWS = "says", "shows"


def _say(view: PageView) -> Iterator[tuple[str, Value]]:
    if view.broken or "c-" not in view.text:
        return
    for placed in view.claims:
        home = ClaimHome(view.stem, view.page.title, placed.claim.id, placed.claim.text)
        yield home.id, (_SAYS, digest(words_for(home)))
    for at in view.body if "#^c-" in view.text else ():
        for link in worded_links(at.node):
            yield link["id"], (_SHOWS, digest(link["words"]), at.line)


WORDS = Relation("link-words", _say)
"""Under a claim's id what links to it show, as a digest: by the page it stands on, and by those
that link to it."""


def _stale(group: Group) -> Iterator[RuleHit]:
    said = {row.value[1] for row in group.rows if row.value[0] == _SAYS}
    for row in group.rows:
        if len(said) == 1 and row.value[0] == _SHOWS and row.value[1] not in said:
            message = f"A link to ^{group.key} shows other words than those of the claim"
            yield RuleHit.of_claim(group.key, int(row.value[2]), message, path=row.path)


_ID = "c-aaaaaaaaaa"
_TEA = example(f"## Claims\n\n- Tea costs 4 euros. ^{_ID}\n", title="Tea")
_page = partial(example, title="Cup")


def _two(words: str) -> dict[str, str]:
    link = f"## Seen in\n\n- [[Tea#^{_ID}|{words}]]\n"
    return {"wiki/concepts/Tea.md": _TEA, "wiki/concepts/Cup.md": _page(link)}


RULES: tuple[Rule, ...] = (
    rule(
        "WK114 note stale-link-words",
        OverGroup(WORDS, _stale, least=2),
        "A link to a claim under `Seen in`, in an attribute or behind an arrow shows a title or "
        "words that are not those of the claim any more: the claim or its page was reworded.",
        "`wiki lint --fix` writes the words of now.",
        bad=_two("Tea: Tea costs"),
        good=_two("Tea: Tea costs 4 euros."),
        fixable=True,
        of_ours=True,
    ),
)
