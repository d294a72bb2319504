"""Two sides that move claims between pages at random: together they lose nothing, in any order."""

from __future__ import annotations

import random

from longform import examples

from llmwiki.pages import write
from llmwiki.pages.merge.page_sets import merge_states
from llmwiki.pages.merge.two_pages import page_of_both, titled
from llmwiki.pages.page import Page
from llmwiki.pages.write_claims import add_claims

State = dict[str, Page]
TITLES = ("Jug", "Kettle", "Pot", "Urn")


def path_of(title: str) -> str:
    return f"wiki/concepts/{title}.md"


def page_of(title: str, *numbers: int) -> Page:
    claims = "".join(
        f"- It has number {n}. ^c-{n:010}\n  - “number {n}” [^s-md]\n" for n in numbers
    )
    front = f"---\ntype: concept\ntitle: {title}\n---\n\n# {title}\n\nAbout {title}.\n\n"
    note = "[^s-md]: [[sources/s-md|S]], raw/s.md\n"
    return Page.parse(path_of(title), f"{front}## Claims\n\n{claims}\n{note if numbers else ''}")


def work(state: State, name: str, chance: random.Random) -> State:
    """A few things that one side does: merges, renames, moves, learns."""
    side = dict(state)
    for number in range(chance.randint(1, 4)):
        path = chance.choice(sorted(side))
        page = side[path]
        other = chance.choice(sorted(side))
        what = chance.choice(("merge", "merge", "move", "rename", "learn"))
        if what == "merge" and other != path:
            side[other] = page_of_both(side[other], side.pop(path)).page
        elif what == "rename":
            title = chance.choice(("Bowl", "Vase", "Zither"))
            if path_of(title) not in side:
                side[path_of(title)] = Page(
                    path_of(title), titled(side.pop(path), page.title, title).node
                )
        elif what == "move" and page.claims and other != path:
            claim = chance.choice(sorted(page.claims, key=lambda claim: claim.id))
            rest = write.remove_node(page, ("c", claim.id)).text
            side[path], side[other] = Page.parse(path, rest), add_claims(side[other], [claim])
        elif what == "learn":
            said = 20 * (1 + (name == "two")) + number
            (claim,) = page_of("Any", said).claims
            side[path] = add_claims(page, [claim])
    return side


def stand(state: dict[str, Page]) -> list[str]:
    return sorted(claim.id for page in state.values() for claim in page.claims)


def lines(state: State) -> dict[str, list[str]]:
    """The lines of each page; which of two disputed ones is first is left to the sides."""
    return {path: sorted(page.text.splitlines()) for path, page in state.items()}


def test_what_two_sides_move_stands_once_whichever_is_called_ours() -> None:
    for seed in range(examples(200, 20_000)):
        chance = random.Random(seed)
        base = {path_of(t): page_of(t, 2 * n, 2 * n + 1) for n, t in enumerate(TITLES)}
        one, two = work(base, "one", chance), work(base, "two", chance)
        merged = {p: page for p, page in merge_states(base, one, two).pages.items() if page}
        turned = {p: page for p, page in merge_states(base, two, one).pages.items() if page}
        assert stand(merged) == sorted({*stand(one), *stand(two)}), seed
        for page in merged.values():
            assert page.title and f"\n# {page.title}\n" in page.text, (seed, page.text)
        assert lines(merged) == lines(turned), seed
