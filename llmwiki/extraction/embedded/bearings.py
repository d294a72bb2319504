"""What a claim is about where its own words do not say so: the document, as its scope."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from llmwiki.extraction.embedded.names import clean_name, is_cjk, is_generic, valid_name
from llmwiki.extraction.embedded.statements import DocumentStatement
from llmwiki.extraction.embedded.vocabulary import FUNCTION_WORDS
from llmwiki.language.tokens import terms

_LONGEST = 4
"""Words of a title of which not only the name at its beginning is told."""
_TITLE_END = re.compile(r"(?<=\S)(?: [—–|-] |[:：(（])")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][\w.-]*\w")
_LEAST_NAMED = 2
"""How often running text writes a name within a sentence."""


class DocumentName:
    """The words that name a document, and the names that its text uses."""

    def __init__(self, title: str, found: Sequence[DocumentStatement]) -> None:
        short = clean_name(_TITLE_END.split(title, maxsplit=1)[0])
        told = valid_name(short) and not any(map(str.isdigit, title))
        self.words = short if told and len(title.split()) > _LONGEST else title
        named = Counter(name for one in found for name in _NAME.findall(one.own))
        often = (name for name, count in named.items() if count >= _LEAST_NAMED)
        self._names = {name for name in often if name.casefold() not in FUNCTION_WORDS}
        self._terms = set() if is_generic(self.words) else set(terms(self.words))

    def scope_of(self, one: DocumentStatement) -> str | None:
        """The title, for a statement that names neither its document nor what it is about."""
        if not self._terms or one.kind in ("verse", "row") or one.spoken:
            return None
        told = self._terms & set(terms(one.text))
        named = any(name.casefold() in told and name in one.text for name in self._names)
        if not one.talk and (named or len(told) * 2 >= len(self._terms)):
            return None
        if one.definition is not None and one.definition.strength == 3:
            return None
        first = one.own.removeprefix("The ").split(" ", 1)[0].strip("\"'“‘(*,:;.")
        if is_cjk(one.own):
            return None if first[:1].isascii() and first[:1].isupper() else self.words
        bare = first.removesuffix("'s").removesuffix("’s")
        return None if bare in self._names else self.words
