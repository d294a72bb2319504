"""The wiki as a whole, as rules over more than one page see it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from llmwiki.core.errors import WikiError
from llmwiki.git.repository import Repository
from llmwiki.index.open_index import Index
from llmwiki.index.page_facts_record import is_catalogue
from llmwiki.index.tables_for_lint import LintFile, LintTables
from llmwiki.lint.commits_and_log import History
from llmwiki.lint.links_and_anchors import LinkRow
from llmwiki.lint.page_view import PageView
from llmwiki.lint.quoted_texts import recorded_on
from llmwiki.lint.vault_and_archive_folders import VaultKind, VaultKinds
from llmwiki.lint.wiki_files import WikiFiles
from llmwiki.pages import link_targets
from llmwiki.pages.link_targets import PagesOfName

if TYPE_CHECKING:
    from llmwiki.index.lookups import Card
    from llmwiki.pages.catalogue import Entry

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


_BY_NAME = (VaultKind.OWN, VaultKind.OBSIDIAN, VaultKind.LOGSEQ, VaultKind.GOLLUM)
_OF_FILES = re.compile(
    r"attach|asset|image|media|picture|photo|pdf|figure|paper|(?<![a-z])files", re.IGNORECASE
)
"""In the name of a folder: it holds files that pages show or link."""
_LOOKED_UP = 5_000
"""File names whose pages are held at once."""


class LintedWiki:
    """The wiki of a repository in one state, `commit` or the work tree where that is None: the rows
    of its pages, their texts, the other files, the commits behind."""

    def __init__(
        self,
        repo: Repository,
        index: Index,
        tables: LintFile,
        *,
        commit: str | None,
        vaults: VaultKinds,
    ) -> None:
        self.repo = repo
        self.commit = commit
        self.vaults = vaults
        self.tables: LintTables = tables
        self._lint_file = tables
        self.to_remember: dict[str, str] = {}
        """What is to be kept for later runs."""
        self._index = index
        self.contents = WikiFiles(repo, commit)
        self.keeps_catalogue = repo.branch() == f"refs/heads/{vaults.branch}"
        """Whether index, overview and log are written on the branch that is checked out."""
        self.recorded = lru_cache(maxsize=4096)(recorded_on(self.page))
        """Id of a source to what its own page records; None where it has none that can be read."""

    def close(self) -> None:
        """Gives back what it holds open."""
        self.contents.close()

    def page(self, path: str) -> PageView | None:
        """One page; None where there is none of that path."""
        doc = self._index.doc(path)
        return None if doc is None else self.view(doc)

    def view(self, doc: int) -> PageView:
        """The page of a number of the index."""
        return self.of_card(self._index.cards([doc])[doc])

    def of_card(self, card: Card) -> PageView:
        """The page of a row of the index."""
        return PageView(card.path, self._index.read(card), self.vaults)

    def entries(self) -> Iterator[Entry]:
        """The pages below wiki/ as the catalogue lists them, by path."""
        return (e for e in self._index.entries().values() if e.path.startswith("wiki/"))

    @cached_property
    def history(self) -> History:
        """What the commits behind this state tell."""
        return History(
            self.repo,
            self.commit or self._index.commit,
            recall=self.recall,
            remember=self.remember,
            work_tree=self.commit is None,
        )

    def file(self, path: str) -> bytes | None:
        """The bytes of a file in the folders of `files`; None where none can be read."""
        try:
            return self.contents.read(path) if self.contents.is_asked(path) else None
        except (WikiError, OSError):
            return None

    @cached_property
    def files(self) -> frozenset[str]:
        """The paths of all files below wiki/, raw/ and the folder of notes that are no pages."""
        return self.contents.paths()

    def ignored(self, paths: Collection[str]) -> frozenset[str]:
        """Those of the paths that git ignores: files there may be on their owner's machine. A name
        alone is looked for in all folders, so in those of which `.gitignore` names files of a kind
        (`notes/*.pdf`), or that are for such files and are ignored as a whole."""
        try:
            lines = (self.repo.root / ".gitignore").read_text("utf-8", "replace").splitlines()
        except OSError:
            lines = []
        folders = {""}
        for line in lines:
            folder, _, name = line.strip().strip("/").removeprefix("**/").rpartition("/")
            if "*." in name:
                folders.add(f"{folder}/" if folder else "")
            elif _OF_FILES.search(name):
                folders.add(f"{folder}/{name}/".lstrip("/"))
        places = {p: [p] if "/" in p else [f"{each}{p}" for each in folders] for p in paths}
        found = self.repo.ignored({place for each in places.values() for place in each})
        return frozenset(path for path, each in places.items() if not found.isdisjoint(each))

    @cached_property
    def symlinks(self) -> Mapping[str, str]:
        """As `WikiFiles.symlinks`."""
        return self.contents.symlinks

    @cached_property
    def is_by_path(self) -> bool:
        """Whether a Markdown link means the file at its path and no other of that name. So it is
        where wikilinks mean little: fewer than a fifth of them lead to pages."""
        if self.vaults.vault in _BY_NAME:
            return False
        ((linked, led),) = self.rows(
            "SELECT count(*), coalesce(sum(stem IN (SELECT stem FROM lint.head)), 0) "
            "FROM lint.link WHERE form IN ('wiki', 'embed') AND target != ''"
        )
        return not linked or led * 5 < linked

    def recall(self, key: str) -> str | None:
        """What a rule remembered in an earlier run under this key."""
        kept = self.to_remember.get(key)
        return self._lint_file.recall(f"memo {key}") if kept is None else kept

    def remember(self, key: str, value: str) -> None:
        """Keeps a text for later runs; lost whenever the index is made anew."""
        self.to_remember[key] = value

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

    def of_stem(self, stem: str) -> tuple[str, ...]:
        """The paths of the pages of a folded file name."""
        rows = self.rows(
            "SELECT path FROM lint.head AS head JOIN lint.page AS page ON page.id = head.page "
            "WHERE stem = ? ORDER BY path",
            stem,
        )
        return tuple(path for (path,) in rows)

    @cached_property
    def homes(self) -> Callable[[str], PagesOfName]:
        """The same, to ask which of them a link means."""
        return lru_cache(maxsize=_LOOKED_UP)(lambda stem: PagesOfName(self.of_stem(stem)))

    @cached_property
    def anchors(self) -> Callable[[str], frozenset[str]]:
        """Gives what links may point to on a page; what was asked last is held."""

        @lru_cache(maxsize=64)
        def read(path: str) -> frozenset[str]:
            rows = self.rows(
                "SELECT key FROM lint.anchor AS anchor JOIN lint.page AS page "
                "ON page.id = anchor.page WHERE path = ?",
                path,
            )
            return frozenset(key for (key,) in rows)

        return read

    @cached_property
    def catalogue(self) -> Mapping[str, PageView]:
        """The files of the catalogue, which are no pages, by the links that mean them."""
        found = {}
        for path in sorted(filter(is_catalogue, self.files)):
            view = PageView(path, (self.file(path) or b"").decode("utf-8", "replace"))
            names = (view.stem, *(() if view.broken else (view.title, *view.head.aliases)))
            found.update({link_targets.link_key(name): view for name in names})
        return found

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
            "SELECT path, line, is_struck, successor FROM lint.claim AS claim "
            "JOIN lint.page AS page ON page.id = claim.page WHERE claim.id = ? ORDER BY path, line",
            ident,
        )
        return [ClaimPlace(row[0], row[1], bool(row[2]), row[3]) for row in rows]

    @cached_property
    def has_dashes(self) -> bool:
        """Whether links write a blank where the file's name has a hyphen; `link_targets`."""
        return self.vaults.vault is VaultKind.GOLLUM or link_targets.has_dashes(self.paths)
