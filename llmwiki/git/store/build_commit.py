"""From a plan to a commit object: nothing a user can see has changed when this is done."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from llmwiki.core.errors import PolicyError, StateError
from llmwiki.git.failpoints import reach
from llmwiki.git.git_config import Identity
from llmwiki.git.objects import GitObject, NewObjects
from llmwiki.git.repository import Repository
from llmwiki.git.runner import GitError
from llmwiki.git.store import hooks as user_hooks
from llmwiki.git.store.allowed_paths import AllowList, check_adopted, check_written
from llmwiki.git.store.outcome import Plan
from llmwiki.git.store.write_work_tree import Step
from llmwiki.git.trees import EXECUTABLE, FILE, Entry, lookup, object_id, splice

_SPARE_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Edits:
    """What a plan changes, resolved against the tree of its base."""

    tree: str
    """The base's root tree."""
    steps: tuple[Step, ...]
    """Paths relative to the top, sorted; without those that change nothing."""
    data: Mapping[str, bytes]
    """Blob id to bytes, for all new blobs."""


def resolve(repo: Repository, plan: Plan, allow: AllowList) -> Edits:
    """Check a plan's paths and find out what it changes.

    Raises PolicyError, and StateError for a path whose bytes git would filter.
    """
    tree = repo.root_tree(plan.base)
    steps: list[Step] = []
    data: dict[str, bytes] = {}
    repo.settings.refuse_filtered([*plan.writes, *plan.adopts])
    changes = [(p, b, False) for p, b in plan.writes.items()]
    changes += [(p, b, True) for p, b in plan.adopts.items()]
    for path, content, adopted in sorted(changes):
        old = lookup(repo.directory, tree, repo.prefix + path)
        if adopted:
            check_adopted(path)
        else:
            check_written(
                path,
                exists=old is not None,
                deletes=content is None,
                renews=path in plan.renews,
                allow=allow,
            )
        new: Entry | None = None
        if content is not None:
            oid = object_id("blob", content, repo.object_format)
            new = (_mode(repo, path, old, adopted), oid)
            data[oid] = content
        if new != old:
            steps.append(Step(repo.prefix + path, old, new, adopted))
    return Edits(tree, tuple(steps), data)


def _mode(repo: Repository, path: str, old: Entry | None, adopted: bool) -> str:
    if adopted and repo.settings.flag("core.filemode", default=True):
        with repo.folders() as folders:
            status = folders.status(repo.prefix + path)
        if status is not None:
            return EXECUTABLE if status.st_mode & 0o100 else FILE
    return FILE if old is None else old[0]


def check_work_tree(repo: Repository, edits: Edits) -> None:
    """Refuse when a path to be written is dirty, or the disk is too full.

    Raises StateError listing all dirty paths; PolicyError where a path goes through a link.
    """
    if repo.layout.is_bare:
        _check_disk(repo, sum(map(len, edits.data.values())))
        return
    ours = {
        step.path.removeprefix(repo.prefix): step.old for step in edits.steps if not step.adopted
    }
    # Adopted paths are asked for as well, so that the index is read once.
    entries = repo.index.read(step.path for step in edits.steps)
    unmerged = [path for path, entry in entries.items() if entry is not None and entry.unmerged]
    if unmerged:
        raise StateError(
            "the index has unresolved conflicts",
            where=", ".join(unmerged[:5]),
            fix="Resolve and `git add` them first.",
        )
    dirty = repo.differing(ours)
    if dirty:
        raise StateError(
            "these files have changes that are not committed: " + ", ".join(dirty),
            fix="Commit or restore them, then run the command again. Nothing was changed.",
        )
    _check_disk(repo, sum(map(len, edits.data.values())))


def _check_disk(repo: Repository, size: int) -> None:
    for place in {repo.common_dir, repo.top}:
        fs = os.statvfs(place)
        if fs.f_flag & os.ST_RDONLY:
            raise StateError("the file system is read-only", where=str(place))
        if fs.f_bavail * fs.f_frsize < 4 * size + _SPARE_BYTES:
            raise StateError(
                "too little space on the disk", where=str(place), fix="Make room. Nothing changed."
            )
    if not os.access(repo.root, os.W_OK | os.X_OK):
        raise StateError("the work tree cannot be written", where=str(repo.root))


def build(
    repo: Repository,
    plan: Plan,
    edits: Edits,
    objects: NewObjects,
    *,
    parents: Sequence[str],
    now: float | None,
    hook_timeout: float,
    check: Callable[[], None],
) -> str:
    """Write the commit and all it needs, durably, and return its id; no ref names it yet. `check`
    may raise to abort.

    `objects` holds all that are new when this returns, whoever made them. Raises StateError when a
    hook refuses or signing fails, OSError when the disk does.
    """
    message = plan.message.encode()
    if not message.strip() or b"\0" in message:
        raise PolicyError("the commit message is empty or holds a NUL")
    if not message.endswith(b"\n"):
        message += b"\n"
    identity = repo.settings.identity(now)
    changes = {step.path: step.new for step in edits.steps}
    tree, directories = splice(repo.directory, edits.tree, changes, repo.object_format)
    made = [GitObject(oid, "blob", data) for oid, data in edits.data.items()]
    for oid, directory in directories.items():
        made.append(GitObject(oid, "tree", directory.encode()))
        repo.keep_tree(oid, directory)
    hooks = user_hooks.find_hooks(repo) - {"post-commit"}
    signed = repo.settings.flag("commit.gpgsign")
    if hooks or signed:
        objects.add(made)
    if hooks:
        message = user_hooks.run_before_commit(
            repo, tree, message, objects, hooks, check, hook_timeout
        )
    check()
    if signed:
        commit = _sign(repo, tree, parents, message, identity, objects)
        reach("commit.written")
        objects.hold([commit], repo.objects)
        reach("commit.signed")
        return commit
    lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
    lines += [f"author {identity.author}", f"committer {identity.committer}"]
    text = "\n".join(lines).encode("utf-8", "surrogateescape") + b"\n\n" + message
    commit_object = GitObject.make("commit", text, repo.object_format)
    objects.add([*made, commit_object])
    return commit_object.oid


def _sign(
    repo: Repository,
    tree: str,
    parents: Sequence[str],
    message: bytes,
    identity: Identity,
    objects: NewObjects,
) -> str:
    env: dict[str, str] = {}
    for who, ident in (("AUTHOR", identity.author), ("COMMITTER", identity.committer)):
        name, _, rest = ident.partition(" <")
        mail, _, date = rest.rpartition("> ")
        env |= {f"GIT_{who}_NAME": name, f"GIT_{who}_EMAIL": mail, f"GIT_{who}_DATE": f"@{date}"}
    try:
        done = objects.used_by(
            lambda: repo.git.run(
                *("-c", "core.fsync=committed"),
                *("commit-tree", "-S", tree),
                *(word for parent in parents for word in ("-p", parent)),
                stdin=message,
                env=env,
                # Who signs may have to ask for a passphrase.
                asks=True,
            ),
        )
    except GitError as error:
        raise StateError(
            f"the commit could not be signed: {error.stderr.strip()}",
            fix="Check `commit.gpgSign`, `gpg.format` and `user.signingKey`. Nothing was changed.",
        ) from error
    return done.stdout.decode().strip()
