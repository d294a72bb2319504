"""Every number a ranking depends on, in one place, each with where it comes from.

"Measured" means: chosen by recall@5 on five question sets with gold pages; docs/retrieval.md has
the figures. Neighbouring values differ little.
"""

from __future__ import annotations

from llmwiki.core.quick_to_load import NamedTuple

SCALE = 1_000_000
"""One, as integers: everything that is summed is a whole number of millionths."""


class Recipe(NamedTuple):
    """The constants of the steps, in the order the steps run."""

    k1: float = 1.5
    """Words: how soon repeating a term stops to count (BM25F: Robertson, Zaragoza, Taylor 2004)."""
    title_weight: float = 3.0
    """A term in the title or an alias against one in the text; measured."""
    body_b: float = 0.6
    """How much a long text counts against a page; measured."""
    title_b: float = 0.3
    """How much a long title counts against a page; measured."""

    title_bonus: float = 0.6
    """For a page whose title the question names, against the best page by words; measured."""
    lower_case: float = 0.35
    """Of that for a title written without any capital; measured."""
    gate: float = 0.4
    """Least weight (rarity, 0 to 1) of a title named in the question to be taken for its subject:
    the walk then starts at such titles, and `name_bonus` applies instead of `open_name_bonus`.
    Chosen by recall@5."""
    name_bonus: float = 0.3
    """For a page whose text holds a name of the question; measured."""
    open_name_bonus: float = 0.1
    """The same where no title is named; measured."""
    name_rarity: float = 0.65
    """Rarity from which on a name in the text counts; measured."""

    backlink: float = 0.2
    """Edge to a page that links here or mentions this one, against an edge to a linked page."""
    same_title: float = 0.3
    """Edge to a page of the same title; measured."""
    shared_name: float = 0.1
    """Edge to a page whose text holds the same rare names; measured."""
    worded: float = 0.1
    """Edge to a page all of whose title's words stand here, together or not; measured."""
    worded_rarity: float = 0.15
    """Rarity of the rarest of these words from which on they count; measured."""
    mentioned_share: float = 0.03
    """Of all pages; a name that stands on more is no lead."""
    mentioned_least: int = 60
    """Pages on which a name may stand in however small a wiki; measured."""

    seeds: int = 10
    """Pages the walk starts from."""
    sharpness: int = 6
    """Power of the score by which they share the start: all but the best two or three fall away."""
    named_seed: float = 0.6
    """Share of the best seed that each named page has at least; measured."""
    damping: float = 0.4
    """Of the mass that moves on in each step (personalised PageRank: Page et al. 1999; Haveliwala
    2002); measured: short walks are best."""
    steps: int = 3
    floor: float = 0.1
    """What a page without any word of the question weighs as the end of an edge; measured."""

    hop_pages: int = 8
    """Pages from which the question is asked again; measured."""
    hop_score: float = 0.1
    """What they must score, against the best page."""
    hop_terms: int = 24
    """Terms each of them brings, the rarest of its names; measured."""
    brought: float = 0.5
    """These terms against what is left open of the question; measured."""

    second_hop: float = 0.4
    """Weights of the channels against the walk, in the final sum; measured."""
    names: float = 0.3
    links: float = 0.1
    words: float = 0.1
    open_share: float = 0.2
    """Of second hop and names where no title is named: then they lead astray; measured."""

    beside: float = 0.2
    """What the next part of one thing adds to a page, against the part's own score; measured."""
    beside_reach: int = 3
    """Parts to each side that count, each next one `beside_fade` as much; measured."""
    beside_fade: float = 0.7
    speaker: float = 1.0
    """What a turn of talk by somebody whom the question names gains, of its own score; measured:
    +4.6 points of recall@5 where pages are turns."""


class WorkBounds(NamedTuple):
    """How much work one ranking may be, however large the wiki or the question."""

    looked_up: int = 400
    """Distinct terms of a question that are looked up; the rarest `terms` count."""
    terms: int = 64
    question_words: int = 200
    """Words of a question in which titles and names are looked for."""
    postings: int = 4_000
    """Postings scored, from the rarest term on; more common terms tell found pages apart."""
    told_apart: int = 500
    """Found pages on which such terms are looked up."""
    trace: int = 200
    """Pages reached by less than this part of the best one's mass are let go."""
    pool: int = 60
    """Pages by words and titles that later steps look at."""
    title_pool: int = 24
    """Pages whose titles' words are looked for on the seeds."""
    brought: int = 60
    """Terms of the names of one page that are looked up for the second hop."""
    hop_postings: int = 300
    """Postings scored for one page of the second hop."""
    hop_found: int = 100
    """Pages that one page of the second hop may lead to by its terms."""
    same_title: int = 30
    shared: int = 60
    """Pages of one name beyond which it makes no edges."""
    mentioned: int = 200
    """Pages that mention one page beyond which they are not followed back."""
    runs: int = 64
    """Names of one page that are followed, those of most words first."""
    sequence: int = 20
    """Pages whose neighbours in sequence are looked at."""
    parts: int = 60
    """Pages of one title beyond which they are no sequence."""


RECIPE = Recipe()
BOUNDS = WorkBounds()
