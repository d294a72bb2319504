"""Hooks see the future, in a scratch work tree; signing is git's; the guard stops plain commits."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import gitkit
import pytest
import wikikit
from crash import world

from llmwiki.core.errors import StateError
from llmwiki.git.find_repository import layout_of
from llmwiki.git.repository import Repository
from llmwiki.git.store import hooks
from llmwiki.git.store.clone_setup import install_guard

CHANGE: dict[str, bytes | None] = {
    "wiki/concepts/P0001.md": gitkit.page("P0001", "landed"),
    "wiki/concepts/New.md": b"# New\n",
}


@pytest.fixture(autouse=True)
def _isolated(monkeypatch: pytest.MonkeyPatch) -> None:
    gitkit.isolate(monkeypatch)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = gitkit.make_wiki(tmp_path / "w")
    gitkit.put(root, {"wiki/concepts/P0002.md": b"the user's edit\n", "loose.txt": b"l"})
    return root


def hook(root: Path, name: str, script: str, folder: str = ".git/hooks") -> None:
    path = root / folder / name
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def head(root: Path) -> str:
    return gitkit.git(root, "rev-parse", "HEAD").strip()


def refused(root: Path, words: str, **options: object) -> None:
    before = head(root), gitkit.status(root)
    with pytest.raises(StateError, match=words) as caught:
        gitkit.land(root, CHANGE, **options)
    assert caught.value.exit_code == 3
    assert (head(root), gitkit.status(root)) == before
    assert gitkit.leftovers(root) == []


def test_pre_commit_sees_the_future_and_not_the_users_edits(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "seen"
    hook(
        root,
        "pre-commit",
        f"cat wiki/concepts/P0001.md wiki/concepts/New.md wiki/concepts/P0002.md > {out}\n"
        f"git diff --cached --name-only >> {out}; git diff --name-only >> {out}\n"
        f"git rev-parse --show-toplevel >> {out}; ls loose.txt >> {out} 2>&1; exit 0",
    )
    landed = gitkit.land(root, CHANGE)
    seen = out.read_text()
    assert "- landed" in seen
    assert "# New" in seen
    assert "the user's edit" not in seen
    assert "wiki/concepts/New.md\nwiki/concepts/P0001.md\n" in seen
    place = next(Path(row) for row in seen.splitlines() if row.startswith("/"))
    assert place.name.startswith("llmwiki-future-") and not place.exists()
    assert root not in place.parents, "inside a git directory the pre-commit framework refuses"
    assert "No such file" in seen
    assert landed.commit == head(root)
    assert gitkit.status(root) == " M wiki/concepts/P0002.md\n?? loose.txt\n"
    assert gitkit.leftovers(root) == []


def test_a_refusing_hook_changes_nothing_and_is_quoted(root: Path) -> None:
    hook(root, "pre-commit", "echo 'line 3 is too long'; exit 1")
    refused(root, "pre-commit hook refused(.|\n)*line 3 is too long")
    (root / ".git/hooks/pre-commit").unlink()
    hook(root, "commit-msg", 'grep -q Ticket "$1" || { echo "no ticket" >&2; exit 7; }')
    refused(root, "commit-msg hook refused .exit 7.(.|\n)*no ticket")


def test_a_hook_that_hangs_is_ended_with_its_children(root: Path, tmp_path: Path) -> None:
    hook(root, "pre-commit", f"sleep 60 & echo $! > {tmp_path}/pid; wait")
    refused(root, "took longer than", hook_timeout=0.5)
    child = (tmp_path / "pid").read_text().strip()
    state = Path(f"/proc/{child}/stat")
    for _ in range(100):
        if not state.exists() or state.read_text().rsplit(")", 1)[1].split()[0] == "Z":
            break
        time.sleep(0.05)
    else:
        pytest.fail("the child of the hook still runs")


def test_a_hook_may_change_the_message(root: Path) -> None:
    hook(root, "commit-msg", 'echo "Reviewed-by: hook" >> "$1"')
    assert gitkit.land(root, CHANGE).pending == ()
    with Repository(layout_of(root)) as repo:
        commit = next(repo.log(limit=1))
    assert commit.value("Reviewed-by") == "hook"
    assert commit.kind == "ingest"


@pytest.mark.parametrize(
    "script",
    [
        "sed -i s/landed/tidied/ wiki/concepts/P0001.md; git add wiki/concepts/P0001.md",
        "echo x > wiki/concepts/ByHook.md; git add wiki/concepts/ByHook.md",
        "echo x > src.py; git add src.py",
        "ln -s /etc/passwd wiki/concepts/L.md; git add wiki",
    ],
)
def test_a_hook_that_changes_what_is_committed_is_refused(root: Path, script: str) -> None:
    hook(root, "pre-commit", script)
    refused(root, "changed what is to be committed")


def test_post_commit_runs_without_the_lock_and_its_failure_is_its_own(
    root: Path, tmp_path: Path
) -> None:
    lock = root / ".git/llmwiki/lock"
    hook(root, "post-commit", f"flock -n {lock} git rev-parse HEAD > {tmp_path}/out; exit 1")
    landed = gitkit.land(root, CHANGE)
    assert (tmp_path / "out").read_text().strip() == landed.commit


def test_a_hooks_path_of_the_users_own_is_honoured(root: Path, tmp_path: Path) -> None:
    hook(root, "pre-commit", "echo from elsewhere; exit 1", "my hooks")
    gitkit.git(root, "config", "core.hooksPath", "my hooks")
    (root / "loose.txt").unlink()
    refused(root, "from elsewhere")


def sign_with(root: Path, tmp_path: Path, script: str) -> None:
    program = tmp_path / "gpg"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    gitkit.git(root, "config", "gpg.program", str(program))
    gitkit.git(root, "config", "commit.gpgSign", "true")
    gitkit.git(root, "config", "user.signingKey", "ABCD")


def test_signing_is_honoured(root: Path, tmp_path: Path) -> None:
    sign_with(
        root,
        tmp_path,
        'cat > /dev/null; echo "[GNUPG:] SIG_CREATED " >&2\n'
        "echo '-----BEGIN PGP SIGNATURE-----'; echo \"$@\"; echo '-----END PGP SIGNATURE-----'",
    )
    landed = gitkit.land(root, CHANGE)
    raw = gitkit.git(root, "cat-file", "commit", landed.commit or "")
    assert "gpgsig -----BEGIN PGP SIGNATURE-----" in raw
    assert "ABCD" in raw
    assert raw.endswith(gitkit.MESSAGE)
    assert "author Ada <ada@example.org> 1" in raw
    assert landed.pending == ()
    gitkit.git(root, "fsck", "--strict")


def test_a_signature_that_fails_changes_nothing(root: Path, tmp_path: Path) -> None:
    sign_with(root, tmp_path, "echo 'no secret key' >&2; exit 2")
    refused(root, "could not be signed")


def test_the_guard_refuses_a_commit_over_an_unfinished_landing(root: Path) -> None:
    with Repository(layout_of(root)) as repo:
        assert install_guard(repo) == ""
        assert install_guard(repo) == ""
    assert (root / ".git/hooks/pre-commit").read_text().count("llmwiki:start") == 1
    gitkit.git(root, "commit", "-qam", "allowed")
    gitkit.put(root, {"raw/mine.md": "# Mine\n"})
    assert world.run("land", root, failpoint="ref.moved").returncode == -9
    assert world.unfinished(root) == "ingest"
    gitkit.put(root, {"wiki/concepts/P0002.md": b"again\n"})
    done = subprocess.run(
        ["git", "commit", "-am", "x"],
        cwd=root,
        env=gitkit.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "wiki recover" in done.stderr
    assert world.run("recover", root).returncode == 0
    gitkit.git(root, "commit", "-qam", "allowed again")
    assert gitkit.status(root) == "?? loose.txt\n"


def test_the_guard_keeps_the_lines_of_an_existing_hook(root: Path, tmp_path: Path) -> None:
    hook(root, "pre-commit", f"touch {tmp_path}/ran")
    with Repository(layout_of(root)) as repo:
        assert install_guard(repo) == ""
        assert "pre-commit" in hooks.find_hooks(repo)
    gitkit.land(root, CHANGE)
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize("kind", ["python", "elsewhere", "link"])
def test_the_guard_leaves_alone_what_it_cannot_edit(root: Path, tmp_path: Path, kind: str) -> None:
    path = root / ".git/hooks/pre-commit"
    path.parent.mkdir(exist_ok=True)
    if kind == "python":
        path.write_text("#!/usr/bin/env python3\n")
    elif kind == "elsewhere":
        gitkit.git(root, "config", "core.hooksPath", str(tmp_path / "hooks"))
    else:
        (tmp_path / "real").write_text("#!/bin/sh\n")
        path.symlink_to(tmp_path / "real")
    with Repository(layout_of(root)) as repo:
        assert "wiki recover" in install_guard(repo)
    assert not (tmp_path / "hooks").exists()


# --- what the guard says of staged pages ---------------------------------------------------

LEDGER = "wiki/sources/tea-md.md"
TEA = "# Tea\n\nGreen tea is steeped at 70 degrees in Uji.\n"
PAGE = "---\ntype: concept\ntitle: Cup\n---\n\n# Cup\n\n"


def _grown(wiki: wikikit.Wiki) -> None:
    wiki.put("raw/tea.md", TEA)
    wiki.ok("ingest", "raw/tea.md", "--model", "offline")


@pytest.fixture
def guarded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> wikikit.Wiki:
    return wikikit.make(tmp_path, monkeypatch, grow=_grown)


def committed(
    wiki: wikikit.Wiki, *args: str, path: str | None = None
) -> subprocess.CompletedProcess[str]:
    """`git commit` of all there is, as a person runs it."""
    wiki.git("add", "-A")
    return subprocess.run(
        ["git", "commit", "-qm", "by hand", *args],
        cwd=wiki.root,
        env=gitkit.environment({} if path is None else {"PATH": path}),
        capture_output=True,
        text=True,
        check=False,
    )


def changed(wiki: wikikit.Wiki, old: str, new: str, name: str = LEDGER) -> None:
    text = wiki.read(name)
    assert old in text
    wiki.put(name, text.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [("“Green tea is steeped at 70", "“Green tea is steeped at 90", "WK201"),
     ("sha256: ", "sha256: 00", "WK201")],
)  # fmt: skip
def test_the_guard_refuses_what_the_bytes_do_not_say(
    guarded: wikikit.Wiki, old: str, new: str, code: str
) -> None:
    before = guarded.head
    changed(guarded, old, new)
    done = committed(guarded)
    assert (done.returncode, guarded.head) == (1, before)
    assert LEDGER in done.stderr and code in done.stderr and "--no-verify" in done.stderr
    assert committed(guarded, "--no-verify").returncode == 0
    changed(guarded, "# Tea", "# Tea of Uji")
    done = committed(guarded)
    assert (done.returncode, done.stderr) == (0, ""), "what HEAD has already is let through"


def test_the_guard_looks_for_an_id_on_pages_that_are_not_staged(guarded: wikikit.Wiki) -> None:
    (ident,) = guarded.claims()
    guarded.put("wiki/concepts/Cup.md", f"{PAGE}- A cup is a cup. ^{ident}\n")
    done = committed(guarded)
    assert done.returncode == 1
    assert f"`^{ident}` stands here and in `{LEDGER}`" in done.stderr


def test_the_guard_lets_through_what_no_page_is_to_blame_for(guarded: wikikit.Wiki) -> None:
    guarded.put("wiki/concepts/Cup.md", "A draft with [[Nothing]] done.\n")
    guarded.put("raw/tea.md", TEA + "A line more.\n")
    changed(guarded, "# Tea", "# Tea of Uji")
    done = committed(guarded)
    assert (done.returncode, done.stderr) == (0, "")


def test_where_wiki_does_not_run_the_guard_says_so_and_lets_through(
    guarded: wikikit.Wiki, tmp_path: Path
) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    for code, wiki in enumerate((None, "exit 1", "echo broken >&2; exit 70")):
        if wiki is not None:
            (programs / "wiki").write_text(f"#!/bin/sh\n{wiki}\n")
            (programs / "wiki").chmod(0o755)
        guarded.put(LEDGER, guarded.read(LEDGER) + f"\nLine {code}.\n")
        done = committed(guarded, path=f"{programs}:/usr/bin:/bin")
        assert done.returncode == 0
        assert done.stderr.count("\n") == 1 and "not checked" in done.stderr


def test_what_wiki_commits_itself_does_not_run_the_guard(
    guarded: wikikit.Wiki, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "wiki").write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    (programs / "wiki").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    path = guarded.root / ".git/hooks/pre-commit"
    path.write_text(path.read_text() + f"touch {tmp_path}/other\n")
    guarded.ok("remember", "The cup is blue.")
    assert (tmp_path / "other").exists() and not (tmp_path / "ran").exists()
    changed(guarded, "# Tea", "# Tea of Uji")
    assert committed(guarded).returncode == 0
    assert (tmp_path / "ran").exists()
