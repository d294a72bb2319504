"""Wikis whose sources are under Git LFS, for the tests of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import gitkit
import pytest
import wikikit
from wikikit import NOTE, Wiki

needs_lfs = pytest.mark.skipif(shutil.which("git-lfs") is None, reason="git-lfs is not installed")
EVERYTHING = "raw/** filter=lfs diff=lfs merge=lfs -text\n"
PAGE = b"<html><head><title>Tea</title></head><body><h1>Tea</h1><p>Tea is an infusion of the \
leaves of Camellia sinensis in hot water.</p></body></html>"


def track(wiki: Wiki, rules: str) -> None:
    wiki.put(".gitattributes", wiki.read(".gitattributes") + rules)
    wiki.git("commit", "-qam", "attributes")


def set_up(wiki: Wiki) -> Wiki:
    wiki.git("lfs", "install", "--local")
    return wiki


def committed(wiki: Wiki, path: str, rev: str = "HEAD") -> bytes:
    return gitkit.git(wiki.root, "show", f"{rev}:{path}").encode()


def stored(wiki: Wiki, data: bytes, store: str = ".git/lfs") -> Path:
    oid = wikikit.sha(data)
    return wiki.root / store / "objects" / oid[:2] / oid[2:4] / oid


def ingest(wiki: Wiki, path: str = "raw/tea.md", data: bytes | str = NOTE) -> wikikit.Run:
    wiki.put(path, data)
    return wiki.ok("ingest", path, "--model", "offline")


def codes(wiki: Wiki, *args: str) -> set[str]:
    return {found["code"] for found in wiki.run("lint", "--format", "json", *args).json["findings"]}


def clone(wiki: Wiki, place: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    """A clone with pointers alone, through a bare repository that has the bytes."""
    remote = place.with_suffix(".git")
    gitkit.git(wiki.root, "init", "-q", "--bare", "-b", "main", str(remote))
    wiki.git("remote", "add", "origin", str(remote))
    wiki.git("push", "-q", "origin", "HEAD:refs/heads/main")
    monkeypatch.setenv("GIT_LFS_SKIP_SMUDGE", "1")
    gitkit.git(wiki.root, "clone", "-q", str(remote), str(place))
    monkeypatch.delenv("GIT_LFS_SKIP_SMUDGE")
    return set_up(Wiki(place))
