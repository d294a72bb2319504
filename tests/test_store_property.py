"""Any sequence of landings and of a person's edits leaves what a plain model of both says."""

from __future__ import annotations

from pathlib import Path

import gitkit
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from longform import examples

from llmwiki.core.errors import StateError
from llmwiki.git.find_repository import layout_of
from llmwiki.git.repository import Repository

PATHS = [
    f"wiki/{folder}{name}.md" for folder in ("", "a/", "a/b/", "c/") for name in ("x", "y", "é")
]
CONTENT = st.sampled_from(
    [b"", b"one\n", b"two\n", b"no line end", b"crlf\r\n", b"\x00\xff binary"]
)
WRITES = st.dictionaries(st.sampled_from(PATHS), st.none() | CONTENT, min_size=1, max_size=5)
EDITS = st.dictionaries(st.sampled_from(PATHS), CONTENT, max_size=2)
STEPS = st.lists(st.tuples(EDITS, st.booleans(), WRITES), min_size=1, max_size=5)


def disk(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted((root / "wiki").rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("prefix", ["", "kb"])
@settings(
    max_examples=examples(4, 40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(steps=STEPS)
def test_landings_and_edits_against_a_model(
    prefix: str,
    steps: list[tuple[dict[str, bytes], bool, dict[str, bytes | None]]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        gitkit.isolate(patch)
        top = tmp_path_factory.mktemp("w")
        root = gitkit.make_wiki(top, prefix=prefix, pages=1)
        (root / ".gitattributes").write_text("* -text\n")
        gitkit.git(top, "commit", "-qam", "bytes")
        committed = disk(root)
        edited: dict[str, bytes] = {}
        with Repository(layout_of(root)) as repo:
            for edits, stage, writes in steps:
                gitkit.put(root, edits)
                if stage and edits:
                    gitkit.git(root, "add", "--", *edits)
                edited = {
                    path: data
                    for path, data in {**edited, **edits}.items()
                    if committed.get(path) != data
                }
                changes = {p: d for p, d in writes.items() if committed.get(p) != d}
                staged = gitkit.git(top, "diff", "--cached")
                listing = gitkit.git(top, "status", "--porcelain", "-z", "-uall").split("\0")
                dirty = {line[3:].removeprefix(repo.prefix) for line in listing}
                if changes.keys() & dirty:
                    with pytest.raises(StateError, match="not committed"):
                        gitkit.transact(repo, gitkit.planner(writes), operation="ingest")
                else:
                    landed = gitkit.transact(repo, gitkit.planner(writes), operation="ingest")
                    assert (landed.commit is None) == (not changes)
                    assert landed.pending == ()
                    for path, data in changes.items():
                        if data is None:
                            committed.pop(path)
                        else:
                            committed[path] = data
                assert gitkit.git(top, "diff", "--cached") == staged
                assert disk(root) == {**committed, **edited}
                blobs = repo.tree("HEAD", "wiki")
                found = repo.read_many([oid for _, oid in blobs.values()])
                assert dict(zip(blobs, found, strict=True)) == committed
                changed = gitkit.git(top, "diff", "--name-only", "-z", "HEAD").split("\0")
                assert set(filter(None, changed)) <= {repo.prefix + path for path in edited}
        gitkit.git(top, "fsck", "--strict")
        assert gitkit.leftovers(top) == []
