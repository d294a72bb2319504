"""The wiki as a whole, as rules over more than one page see it."""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from llmwiki.git.repository import Repository
from llmwiki.git.sweep import read_file
from llmwiki.index.facts import is_catalogue, is_indexed, is_page
from llmwiki.index.lint_tables import DAY, LintFile, LintTables
from llmwiki.index.lookup import Lookup
from llmwiki.index.open_index import Index
from llmwiki.lint.finding import LintLimits
from llmwiki.lint.history import History
from llmwiki.lint.link_rows import LinkRow
from llmwiki.lint.texts import recorded_on
from llmwiki.lint.view import PageView
from llmwiki.pages import link_targets
from llmwiki.pages.link_targets import PagesOfName

if TYPE_CHECKING:
    from llmwiki.index.corpus import Card
    from llmwiki.index.facts import PageFacts
    from llmwiki.pages.catalogue import Entry

_COMMITTER = re.compile(rb"^committer .* (-?\d{1,12}) [-+]\d{4}$", re.MULTILINE)
_LARGEST = 20_000_000
"""Bytes of the largest file that a rule may look into."""
_LINKS = (
    "SELECT page.path, link.line, link.column, form, link.stem, link.key, target, heading, block, "
    "resolved FROM lint.link AS link JOIN lint.page AS page ON page.id = link.page WHERE "
)


class ClaimPlace(NamedTuple):
    """Where a claim or note stands."""

    path: str
    line: int
    is_struck: bool
    successor: str
    """The id of what replaced it; empty where it stands, or is gone with its source."""
    digest: str
    """Of its folded text."""


class WikiView(ABC):
    """What is linted: the rows of the pages, their texts, the other files, the commits behind."""

    tables: LintTables
    limits: LintLimits
    today: date
    """The date of the newest commit, or what the caller says."""
    commit: str | None = None
    """The commit that is linted; None: files as they lie."""
    keeps_catalogue: bool
    """Whether index, overview and log are written on the branch that is checked out."""

    @abstractmethod
    def page(self, path: str) -> PageView | None:
        """One page; None where there is none of that path."""

    @abstractmethod
    def facts(self) -> Mapping[str, PageFacts]:
        """What the index holds of each page, by path."""

    @abstractmethod
    def entries(self) -> Iterator[Entry]:
        """The pages below wiki/ as the catalogue lists them, by path."""

    @abstractmethod
    def file(self, path: str) -> bytes | None:
        """The bytes of a file in the folders of `files`; None where there is no plain one."""

    @property
    @abstractmethod
    def files(self) -> frozenset[str]:
        """The paths of all files below wiki/, raw/ and the folder of notes that are no pages."""

    @property
    @abstractmethod
    def deleted(self) -> frozenset[str]:
        """The paths of files that the newest commit has and the work tree lacks."""

    @property
    @abstractmethod
    def history(self) -> History:
        """What the commits behind this state tell."""

    @abstractmethod
    def recall(self, key: str) -> str | None:
        """What a rule remembered in an earlier run under this key."""

    @abstractmethod
    def remember(self, key: str, value: str) -> None:
        """Keeps a text for later runs; lost whenever the index is made anew."""

    # --- rows ------------------------------------------------------------------------------

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """What a query over `rows.TABLES` gives; each is `lint.…`, and `lint.page` has the paths.

        What is reported comes sorted, so the order of rows matters where a rule compares them.
        """
        return self.tables.rows(sql, *values)

    def each(self, sql: str, *values: object) -> Iterator[tuple[Any, ...]]:
        """As `rows`, one after the other: for those of all pages."""
        return self.tables.db.execute(sql, values)

    def links(self, where: str, *values: object) -> Iterator[LinkRow]:
        """The links of which an SQL condition over `link` holds, by page and place."""
        order = " ORDER BY page.path, link.line, link.column"
        return map(LinkRow._make, self.rows(_LINKS + where + order, *values))

    @cached_property
    def no_page(self) -> str:
        """An SQL condition over `link`: no page has the file name. Those names are few, and are
        looked for once."""
        self.tables.db.execute("DROP TABLE IF EXISTS temp.unmet")
        self.tables.db.execute(
            "CREATE TEMP TABLE unmet AS "
            "SELECT stem FROM lint.link EXCEPT SELECT stem FROM lint.head"
        )
        return "link.stem IN (SELECT stem FROM temp.unmet)"

    @cached_property
    def paths(self) -> Sequence[str]:
        """All pages, sorted."""
        return tuple(path for (path,) in self.rows("SELECT path FROM lint.page ORDER BY path"))

    @cached_property
    def _known(self) -> dict[str, PagesOfName]:
        return {}

    def of_stem(self, stem: str) -> tuple[str, ...]:
        """The paths of the pages of a folded file name."""
        rows = self.rows(
            "SELECT path FROM lint.head AS head JOIN lint.page AS page ON page.id = head.page "
            "WHERE stem = ? ORDER BY path",
            stem,
        )
        return tuple(path for (path,) in rows)

    def homes(self, stem: str) -> PagesOfName:
        """The same, to ask which of them a link means."""
        known = self._known
        if stem not in known:
            if len(known) > _LOOKED_UP:
                known.clear()
            known[stem] = PagesOfName(self.of_stem(stem))
        return known[stem]

    def bearers(self, key: str) -> list[str]:
        """The paths of the pages that a link of this key names by their title or an alias."""
        rows = self.rows(
            "SELECT DISTINCT path FROM lint.name AS name JOIN lint.page AS page "
            "ON page.id = name.page WHERE key = ? AND which != 'file' ORDER BY path",
            key,
        )
        return [path for (path,) in rows]

    @cached_property
    def users(self) -> Callable[[str], dict[str, set[str]]]:
        """Each page of a folded file name to the other pages whose links lead to it; what was asked
        last is held."""
        return lru_cache(maxsize=256)(self._users)

    def _users(self, stem: str) -> dict[str, set[str]]:
        homes, found = self.homes(stem), dict[str, set[str]]()
        for path, key in self.rows(
            "SELECT path, key FROM lint.link AS link JOIN lint.page AS page "
            "ON page.id = link.page WHERE stem = ? AND key != ''",
            stem,
        ):
            home = homes.lead(key, path)
            if home is not None and home != path:
                found.setdefault(home, set()).add(path)
        return found

    def places(self, ident: str) -> list[ClaimPlace]:
        """Where a claim or note stands; more than one place is an error of its own."""
        rows = self.rows(
            "SELECT path, line, is_struck, successor, digest FROM lint.claim AS claim "
            "JOIN lint.page AS page ON page.id = claim.page WHERE claim.id = ? ORDER BY path, line",
            ident,
        )
        return [ClaimPlace(row[0], row[1], bool(row[2]), row[3], row[4]) for row in rows]

    @cached_property
    def has_dashes(self) -> bool:
        """Whether links write a blank where the file's name has a hyphen; `link_targets`."""
        return link_targets.has_dashes(self.paths)

    @cached_property
    def names(self) -> Lookup:
        """The titles and aliases of all pages but ledgers."""
        subjects = [f for _path, f in sorted(self.facts().items()) if f.type != "source"]
        return Lookup(None, ((f.path, f.title, f.aliases) for f in subjects))


_LOOKED_UP = 5_000
"""File names whose pages are held at once."""


class StoredWiki(WikiView):
    """The wiki of a repository, in one state: `commit`, or the work tree where that is None."""

    def __init__(
        self,
        repo: Repository,
        index: Index,
        tables: LintFile,
        *,
        commit: str | None,
        today: date | None,
        limits: LintLimits,
    ) -> None:
        self.repo = repo
        self.commit = commit
        self.limits = limits
        self.tables = tables
        self.to_remember: dict[str, str] = {}
        """What is to be kept for later runs."""
        self._index = index
        self._kept = tables
        self._folders = repo.folders()
        self.today = today or self._day()
        self.keeps_catalogue = repo.branch() == f"refs/heads/{limits.branch}"
        self.recorded = lru_cache(maxsize=4096)(recorded_on(self.page))
        """Id of a source to what its own page records; None where it has none that can be read."""

    def close(self) -> None:
        """Gives back what it holds open."""
        self._folders.close()

    @property
    def tip(self) -> str | None:
        """The commit whose history counts: the one linted, or HEAD."""
        return self.commit or self._index.commit

    def _day(self) -> date:
        """The date of the newest commit; the first day of all where there is none."""
        if self.tip is None:
            return date(1970, 1, 1)
        kept = self.recall(DAY + self.tip)
        if kept:
            return date.fromisoformat(kept)
        stored = self.repo.objects.get(self.tip)
        found = _COMMITTER.search(stored.data) if stored else None
        seconds = min(max(int(found[1]), 0), 253_402_300_799) if found else 0
        day = datetime.fromtimestamp(seconds, UTC).date()
        self.remember(DAY + self.tip, day.isoformat())
        return day

    def page(self, path: str) -> PageView | None:
        """One page; None where there is none of that path."""
        doc = self._index.doc(path)
        return None if doc is None else self.view(doc)

    def view(self, doc: int) -> PageView:
        """The page of a number of the index."""
        return self.of_card(self._index.cards([doc])[doc])

    def of_card(self, card: Card) -> PageView:
        """The page of a row of the index."""
        return PageView(card.path, self._index.read(card), self.limits)

    def facts(self) -> Mapping[str, PageFacts]:
        """What the index holds of each page, by path."""
        return self._index.facts(self.paths)

    def entries(self) -> Iterator[Entry]:
        """The pages below wiki/ as the catalogue lists them, by path."""
        return (e for e in self._index.entries().values() if e.path.startswith("wiki/"))

    @cached_property
    def history(self) -> History:
        """What the commits behind this state tell."""
        return History(
            self.repo,
            self.tip,
            recall=self.recall,
            remember=self.remember,
            work_tree=self.commit is None,
        )

    def file(self, path: str) -> bytes | None:
        """The bytes of a file in the folders of `files`; None where there is no plain one."""
        if ".." in path.split("/") or not self._is_read(path):
            return None
        if self.commit is not None:
            return self.repo.read(self.commit, path)
        found = read_file(self._folders, self.repo.prefix + path)
        if found is None:
            return self.repo.read_left_out(path)
        return None if found.size > _LARGEST else found.data

    @cached_property
    def files(self) -> frozenset[str]:
        """The paths of all files below wiki/, raw/ and the folder of notes that are no pages."""
        notes = self.repo.layout.notes
        paths: list[str] = []
        for folder in ("wiki", "raw") if notes is None else dict.fromkeys(("wiki", "raw", notes)):
            if self.commit is not None:
                paths += self.repo.tree(self.commit, folder)
            else:
                paths += [*_walk(self.repo.root, folder), *self.repo.left_out(folder)]
        return frozenset(path for path in paths if not is_indexed(path) and self._is_read(path))

    @cached_property
    def deleted(self) -> frozenset[str]:
        """The paths of files that the newest commit has and the work tree lacks."""
        if self.commit is not None:
            return frozenset()
        others = self.repo.tree(self.tip).keys() - self.files - set(self.paths)
        return frozenset(path for path in others if not os.path.lexists(self.repo.root / path))

    def _is_read(self, path: str) -> bool:
        """Whether a path lies in wiki/, raw/ or the folder of notes, there in no hidden folder."""
        notes = self.repo.layout.notes
        if path.startswith(("wiki/", "raw/")):
            return True
        if notes is None or path.startswith(".") or "/." in path:
            return False
        return not notes or path.startswith(f"{notes}/")

    def recall(self, key: str) -> str | None:
        """What a rule remembered in an earlier run under this key."""
        kept = self.to_remember.get(key)
        return self._kept.recall(f"memo {key}") if kept is None else kept

    def remember(self, key: str, value: str) -> None:
        """Keeps a text for later runs; lost whenever the index is made anew."""
        self.to_remember[key] = value


def _walk(root: Path, folder: str) -> Iterator[str]:
    """The plain files below a folder; links are not followed, git's own folders left out."""
    waiting = [] if (root / folder).is_symlink() else [folder]
    while waiting:
        here = waiting.pop()
        try:
            with os.scandir(root / here) as entries:
                for entry in entries:
                    path = f"{here}/{entry.name}" if here else entry.name
                    if entry.is_file(follow_symlinks=False):
                        yield path
                    elif entry.is_dir(follow_symlinks=False) and entry.name != ".git":
                        waiting.append(path)
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            continue


class HeldWiki(WikiView):
    """A wiki of texts by path: of the staged pages, of one skill, of a test. What is no page is a
    file."""

    def __init__(
        self,
        texts: Mapping[str, str | bytes],
        *,
        today: date = date(1970, 1, 1),
        limits: LintLimits | None = None,
        history: History | None = None,
    ) -> None:
        self._held = {
            path: data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
            for path, data in texts.items()
        }
        self._views = {
            path: PageView(path, self._held[path].decode("utf-8", "ignore"), limits)
            for path in sorted(self._held)
            if is_page(path)
        }
        self.today = today
        self.limits = limits or LintLimits()
        self.tables = LintTables()
        self.is_filled = False
        """Whether the tables have the rows of the pages."""
        self.keeps_catalogue = bool(self.limits.branch)
        self._history = history or History.none()
        self._memory: dict[str, str] = {}

    @cached_property
    def paths(self) -> Sequence[str]:
        """All pages, sorted."""
        return tuple(self._views)

    @property
    def views(self) -> Iterable[PageView]:
        """All pages, by path."""
        return self._views.values()

    @property
    def history(self) -> History:
        """What the commits behind this state tell: there are none, if nobody gave them."""
        return self._history

    def page(self, path: str) -> PageView | None:
        """One page; None where there is none of that path."""
        return self._views.get(path)

    def facts(self) -> Mapping[str, PageFacts]:
        """What the index would hold of each page, by path."""
        from llmwiki.index.page_facts import facts_of

        return {path: facts_of(path, view.text) for path, view in self._views.items()}

    def entries(self) -> Iterator[Entry]:
        """The pages below wiki/ as the catalogue lists them, by path."""
        from llmwiki.index.keys import entry_of

        return (entry_of(each) for each in self.facts().values())

    def file(self, path: str) -> bytes | None:
        """The bytes of a file; None where there is none."""
        return self._held.get(path)

    @cached_property
    def files(self) -> frozenset[str]:
        """The paths of all that is no page."""
        return frozenset(path for path in self._held if not is_page(path) or is_catalogue(path))

    @property
    def deleted(self) -> frozenset[str]:
        """None: nothing was committed."""
        return frozenset()

    def recall(self, key: str) -> str | None:
        """What a rule remembered under this key."""
        return self._memory.get(key)

    def remember(self, key: str, value: str) -> None:
        """Keeps a text."""
        self._memory[key] = value
