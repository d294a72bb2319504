"""Forms of a word that stemming does not join: irregular English verbs and plurals, nouns of verbs.

Left out are forms that are words of their own: found, bound, left, saw, rose,
and those whose stem is another word's: bit, rang (range).
"""

from __future__ import annotations

from functools import lru_cache

from llmwiki.core.language.tokens import terms_of

_VERBS = """
    arise arose arisen; beat beaten; become became; begin began begun; bend bent; bitten; blow
    blew blown; break broke broken; bring brought; build built; burn burnt; buy bought; catch
    caught; choose chose chosen; come came; creep crept; deal dealt; dig dug; draw drew drawn;
    drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed; feel felt;
    fight fought; flee fled; fly flew flown; forbid forbade forbidden; forget forgot forgotten;
    freeze froze frozen; get got gotten; give gave given; go went gone; grow grew grown; hang
    hung; hear heard; hide hid hidden; hold held; keep kept; know knew known; lay laid; lead
    led; learn learnt; lend lent; lose lost; make made; mean meant; meet met; mistake mistook
    mistaken; overwrite overwrote overwritten; pay paid; rebuild rebuilt; rewrite rewrote
    rewritten; ride rode ridden; rise risen; run ran; say said; see seen; seek sought; sell
    sold; send sent; shake shook shaken; shine shone; shoot shot; show shown; shrink shrank
    shrunk; sing sang sung; sink sank sunk; sit sat; sleep slept; speak spoke spoken; spend
    spent; stand stood; steal stole stolen; stick stuck; strike struck stricken; swear swore
    sworn; swim swam swum; swing swung; take took taken; teach taught; tear tore torn; tell
    told; think thought; throw threw thrown; understand understood; undo undid undone; wake woke
    woken; wear wore worn; weave wove woven; win won; withdraw withdrew withdrawn; write wrote
    written
"""


_NOUNS = """
    admit admission; advise advice; analyse analysis; behave behaviour; believe belief;
    choose choice; collide collision; compare comparison; conclude conclusion; contain contents;
    decide decision; deep depth; defend defence; deny denial; describe description;
    destroy destruction; divide division; explain explanation; expose exposure; extend extension;
    fail failure; grow growth; high height; know knowledge; long length; lose loss;
    maintain maintenance; mix mixture; omit omission; permit permission; prove proof;
    receive reception; respond response; retain retention; sell sale; store storage;
    strong strength; submit submission; weigh weight; wide width
"""
"""Nouns made of a verb or adjective, where the stems part."""

_PLURALS = """
    alias aliases; analysis analyses; atlas atlases; axis axes; bias biases; bus buses; canvas
    canvases; child children; crisis crises; criterion criteria; datum data; foot feet; gas
    gases; index indices; lens lenses; man men; matrix matrices; mouse mice; person people;
    synthesis syntheses; thesis theses; tooth teeth; vertex vertices; woman women
"""


@lru_cache(maxsize=1)
def _forms() -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for group in ";".join((_VERBS, _NOUNS, _PLURALS)).split(";"):
        stems = [term for word in group.split() for term in terms_of(word)]
        known = (form for stem in stems for form in table.get(stem, ()))
        forms = tuple(dict.fromkeys((*known, *stems)))
        table.update(dict.fromkeys(forms, forms))
    return table


def base(term: str) -> str:
    """The search term that stands for all forms of a word: that of its infinitive."""
    forms = _forms().get(term)
    return forms[0] if forms else term


def forms_of(term: str) -> tuple[str, ...]:
    """All search terms of the forms of a word; of most words the term itself."""
    return _forms().get(term) or (term,)
