"""Forms of a word that stemming does not join: irregular English verbs and plurals, nouns of verbs.

Left out are forms that are words of their own: found, bound, left, saw, rose,
and those whose stem is another word's: bit, rang (range).
"""

from __future__ import annotations

_FORMS = """
    aris aros arisen; beat beaten; becom becam; begin began begun; bend bent; blow blew blown; break
    broke broken; bring brought; build built; burn burnt; buy bought; catch caught; choos chose
    chosen choic; come came; creep crept; deal dealt; dig dug; draw drew drawn; drink drank drunk;
    drive drove driven; eat ate eaten; fall fell fallen; feed fed; feel felt; fight fought; flee
    fled; fli flew flown; forbid forbad forbidden; forget forgot forgotten; freez froze frozen; get
    got gotten; give gave given; go went gone; grow grew grown growth; hang hung; hear heard; hide
    hid hidden; hold held; keep kept; know knew known knowledg; lay laid; lead led; learn learnt;
    lend lent; lose lost loss; make made; mean meant; meet met; mistak mistook mistaken; overwrit
    overwrot overwritten; pay paid; rebuild rebuilt; rewrit rewrot rewritten; ride rode ridden; rise
    risen; run ran; say said; see seen; seek sought; sell sold sale; send sent; shake shook shaken;
    shine shone; shoot shot; show shown; shrink shrank shrunk; sing sang sung; sink sank sunk; sit
    sat; sleep slept; speak spoke spoken; spend spent; stand stood; steal stole stolen; stick stuck;
    strike struck stricken; swear swore sworn; swim swam swum; swing swung; take took taken; teach
    taught; tear tore torn; tell told; think thought; throw threw thrown; understand understood;
    undo undid undon; wake woke woken; wear wore worn; weav wove woven; win won; withdraw withdrew
    withdrawn; write wrote written; admit admiss; advis advic; analys analysi; behav behaviour;
    believ belief; collid collis; compar comparison; conclud conclus; contain content; decid decis;
    deep depth; defend defenc; deni denial; describ descript; destroy destruct; divid divis; explain
    explan; expos exposur; extend extens; fail failur; high height; long length; maintain mainten;
    mix mixtur; omit omiss; permit permiss; prove proof; receiv recept; respond respons; retain
    retent; store storag; strong strength; submit submiss; weigh weight; wide width; alia alias; axi
    axe; bus buse; canva canvas; child children; crisi crise; criterion criteria; datum data; foot
    feet; gas gase; index indic; len lens; man men; matrix matric; mous mice; person peopl; synthesi
    synthes; thesi these; tooth teeth; vertex vertic; woman women
"""
"""The forms of each word as search terms, that is stemmed, the infinitive or singular first: every
start of a command would else stem them anew. A test has the words, and fails where these are not
what they are stemmed to."""

_TERMS = {form: tuple(forms) for forms in map(str.split, _FORMS.split(";")) for form in forms}


def base(term: str) -> str:
    """The search term that stands for all forms of a word: that of its infinitive."""
    return _TERMS[term][0] if term in _TERMS else term


def forms_of(term: str) -> tuple[str, ...]:
    """All search terms of the forms of a word; of most words the term itself."""
    return _TERMS.get(term) or (term,)
