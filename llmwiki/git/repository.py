"""Access to git: one wiki in one work tree, its commits, files and state."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from llmwiki.core.errors import InputError, StateError
from llmwiki.core.quick_to_load import NamedTuple
from llmwiki.git.find_repository import Layout, layout_of
from llmwiki.git.refs import Head, landing_ref, read_ref
from llmwiki.git.runner import NOT_FETCHED_FIX, Git, fetches_lazily

if TYPE_CHECKING:
    from llmwiki.git.commits_and_trailers import Commit, Parents
    from llmwiki.git.git_config import GitSettings
    from llmwiki.git.objects import NewObjects, ObjectReader
    from llmwiki.git.staging_entries import IndexEntries
    from llmwiki.git.trees import Directory, Entry
    from llmwiki.git.worktree_files import Folders

T = TypeVar("T")
_KEPT_TREES = 256
_IN_PROGRESS = (
    ("MERGE_HEAD", "a merge", "git merge --continue` or `git merge --abort"),
    ("rebase-merge", "a rebase", "git rebase --continue` or `git rebase --abort"),
    ("rebase-apply", "a rebase or am", "git rebase --continue` or `git am --abort"),
    ("CHERRY_PICK_HEAD", "a cherry-pick", "git cherry-pick --continue` or `--abort"),
    ("REVERT_HEAD", "a revert", "git revert --continue` or `--abort"),
    ("sequencer", "a cherry-pick or revert", "git cherry-pick --continue` or `--abort"),
    ("BISECT_LOG", "a bisect", "git bisect reset"),
)


class TreeChange(NamedTuple):
    """One path's difference between two commits."""

    path: str
    old: Entry | None
    """Mode and blob id before; None when the path is new."""
    new: Entry | None
    """Mode and blob id after; None when the path is gone."""


class RepositoryState(NamedTuple):
    """What stands against writing now."""

    in_progress: str | None
    """`a merge`, `a rebase` …, or None."""
    way_out: str
    """The command that ends it."""
    detached: bool
    head: Head
    """Where HEAD points."""


class Repository:
    """One wiki in one git work tree. All paths are relative to the wiki's root, POSIX.

    Not to be shared between threads, reading blobs excepted. Holds a git process once something
    was read: close it, or use `with`.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.top = layout.top
        """The work tree's top."""
        self.root = layout.root
        """The wiki's root."""
        self.prefix = layout.prefix
        """The root relative to the top: '' or `docs/kb/`."""
        self.git_dir = layout.git_dir
        """This work tree's git directory."""
        self.common_dir = layout.common_dir
        """The git directory all work trees share."""
        self.object_format = layout.object_format
        """`sha1` or `sha256`."""
        named = layout.git_dir if layout.is_apart or layout.is_bare else None
        self.git = Git(layout.top, named, is_bare=layout.is_bare)
        self._trees: dict[str, Directory] = {}
        self._landed: tuple[str | None, str, list[TreeChange]] | None = None
        self._companions: dict[type, Any] = {}

    # A search reads few of these; each costs its import, as do commits and trees.

    @cached_property
    def settings(self) -> GitSettings:
        """The settings of git that matter here."""
        from llmwiki.git.git_config import GitSettings

        return GitSettings(self.layout, self.git)

    @cached_property
    def objects(self) -> ObjectReader:
        """Objects by their ids."""
        from llmwiki.git.objects import ObjectReader

        return ObjectReader(self.git)

    @cached_property
    def index(self) -> IndexEntries:
        """What is staged."""
        from llmwiki.git.staging_entries import IndexEntries

        return IndexEntries(self.layout, self.git)

    @classmethod
    def at(cls, root: Path) -> Repository:
        """The work tree around `root`, which is, or becomes, the wiki's root (`wiki init`).

        Raises StateError where there is none.
        """
        layout = layout_of(root, as_root=True)
        if layout.is_bare:
            raise StateError(
                "this is a bare repository: a wiki is set up in a work tree",
                where=str(root),
                fix="Run the command in a clone, and push.",
            )
        return cls(layout)

    def companion(self, kind: type[T], make: Callable[[], T]) -> T:
        """Something that lives as long as this repository; closed with it when it has `close`."""
        if kind not in self._companions:
            self._companions[kind] = make()
        found: T = self._companions[kind]
        return found

    def forget(self) -> None:
        """Let go of what others may change, settings and what is staged: it is read anew."""
        for name in ("settings", "index"):
            self.__dict__.pop(name, None)
        self._end_companions()

    def close(self) -> None:
        """End git processes and close files. Idempotent; the repository stays usable."""
        self._end_companions()
        if "objects" in self.__dict__:
            self.objects.close()

    def _end_companions(self) -> None:
        companions, self._companions = self._companions, {}
        for companion in companions.values():
            close = getattr(companion, "close", None)
            if close is not None:
                close()

    def __enter__(self) -> Repository:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # commits and refs

    def where(self) -> Head:
        """The branch and commit HEAD points to."""
        return self.ref("HEAD")

    def ref(self, name: str) -> Head:
        """Where a ref of this full name points."""
        return read_ref(self.layout, self.git, name)

    def landing(self) -> str | None:
        """The commit of a landing that this work tree has not finished."""
        return self.ref(landing_ref(self.layout)).oid

    def head(self) -> str | None:
        """The commit HEAD points to; None on an unborn branch."""
        return self.where().oid

    def branch(self) -> str | None:
        """The full name of the branch (`refs/heads/main`); None when HEAD is detached."""
        return self.where().ref

    def resolve(self, revision: str) -> str | None:
        """The one commit a revision names; None when there is none, or more than one."""
        done = self.git.run(
            *("rev-parse", "-q", "--verify", "--end-of-options", f"{revision}^{{commit}}"),
            ok=(0, 1, 128),
        )
        found = done.stdout.decode().strip()
        # What `^HEAD` and `A..B` name are sets: git answers with a caret, or with two lines.
        return found if found.isalnum() else None

    def commit(self, revision: str) -> str:
        """The one commit a revision names.

        Raises InputError where there is none, StateError where the clone may lack it.
        """
        found = self.resolve(revision)
        if found is None and self.beyond:
            raise StateError(f"there is no revision `{revision}`", fix=self.beyond)
        if found is None:
            raise InputError(
                f"there is no revision `{revision}`",
                fix="A revision is a commit, a tag or a branch; `git log --oneline` lists commits.",
            )
        return found

    @property
    def incomplete(self) -> str:
        """What kind of clone it is that lacks history, `a shallow clone`; empty for a whole one."""
        from llmwiki.git.commits_and_trailers import incomplete

        return incomplete(self.common_dir)

    @property
    def beyond(self) -> str:
        """What to say to who names a commit that is not found; empty where no commit is lacking."""
        from llmwiki.git.commits_and_trailers import beyond_hint

        return beyond_hint(self.common_dir)

    def parents(self, commit: str) -> Parents:
        """The parents of a commit, as far as this clone knows them. Raises StateError."""
        from llmwiki.git.commits_and_trailers import parents_of, shallow_commits

        listed = self.listed_parents(commit)
        return parents_of(commit, listed, shallow_commits(self.common_dir))

    def listed_parents(self, commit: str) -> tuple[str, ...]:
        """The parents that stand in a commit, whether this clone holds them or not."""
        head = self._commit_data(commit).partition(b"\n\n")[0].decode("utf-8", "replace")
        rows = (row.partition(" ") for row in head.split("\n"))
        return tuple(value for name, _, value in rows if name == "parent")

    def is_ancestor(self, old: str, new: str) -> bool:
        """Whether the commit `old` is `new` or one of its ancestors; not where it is gone."""
        if old == new:
            return True
        if self.objects.get(old) is None:
            return False
        return self.git.run("merge-base", "--is-ancestor", old, new, ok=(0, 1)).returncode == 0

    def log(
        self,
        revision: str = "HEAD",
        *,
        paths: Sequence[str] = (),
        limit: int | None = None,
    ) -> Iterator[Commit]:
        """Commits newest first (`commits_and_trailers.walk`); none on an unborn branch."""
        from llmwiki.git.commits_and_trailers import shallow_commits, walk

        if revision == "HEAD" and self.head() is None:
            return iter(())
        return walk(
            self.git,
            revision,
            shallow=shallow_commits(self.common_dir),
            paths=[self.prefix + path for path in paths],
            limit=limit,
        )

    def commits(self, oids: Sequence[str]) -> Iterator[Commit]:
        """These commits, in their order."""
        from llmwiki.git.commits_and_trailers import read_commits, shallow_commits

        return read_commits(self.git, oids, shallow_commits(self.common_dir)) if oids else iter(())

    # trees and blobs

    def directory(self, oid: str) -> Directory:
        """A tree object, parsed; the last few are kept."""
        found = self._trees.get(oid)
        if found is None:
            from llmwiki.git.trees import Directory, empty_tree

            if oid == empty_tree(self.object_format):
                return Directory([], {}, len(oid) // 2)
            stored = self.objects.get(oid)
            if stored is None or stored.kind != "tree":
                raise self._absent("tree", oid)
            found = Directory.parse(stored.data, len(oid) // 2)
            self.keep_tree(oid, found)
        return found

    def keep_tree(self, oid: str, directory: Directory) -> None:
        """Remember a tree that is likely to be asked for again."""
        self._trees[oid] = directory
        while len(self._trees) > _KEPT_TREES:
            del self._trees[next(iter(self._trees))]

    def root_tree(self, commit: str | None) -> str:
        """The id of a commit's tree (of the whole work tree, not only of the wiki)."""
        if commit is None:
            from llmwiki.git.trees import empty_tree

            return empty_tree(self.object_format)
        data = self._commit_data(commit)
        return data[5 : data.index(b"\n")].decode()

    def _commit_data(self, commit: str) -> bytes:
        stored = self.objects.get(commit)
        if stored is None or stored.kind != "commit":
            raise StateError(f"{commit} is not a commit of this repository", fix=self.beyond)
        return stored.data

    def entry(self, revision: str | None, path: str) -> Entry | None:
        """Mode and blob id of `path` in a commit; None when it is not there."""
        if revision is None:
            return None
        from llmwiki.git.trees import lookup

        commit = self._commit(revision)
        return lookup(self.directory, self.root_tree(commit), self.prefix + path)

    def names(self, revision: str | None, folder: str) -> list[str]:
        """The names in a folder of a commit, sorted; empty where there is no such folder."""
        from llmwiki.git.trees import DIRECTORY

        entry = self.entry(revision, folder)
        if entry is None or entry[0] != DIRECTORY:
            return []
        keys = self.directory(entry[1]).keys
        return sorted(key.decode("utf-8", "surrogateescape") for key in keys)

    def _commit(self, revision: str) -> str:
        if len(revision) in (40, 64) and all(c in "0123456789abcdef" for c in revision):
            return revision
        return self.commit(revision)

    def _absent(self, kind: str, oid: str) -> StateError:
        """The error that an object is missing which something in the repository names."""
        is_partial = self.incomplete == "a partial clone" and not fetches_lazily()
        fix = NOT_FETCHED_FIX if is_partial else "Run git fsck."
        return StateError(f"{kind} {oid} is missing from the repository", fix=fix)

    def tree(self, revision: str | None, under: str = "") -> dict[str, Entry]:
        """All files of a commit below the folder `under`: path to (mode, blob id), by path."""
        if revision is None:
            return {}
        folder = (self.prefix + under).rstrip("/")
        args = ["ls-tree", "-r", "-z", "--full-tree", self._commit(revision)]
        files: dict[str, Entry] = {}
        for line in self.git.records(*args, *(["--", f"{folder}/"] if folder else [])):
            facts, _, path = line.partition("\t")
            mode, _, oid = facts.split(" ")
            files[path[len(self.prefix) :]] = (mode, oid)
        return dict(sorted(files.items()))

    def read(self, revision: str | None, path: str) -> bytes | None:
        """The bytes of a file in a commit; None when it is not there or is no file.

        Raises StateError where it is there, and its bytes are missing from the repository.
        """
        if revision is None:
            return None
        # cat-file reads one name a line.
        found = None if "\n" in path else self.objects.get(f"{revision}:{self.prefix}{path}")
        if found is None:
            from llmwiki.git.trees import DIRECTORY, GITLINK

            entry = self.entry(revision, path)
            if entry is None or entry[0] in (DIRECTORY, GITLINK):
                return None
            found = self.objects.get(entry[1])
            if found is None:
                raise self._absent("blob", entry[1])
        return found.data if found.kind == "blob" else None

    def read_many(self, oids: Sequence[str]) -> list[bytes]:
        """The bytes of these blobs, in their order. Raises StateError when one is missing."""
        blobs = self.objects.get_many(oids)
        for oid, blob in zip(oids, blobs, strict=True):
            if blob is None:
                raise self._absent("object", oid)
        return [blob.data for blob in blobs if blob is not None]

    def diff_trees(
        self, old: str | None, new: str | None, under: str = ""
    ) -> tuple[TreeChange, ...]:
        """What differs between two commits below `under`, by path; None stands for nothing."""
        from llmwiki.git.trees import empty_tree

        empty = empty_tree(self.object_format)
        folder = (self.prefix + under).rstrip("/")
        below = f"{folder}/" if folder else ""
        if self._landed is not None and self._landed[:2] == (old, new):
            found = [change for change in self._landed[2] if change.path.startswith(below)]
        else:
            found = self.changes(old or empty, new or empty, below)
        changes = [change._replace(path=change.path[len(self.prefix) :]) for change in found]
        return tuple(sorted(changes, key=lambda change: change.path))

    def keep_landed(self, base: str | None, commit: str, changes: list[TreeChange]) -> None:
        """Remember what the newest commit of ours changed, which is asked next."""
        self._landed = base, commit, changes

    def changes(self, old: str, new: str, under: str = "") -> list[TreeChange]:
        """What differs between two commits or trees, in all of the work tree or `under` a folder of
        it: paths are relative to the top."""
        args = ("diff-tree", "-r", "-z", "--no-renames", "--raw", "--no-abbrev", old, new)
        words = self.git.records(*args, "--", *([under] if under else []))
        changes = []
        for facts, path in zip(words[0::2], words[1::2], strict=True):
            before, after, old_oid, new_oid, _ = facts.lstrip(":").split(" ")
            was = None if before == "000000" else (before, old_oid)
            changes.append(TreeChange(path, was, None if after == "000000" else (after, new_oid)))
        return changes

    def new_objects(self) -> NewObjects:
        """A place for the objects of a landing, empty."""
        from llmwiki.git.objects import NewObjects

        return NewObjects(self.common_dir / "objects", self.settings.object_permissions())

    # state

    def state(self) -> RepositoryState:
        """Whether something is in progress, HEAD detached, the branch unborn."""
        head = self.where()
        # Of a ref that is no branch, such as a tag, nobody means that it should move.
        detached = not (head.ref or "").startswith("refs/heads/")
        for name, what, way_out in _IN_PROGRESS:
            if os.path.lexists(self.git_dir / name):
                return RepositoryState(what, way_out, detached, head)
        return RepositoryState(None, "", detached, head)

    def folders(self) -> Folders:
        """The work tree's files, read without following links (paths relative to the top)."""
        from llmwiki.git.worktree_files import Folders

        return Folders(self.top)

    def left_out(self, under: str = "") -> dict[str, Entry]:
        """The files below a folder that are not in the work tree because a sparse checkout leaves
        them out, or because there is none: path to mode and blob id, by path. What is not on the
        disk is not gone, then.

        Reads the index: ask where a file was not found, or a whole folder is listed.
        """
        from llmwiki.git.trees import EXECUTABLE, FILE

        if self.layout.is_bare:
            files = self.tree(self.head(), under)
            return {p: entry for p, entry in files.items() if entry[0] in (FILE, EXECUTABLE)}
        begins = f"{self.prefix}{under}/" if under else self.prefix
        skipped = (each for each in self.index.skipped().items() if each[0].startswith(begins))
        return {
            path[len(self.prefix) :]: (entry.mode, entry.oid)
            for path, entry in sorted(skipped)
            if entry.mode in (FILE, EXECUTABLE) and not os.path.lexists(self.top / path)
        }

    def read_left_out(self, path: str) -> bytes | None:
        """The bytes of a file that a sparse checkout, or a bare repository, leaves out; None where
        it leaves out no such file."""
        entry = self._left_out_entry(path)
        return None if entry is None else self.read_many([entry[1]])[0]

    def _left_out_entry(self, path: str) -> Entry | None:
        """As `left_out`, of one file."""
        from llmwiki.git.trees import EXECUTABLE, FILE

        full = self.prefix + path
        entry: Entry | None = None
        if self.layout.is_bare:
            entry = self.entry(self.head(), path)
        elif not os.path.lexists(self.top / full):
            entry = self.index.skipped_entry(full)
        return entry if entry is not None and entry[0] in (FILE, EXECUTABLE) else None

    def has_file(self, path: str) -> bool:
        """Whether the work tree has a plain file, or would have it but for a sparse checkout."""
        # A document's names lead to hundreds of sources, and `Path` takes four times as long.
        place = f"{self.root}/{path}"
        return os.path.isfile(place) or self._left_out_entry(path) is not None  # noqa: PTH113

    def ignored(self, paths: Iterable[str]) -> frozenset[str]:
        """Those of the paths below the wiki's root that git ignores and does not track; of those
        behind a symbolic link git says nothing."""
        inside = sorted(path for path in paths if not path.startswith(("../", "/")))
        if not inside or self.layout.is_bare:
            return frozenset()
        # It takes no literal path specifications; `./` keeps a path from being one of another kind.
        begin = f"./{self.prefix}"
        told = (f"{begin}{path}" for path in inside)
        args = ("--no-literal-pathspecs", "check-ignore", "-z", "--stdin")
        found = self.git.records(*args, told=told, ok=(0, 1, 128))
        return frozenset(each.removeprefix(begin) for each in found)

    def dirty(self, paths: Sequence[str]) -> tuple[str, ...]:
        """Those of `paths` whose work-tree bytes or index entry differ from HEAD, sorted.

        Looks at these paths only. A file that differs only as git's end-of-line conversion makes
        it differ is clean. Raises PolicyError where a path goes through a link.
        """
        from llmwiki.git.trees import lookup

        tree = self.root_tree(self.head())
        entries = {path: lookup(self.directory, tree, self.prefix + path) for path in paths}
        return self.differing(entries)

    def differing(self, expected: Mapping[str, Entry | None]) -> tuple[str, ...]:
        """Those paths whose work-tree bytes or index entry are not as expected, sorted."""
        from llmwiki.git.trees import object_id

        staged = self.index.read(self.prefix + path for path in expected)
        unlike: set[str] = set()
        doubtful: list[str] = []
        with self.folders() as folders:
            for path, entry in expected.items():
                indexed = staged[self.prefix + path]
                if (indexed and (indexed.mode, indexed.oid)) != entry:
                    unlike.add(path)
                    continue
                data = folders.read(self.prefix + path)
                if data is None:
                    if entry is not None and not (indexed and indexed.skipped):
                        unlike.add(path)
                    continue
                if entry and entry[1] == object_id("blob", data, self.object_format):
                    continue
                # A path with a line end cannot be told to git below.
                (doubtful.append if entry and "\n" not in path else unlike.add)(path)
        if doubtful:
            listing = "".join(f"{self.prefix}{path}\n" for path in doubtful)
            data = listing.encode("utf-8", "surrogateescape")
            ids = self.git.run("hash-object", "--stdin-paths", stdin=data).stdout.split()
            unlike.update(
                path
                for path, oid in zip(doubtful, ids, strict=True)
                if oid.decode() != (expected[path] or ("", ""))[1]
            )
        return tuple(sorted(unlike))

    def maintain(self) -> None:
        """What `git commit` does after itself: pack when many loose objects have gathered. And the
        commit graph, by which git knows the commits that changed a page without reading trees."""
        self.git.run("maintenance", "run", "--auto", "--quiet", ok=(0, 1))
        asked = ("--reachable", "--changed-paths", "--split", "--no-progress")
        self.git.run("commit-graph", "write", *asked, ok=(0, 1, 128))
