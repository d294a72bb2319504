"""Forms of English words: nouns to their singular, irregular verbs and plurals, nouns of verbs.

A stemmer would make `Windows` a window and `Redis` a redi. Here a noun changes only by a regular
rule, and the words that the rules would spoil are listed.
"""

from __future__ import annotations

from llmwiki.core.quick_to_load import lazy_pattern


def word_set(words: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(words.split())


# Names of software, firms, places and people that end in s, and words whose form in s is a word
# of its own or their singular.
_NAMES = word_set(
    """
    redis kubernetes aws jenkins pandas keras airbus atlas athens brussels texas
    kansas arkansas dallas vegas paris wales netherlands philippines maldives bahamas honduras
    cyprus naples marseilles angeles andes alps mars uranus venus hermes achilles socrates
    hercules ulysses moses ramses beatles mercedes adidas levis wendys lloyds moodys
    macys kelloggs dominos starbucks siemens philips reuters forbes sears claris solaris illumos
    postgres cerebras
    """
)
_PEOPLE = word_set(
    """
    james charles jacques jules yves thomas lucas nicholas douglas judas elias jonas midas carlos
    marcos bayes hayes jones holmes hughes keynes stokes hobbes barnes rhodes mises
    descartes williams roberts adams edwards evans phillips andrews peters simmons stevens
    perkins hopkins collins dawkins hawkins myers rogers sanders saunders
    hicks jacobs daniels michaels samuels
    gibbs richards matthews harris davis lewis morris ellis curtis travis willis
    stubbs higgins robbins cummings hastings jennings owens stephens reynolds
    edmonds simons abrams rawls engels euripides wiles lyons erdos zeus
    """
)
_WORDS = word_set(
    """
    news series species means customs goods ethics statistics mathematics physics economics
    politics graphics analytics dynamics mechanics semantics linguistics robotics electronics
    genetics optics acoustics logistics athletics classics thermodynamics genomics proteomics
    arms glasses securities savings futures sales proceeds headquarters premises barracks
    scissors trousers pants shorts pliers tongs thanks credentials surroundings chaos ethos
    pathos cosmos logos mythos eros asbestos thermos lens canvas alias bias gas christmas pyjamas
    pajamas diabetes herpes rabies measles mumps rickets shingles scabies hives always perhaps
    besides afterwards towards hers ours yours theirs this thus yes plus minus versus alps bus us
    is as has was its his does goes
    """
)
_SAME = _NAMES | _PEOPLE | _WORDS

TITLES = word_set(
    """
    queens kings eagles giants friends cars blues beats sims jets rangers heroes avengers saints
    dolphins suits aliens jaws gremlins stars teams docs maps sheets slides arrows browns reds
    bulls bears hornets rockets windows rails doors amazons
    """
)
"""Plurals that are the name of something when they stand alone with a capital: `Friends`."""

SURNAMES = word_set(
    """
    gates jobs woods fields rivers parks banks waters weeks powers brooks wells watts mills
    summers winters burns
    """
)
"""Plurals that are somebody's name when they stand last with a capital: `Bill Gates`."""

PROPER_BEFORE = word_set("microsoft google apple amazon rolling united")
"""Words after which a plural is part of a proper name: `Google Maps`, `United States`."""

_IRREGULAR = dict(
    pair.split(":")
    for pair in sorted(
        word_set(
            """
            indices:index indexes:index matrices:matrix vertices:vertex vortices:vortex
            appendices:appendix criteria:criterion phenomena:phenomenon automata:automaton
            children:child mice:mouse men:man women:woman feet:foot teeth:tooth geese:goose
            schemata:schema corpora:corpus formulae:formula antennae:antenna larvae:larva
            bacteria:bacterium nuclei:nucleus radii:radius stimuli:stimulus fungi:fungus
            foci:focus loci:locus alumni:alumnus syllabi:syllabus optima:optimum maxima:maximum
            minima:minimum spectra:spectrum strata:stratum quanta:quantum errata:erratum oxen:ox
            wives:wife knives:knife lives:life leaves:leaf halves:half selves:self shelves:shelf
            wolves:wolf calves:calf loaves:loaf thieves:thief axes:axis gases:gas lenses:lens
            biases:bias aliases:alias canvases:canvas atlases:atlas quizzes:quiz buses:bus
            movies:movie cookies:cookie zombies:zombie calories:calorie ties:tie pies:pie lies:lie
            selfies:selfie rookies:rookie brownies:brownie prairies:prairie genies:genie
            caches:cache niches:niche aches:ache headaches:headache avalanches:avalanche
            shoes:shoe toes:toe canoes:canoe uses:use fuses:fuse excuses:excuse muses:muse
            quotas:quota topics:topic metrics:metric characteristics:characteristic critics:critic
            clinics:clinic antibiotics:antibiotic fabrics:fabric heuristics:heuristic comics:comic
            """
        )
    )
)

_RULES = (
    (lazy_pattern(r"(analy|the|cri|gno|pha|gene|ellip|oa|cataly|paraly|hydroly)ses\Z"), r"\1sis"),
    (lazy_pattern(r"\A(.{2,}[^aeiou])ies\Z"), r"\1y"),
    (lazy_pattern(r"\A(.{2,}(?:ss|x|sh|ch|zz))es\Z"), r"\1"),
    (lazy_pattern(r"\A(.*[^aeo]us)es\Z"), r"\1"),
    (lazy_pattern(r"(hero|potato|tomato|echo|veto|torpedo|cargo|mango)es\Z"), r"\1"),
)
_PLAIN = lazy_pattern(r".+(?:.[^suiy]|[aeo]y)s\Z")


def singular(word: str) -> str:
    """The singular of a lower-case English noun; what is none stays as it is."""
    if word in _SAME or not (word.isascii() and word.isalpha()):
        return word
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or word[-1] != "s" or word.endswith("ics"):
        return word
    for pattern, replacement in _RULES:
        if pattern.search(word):
            return pattern.sub(replacement, word)
    return word[:-1] if _PLAIN.match(word) else word


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
what they are stemmed to. Left out are forms that are words of their own: found, bound, left, saw,
rose, and those whose stem is another word's: bit, rang (range)."""

_TERMS = {form: tuple(forms) for forms in map(str.split, _FORMS.split(";")) for form in forms}


def base(term: str) -> str:
    """The search term that stands for all forms of a word: that of its infinitive."""
    return _TERMS[term][0] if term in _TERMS else term


def forms_of(term: str) -> tuple[str, ...]:
    """All search terms of the forms of a word; of most words the term itself."""
    return _TERMS.get(term) or (term,)
