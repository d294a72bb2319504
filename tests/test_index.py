"""The index: refreshed by difference it answers as if it were made anew, whatever happened."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import gitkit
import pytest
from corpuskit import MemoryCorpus
from longform import seldom

from llmwiki.core.errors import InputError
from llmwiki.git.find_repository import layout_of
from llmwiki.git.repository import Repository
from llmwiki.index.index_file import IndexDamaged
from llmwiki.index.lookups import WORD, Postings
from llmwiki.index.open_index import Index, open_corpus
from llmwiki.index.page_facts_record import is_page
from llmwiki.index.rebuild_and_check import differences, rebuild
from llmwiki.query.retrieval.rank_pages import rank

WORDS = [
    *("attention", "transformer", "recurrence", "Ada", "Lovelace", "engine"),
    *("注意力", "模型", "naïve", "café", "snake_case"),
]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    gitkit.isolate(monkeypatch)
    top = gitkit.make_wiki(tmp_path, pages=0)
    for n in range(12):
        write(top, f"wiki/concepts/Page {n}.md", random.Random(n))
    commit(top)
    return top


def write(root: Path, path: str, rng: random.Random) -> None:
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    words = " ".join(rng.choices(WORDS, k=rng.randint(0, 30)))
    links = " ".join(f"[[Page {rng.randrange(15)}]]" for _ in range(rng.randint(0, 3)))
    aliases = rng.choice(["", "aliases: [Second name, SN]\n", "aliases: [Ada Lovelace]\n"])
    kind = rng.choice(["concept", "entity", "synthesis"])
    tags = rng.choice(["", "tags: [old, new]\n"])
    front = f"---\ntype: {kind}\ntitle: {target.stem}\n{aliases}{tags}---\n"
    claim = f"- It is {rng.choice(WORDS)}. ^c-{rng.choice('0123456789')}f3a1c22k7\n"
    target.write_text(f"{front}\n# {target.stem}\n\n{words} {links}\n\n## Claims\n\n{claim}")


def commit(root: Path) -> None:
    gitkit.git(root, "add", "-A")
    gitkit.git(root, "commit", "-qm", "step", "--allow-empty")


def on_disk(root: Path) -> list[tuple[str, str]]:
    found = []
    for path in sorted((root / "wiki").rglob("*.md")):
        name = path.relative_to(root).as_posix()
        if is_page(name) and not path.is_symlink():
            found.append((name, path.read_bytes().decode("utf-8", "ignore")))
    return found


def told(index: Index | MemoryCorpus, paths: dict[int, str], keys: list[str]) -> object:
    held = index.postings(keys)
    return {
        key: sorted(zip((paths[doc] for doc in p.docs), p.codes, strict=True))
        for key, p in held.items()
    }


def check(
    root: Path,
    *,
    at: str | None = None,
    wanted: list[tuple[str, str]] | None = None,
) -> None:
    """The index answers as a plain reading of the pages does."""
    pages = on_disk(root) if wanted is None else wanted
    oracle = MemoryCorpus(pages)
    keys = sorted(oracle.keys())
    theirs = {oracle.doc(path): path for path, _text in pages}
    with Repository(layout_of(root)) as repo, open_corpus(repo, at=at) as index:
        mine = {index.doc(path): path for path, _text in pages}
        assert None not in mine
        assert index.pages == len(pages)
        assert (index.words, index.title_words) == (oracle.words, oracle.title_words)
        absent = [f"{WORD}nowhere", "t:nowhere"]
        assert told(index, mine, keys + absent) == told(oracle, theirs, keys)
        for doc, path in mine.items():
            other = oracle.doc(path)
            assert doc is not None and other is not None
            assert index.lengths[doc] == oracle.lengths[other]
            assert index.title_lengths[doc] == oracle.title_lengths[other]
            card, same = index.cards([doc])[doc], oracle.cards([other])[other]
            for name in ("path", "type", "title", "description", "aliases", "links", "runs"):
                assert getattr(card, name) == getattr(same, name), (path, name)
            assert index.read(card) == dict(pages)[path]
        for term in ("attent", "ada", "模型", "page"):
            some = sorted(mine)[::2]
            same = [doc for doc, path in theirs.items() if path in {mine[n] for n in some}]
            held = told_of(oracle.among([term], same)[term])
            found = told_of(index.among([term], some)[term])
            assert {mine[n]: code for n, code in found.items()} == {
                theirs[n]: code for n, code in held.items()
            }
            assert index.frequencies([term]) == oracle.frequencies([term])


def told_of(postings: Postings) -> dict[int, int]:
    return dict(zip(postings.docs, postings.codes, strict=True))


def rankings(root: Path) -> list[object]:
    """What some questions find, with every part of every score and its reasons."""
    rng = random.Random(7)
    titles = [f"Page {n}" for n in range(12)] + ["Second name", "Ada Lovelace", "注意力"]
    found: list[object] = []
    with Repository(layout_of(root)) as repo, open_corpus(repo, look="whole") as index:
        for _ in range(40):
            asked = rng.sample(WORDS, rng.randint(1, 5)) + rng.sample(titles, rng.randint(0, 2))
            held = rank(index, " ".join(asked), limit=12)
            hits = [(hit.card.path, hit.score, hit.parts, hit.reasons) for hit in held.hits]
            found.append((hits, held.terms, held.titles))
    return found


def step(root: Path, rng: random.Random) -> str:
    """One thing that happens to a wiki."""
    pages = [name for name, _text in on_disk(root)]
    what = rng.choice(
        ["edit", "add", "delete", "rename", "commit", "switch", "reset", "soft", "touch"]
    )
    page = root / rng.choice(pages) if pages else None
    if what == "edit" and page:
        write(root, page.relative_to(root).as_posix(), rng)
    elif what == "add":
        folder = rng.choice(["concepts", "entities", "odd/deep", "syntheses"])
        write(root, f"wiki/{folder}/New {rng.randrange(30)}.md", rng)
    elif what == "delete" and page:
        page.unlink()
    elif what == "rename" and page:
        page.rename(page.with_name(f"Renamed {rng.randrange(30)}.md"))
    elif what == "commit":
        commit(root)
    elif what == "switch":
        commit(root)
        branch = rng.choice(["main", "one", "two"])
        known = gitkit.git(root, "branch", "--list", branch).strip()
        gitkit.git(root, "switch", "-q", *([] if known else ["-c"]), branch)
    elif what == "reset":
        gitkit.git(root, "reset", "-q", rng.choice(["--hard", "--mixed"]), "HEAD")
    elif what == "soft" and gitkit.git(root, "rev-list", "--count", "HEAD").strip() != "1":
        gitkit.git(root, "reset", "-q", rng.choice(["--hard", "--mixed", "--soft"]), "HEAD~1")
    elif what == "touch" and page:
        os.utime(page, ns=(1, rng.randrange(10**18)))
    return what


@pytest.mark.parametrize("seed", seldom(range(6), range(2, 6)))
def test_incremental_equals_rebuild_over_random_histories(root: Path, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(9):
        for _ in range(rng.randint(1, 3)):
            step(root, rng)
        check(root)
    used = rankings(root)
    with Repository(layout_of(root)) as repo:
        assert differences(repo) == (len(on_disk(root)), [])
        rebuild(repo)
    assert rankings(root) == used


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 160))
def test_incremental_equals_rebuild_over_long_histories(root: Path, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(60):
        step(root, rng)
        check(root)
    with Repository(layout_of(root)) as repo:
        assert differences(repo) == (len(on_disk(root)), [])


def test_a_page_that_was_just_written_may_leave_its_folder_empty(root: Path) -> None:
    page = root / "wiki/syntheses/Alone.md"
    page.parent.mkdir(exist_ok=True)
    page.write_text("# Alone\n")
    soon = time.time_ns() + 10**10
    os.utime(page, ns=(soon, soon))
    check(root)
    page.unlink()
    check(root)


def test_nothing_changed_writes_nothing(root: Path) -> None:
    time.sleep(0.1)
    check(root)
    path = root / ".git/llmwiki/index.db"
    os.utime(path, ns=(1, 1))
    with Repository(layout_of(root)) as repo, open_corpus(repo):
        pass
    assert path.stat().st_mtime_ns == 1


def test_an_earlier_revision_is_answered_as_it_was(root: Path) -> None:
    before = on_disk(root)
    rng = random.Random(5)
    for _ in range(6):
        step(root, rng)
    write(root, "wiki/concepts/Late.md", rng)
    commit(root)
    write(root, "wiki/concepts/Uncommitted.md", rng)
    first = gitkit.git(root, "rev-list", "--max-parents=0", "HEAD").split()[-1]
    at = gitkit.git(root, "rev-list", "--reverse", "HEAD").split()[1]
    assert first != at
    check(root, at=at, wanted=before)
    assert [path.name for path in (root / ".git/llmwiki").glob("*.db")] == ["index.db"]
    check(root)


def test_an_unknown_revision_is_refused(root: Path) -> None:
    with (
        Repository(layout_of(root)) as repo,
        pytest.raises(InputError, match="no revision"),
        open_corpus(repo, at="nowhere"),
    ):
        pass


def test_each_work_tree_has_its_own_index(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    gitkit.git(root, "worktree", "add", "-q", "-b", "side", str(other))
    write(other, "wiki/concepts/Only here.md", random.Random(1))
    check(other)
    check(root)
    assert (root / ".git/worktrees/other/llmwiki/index.db").is_file()


def damage(path: Path, how: str) -> None:
    data = path.read_bytes()
    if how == "deleted":
        path.unlink()
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "half":
        path.write_bytes(data[: len(data) // 2 + 77])
    elif how == "text":
        path.write_bytes(b"this is not an index\n" * 500)
    elif how == "foreign":
        path.unlink()
        with sqlite3.connect(path) as db:
            db.execute("CREATE TABLE page (doc, path)")
        db.close()
    elif how == "older":
        with sqlite3.connect(path) as db:
            db.execute("UPDATE meta SET value = 'index 0' WHERE key = 'tag'")
        db.close()
    elif how == "no tables":
        with sqlite3.connect(path) as db:
            db.execute("DROP TABLE meta")
        db.close()


@pytest.mark.parametrize(
    "how", ["deleted", "empty", "half", "text", "foreign", "older", "no tables"]
)
def test_an_index_that_does_not_fit_is_made_anew(root: Path, how: str) -> None:
    check(root)
    damage(root / ".git/llmwiki/index.db", how)
    said: list[str] = []
    with Repository(layout_of(root)) as repo, open_corpus(repo, notice=said.append) as index:
        assert index.pages == 12
    assert bool(said) == (how != "deleted")
    check(root)


def spoil(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for start in range(4096 * 4, len(data), 4096):
        data[start : start + 600] = b"\xff" * 600
    path.write_bytes(bytes(data))


def test_damaged_content_is_made_anew(root: Path) -> None:
    check(root)
    spoil(root / ".git/llmwiki/index.db")
    said: list[str] = []
    with Repository(layout_of(root)) as repo, open_corpus(repo, notice=said.append) as index:
        assert index.pages == 12
    assert said == ["the index is damaged; making it anew"]
    check(root)


def test_damage_found_while_reading_is_named_and_mended(root: Path) -> None:
    check(root)
    with (
        Repository(layout_of(root)) as repo,
        pytest.raises(IndexDamaged, match="damaged"),
        open_corpus(repo) as index,
    ):
        spoil(root / ".git/llmwiki/index.db")
        index.cards(range(1, 13))
        index.postings([f"{WORD}{word}" for word in WORDS])
    check(root)


def test_a_journal_left_beside_a_lost_index_does_no_harm(root: Path) -> None:
    check(root)
    folder = root / ".git/llmwiki"
    old = (folder / "index.db").read_bytes()
    (folder / "index.db").unlink()
    (folder / "index.db-wal").write_bytes(old[:9000])
    (folder / "index.db-journal").write_bytes(old[:9000])
    check(root)


def test_where_no_index_can_be_written_a_temporary_one_answers(root: Path) -> None:
    (root / ".git/llmwiki").mkdir(exist_ok=True)
    for left in (root / ".git/llmwiki").iterdir():
        left.unlink()
    (root / ".git/llmwiki").rmdir()
    (root / ".git/llmwiki").write_text("in the way")
    said: list[str] = []
    with Repository(layout_of(root)) as repo, open_corpus(repo, notice=said.append) as index:
        assert index.pages == 12
    assert any("temporary" in line for line in said)
    check(root)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_git_directory_is_read(root: Path) -> None:
    check(root)
    (root / ".git/llmwiki").chmod(0o555)
    try:
        check(root)
    finally:
        (root / ".git/llmwiki").chmod(0o755)


def test_links_are_not_followed(root: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("# Secret\n\nhunter2\n")
    (root / "wiki/concepts/Linked.md").symlink_to(secret)
    (root / "wiki/linked").symlink_to(tmp_path)
    with Repository(layout_of(root)) as repo, open_corpus(repo) as index:
        assert index.postings([f"{WORD}hunter2"]) == {}
    check(root)


def test_a_page_that_is_no_text_is_indexed_as_far_as_it_goes(root: Path) -> None:
    (root / "wiki/concepts/Odd.md").write_bytes(
        b"# Odd\xff\xfe\n\n\x00attention\x00 [[P\xffage 1]]\n"
    )
    check(root)


def test_a_foreign_vault_without_commits_is_indexed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gitkit.isolate(monkeypatch)
    gitkit.git(tmp_path, "init", "-q", "-b", "main")
    write(tmp_path, "wiki/a note.md", random.Random(1))
    check(tmp_path)
    commit(tmp_path)
    check(tmp_path)


def test_readers_and_writers_at_once_see_whole_states(root: Path) -> None:
    """Twins that are committed together are never seen apart."""
    stop = threading.Event()
    wrong: list[str] = []

    def read() -> Iterator[None]:
        with Repository(layout_of(root)) as repo:
            while not stop.is_set():
                with open_corpus(repo) as index:
                    held = index.postings([f"{WORD}twinword"])
                    count = len(held[f"{WORD}twinword"]) if held else 0
                    if index.sums.pages != index.pages or count > index.pages:
                        wrong.append(f"{count} of {index.pages}")
        yield

    threads = [threading.Thread(target=lambda: list(read())) for _ in range(2)]
    for thread in threads:
        thread.start()
    program = (
        "import sys\nfrom pathlib import Path\n"
        "from llmwiki.git.find_repository import layout_of\n"
        "from llmwiki.git.repository import Repository\n"
        "from llmwiki.index.open_index import open_corpus\n"
        "from llmwiki.index.rebuild_and_check import rebuild\n"
        "with Repository(layout_of(Path(sys.argv[1]))) as repo:\n"
        "    for n in range(8):\n"
        "        name = f'wiki/concepts/T{sys.argv[2]}{n}.md'\n"
        "        Path(sys.argv[1], name).write_text('twinword')\n"
        "        with open_corpus(repo) as index:\n"
        "            index.pages\n"
        "        if n % 4 == 3:\n"
        "            rebuild(repo)\n"
    )
    writers = [
        subprocess.Popen([sys.executable, "-c", program, str(root), str(n)]) for n in range(2)
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    stop.set()
    for thread in threads:
        thread.join()
    assert wrong == []
    check(root)


def test_a_killed_refresh_leaves_a_right_index(root: Path) -> None:
    check(root)
    program = (
        "import os, sys\nfrom pathlib import Path\n"
        "from llmwiki.index import put_pages, refresh\n"
        "from llmwiki.git.find_repository import layout_of\n"
        "from llmwiki.git.repository import Repository\n"
        "from llmwiki.index.open_index import open_corpus\n"
        "put_pages._put_keys = lambda *given: os._exit(9)\n"
        "with Repository(layout_of(Path(sys.argv[1]))) as repo, open_corpus(repo):\n"
        "    pass\n"
    )
    write(root, "wiki/concepts/Page 3.md", random.Random(99))
    done = subprocess.run([sys.executable, "-c", program, str(root)], check=False)
    assert done.returncode == 9
    check(root)


def test_a_wiki_below_the_top_of_its_repository_is_refreshed_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gitkit.isolate(monkeypatch)
    inner = gitkit.make_wiki(tmp_path, prefix="docs/kb", pages=2)
    check(inner)
    for n in range(3):
        write(inner, f"wiki/concepts/Page {n}.md", random.Random(n))
        check(inner)
    commit(inner)
    (inner / "wiki/concepts/Page 1.md").unlink()
    write(inner, "wiki/concepts/Page 2.md", random.Random(9))
    check(inner)
