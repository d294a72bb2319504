"""Whether a sentence can be understood without the one before it."""

from __future__ import annotations

import re

from llmwiki.extraction.embedded.vocabulary import JA_POINTERS
from llmwiki.language.plurals import word_set

_BACKWARD = word_set(
    """he him his she her hers it it's its they they're them their theirs this that that's these
    those such former latter accordingly additionally again also afterwards and besides but
    consequently conversely else finally further furthermore hence here however instead
    likewise meanwhile moreover nevertheless next nonetheless nor now or otherwise secondly
    similarly so still then therefore thirdly thus too unfortunately
    where which whose yet"""
)
"""First words that point at what was said before."""
_ALONE = word_set(
    """all another any anything both each either everything few many most neither none nothing one
    ones other others same several some"""
)
"""First words that do so where no noun follows them."""
_NO_NOUN = word_set(
    """of is are was were has have had do does did can could may might must should will would and
    or but also then"""
)
_WITHIN = re.compile(
    r"\b(?:in|at|with|for|from|after|before|by|on|under|of|using|like|to|than) "
    r"(?:this|these|that|those|such|it|them)"
    r"(?=[,.;]|$| (?:and|or|but|is|are|was|were|to|in|with|for|when|because)\b(?!,))"
    r"|\b(?:by doing so|doing so|once done|as a result|as such|the (?:latter|former)|"
    r"the (?:first|second) one|until then|(?:do|does|did) (?:so|this|that|it|not either)|"
    r"either way|both (?:are|of)|so that it|but then)\b"
    r"|\b(?:this|these|those|such an?) (?!PEP|RFC|document|guide|specification|standard|license|"
    r"policy|package|project|repository|proposal|who|that|which|of|in)[a-z]\w++(?!$)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"(?:(?:Above|Below) (?:are|is)|By extension|Alternatively|After all|"
    r"In other words|In short|In (?:addition|between|turn|contrast)|"
    r"Overall|Hmm|Specifically|As such|Of (?:those|these)|Among them|Continuing|On top of|"
    r"To this end|That said|Just like|In particular|For (?:this|these) reasons?|As a result|"
    r"On the other hand|More (?:specifically|importantly|generally)|Even (?:so|then|worse|better)|"
    r"Worse|Better still|First(?:ly)?|Second|Third|Last(?:ly)?|In fact|"
    r"Note that this|Nor|Summarizing|Together|Later|"
    r"Until (?:now|then)|Afterwards?|Back (?:in|to)|At (?:that|the same) (?:point|time)|Either way|"
    r"Given (?:this|that|these|the above)|With (?:this|that|these|the above))\b(?![-/])(?= |,)|"
    r"(?:No|Yes), |(?:If|When) (?:not|so)\b|Only (?:that|this|those|these)\b|There (?:is|are), |"
    r"In the meantime|More [a-z]+ is |"
    r"(?:[A-Z][a-z]+ing|Use|Put|Call|Run|Add|Set|Remove|Pass|Move|Place|Store) "
    r"(?:it|them|this|these|those)\b|"
    r"[A-Z][a-z]+(?: per [a-z]+)? is not [a-z]+, but |You see\b|"
    r"There (?:is|are|was|were|will be) also |[A-Z][\w ]{3,25}, (?:it|this|they|that) |"
    r"(?:We|You|I) .*\b(?:its?|them)\b|If one does|(?:Because|If|When|Since|Although|Though|While|"
    r"As|Unless|Once|After|Before|For|In|To) "
    r"(?:[\w'-]+ )?(?:it|its|it's|they|their|them|this|that|these|those|he|she|such)\b"
)
"""A sentence whose first words point back."""
_OF_ITSELF = re.compile(
    r"(?:In )?[Tt]his (?:PEP|RFC|DEP|document|guide|page|note|specification|report|paper|article|"
    r"memo|package|project|library|policy|proposal|chapter)\b|At this point\b"
)
_TURNING = re.compile(
    r"(?:However|But|Yet|Nevertheless|Nonetheless|Unfortunately|Instead|Conversely|Otherwise|"
    r"Except|Unless|On the other hand|That said|Still|In contrast)\b|"
    r"しかし|ただし|けれど|だが|ですが|でも|ところが|とはいえ|もっとも|逆に|一方|例外"
)
_BEGINNING = 60
"""Characters at the start of a sentence: what stands later may point at words of the sentence."""
_JA_OWN = 8
"""Characters before a comma that a pronoun behind it may stand for."""
_JA_REASON = re.compile(r"から(?:です|だ|である)。?$")
_JA_WITHIN = re.compile(
    r"(?:この|その|これら|それら|あの|同じ)[^、。]{0,10}|[こそ]れ[をはがにらで]|ここで"
)


_EXPLETIVE = re.compile(
    r"It(?:['’]s| is| was| may be| should be| can be)(?: not)? "
    r"(?:(?:also|often|usually|very|more|most|not) )?(?:important|possible|impossible|necessary|"
    r"recommended|useful|useless|easy|hard|difficult|best|better|common|safe|helpful|okay|fine|good|"
    r"bad|crucial|essential|worth|permissible|acceptable|allowed|forbidden|required|suggested|clear|"
    r"true|likely|unlikely|wise|customary|illegal|legal|an error|a mistake) (?:to|that)\b"
)
"""`It is important to …`, where the pronoun stands for nothing."""


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
    second = words[1] if len(words) > 1 else ""
    if first in _ALONE and (second in _NO_NOUN or words[0].endswith(",")):
        return True
    return bool(_CLAUSE.match(sentence) or _WITHIN.search(sentence[:_BEGINNING]))


def turns(sentence: str) -> bool:
    """Whether a plain sentence takes back some of what the one before it says."""
    return _TURNING.match(sentence) is not None
