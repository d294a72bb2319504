"""What a person would want to know of the work tree: files of the wiki that differ from HEAD."""

from __future__ import annotations

from llmwiki.repo.repository import Repository


def changed_files(repo: Repository, under: str) -> tuple[str, ...]:
    """Tracked files below `under` whose work tree or index differs from HEAD, sorted."""
    if repo.head() is None:
        return ()
    folder = (repo.prefix + under).rstrip("/")
    out = repo.git.text("diff", "--name-only", "--no-renames", "-z", "HEAD", "--", folder)
    return tuple(sorted(path.removeprefix(repo.prefix) for path in out.split("\0") if path))


def differing_files(repo: Repository, commit: str) -> frozenset[str]:
    """Files of the wiki's root whose work tree differs from a commit; new ones that are not ignored
    included, gone ones too."""
    folder = [repo.prefix.rstrip("/")] if repo.prefix else []
    out = repo.git.text("diff", "--name-only", "--no-renames", "-z", commit, "--", *folder)
    out += repo.git.text("ls-files", "--others", "--exclude-standard", "-z", "--", *folder)
    return frozenset(path.removeprefix(repo.prefix) for path in out.split("\0") if path)


def review_branches(repo: Repository) -> tuple[str, ...]:
    """Branches `wiki/…` with operations that HEAD does not hold, sorted."""
    if repo.head() is None:
        return ()
    out = repo.git.text(
        "for-each-ref", "--no-merged=HEAD", "--format=%(refname:short)", "refs/heads/wiki/"
    )
    return tuple(sorted(out.split()))
