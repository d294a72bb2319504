"""Identity before writing: each subject is filed under the page it has, or under a new one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from llmwiki.core.text import fold, normalise
from llmwiki.index.lookup import Revised
from llmwiki.ingest.desk import Desk, naming
from llmwiki.ingest.extraction import Subject
from llmwiki.pages import write
from llmwiki.pages.names import page_path
from llmwiki.retrieval.identity import Resolution, resolve

MAX_TITLE = 200
"""Characters of a title that are kept; a name longer than this is no name."""


@dataclass(slots=True)
class Filed:
    """Where the subjects of a reading went."""

    names: dict[str, str] = field(default_factory=dict)
    """Folded subject name to the path of its page."""
    fresh: set[str] = field(default_factory=set)
    """Pages made by this operation."""
    near: list[tuple[str, str]] = field(default_factory=list)
    """(name, title) of what may be one, and was kept apart."""
    merged: list[tuple[str, str]] = field(default_factory=list)
    """(name, title) where a name was filed under a page of another title."""

    def path(self, name: str) -> str | None:
        """The page of a subject, by its name."""
        return self.names.get(fold(name))


class Filing:
    """Files the subjects of one reading; the state's names stay as they are."""

    def __init__(
        self, desk: Desk, together: Sequence[Collection[str]], guessed: bool, by: str
    ) -> None:
        self._by = by
        self._desk = desk
        self._together = together
        """Folded names of the subjects of each segment: one segment tells its subjects apart."""
        self._guessed = guessed
        """Whether kinds are guesses of the embedded extractor."""
        self._names = Revised(desk.state.names)
        self.filed = Filed()

    def own(self, subject: Subject) -> None:
        """Files a subject that owns a claim: under its page, or under a new one."""
        name = normalise(subject.name)[:MAX_TITLE].rstrip()
        aliases = [a for alias in subject.aliases if (a := normalise(alias)[:MAX_TITLE])]
        kind = self._kind(subject, name)
        found = resolve(name, tuple(aliases), kind, subject.same_as, self._names)
        near = list(found.near)
        path = found.path
        if path is not None and self._is_anothers(name, path, found):
            near.append(path)
            path = None
        self.filed.near += [(name, self._desk.page(other).title) for other in near]
        if path is None:
            path = page_path(kind, name, self._desk.taken)
            new = write.NewPage(
                path=path,
                type=kind,
                title=name,
                description=normalise(subject.description),
                by=self._by,
            )
            page = write.create(new)
            self.filed.fresh.add(path)
        else:
            page = self._desk.page(path)
            if fold(name) not in {fold(n) for n in (page.title, *page.aliases)}:
                self.filed.merged.append((name, page.title))
            if not page.description and normalise(subject.description):
                page = write.set_description(page, subject.description, self._by)
        if fold(name) != fold(page.title):
            aliases.insert(0, name)
        with naming(path):
            page = write.add_words(page, "aliases", [a for a in aliases if self._is_free(a, path)])
            page = write.add_words(page, "tags", [tag for t in subject.tags if (tag := _tag(t))])
        self._desk.put(page)
        self._names.add(path, page.title, page.aliases)
        self.filed.names[fold(subject.name)] = path

    def mention(self, subject: Subject) -> None:
        """Files a subject that owns no claim, where it has a page."""
        name = normalise(subject.name)
        if fold(name) in self.filed.names or not fold(name):
            return
        found = resolve(name, (), self._kind(subject, name), subject.same_as, self._names)
        if found.path is not None and not self._is_anothers(name, found.path, found):
            self.filed.names[fold(name)] = found.path

    def _kind(self, subject: Subject, name: str) -> str:
        """The subject's kind; where it is a guess, that of the page which bears the name."""
        if self._guessed:
            held = self._names.by_title(name)
            if len(held) == 1:
                return self._desk.type_of(held[0])
        return subject.kind

    def _is_anothers(self, name: str, path: str, found: Resolution) -> bool:
        """Whether the page is that of another subject from which this reading tells it apart."""
        if found.how == "exact":
            return False
        others = {other for other, at in self.filed.names.items() if at == path} - {fold(name)}
        return any(fold(name) in names and others & set(names) for names in self._together)

    def _is_free(self, alias: str, path: str) -> bool:
        """Whether no other page has that name: one name must not find two pages."""
        return not [p for p in self._names.by_title(alias) if p != path]


def is_name(text: str) -> bool:
    """Whether something of it can be seen: blanks, marks of direction and joiners are no name."""
    return any(unicodedata.category(c)[0] not in "CZM" for c in text)


def _tag(text: str) -> str:
    """A tag that Obsidian takes: letters, digits, `-`, `_`, `/`; not digits alone."""
    tag = re.sub(r"[^\w/-]+", "-", normalise(text).lower()).strip("-/")[:60]
    return "" if not tag or tag.replace("-", "").isdigit() else tag
