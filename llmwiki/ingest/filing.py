"""Each subject of an answer is filed under the page it has, or under a new one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from llmwiki.core.language.acronyms import is_acronym, is_acronym_pair
from llmwiki.core.language.name_keys import folded_key, words_of
from llmwiki.core.language.search_terms import STOP_WORDS
from llmwiki.core.language.sentences import first_sentence
from llmwiki.core.page_and_note_kinds import is_of_subject
from llmwiki.core.text import fold, normalise
from llmwiki.index.keys_of_names import Lookup
from llmwiki.ingest.extraction.schema import MAX_TITLE, Subject
from llmwiki.ingest.page_of_subject import (
    Resolution,
    near,
    owners,
    resolve,
    short_of,
    support,
    supported,
)
from llmwiki.ingest.page_workspace import PageWorkspace, naming
from llmwiki.ingest.report import JoinedName, RefusedAlias
from llmwiki.pages import write
from llmwiki.pages.linked_text import bare
from llmwiki.pages.page import Page
from llmwiki.pages.page_file_names import name_key, page_path, stem_of
from llmwiki.sources.names_that_mean_one import Synonyms

LEAST_USES = 3
"""How often a text uses a name that is another one of a page, for want of a sentence that says so.
"""


@dataclass(slots=True)
class SubjectPlacement:
    """Where the subjects of a reading went."""

    names: dict[str, str] = field(default_factory=dict)
    """Folded subject name to the path of its page."""
    fresh: set[str] = field(default_factory=set)
    """Pages made by this operation."""
    disagreed: list[tuple[str, str]] = field(default_factory=list)
    """(name, what its `same_as` says) of subjects that no name of that page agrees with."""
    aliases: dict[str, list[str]] = field(default_factory=dict)
    """Folded subject name to the aliases of its page that the source supports."""

    def path(self, name: str) -> str | None:
        """The page of a subject, by its name."""
        return self.names.get(fold(name))


class SubjectFiler:
    """Files the subjects of one reading; the state's names stay as they are."""

    def __init__(
        self,
        workspace: PageWorkspace,
        together: Sequence[Collection[str]],
        guessed: bool,
        by: str,
        text: Synonyms,
    ) -> None:
        self._report = workspace.told
        self._by = by
        self._workspace = workspace
        self._together = together
        """Folded names of the subjects of each segment: one segment tells its subjects apart."""
        self._guessed = guessed
        """Whether kinds are guesses of the reader without a model."""
        self._text = text
        self._leads: dict[str, Synonyms] = {}
        """What persons wrote at the head of pages."""
        self._names = workspace.state.names.revised()
        self._borne: dict[str, tuple[str, ...]] = {}
        self._claimed: dict[str, set[str]] = {}
        """Key of an alias to the folded names of the subjects it is supported for."""
        self._one: set[frozenset[str]] = set()
        """Pairs of subjects of which one has the other's name for a supported alias."""
        self._titled: dict[str, set[str]] = {}
        """Page to the folded names of the subjects that have its very name."""
        self._keys = {name: folded_key(name) for names in together for name in names}
        """Folded name of each subject to its key."""
        self.filed = SubjectPlacement()

    @property
    def names(self) -> Lookup:
        """The names of the wiki's pages and of those that were made here."""
        return self._names

    def own_all(self, subjects: Iterable[Subject], owners: Collection[str]) -> None:
        """Files each subject that owns a claim: under its page, or under a new one.

        `owners` are their folded names. The longest name is asked first, whatever order they came
        in, so that it titles the page of names that are one.
        """
        listed = {fold(subject.name): subject for subject in subjects}
        for own, subject in listed.items():
            for path in self._bearers(subject.name):
                self._titled.setdefault(path, set()).add(own)
            for alias in supported(subject.name, _aliases(subject), self._told):
                self._claimed.setdefault(folded_key(alias), set()).add(own)
                self._one.add(frozenset((own, fold(alias))))
        for own in sorted(owners, key=lambda name: (-len(name), name)):
            self._own(listed[own])

    def _own(self, subject: Subject) -> None:
        name = normalise(subject.name)[:MAX_TITLE].rstrip()
        aliases = self._alone(subject)
        kind = self._kind(subject, name)
        meant = self._meant(subject)
        found = resolve(name, tuple(aliases), kind, meant, self._names, self._told, self._used)
        may_be = [*found.near]
        path = found.path
        if path is not None and self._is_anothers(name, path, found):
            may_be.append(path)
            path = None
        path = path or self.document(name)
        if path is None:
            may_be = sorted({*may_be, *self._near(name, kind)})
        if meant and meant != path:
            self.filed.disagreed.append((name, meant))
        for other in may_be:
            pair = (name, self._workspace.page(other).title)
            self._report.near += [] if pair in self._report.near else [pair]
        if path is None:
            path = page_path(
                kind, name, self._workspace.taken, self._workspace.state.types().get(kind, 0)
            )
            page = write.create(
                path=path,
                kind=kind,
                title=name,
                description=normalise(subject.description) or first_sentence(subject.lead or ""),
                by=self._by,
            )
            self.filed.fresh.add(path)
        else:
            page = self._workspace.page(path)
            if fold(name) not in {fold(n) for n in (page.title, *page.aliases)}:
                self._report.merged.append(JoinedName(name, page.title, found.why))
            if not page.description and normalise(subject.description):
                page = write.set_description(page, subject.description, self._by)
        with naming(path):
            granted = self._granted(page, name, aliases, is_meant=meant == path)
            page = write.add_words(page, "aliases", granted)
            page = write.add_words(page, "tags", [tag for t in subject.tags if (tag := _tag(t))])
        self._workspace.put(page)
        self._names.add(path, page.title, page.aliases)
        self.filed.names[fold(subject.name)] = path

    def _near(self, name: str, kind: str) -> list[str]:
        """The pages of subjects with a name that this one may be, which no rule takes for it: the
        same words in another order, or a surname with initials."""
        *first, last = name.split()
        if not first:
            return []
        # A page of `P. Calmann` may nowhere say what the initial stands for.
        asked = last if kind == "entity" and len(first) == 1 else name
        return [
            path
            for path in self._workspace.state.with_words([asked])
            if is_of_subject(path)
            and fold(last) in fold(stem_of(path))
            and any(near(name, other) for other in self._names.names_of(path))
        ]

    def mention(self, subject: Subject) -> None:
        """Files a subject that owns no claim, where it has a page."""
        name = normalise(subject.name)
        if fold(name) in self.filed.names or not fold(name):
            return
        kind = self._kind(subject, name)
        meant = self._meant(subject)
        found = resolve(name, (), kind, meant, self._names, self._told)
        if meant and meant != found.path:
            self.filed.disagreed.append((name, meant))
        path = found.path
        if path is None or self._is_anothers(name, path, found):
            path = self.document(name)
        if path is not None:
            self.filed.names[fold(name)] = path

    def document(self, name: str) -> str | None:
        """The page of the one document that has the name, where no subject has it."""
        found = owners(name, self._names)
        return found[0] if len(found) == 1 and not is_of_subject(found[0]) else None

    def add_document(self, page: Page) -> None:
        """Takes up the page of the document that is read, whose names are its subject's."""
        self._names.add(page.path, page.title, page.aliases)

    def _meant(self, subject: Subject) -> str | None:
        """The page that a reading says the subject is: by its path, or by a title of one page."""
        said = normalise(subject.same_as or "")
        if not said or self._workspace.find(said) is not None:
            return said or None
        titled = self._names.by_title(said)
        return titled[0] if len(titled) == 1 else said

    # --- aliases -------------------------------------------------------------------------

    def _told(self, a: str, b: str) -> str:
        """Where the source, or a person at the head of a page, says that two names are one."""
        line = self._text.line(a, b)
        if line:
            return f"L{line} says so"
        for path in sorted({*self._bearers(a), *self._bearers(b)}):
            if self._lead(path).line(a, b):
                return f"the head of {path} says so"
        return ""

    def _used(self, name: str, other: str) -> str:
        """Whether the source uses a name throughout that shares a word with another one: whoever
        reads it says what it means."""
        shared = set(words_of(name)) & set(words_of(other)) - STOP_WORDS
        count = self._text.uses(name) if shared else 0
        return f"the text uses it {count} times" if count >= LEAST_USES else ""

    def _bearers(self, name: str) -> tuple[str, ...]:
        found = self._borne.get(name)
        if found is None:
            found = self._borne[name] = self._workspace.state.names.by_title(name)
        return found

    def _lead(self, path: str) -> Synonyms:
        """What a person wrote at the head of a page; the tool's own words prove nothing."""
        if path not in self._leads:
            page = self._workspace.state.page(path)
            is_persons = page is not None and not page.lead_is_tools
            self._leads[path] = Synonyms(bare(page.lead).split("\n") if page and is_persons else ())
        return self._leads[path]

    def _alone(self, subject: Subject) -> list[str]:
        """The aliases that this reading holds for the subject's alone; the others are told.

        Where one segment gives a subject the name of another one, or two the same alias, nobody
        gets it: the first unless more than the alias says that they are one.
        """
        own = fold(subject.name)
        others = self._apart_from(own)
        keys = {self._keys[other] for other in others}
        alone: list[str] = []
        for alias in _aliases(subject):
            key = folded_key(alias)
            if key != folded_key(subject.name) and (fold(alias) in others or key in keys - {""}):
                self._refuse(alias, subject.name, "it is another subject of this source")
            elif others & self._claimed.get(key, set()) or self._is_shorts(alias, subject.name):
                self._refuse(alias, subject.name, "another subject of this source has it too")
            else:
                alone.append(alias)
        return alone

    def _apart_from(self, own: str) -> set[str]:
        """The subjects, as folded names, that a segment tells apart from this one."""
        seen = set().union(*(names for names in self._together if own in names)) - {own}
        return {other for other in seen if frozenset((own, other)) not in self._one}

    def _is_shorts(self, alias: str, name: str) -> bool:
        """Whether an alias is the short form of another subject too, and the text does not say
        whose it is."""
        if not is_acronym(alias) or self._told(alias, name):
            return False
        own = folded_key(name)
        return any(
            key != own and is_acronym_pair(alias, other) for other, key in self._keys.items()
        )

    def _granted(
        self, page: Page, name: str, aliases: Sequence[str], *, is_meant: bool
    ) -> list[str]:
        """The names that a page gets: supported, and nobody else's; the others are told.

        `is_meant`: whoever reads named the page in `same_as`.
        """
        titled, have = fold(page.title), {fold(alias) for alias in page.aliases}
        backed = supported(name, aliases, self._told)
        granted: list[str] = []
        noted = self.filed.aliases.setdefault(fold(name), [])
        for alias in (name, *aliases):
            if fold(alias) == titled or not folded_key(alias):
                continue
            is_backed = alias in backed or bool(support(page.title, alias, self._told))
            used = self._used(alias, page.title) if is_meant and not is_backed else ""
            if fold(alias) in have:
                noted += [alias] if is_backed else []
                continue
            owner = self._owner(alias, page, name)
            if owner:
                self._refuse(alias, name, f"it is a name of {owner}")
            elif not (is_backed or used or alias == name):
                self._refuse(alias, name, "neither the text nor the name itself says so")
            else:
                if used and alias != name:
                    self._report.merged.append(JoinedName(alias, page.title, used))
                granted.append(alias)
                noted.append(alias)
        return granted

    def _owner(self, alias: str, page: Page, name: str) -> str:
        """Whose name it is, if not this page's: one name must not find two pages."""
        others = [path for path in owners(alias, self._names) if path != page.path]
        if not others and alias != name and not self._told(alias, name):
            others = [path for path in short_of(alias, self._names) if path != page.path]
        if others:
            title = self._workspace.page(others[0]).title
            return title if is_of_subject(others[0]) else f"{others[0]}, “{title}”"
        file = self._workspace.file_of(name_key(alias))
        return file if file and file != page.path else ""

    def _refuse(self, alias: str, name: str, reason: str) -> None:
        refused = RefusedAlias(alias, normalise(name), reason)
        self._report.unnamed += [] if refused in self._report.unnamed else [refused]

    # --- pages ---------------------------------------------------------------------------

    def _kind(self, subject: Subject, name: str) -> str:
        """The subject's kind; where it is a guess, that of the page which has the name."""
        if self._guessed:
            held = [path for path in self._names.by_title(name) if is_of_subject(path)]
            if len(held) == 1:
                return self._workspace.type_of(held[0])
        return subject.kind

    def _is_anothers(self, name: str, path: str, found: Resolution) -> bool:
        """Whether the page is that of another subject from which this reading tells it apart."""
        if found.how == "exact" and not found.why:
            return False
        titled = self._titled.get(path, set())
        return any(
            other in titled or self.filed.names.get(other) == path
            for other in self._apart_from(fold(name))
        )


def is_name(text: str) -> bool:
    """Whether something of it can be seen: blanks, marks of direction and joiners are no name."""
    return any(unicodedata.category(c)[0] not in "CZM" for c in text)


def _aliases(subject: Subject) -> list[str]:
    """The aliases of a subject as they would be written, each once."""
    cut = (normalise(alias)[:MAX_TITLE].rstrip() for alias in subject.aliases)
    return list(dict.fromkeys(alias for alias in cut if alias))


def _tag(text: str) -> str:
    """A tag that Obsidian takes: letters, digits, `-`, `_`, `/`; not digits alone."""
    tag = re.sub(r"[^\w/-]+", "-", normalise(text).lower()).strip("-/")[:60]
    return "" if not tag or tag.replace("-", "").isdigit() else tag
