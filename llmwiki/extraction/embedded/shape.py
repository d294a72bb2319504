"""The shape of a sentence: whether it is one, and whether it says something by itself."""

from __future__ import annotations

import re
from collections.abc import Sequence

from llmwiki.extraction.embedded.inline import without_code_marks
from llmwiki.extraction.embedded.names import cjk_count, is_cjk
from llmwiki.extraction.embedded.records import MAX_LENGTH
from llmwiki.extraction.embedded.vocabulary import (
    FUNCTION_WORDS,
    IMPERATIVES,
    JA_POINTERS,
    VERBS,
)
from llmwiki.language.plurals import word_set
from llmwiki.sources.quotes import MAX_CJK, MAX_WORDS

_WORDS = re.compile(r"\w+")
_ENGLISH = word_set("the of and to is for with a an on by that from")
_DETERMINERS = word_set("the a an this that these those its their all any each no your our one")
_PERSONS = word_set("we you they")
_AFTER_NOUN = word_set("""to under between into of from for with by in on at and or like as that who
    which should must can may will would are were have is was do""")
_AFTER_PAST = word_set("in on at that from because when after before until over about to by")

_BACKWARD = word_set(
    """another other
    he him his she her hers it it's its they they're them their theirs this that that's these
    those such former latter accordingly additionally again also afterwards and besides but
    consequently conversely else finally further furthermore hence here however instead
    likewise meanwhile moreover nevertheless next nonetheless nor now or otherwise overall
    similarly so specifically still then therefore thus together too unfortunately alternatively
    where which whose yet well first though
    firstly second secondly third thirdly last lastly later no yes"""
)
"""First words that point at what was said before."""
_ITSELF = (
    r"(?:PEP|RFC|DEP|EIP|KEP|BIP|document|guide|page|note|specification|spec|standard|report|paper|"
    r"article|memo|package|project|library|policy|proposal|tool|repo|repository|license|plugin|"
    r"style guide|handbook)\b"
)
_OF_ITSELF = re.compile(rf"(?:\w+ )?[Tt]his {_ITSELF}")
_EXPLETIVE = re.compile(
    r"It(?:['’]s| is| was| may be| should be| can be)(?: not)?(?: [a-z]+)? [a-z]+ (?:to|that)\b"
)
"""`It is important to …`, where the pronoun stands for nothing."""
_WITHIN = re.compile(
    rf"\b(?:these|those|such an?|this)(?! (?:{_ITSELF}|(?:who|that|which|of|in|end)\b))"
    r"(?= [a-z]|[.,;]|$)|\b(?:of|for|by|with) that [a-z]+"
    r"|\b(?:once done|as (?:a result|such)|until then|either way|both (?:are|of)|but then)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"\b(?:at|with|for|from|after|before|by|on|of|using|like|to|than|do|does|did) "
    r"(?:that|so|it|them)(?=[.,;]|$| (?:and|or|but|is|are|was|were|when|because)\b)"
)
_OPENING = re.compile(
    r"(?:In (?:other words|short|between|turn|particular|fact|the meantime)|"
    r"In (?:addition|contrast)(?=,| to (?:this|that|it|them)\b)|"
    r"On (?:top of|the other hand|the contrary)|Of (?:those|these)|Among them|To this end|"
    r"Just like|For (?:this|these) reasons?|After all|By (?:extension|contrast)|Hmm|Worse|"
    r"Even (?:so|then|worse|better)|More [a-z]+(?: is)?|"
    r"Until (?:now|then)|At (?:that|the same) (?:point|time)|Note that this|You see)"
    r"\b(?![-/])(?= |,|$)|"
    r"(?:If|When|Once) (?:not|so|set|enabled|disabled|given|present|true|used)\b|"
    r"Only (?:that|this|those|these)\b|"
    r"(?:[A-Z][a-z]+ing|Use|Put|Call|Run|Add|Set|Remove|Pass|Move|Place|Store) (?:it|them)\b|"
    r"There (?:is|are|was|were|will be) also |Doing so\b|"
    r"(?:Because|If|When|Since|Although|Though|While|As|Unless|Once|After|Before|For|In|To) "
    r"(?:its|it's|their)\b|"
    r"(?:[\w'’`()/.-]+ ){1,4}(?<!, )(?:it|they|them|he|she|him)\b"
    r"(?! (?:is |be )?(?:[a-z]+ )?(?:easy|easier|possible|impossible|hard|harder|simple|clear|"
    r"difficult|necessary|recommended|important|useful|best|better|safe|worth|up to)\b)"
)
"""A sentence whose first words point back."""
_TURNING = re.compile(
    r"(?:However|But|Yet|Nevertheless|Nonetheless|Unfortunately|Instead|Conversely|Otherwise|"
    r"Except|Unless|On the other hand|That said|Still|In contrast)\b|"
    r"しかし|ただし|けれど|だが|ですが|でも|ところが|とはいえ|もっとも|逆に|一方|例外"
)
_BEGINNING = 90
"""Characters at the start of a sentence: what stands later may point at words of the sentence."""
_JA_OWN = 8
"""Characters before a comma that a pronoun behind it may stand for."""
_JA_REASON = re.compile(r"から(?:です|だ|である)。?$")
_JA_WITHIN = re.compile(
    r"(?:この|その|これら|それら|あの|同じ)[^、。]{0,10}|[こそ]れ[をはがにらでと]|ここで"
)
_POINTING = re.compile(
    r"(?<=, )see |\bthese[.:]?$|\b(?:see (?:also|below|above|the|section|\[)|as follows|"
    r"(?:the|these) following|"
    r"following [a-z]+|(?:as|like) (?:so|this|these|we)|"
    r"(?:shown|described|listed|mentioned|defined|discussed|given|noted|outlined|explained) "
    r"(?:below|above|here|earlier|previously|in (?:the|this) (?:section|next))|"
    r"the (?:above|previous|next|latter|former|same|other|others|rest) [a-z]+|"
    r"(?:below|above)(?=\s*(?:[.,;:)]|$| (?:must|is|are|can|will|shows?)\b))|"
    r"here[.,]?$|as you(?:'ve| can)|now you can|let's|let us|"
    r"we(?:['’]ll| will|['’]d|['’]ve| have| can)? (?:now |just |then |first |also )?"
    r"(?:see|seen|saw|look|cover|covered|discuss\w*|explore|learn\w*|describe|show|explain|go|take|walk|start|focus)|"
    r"you['’](?:ll|d)|you will|"
    r"happy to|feel free|of course|so on|keep in mind|"
    r"(?:this|an|the) example|as shown|(?:final|last|previous) (?:chapter|section)|"
    r"for more|for (?:information|details)|please|reach out|learn more|refer to|thanks?|"
    r"(?:is|are) shown|(?:the|this) (?:figure|diagram|screenshot|image|picture)|"
    r"the (?:\w+ )?answer|take a look|check out|"
    r"stay tuned|in (?:this|the next) (?:section|article|post|chapter|case|example)|"
    r"earlier|previously|at this point|as (?:mentioned|noted|said|well|before)|"
    r"(?:will|would|can|may|is|are|and) then|again|(?:click|scroll|drag)(?:s|ing|ed)?)\b"
    r"|\binstead(?=[.;]|$)|→|->",
    re.IGNORECASE,
)
"""Words that point at other places of the text, lead through it, or tell of steps at a screen."""
_POINTING_JA = re.compile(
    r"以下|次の|これら|同様です|前の|上記|下記|後述|前述|参照|ご覧|"
    r"見て(?:みま|いきま|くだ)|次に示す|この(?:よう|とき|場合|例|ため)|その(?:ため|場合|とき)|"
    r"(?:リスト|図|表)\s?[0-9０-９]|第[0-9０-９]+章|議論します|訳注|主な記事|関連記事|ファイル名|今回|すでに見|後で|"
    r"ましょう|でしょう|ください|本(?:章|節|記事)|この(?:章|節|記事|ページ)|さて|ご存|思い(?:出|ま)|参考：|[よろこ]う。?$|せよ。?$|"
    r"こちら|ここ(?:で|では|まで|から)|例えば|たとえば|紹介|説明(?:し|する)"
)


def fits(quote: str) -> bool:
    """Whether a quote is short enough to be evidence and a statement."""
    return (
        len(quote) <= MAX_LENGTH and len(quote.split()) <= MAX_WORDS and cjk_count(quote) <= MAX_CJK
    )


def weight_of(text: str) -> int:
    """Length in words; two CJK characters count as one."""
    return len(_WORDS.findall(text)) + cjk_count(text) // 2


def first_word(text: str) -> str:
    """The first word, folded, without the marks around it."""
    return text[:60].split(" ", 1)[0].strip("\"'“‘(*`,:;.").casefold()


def is_verb(words: Sequence[str], at: int) -> bool:
    """Whether one of the folded words is a finite verb, by its ending and what follows it."""
    word = words[at]
    if word in VERBS:
        return True
    following = words[at + 1] if at + 1 < len(words) else ""
    if word.endswith("ed") and len(word) > 4:
        return not following or following in _DETERMINERS | _AFTER_PAST
    is_third = word.isalpha() and word.endswith("s") and not word.endswith(("ss", "us", "is", "as"))
    if following.endswith(("ed", "ing")):
        return False
    return is_third and following.isalnum() and following not in _AFTER_NOUN | VERBS


def is_order(text: str) -> bool:
    """Whether a plain text begins as an instruction does: `Use …`, `Ensure all …`."""
    word, _, rest = text.partition(" ")
    bare = word.casefold().strip("\"'“‘(*,:")
    if not word[:1].isupper() or not rest:
        return False
    plain = bare.isalpha() and not bare.endswith(("s", "ed", "ing", "ly", "er", "ion"))
    objected = first_word(rest) in _DETERMINERS and bare not in FUNCTION_WORDS | VERBS
    return bare in IMPERATIVES or (plain and objected)


def is_headless(text: str) -> bool:
    """Whether a plain text begins with a verb whose subject stands elsewhere: `Returns an …`."""
    words = text.casefold().split(maxsplit=2)
    third = len(words) > 1 and words[0].endswith("s") and not words[0].endswith(("ss", "us", "is"))
    verb = bool(words) and words[0].strip("\"'“‘(*,:") in VERBS - IMPERATIVES
    return (verb and len(words) > 1) or (third and words[1] in _DETERMINERS)


def is_clause(text: str) -> bool:
    """Whether a plain text holds a finite verb, or is an instruction; CJK and others do."""
    if is_cjk(text):
        return True
    words = [word.strip(".,;:()\"'’“”") for word in text.casefold().split()]
    if words[:1] and words[0] in _PERSONS:
        return True
    if is_order(text) or any(is_verb(words, at) for at in range(1, len(words))):
        return True
    return _ENGLISH.isdisjoint(words) and text[-1:] in ".!" and len(words) > 7


def is_phrase(text: str) -> bool:
    """Whether a plain sentence is surely no clause: behind a plural any word may be the verb."""
    return not is_clause(text) and not any(word.endswith("s") for word in text.split()[:4])


def leans(sentence: str) -> bool:
    """Whether a plain sentence points back, at what was said before it."""
    if _OF_ITSELF.match(sentence) or _EXPLETIVE.match(sentence):
        return False
    within = _JA_WITHIN.search(sentence[:_BEGINNING])
    if within and within[0][0] == "そ" and "、" in sentence[_JA_OWN : within.start()]:
        within = None  # It stands for words of its own sentence.
    if sentence.startswith(JA_POINTERS) or within or _JA_REASON.search(sentence[-12:]):
        return True
    words = sentence[:80].lstrip("\"'“‘(*").casefold().replace("’", "'").split(maxsplit=2)
    first = words[0].strip(",:;.'\"") if words else ""
    if first in _BACKWARD or first.partition("'")[0] in _BACKWARD:
        return True
    if _OPENING.match(sentence) or _PRONOUN.search(sentence[: _BEGINNING // 2]):
        return True
    return _WITHIN.search(sentence[:_BEGINNING]) is not None


def turns(sentence: str) -> bool:
    """Whether a plain sentence takes back some of what the one before it says."""
    return _TURNING.match(sentence) is not None


def points(text: str) -> bool:
    """Whether words send the reader to another place, or lead through the text."""
    return (_POINTING_JA if is_cjk(text) else _POINTING).search(text) is not None


def stands_alone(text: str, label: str = "") -> bool:
    """Whether an item says something without the words above it; `label`: what it begins with."""
    text = without_code_marks(text)
    if leans(text):
        return False
    if is_cjk(text):
        return len(text) >= 12 and (bool(label) or bool(re.search("[はがを]", text)))
    if weight_of(text) < 5 or not is_clause(text):
        return False
    return bool(label) or not (text[:1].islower() or is_headless(text))
