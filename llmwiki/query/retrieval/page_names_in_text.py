"""The names of pages that stand in a text, found without a model, and which may be links there."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import accumulate

from llmwiki.core.language.scripts import CJK
from llmwiki.core.language.search_terms import STOP_WORDS
from llmwiki.core.page_and_note_kinds import is_of_subject
from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.core.text import fold
from llmwiki.index.keys_of_names import Lookup
from llmwiki.pages.linked_text import LinkName
from llmwiki.pages.page_file_names import stem_of

_SHORTEST = 3
"""Letters of the shortest name of one word that is linked; of other scripts two do."""
_SEAM = lazy_pattern(f"(?<=[{CJK}])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?=[{CJK}])")
MAX_WORDS = 6
"""Words of the longest name that is looked for."""

_WORD = re.compile(r"\w+(?:[-.+#'/]\w+)*[+#]*")
_CJK = lazy_pattern(f"[{CJK}]{{2,12}}")
_MAX_CJK = 12
_AT_ONCE = 4096
"""Runs of words that are looked up together."""


def mentioned(text: str, names: Lookup) -> tuple[str, ...]:
    """The titles and aliases that occur in a text as whole words, sorted; case does not count.

    Tries each run of up to six words of the text, so its cost grows with the text and not with
    the wiki.
    """
    lines = [_WORD.findall(fold(line)) for line in text.split("\n")]
    opens = names.opens({word for line in lines for word in line})
    found: set[str] = set()
    asked: set[str] = set()
    for line, words in zip(text.split("\n"), lines, strict=True):
        for start, word in enumerate(words):
            if word in opens:
                asked.update(_runs(words[start : start + MAX_WORDS]))
        for stretch in _CJK.findall(line):
            asked.update(_pieces(fold(stretch)))
        if len(asked) > _AT_ONCE:
            found |= names.titled(asked)
            asked.clear()
    return tuple(sorted(found | names.titled(asked)))


def _runs(words: list[str]) -> Iterator[str]:
    """The first word, the first two, and so on."""
    return accumulate(words, "{} {}".format)


def _pieces(text: str) -> Iterator[str]:
    """Every part of a stretch of CJK that may be a name."""
    for start in range(len(text)):
        for end in range(start + 2, min(start + _MAX_CJK, len(text)) + 1):
            yield text[start:end]


class LinkNames:
    """Which names may be links: they belong to one page, which a link with its file name finds.

    A name of a subject is not a document's.
    """

    def __init__(
        self, names: Lookup, is_found: Callable[[str], bool], told: Collection[str] = ()
    ) -> None:
        """`is_found` says of a page's path whether a link with its file name leads to it; of the
        pages of subjects in `told` any name counts, of others those that are `is_sure`."""
        self._names = names
        self._is_found = is_found
        self._told = told
        self._known: dict[str, tuple[str, tuple[str, ...]] | None] = {}

    def but_for(self, path: str, texts: Iterable[str]) -> list[LinkName]:
        """The names that stand in any of the texts of the page at `path`.

        Those of the page itself, and those that are no links for another reason, have no file name.
        """
        said = "\n".join(_SEAM.sub(" ", text.replace("\n", " ")) for text in texts)
        found: list[LinkName] = []
        for name in mentioned(said, self._names):
            if self._is_of_article(name):
                continue
            target, spelled = self._page_of(name) or ("", (name,))
            stem = "" if target == path else stem_of(target)
            found += [LinkName(words, stem) for words in spelled]
        return found

    def _is_of_article(self, name: str) -> bool:
        """Whether a title is a document's, and a subject's but for its article: a text that says
        `the Heron` speaks of the Heron, and not of a document that is titled `The Heron`."""
        bare = re.sub(r"\A(?:the|an?) ", "", name)
        return (
            bare != name
            and any(is_of_subject(path) for path in self._names.by_title(bare))
            and not any(is_of_subject(path) for path in self._names.by_title(name))
        )

    def _page_of(self, name: str) -> tuple[str, tuple[str, ...]] | None:
        """The one page of a folded name, with the spellings of that name it has."""
        if name not in self._known:
            paths = self._names.by_title(name)
            paths = tuple(path for path in paths if is_of_subject(path)) or paths
            path = paths[0] if len(paths) == 1 else ""
            spelled = tuple(n for n in self._names.names_of(path) if fold(n) == name)
            is_told = path in self._told and is_of_subject(path)
            title = next(iter(self._names.names_of(path)), "")
            usable = tuple(n for n in spelled if is_told or is_sure_of(path, title, n))
            self._known[name] = (path, usable) if usable and self._is_found(path) else None
        return self._known[name]


def is_sure_of(path: str, title: str, name: str) -> bool:
    """Whether a name says by itself that it is that page's.

    A document may be titled `Minutes`, and who titled a page `Clock (protocol)` knew that a clock
    may be another thing.
    """
    if is_of_subject(path):
        return is_sure(name) and (" " in name or not title.startswith(f"{name} ("))
    is_number = name[:2].isupper() and name[-1:].isdigit()
    return is_number or len(name.split()) > 1


def is_sure(name: str) -> bool:
    """Whether a name says by itself that it is one: `set` and `main` may be any word."""
    if len(name.split()) > 1:
        return True
    short = len(name) < (_SHORTEST if name.isascii() else 2)
    return not (short or name.islower() or fold(name) in STOP_WORDS)
