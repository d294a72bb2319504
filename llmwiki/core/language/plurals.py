"""English nouns to their singular, with care for names that only look like plurals.

A stemmer would make `Windows` a window and `Redis` a redi. Here a word changes only by a regular
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
