"""The transaction: one plan, one commit; killed at any instant, nothing is torn or lost.

Order of a landing (each step leaves a state that the next process can finish or drop):

1. take the lock in the common git directory; finish or drop what a crash left (`recover`);
2. guard: nothing in progress, a branch checked out, an identity; then the plan, computed by the
   caller against HEAD as it is under the lock;
3. check paths and work tree; write blobs, trees and the commit as objects, durably (`build`);
   hooks run on them in a scratch work tree, signing is git's;
4. make the landing ref of this work tree, durably: it names the commit, whose first parent, tree
   and trailers say the rest, and holds its objects in case a `git gc --prune=now` runs;
5. move the branch by compare-and-swap, durably: **the commit point**. HEAD moved in between (a
   person's commit): from 2 again, at most five times;
6. bring work tree and index to the new commit, path by path, keeping what a person has changed;
7. delete the landing ref, release the lock, run post-commit.

4, 5 and 7 are transactions of one `git update-ref` each: git renames lock file after lock file, so
that one which moved two refs could be killed between them.

Measured with benchmarks/commit.py (2 shared cores, ext4, git 2.39, medians; 12 files a landing,
ours with writing the files, plain `git add` + `git commit` without): 1,000 pages 25 ms against
19 plain, 10,000 pages 35 against 37; a batch of 1,000 landings of ten files, one process, 13 ms a
landing. The first working form (two ls-files, `git var`, threads started for each sync, orderly
waits for readers) took 65 ms against 29 at 1,000 pages: spawns and waits are what counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from llmwiki.core.errors import InternalError, StateError, WikiError
from llmwiki.git.failpoints import reach
from llmwiki.git.objects import NewObjects
from llmwiki.git.refs import Head, RefMoved, RefSession, landing_ref, ref_refused
from llmwiki.git.repository import Repository, TreeChange
from llmwiki.git.runner import GitError
from llmwiki.git.staged import unmerged
from llmwiki.git.store import hooks as user_hooks
from llmwiki.git.store.allowed_paths import ORDINARY, AllowList
from llmwiki.git.store.build_commit import Edits, build, check_work_tree, resolve
from llmwiki.git.store.lock import WAIT, DeferredSignals, Lock
from llmwiki.git.store.outcome import Outcome, Plan
from llmwiki.git.store.recover import (
    Recovery,
    contents,
    finish,
    operation_of,
    recover_locked,
    sweep_ref_locks,
)
from llmwiki.git.store.write_work_tree import Step, materialise, names

ATTEMPTS = 5
"""How often a plan is computed anew because a person's commit was quicker."""
LandingListener = Callable[[Outcome], None]
"""Is told of a landing right after its commit point, when all its paths are pending, and again
when it is over: for whoever has to say what was committed although the command was stopped."""


def _ignore(_landed: Outcome) -> None:
    pass


@dataclass(slots=True)
class _Open:
    """What a process keeps between its operations on one repository."""

    lock: Lock
    refs: RefSession | None = None
    refs_of: int = 0

    def session(self, repo: Repository, reason: str) -> RefSession:
        if self.refs is not None and (self.refs.reason, self.refs_of) != (reason, self.lock.opened):
            self.refs.close()
            self.refs = None
        if self.refs is None:
            self.refs_of = self.lock.opened
            self.refs = RefSession(repo.git, reason, self.lock.fd)
        return self.refs

    def close(self) -> None:
        if self.refs is not None:
            self.refs.close()
            self.refs = None
        self.lock.close()


def _open(repo: Repository) -> _Open:
    return repo.companion(_Open, lambda: _Open(Lock(repo.common_dir)))


@contextmanager
def locked(repo: Repository, operation: str, wait: float = WAIT) -> Iterator[Recovery]:
    """Hold the lock, after finishing or dropping what a crash left.

    Raises LockTimeout (exit 6) naming the holder.
    """
    lock = _open(repo).lock
    lock.take(operation, wait)
    try:
        yield recover_locked(repo, lock.fd)
    finally:
        lock.release()


def recover(repo: Repository, wait: float = WAIT) -> Recovery:
    """Finish or drop what a crash left in this work tree. Idempotent."""
    with locked(repo, "recover", wait) as recovery:
        return recovery


def unfinished(repo: Repository) -> str | None:
    """The operation a crash left unfinished, for reading commands to warn of; None mostly.

    Takes no lock: while another process lands, its ref shows here for some milliseconds.
    """
    commit = repo.landing()
    return None if commit is None else operation_of(repo, commit) or "an operation"


def preflight(repo: Repository, *, allow_detached: bool = False) -> Head:
    """Refuse what a landing would refuse anyway, before a model is paid for; where HEAD points.

    Raises StateError: something in progress, HEAD detached, no identity.
    """
    state = repo.state()
    if state.in_progress is not None:
        first = "`wiki resolve` merges the pages it left. " if unmerged(repo) else ""
        raise StateError(
            f"{state.in_progress} is in progress", fix=f"{first}End it first: `{state.way_out}`."
        )
    if state.detached and not allow_detached:
        raise StateError(
            "HEAD is detached: the commit would be on no branch",
            fix="Check out a branch, or pass --allow-detached.",
        )
    repo.settings.identity()
    return state.head


class Transaction:
    """The lock, held for one landing: HEAD to plan against, then the plan, until one lands."""

    def __init__(
        self,
        repo: Repository,
        operation: str,
        allow: AllowList,
        now: float | None,
        hook_timeout: float,
        landed: LandingListener,
        *,
        allow_detached: bool,
    ) -> None:
        """See `transaction`."""
        self._repo = repo
        self._operation = operation
        self._allow = allow
        self._now = now
        self._hook_timeout = hook_timeout
        self._landed = landed
        self._allow_detached = allow_detached
        self._attempts = 0
        self._head = Head(None, None)
        self.has_committed = False
        """Whether a plan has landed as a commit."""

    def head(self) -> str | None:
        """The commit to plan against, as HEAD is now; None: the branch is unborn.

        Raises StateError where the repository is in no state to be written to, and where HEAD has
        moved too often.
        """
        if self._attempts == ATTEMPTS:
            raise StateError(
                f"HEAD moved {ATTEMPTS} times while the operation was being prepared",
                fix="Somebody is committing; run the command again.",
            )
        self._attempts += 1
        self._head = preflight(self._repo, allow_detached=self._allow_detached)
        reach("guard.passed")
        return self._head.oid

    def land(self, plan: Plan) -> Outcome | None:
        """Lands a plan made against `head()`; None: HEAD has moved, so another plan is needed.

        Raises StateError and PolicyError, each with nothing changed. Once the branch has moved
        nothing is raised but the signal that arrived: what could not be brought into the work
        tree is in `Outcome.pending`.
        """
        if plan.base != self._head.oid:
            raise InternalError(f"the plan was made against {plan.base}, HEAD is {self._head.oid}")
        repo = self._repo
        reach("plan.made")
        with _disk_in_words():
            edits = resolve(repo, plan, self._allow)
        if not edits.steps:
            return Outcome(None)
        session = _open(repo).session(repo, f"wiki: {self._operation}")
        session.open()
        with _disk_in_words():
            check_work_tree(repo, edits)
        reach("plan.checked")
        objects = repo.new_objects()
        with suppress(RefMoved), DeferredSignals() as signals:
            with _disk_in_words():
                # The private copy of the index will lie there.
                (repo.git_dir / "llmwiki").mkdir(exist_ok=True)
                commit = build(
                    repo,
                    plan,
                    edits,
                    objects,
                    parents=[] if plan.base is None else [plan.base, *plan.merges],
                    now=self._now,
                    hook_timeout=self._hook_timeout,
                    check=signals.check,
                )
                signals.check()
                _commit(repo, session, commit, self._head, objects)
            self.has_committed = True
            if not plan.merges:
                changes = [TreeChange(step.path, step.old, step.new) for step in edits.steps]
                repo.keep_landed(plan.base, commit, changes)
            self._landed(_not_yet(repo, commit, edits))
            reach("ref.moved")
            landed = _finish(repo, session, commit, edits, objects)
            if landed.pending and signals.arrived:
                # The signal may have ended a git of ours before that was in a group of its own.
                landed = _finish(repo, session, commit, edits, objects)
            self._landed(landed)
            return landed
        return None


@contextmanager
def transaction(
    repo: Repository,
    *,
    operation: str,
    wait: float = WAIT,
    allow_detached: bool = False,
    allow: AllowList = ORDINARY,
    now: float | None = None,
    hook_timeout: float = user_hooks.TIMEOUT,
    landed: LandingListener = _ignore,
) -> Iterator[Transaction]:
    """Holds the lock while one plan is made against HEAD and landed, again where HEAD moves.

    `operation` is the kind (`ingest`, `undo` …): it stands in the lock and the
    reflog. `now` is the commit's time (None: the clock); `hook_timeout` the seconds a hook may
    take; `landed` is told of the commit, and must not raise. Making the plan must be quick.

    Raises LockTimeout, and StateError where an earlier operation cannot be finished.
    """
    with locked(repo, operation, wait) as recovery:
        if recovery.outcome == "unfinished":
            # Its ref must not be overwritten by ours.
            raise StateError(
                f"an earlier operation ({recovery.operation}) is committed, but could not be "
                "brought into the work tree",
                where=", ".join(recovery.failed[:5]),
                fix="Remove what is in the way (a stale lock, a full disk): `wiki recover`.",
            )
        repo.settings.refresh()
        opened = Transaction(
            *(repo, operation, allow, now, hook_timeout, landed), allow_detached=allow_detached
        )
        yield opened
    if opened.has_committed and "post-commit" in user_hooks.find_hooks(repo):
        user_hooks.run_post_commit(repo)


def land_branch(
    repo: Repository,
    plan: Plan,
    ref: str,
    *,
    operation: str,
    wait: float = WAIT,
    now: float | None = None,
    landed: LandingListener = _ignore,
    on: str | None = None,
) -> Outcome:
    """Land a plan as a commit on the branch `ref` (`refs/heads/…`), made if it is missing.

    The commit's parent is `plan.base`, which must be what `ref` holds, or have it among its
    ancestors, when it exists. With `on` that is what `ref` holds and the first parent, and the
    plan's base is merged into it. Index and HEAD stay as they are, and the work tree too, but for
    the person's own files that the commit has taken over: those git would refuse to merge, so they
    are put back to what HEAD has. Raises StateError when `ref` is checked out or has moved.
    """
    refuse_checked_out(repo, ref)
    objects = repo.new_objects()
    with locked(repo, operation, wait), DeferredSignals() as signals, _disk_in_words():
        repo.settings.refresh()
        repo.settings.identity()
        edits = resolve(repo, plan, ORDINARY)
        if not edits.steps:
            return Outcome(None)
        old = repo.resolve(ref)
        parents = [parent for parent in (on, plan.base) if parent is not None]
        if old is not None and old not in parents[:1] and not _is_behind(repo, old, parents):
            raise StateError("the branch has moved since the plan was made", where=ref)
        if on is not None and plan.base is not None and repo.is_ancestor(plan.base, on):
            parents = [on]
        commit = build(
            repo,
            plan,
            edits,
            objects,
            parents=parents,
            now=now,
            hook_timeout=user_hooks.TIMEOUT,
            check=signals.check,
        )
        session = _open(repo).session(repo, f"wiki: {operation}")
        try:
            objects.used_by(lambda: session.move(ref, commit, old))
        except GitError as error:
            raise ref_refused(error) from error
        done = Outcome(commit, branch=ref.removeprefix("refs/heads/"))
        landed(done)
        with suppress(OSError):
            # A prune that looked before the branch moved may have taken them after.
            objects.restore()
            _give_back(repo, edits)
        return done


def refuse_checked_out(repo: Repository, ref: str) -> None:
    """Raises StateError where a work tree of the repository is on the branch."""
    if repo.branch() == ref:
        raise StateError("the branch is checked out", where=ref, fix="Check out another one first.")
    told = repo.git.run("for-each-ref", "--format=%(worktreepath)", "--", ref).stdout
    elsewhere = told.decode("utf-8", "surrogateescape").strip()
    if elsewhere:
        raise StateError(
            f"the branch is checked out in {elsewhere}",
            where=ref,
            fix="Check out another one there, or take that work tree away (git worktree remove).",
        )


def _is_behind(repo: Repository, old: str, parents: Sequence[str]) -> bool:
    return bool(parents) and repo.is_ancestor(old, parents[0])


def drop_branch(repo: Repository, ref: str, tip: str, wait: float = WAIT) -> None:
    """Deletes a branch that still holds the commit `tip`. Raises StateError where it is checked
    out, or has moved."""
    refuse_checked_out(repo, ref)
    with locked(repo, "review", wait):
        if repo.resolve(ref) != tip:
            raise StateError("the branch has moved meanwhile", where=ref, fix="Look again.")
        try:
            repo.git.run("branch", "-q", "-D", "--", ref.removeprefix("refs/heads/"))
        except GitError as error:
            raise ref_refused(error) from error


def _give_back(repo: Repository, edits: Edits) -> None:
    """Puts the files that a branch for review has taken over back to what HEAD has: a new source
    goes, for it is on the branch. What is staged stays, and what was changed meanwhile."""
    taken = [step for step in edits.steps if step.adopted and step.new is not None]
    staged = repo.index.read(step.path for step in taken)
    steps = []
    for step in taken:
        entry = staged.get(step.path)
        if (entry and (entry.mode, entry.oid)) == step.old:
            steps.append(Step(step.path, step.new, step.old))
    materialise(repo, steps, contents(repo, edits.data))


@contextmanager
def _disk_in_words() -> Iterator[None]:
    """Turn a refusal of the disk, before the commit point, into words."""
    try:
        yield
    except OSError as error:
        raise StateError(
            f"cannot write: {error.strerror or error}",
            where=str(error.filename or ""),
            fix="Nothing was changed.",
        ) from error


def _commit(
    repo: Repository, session: RefSession, commit: str, head: Head, objects: NewObjects
) -> None:
    """Make the landing ref, then move HEAD from `head`: the commit point.

    Raises RefMoved, OSError or StateError, the landing ref then deleted. Also StateError where git
    gives no answer: whether it has moved the branch is then for recovery to see, from that ref.
    """
    record = landing_ref(repo.layout)

    def move(ref: str, old: str | None) -> None:
        if repo.where() != head:
            raise RefMoved
        objects.used_by(lambda: session.move(ref, commit, old))

    try:
        move(record, None)
        reach("record.made")
        reach("ref.before")
        move("HEAD", head.oid)
    except (GitError, OSError, RefMoved) as error:
        if isinstance(error, GitError) and error.returncode < 0:
            sweep_ref_locks(repo, repo.landing())
        now = repo.head()
        if now == commit:
            return
        # Where git refuses that, too, recovery does it.
        with suppress(StateError):
            if repo.landing() == commit:
                session.delete(record, commit)
        if not isinstance(error, GitError):
            raise
        if now != head.oid:
            raise RefMoved from error
        raise ref_refused(error) from error


def _not_yet(repo: Repository, commit: str, edits: Edits) -> Outcome:
    """The branch has moved, and nothing else."""
    return Outcome(commit, pending=names(repo, [step.path for step in edits.steps]))


def _finish(
    repo: Repository, session: RefSession, commit: str, edits: Edits, objects: NewObjects
) -> Outcome:
    """After the commit point: work tree, index, landing ref. Never raises for the disk's sake."""
    try:
        # A prune that had looked before the landing ref was there may have taken them after.
        objects.restore()
        done = finish(repo, edits.steps, data=edits.data)
        objects.restore()
        reach("objects.kept")
        if done.is_complete:
            session.delete(landing_ref(repo.layout), commit)
            reach("record.removed")
            return Outcome(commit, kept=done.kept)
    except (OSError, WikiError):
        return _not_yet(repo, commit, edits)
    if done.is_index_done:
        return Outcome(commit, pending=done.failed, kept=done.kept)
    left = set(_not_yet(repo, commit, edits).pending) - set(done.kept)
    return Outcome(commit, pending=tuple(sorted(left)), kept=done.kept)
