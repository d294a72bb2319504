"""What a person would want to know of the work tree: files of the wiki that differ from HEAD."""

from __future__ import annotations

from llmwiki.git.repository import Repository


def changed_files(repo: Repository, under: str) -> dict[str, str]:
    """Tracked files below `under` whose work tree or index differs from HEAD, by path: to the
    letter by which git says how (`git diff --name-status`; `U`: it is unmerged)."""
    if repo.head() is None or repo.layout.is_bare:
        return {}
    folder = (repo.prefix + under).rstrip("/")
    words = repo.git.records("diff", "--name-status", "--no-renames", "-z", "HEAD", "--", folder)
    pairs = zip(words[1::2], words[::2], strict=True)
    return {path.removeprefix(repo.prefix): letter for path, letter in sorted(pairs)}


def differing_files(repo: Repository, commit: str) -> frozenset[str]:
    """Files of the wiki's root whose work tree differs from a commit; new ones that are not ignored
    included, gone ones too."""
    folder = [repo.prefix.rstrip("/")] if repo.prefix else []
    found = repo.git.records("diff", "--name-only", "--no-renames", "-z", commit, "--", *folder)
    found += repo.git.records("ls-files", "--others", "--exclude-standard", "-z", "--", *folder)
    return frozenset(path.removeprefix(repo.prefix) for path in found)


REVIEWS = "wiki-review/"
"""What the names of branches for review begin with. A folder `wiki/` of branches could not be where
a team has a branch `wiki`."""


def review_branches(repo: Repository) -> tuple[str, ...]:
    """Branches `wiki-review/…` with commits that HEAD does not hold, sorted; those of remotes that
    have none of their name here as `origin/wiki-review/…`."""
    if repo.head() is None:
        return ()
    refs = (f"refs/heads/{REVIEWS}", f"refs/remotes/*/{REVIEWS}**")
    out = repo.git.text("for-each-ref", "--no-merged=HEAD", "--format=%(refname)", *refs)
    found = [ref.split("/", 2)[2] for ref in out.split()]
    here = {name for name in found if name.startswith(REVIEWS)}
    return tuple(sorted(n for n in found if n in here or n.partition("/")[2] not in here))


def landed_branches(repo: Repository) -> tuple[str, ...]:
    """Branches `wiki-review/…` of this clone that HEAD holds whole, sorted: what accepted them was
    cut off before it deleted them, or they were merged by other means."""
    if repo.head() is None:
        return ()
    found = ("--merged=HEAD", "--format=%(refname:lstrip=2)", f"refs/heads/{REVIEWS}")
    return tuple(sorted(repo.git.text("for-each-ref", *found).split()))


def has_branch(repo: Repository, name: str) -> bool:
    """Whether a branch of that name is known here, of this clone or of a remote."""
    refs = (f"refs/heads/{name}", f"refs/remotes/*/{name}")
    return bool(repo.git.text("for-each-ref", "--count=1", "--", *refs))


def default_branches(repo: Repository) -> tuple[str, ...]:
    """The commits of the branch that others begin from: that of the remote `origin`, and the local
    one of its name; without a remote that git is set to make, `main` or `master`; else HEAD."""
    remote = repo.ref("refs/remotes/origin/HEAD").ref
    names = [remote.removeprefix("refs/remotes/origin/")] if remote else []
    if not names:
        names = [repo.settings.get("init.defaultbranch") or "main", "main", "master"]
    refs = [remote] if remote else []
    refs += [f"refs/heads/{name}" for name in names]
    found = [oid for ref in refs if (oid := repo.ref(ref).oid) is not None]
    head = repo.head()
    return tuple(dict.fromkeys(found)) or ((head,) if head else ())


def merge_base(repo: Repository, one: str, other: str) -> str | None:
    """A best common ancestor of two commits; None where they have none."""
    out = repo.git.run("merge-base", one, other, ok=(0, 1)).stdout.decode().split()
    return out[0] if out else None
