"""Where the files of a wiki lie that links may name: by path, by name, by name without ending."""

from __future__ import annotations

import posixpath
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import lru_cache

from llmwiki.lint.whole_wiki_view import LintedWiki
from llmwiki.pages.link_targets import is_attachment
from llmwiki.pages.page_file_names import name_key, stem_of


@lru_cache(maxsize=2)
def by_name(files: frozenset[str]) -> Mapping[str, tuple[str, ...]]:
    """Files by their folded names."""
    found: dict[str, list[str]] = {}
    for path in sorted(files):
        found.setdefault(name_key(path.rsplit("/", 1)[-1]), []).append(path)
    return {name: tuple(paths) for name, paths in found.items()}


@lru_cache(maxsize=2)
def by_stem(files: frozenset[str]) -> Mapping[str, Sequence[str]]:
    """Attachments by their folded names without ending."""
    found: dict[str, list[str]] = {}
    for path in sorted(filter(is_attachment, files)):
        found.setdefault(name_key(posixpath.basename(path).rpartition(".")[0]), []).append(path)
    return found


@lru_cache(maxsize=2)
def _folders(files: frozenset[str]) -> frozenset[str]:
    return frozenset(
        name_key(path[:at]) for path in files for at in range(len(path)) if path[at] == "/"
    )


@lru_cache(maxsize=2)
def folders_named(paths: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """The folders of pages by their folded names."""
    found: dict[str, list[str]] = {}
    for folder in sorted(
        {path[:at] for path in paths for at in range(len(path)) if path[at] == "/"}
    ):
        found.setdefault(name_key(posixpath.basename(folder)), []).append(folder)
    return found


def is_file(target: str, wiki: LintedWiki) -> bool:
    """Whether a link's target names a file that is no page: an attachment, a catalogue."""
    names = by_name(wiki.files)
    name = name_of(target)
    return name in names or f"{name}.md" in names


def name_of(target: str) -> str:
    """The folded file name that a path ends in."""
    return name_key(target.replace("\\", "/").rstrip("/").rpartition("/")[2].strip())


def is_there(resolved: str, wiki: LintedWiki) -> bool:
    """Whether a path leads to a file or a folder; `.md` may be left out, `.html` stand for it."""
    files, paths = wiki.files, wiki.paths
    resolved = followed(resolved, wiki)
    at = bisect_left(paths, resolved + "/")
    if (at < len(paths) and paths[at].startswith(resolved + "/")) or (
        name_key(resolved) in _folders(files)
    ):
        return True
    here = name_key(resolved)
    name = here.rsplit("/", 1)[-1]
    held = {name_key(path) for end in ("", ".md") for path in by_name(files).get(name + end, ())}
    stem = name_key(stem_of(resolved.removesuffix(".html")))
    held.update(name_key(path) for path in wiki.of_stem(stem))
    return bool(held & {here, f"{here}.md", f"{here.removesuffix('.html')}.md"})


def followed(path: str, wiki: LintedWiki) -> str:
    """A path with the symbolic link in it replaced by what that leads to."""
    if not wiki.symlinks:
        return path
    ends = (at for at in range(len(path) + 1) if at == len(path) or path[at] == "/")
    linked = next((at for at in ends if path[:at] in wiki.symlinks), None)
    return path if linked is None else wiki.symlinks[path[:linked]] + path[linked:]
