"""Chains of claims that replaced one another: `a` was struck for `b`, and `b` for `c`."""

from __future__ import annotations

from collections.abc import Callable

LONGEST = 1000
"""Arrows that are followed; longer chains count as endless."""


def chain_of(start: str, after: Callable[[str], str]) -> list[str]:
    """A claim and those that replaced it, one after the other.

    `after` gives what a claim was struck for; empty: it was struck for none. Where the arrows lead
    in a circle the last one is where it closes, and stands twice.
    """
    chain, seen = [start], {start}
    while len(chain) < LONGEST:
        following = after(chain[-1])
        if not following:
            break
        chain.append(following)
        if following in seen:
            break
        seen.add(following)
    return chain


def newest(start: str, after: Callable[[str], str]) -> str | None:
    """The claim that holds in place of `start` by now; None where the arrows lead in a circle."""
    chain = chain_of(start, after)
    return None if len(set(chain)) < len(chain) else chain[-1]
