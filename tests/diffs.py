"""What `wiki diff` tells of two commits, applied to the claims of the one, gives the other's."""

from __future__ import annotations

import random

from eventkit import facts_of, fold
from longform import LONG
from wikikit import Wiki

from llmwiki import Wiki as Library


def check_diffs(wiki: Wiki, chance: random.Random) -> None:
    """Of some pairs of commits of a history, in either order; in the long form of all steps."""
    commits = wiki.git("rev-list", "--topo-order", "HEAD").split()
    pairs = [tuple(chance.sample(commits, 2)) for _pair in range(10 if LONG else 1)]
    if LONG:
        steps = wiki.git("rev-list", "--parents", "HEAD").splitlines()
        pairs += [(up, row[0]) for each in steps for row in [each.split()] for up in row[1:]]
    facts = {oid: facts_of(wiki.pages(oid)) for oid in {oid for pair in pairs for oid in pair}}
    library = Library.open(wiki.root)
    for old, new in pairs:
        told = library.diff(f"{old}..{new}").found
        assert fold(facts[old], told.events) == facts[new], (old, new)
