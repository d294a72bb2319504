"""Which passages are shown: best first, nothing twice, within the room."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

from llmwiki.core.quick_to_load import NamedTuple
from llmwiki.core.text import fold
from llmwiki.query.retrieval.context_text import ContextWriter, is_among
from llmwiki.query.retrieval.passage import Passage, place
from llmwiki.query.retrieval.passage_score import ScoredPassage, split_words
from llmwiki.query.retrieval.read_and_score_passages import PassageReader, in_time

MISSES = 24
"""After so many passages that do not fit, smaller ones are not looked for."""
ALIKE = 0.9
"""Share of a passage's words (0 to 1) that a chosen passage holds, from which on it is left out."""
QUOTED = 0.6
"""Share of the characters of lines of a source on which chosen claims rest, from which on the lines
are left out."""
_DENIALS = frozenset(("not", "no", "never", "without", "cannot", "nor", "neither", "none"))


class Choice:
    """Which passages are shown: a running choice within the room there is."""

    def __init__(
        self, writer: ContextWriter, reader: PassageReader, *, hidden: Collection[str] = ()
    ) -> None:
        """`hidden` are handles or ids of what is not shown."""
        self._writer, self._reader, self._hidden = writer, reader, hidden
        self._chosen: dict[tuple[str, int, str], ScoredPassage] = {}
        self._said: list[_SaidWords] = []
        self._saying: dict[str, list[int]] = {}
        """For each word the places in `_said` of those that hold it."""
        self._at_place: dict[tuple[str, int, str], tuple[tuple[int, str, int, str], int]] = {}
        """Of claims that follow each other the order of the first one chosen, and their own."""
        self._texts: set[str] = set()
        self._lines: dict[str, set[int]] = {}
        """For each source the lines that are shown, and that what is chosen, or was shown before,
        rests on."""
        self._claimed: dict[str, set[int]] = {}
        """Those of them that claims rest on."""

    def fill(self, found: Sequence[ScoredPassage]) -> int:
        """Chooses from passages, best first; how many found no room."""
        left_out = misses = 0
        for each in found:
            if is_among(each.passage, self._hidden):
                self._note_lines(each.passage)
        for each in found:
            if misses >= MISSES:
                left_out += 1
            elif not self._is_known(each) and not self._take(each):
                misses += 1
                left_out += 1
        return left_out

    def ordered(self) -> list[ScoredPassage]:
        """The chosen ones, best first; values of one thing together, the oldest first; without
        lines of which claims that were chosen after them say the most."""
        kept = [
            each
            for each in self._chosen.values()
            if each.passage.kind != "source" or not self._is_quoted(each.passage, self._claimed)
        ]
        order = self._at_place
        return sorted(kept, key=lambda each: order.get(place(each.passage), (each.order, 0)))

    def _is_known(self, each: ScoredPassage) -> bool:
        passage = each.passage
        if place(passage) in self._chosen or is_among(passage, self._hidden):
            return True
        if passage.kind == "source":
            return self._is_quoted(passage, self._lines)
        text = fold(passage.text)
        if passage.id:
            return text in self._texts and not passage.contradicts
        return self._is_said(_words_said(passage.text))

    def _is_said(self, said: _SaidWords) -> bool:
        """Whether something chosen holds all that some words say.

        What holds nearly all words holds one of any few of them: it is looked for by the rarest.
        """
        if not said.all:
            return bool(self._said)
        few = len(said.all) - int(ALIKE * len(said.all)) + 1
        saying = self._saying
        rarest = sorted((saying.get(word, ()) for word in said.all), key=len)[:few]
        places = set().union(*rarest)
        return any(_says(said, self._said[place]) for place in places)

    def _is_quoted(self, passage: Passage, lines: Mapping[str, Collection[int]]) -> bool:
        """Whether most of the words of a source's lines stand in some `lines` by source."""
        held = lines.get(passage.title, ())
        sizes = self._reader.line_sizes(passage)
        there = sum(size for line, size in sizes.items() if line in held)
        return there >= QUOTED * max(sum(sizes.values()), 1)

    def _take(self, each: ScoredPassage) -> bool:
        """Shows a passage and what must be seen with it, if there is room for all."""
        each = self._located(each)
        chain = self._reader.chain(each)
        with_it = [
            self._located(other)
            for other in (*chain, *self._reader.rivals(each.passage))
            if place(other.passage) not in {*self._chosen, place(each.passage)}
            and not is_among(other.passage, self._hidden)
        ]
        shown = {place(other.passage) for other in with_it}
        beside = [
            self._located(other)
            for other in self._reader.siblings(each.passage)
            if place(other.passage) not in shown and not self._is_known(other)
        ]
        for group in ([each, *with_it, *beside], [each, *with_it], [each]):
            if sum(self._writer.cost(one.passage) for one in group) <= self._writer.left:
                for one in group:
                    self._writer.take(one.passage)
                    self._add(one)
                slot = each.passage.slot
                self._join([*chain, *(b for b in beside if slot and b.passage.slot == slot)], each)
                return True
        if not self._chosen and self._writer.take_beginning(each.passage):
            self._add(each._replace(is_cut=True))
            return True
        return False

    def _join(self, values: Sequence[ScoredPassage], first: ScoredPassage) -> None:
        """Lets values of one thing stand together, at the place of one of them."""
        listed = in_time(list({place(each.passage): each for each in values}.values()))
        if len(listed) > 1:
            self._writer.join([each.passage for each in listed])
            for at, each in enumerate(listed):
                self._at_place.setdefault(place(each.passage), (first.order, at))

    def _add(self, each: ScoredPassage) -> None:
        passage = each.passage
        self._chosen[place(passage)] = each
        said = _words_said(passage.text)
        for word in said.all:
            self._saying.setdefault(word, []).append(len(self._said))
        self._said.append(said)
        self._texts.add(fold(passage.text))
        self._note_lines(passage)

    def _located(self, each: ScoredPassage) -> ScoredPassage:
        return each._replace(passage=self._reader.located(each.passage))

    def _note_lines(self, passage: Passage) -> None:
        for source, first, last in self._reader.located(passage).places:
            self._lines.setdefault(source, set()).update(range(first, last + 1))
            if passage.kind != "source":
                self._claimed.setdefault(source, set()).update(range(first, last + 1))


class _SaidWords(NamedTuple):
    """The words of a text."""

    all: frozenset[str]
    telling: frozenset[str]
    """Those on which its meaning depends: numbers, denials."""


@lru_cache(maxsize=1 << 10)
def _words_said(text: str) -> _SaidWords:
    said = frozenset(split_words(text))
    return _SaidWords(said, frozenset(w for w in said if w in _DENIALS or not w.isalpha()))


def _says(one: _SaidWords, other: _SaidWords) -> bool:
    """Whether `other` holds all that `one`, which is not empty, does."""
    denies_alike = one.telling & _DENIALS == other.telling & _DENIALS
    return (
        denies_alike
        and one.telling <= other.telling
        and len(one.all & other.all) >= ALIKE * len(one.all)
    )
