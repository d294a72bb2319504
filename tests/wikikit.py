"""A scratch wiki: the command line run as a person runs it, and the promises checked after it."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import json
import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gitkit
import pytest
import yaml
from jsonschema import Draft202012Validator

from llmwiki.app.json_output.make_json import schema
from llmwiki.core.text import fold_quote
from llmwiki.git.find_repository import layout_of
from llmwiki.git.repository import Repository
from llmwiki.index.page_facts_record import is_page
from llmwiki.interfaces.cli.command_table import run as run_wiki
from llmwiki.landing.index_and_overview import overview_text
from llmwiki.landing.wiki_state import WikiState
from llmwiki.pages.page import Page

NOW = 1_790_000_000
"""2026-09-21, the clock of a scratch wiki; each command is a minute later than the one before."""

NOTE = """# Tea

Tea is an infusion of the leaves of Camellia sinensis in hot water.

- Green tea is steeped at 80 degrees for two minutes.
- Black tea is steeped at 95 degrees for four minutes.

Camellia sinensis is an evergreen shrub of East Asia.
"""


_INLINE = re.compile(r"- “([^”\n]*)” (\[\^[^\]\n]*\])( \*\([^\n]*\)\*)? (\^c-\w+)")
"""A claim that is its quote: the words, the mark of evidence, how they are read, the id."""


def apart(text: str) -> str:
    """A page's text with each quote below its claim, as it may be written too."""
    return _INLINE.sub(r"- \1\3 \4\n  - “\1” \2", text)


def program(env: Mapping[str, str]) -> list[str]:
    """What starts `wiki` in a process of its own: with failpoints armed if `env` names any."""
    if "LLMWIKI_FAILPOINT" in env:
        return [sys.executable, str(Path(__file__).parent / "crash" / "armed.py")]
    return [sys.executable, "-m", "llmwiki"]


@functools.cache
def _validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(schema(name))


def fitting(value: dict[str, Any]) -> dict[str, Any]:
    """What a command printed as JSON, which must be as its published schema says."""
    _validator(value.get("graph", value)["schema"]).validate(value)
    return value


@dataclass(frozen=True)
class Run:
    """What a command said and ended with."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        value = json.loads(self.out)
        assert isinstance(value, dict)
        return fitting(value)

    @property
    def operation(self) -> dict[str, Any]:
        """The only operation of an ingest's JSON."""
        (operation,) = self.json["operations"]
        assert isinstance(operation, dict)
        return operation


@dataclass
class Wiki:
    """A wiki in a temporary folder."""

    root: Path
    commands: int = 0
    env: dict[str, str] = field(default_factory=dict)

    # --- running -------------------------------------------------------------------------

    def run(self, *args: str, stdin: bytes = b"", at: float | None = None) -> Run:
        """The command in this process, through the door that maps errors to exit codes."""
        self.commands += 1
        fixed = {"LLMWIKI_NOW": str(NOW + 60 * self.commands if at is None else at)}
        return called(["-C", str(self.root), *args], fixed | self.env, stdin)

    def ok(self, *args: str, stdin: bytes = b"", at: float | None = None) -> Run:
        """The command, which must succeed."""
        done = self.run(*args, stdin=stdin, at=at)
        assert done.code == 0, (args, done)
        return done

    def spawn(
        self,
        *args: str,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        terminal: int = subprocess.PIPE,
    ) -> subprocess.Popen[bytes]:
        """The command in a process of its own; what it says goes to pipes, or to a terminal."""
        return subprocess.Popen(
            [*program(env or {}), *args],
            cwd=cwd or self.root,
            env={**os.environ, **self.env, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=terminal,
            stderr=terminal,
        )

    # --- files and git -------------------------------------------------------------------

    def put(self, name: str, data: bytes | str) -> Path:
        """Writes a file as an editor would."""
        gitkit.put(self.root, {name: data})
        return self.root / name

    def read(self, name: str) -> str:
        return (self.root / name).read_bytes().decode()

    def edit(self, name: str, old: str, new: str) -> None:
        """A person's edit of a page, in a commit of their own.

        Who rewords a claim that is its own quote puts the quote below it first.
        """
        text = self.read(name)
        for found in _INLINE.finditer(text):
            if old in text:
                break
            opened = text.replace(found[0], apart(found[0]))
            text = opened if old in opened else text
        assert old in text, (name, old)
        self.put(name, text.replace(old, new))
        self.git("commit", "-q", "-m", "a person edits", "--", name)

    def block(self, ident: str) -> tuple[str, str]:
        """The page that a claim stands on, and its lines there."""
        (path,) = [path for path, page in self.pages().items() if page.claim(ident)]
        rows = self.read(path).split("\n")
        first = next(n for n, row in enumerate(rows) if row.endswith(f" ^{ident}"))
        last = next(n for n in range(first + 1, len(rows)) if not rows[n].startswith("  "))
        return path, "".join(f"{row}\n" for row in rows[first:last])

    def delete(self, words: str) -> None:
        """A person takes the claim with these words out of its page, in a commit of their own."""
        path, lines = self.block(self.claim(words).id)
        self.edit(path, lines, "")

    def lines(self, words: str) -> list[tuple[int, int]]:
        """The lines of the quotes of the claim that holds these words, as `wiki show` works them
        out."""
        held = self.claim(words)
        path, _claim = self.claims()[held.id]
        shown = self.ok("show", path, "--json").json["claims"]
        (found,) = [each["evidence"] for each in shown if each["id"] == held.id]
        return [tuple(each["lines"]) for each in found]

    def git(self, *args: str, ok: tuple[int, ...] = (0,)) -> str:
        return gitkit.git(self.root, *args, ok=ok)

    @property
    def head(self) -> str:
        return self.git("rev-parse", "HEAD").strip()

    @property
    def status(self) -> str:
        return gitkit.status(self.root)

    def count(self) -> int:
        """Commits on HEAD."""
        return int(self.git("rev-list", "--count", "HEAD"))

    def files(self, rev: str = "HEAD") -> dict[str, str]:
        """Path to blob id of a commit's tree."""
        rows = self.git("ls-tree", "-r", "-z", rev).split("\0")
        return {row.partition("\t")[2]: row.split()[2] for row in rows if row}

    def changed(self, rev: str = "HEAD") -> dict[str, str]:
        """Path to status letter (A, M, D) of what a commit changed."""
        out = self.git("diff-tree", "-r", "--no-renames", "--name-status", "-z", f"{rev}^", rev)
        parts = out.split("\0")
        return dict(zip(parts[1::2], parts[0::2], strict=False))

    def trailers(self, rev: str = "HEAD") -> list[tuple[str, str]]:
        """As `git interpret-trailers` reads them."""
        message = self.git("log", "-1", "--format=%B", rev)
        told = subprocess.run(
            ["git", "interpret-trailers", "--parse"],
            input=message.encode(),
            capture_output=True,
            check=True,
        ).stdout.decode()
        return [
            (name, value) for name, _, value in (row.partition(": ") for row in told.splitlines())
        ]

    def trailer(self, name: str, rev: str = "HEAD") -> str:
        (value,) = [v for n, v in self.trailers(rev) if n == name]
        return value

    # --- pages ---------------------------------------------------------------------------

    def contents(self, wanted: Callable[[str], bool], rev: str = "HEAD") -> dict[str, bytes]:
        """The files of a commit whose path is wanted."""
        held = {path: oid for path, oid in self.files(rev).items() if wanted(path)}
        return dict(zip(held, gitkit.blobs(self.root, held.values()), strict=True))

    def pages(self, rev: str = "HEAD") -> dict[str, Page]:
        """All pages of a commit."""
        return pages_in(self.contents(is_page, rev))

    def claims(self, rev: str = "HEAD") -> dict[str, tuple[str, Any]]:
        """Claim id to (path, claim)."""
        return claims_on(self.pages(rev))

    def claim(self, words: str) -> Any:
        """The one claim whose text holds these words."""
        found = [claim for _path, claim in self.claims().values() if words in claim.text]
        assert len(found) == 1, (words, found)
        return found[0]

    # --- extractions ---------------------------------------------------------------------

    def prepare(self, path: str, *args: str, stdin: bytes = b"") -> str:
        """What is printed, and behind it the files that it names."""
        out = self.ok("ingest", path, "--prepare", *args, stdin=stdin).out
        named = re.findall(r"^  (/.*?\.md)(?:  lines .*)?$", out, re.MULTILINE)
        return out + "".join(Path(name).read_text("utf-8") for name in dict.fromkeys(named))

    def job(self, *command: str) -> str:
        """The first job of a question, as an agent reads it; what is printed where there is
        none."""
        out = self.ok(*command, "--prepare", "--parts", "1").out
        named = [line.strip() for line in out.splitlines() if line.startswith("  /")]
        return Path(named[0]).read_text("utf-8") if named else out

    def apply(self, answer: Mapping[str, Any], *args: str) -> Run:
        """Lands an answer by standard input."""
        return self.run("apply", "-", "--json", *args, stdin=json.dumps(answer).encode())

    def learn(self, name: str, text: str, answer: Mapping[str, Any]) -> dict[str, Any]:
        """Puts a source, prepares it, and lands an answer to it: its operation."""
        self.put(name, text)
        self.prepare(name)
        source = {"sha256": sha(text), "segment": [1, 1]}
        done = self.apply({**answer, "source": source})
        assert done.code == 0, done
        return done.operation


def pages_in(files: Mapping[str, bytes]) -> dict[str, Page]:
    """The pages among some files."""
    return {p: Page.parse(p, data.decode()) for p, data in files.items() if is_page(p)}


def claims_on(pages: Mapping[str, Page]) -> dict[str, tuple[str, Any]]:
    """Claim id to (path, claim)."""
    return {c.id: (path, c) for path, page in pages.items() for c in page.claims}


def make(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, grow: Callable[[Wiki], object] | None = None
) -> Wiki:
    """A fresh wiki, isolated from the machine's git and llmwiki configuration.

    With `grow`, one in which that has worked. What it and `wiki init` make is made once a process,
    and copied.
    """
    made = _grown(grow)
    wiki = bare(tmp_path, monkeypatch)
    for path, mode, data, stamp in made.tree:
        _put_back(wiki.root / path, mode, data, stamp)
    wiki.git("update-index", "-q", "--refresh", ok=(0, 1))
    wiki.commands = made.commands
    return wiki


@dataclass(frozen=True)
class _Grown:
    """A wiki as it is copied: of each file its path, mode, bytes (None: a folder) and mtime."""

    tree: tuple[tuple[str, int, bytes | None, int], ...]
    commands: int


_GROWN: dict[Any, _Grown] = {}


def _grown(grow: Any) -> _Grown:
    # A lambda of a fixture is another function each time, of the same code.
    key = grow if grow is None or grow.__closure__ else grow.__code__
    if key not in _GROWN:
        _GROWN[key] = _grow_anew(grow)
    return _GROWN[key]


def _grow_anew(grow: Callable[[Wiki], object] | None) -> _Grown:
    with tempfile.TemporaryDirectory(prefix="wikikit-") as place:
        with pytest.MonkeyPatch.context() as patch:
            if grow is None:
                wiki = bare(Path(place), patch)
                wiki.ok("init")
                # A copy of one pack costs less than one of thirty objects in as many folders.
                wiki.git("repack", "-adq")
                for folder in (wiki.root / ".git/objects").glob("??"):
                    folder.rmdir()
            else:
                wiki = make(Path(place), patch)
                grow(wiki)
        return _Grown(tuple(_tree(wiki.root)), wiki.commands)


def _tree(root: Path) -> Iterable[tuple[str, int, bytes | None, int]]:
    for path in sorted(root.rglob("*")):
        seen = path.lstat()
        data = None if stat.S_ISDIR(seen.st_mode) else path.read_bytes()
        if stat.S_ISLNK(seen.st_mode):
            data = os.fsencode(path.readlink())
        yield str(path.relative_to(root)), seen.st_mode, data, seen.st_mtime_ns


def _put_back(path: Path, mode: int, data: bytes | None, stamp: int) -> None:
    if data is None:
        path.mkdir()
    elif stat.S_ISLNK(mode):
        path.symlink_to(os.fsdecode(data))
    else:
        path.write_bytes(data)
        path.chmod(stat.S_IMODE(mode))
        os.utime(path, ns=(stamp, stamp))


def learn_tea(
    made: Wiki, facts: Mapping[str, str], subjects: Sequence[Mapping[str, Any]] = ()
) -> None:
    """A source of one claim a page: title to sentence."""
    claims = [
        claim(subject, text, lines=(2 * place + 1, 2 * place + 1))
        for place, (subject, text) in enumerate(facts.items(), start=1)
    ]
    lines = "\n\n".join(facts.values())
    made.learn("raw/tea.md", f"# Tea\n\n{lines}\n", answer(claims, subjects))


def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    """A folder that is not a repository yet."""
    gitkit.isolate(monkeypatch)
    for name in list(os.environ):
        if name.startswith(("ANTHROPIC_", "LLMWIKI_")):
            monkeypatch.delenv(name)
    # Git calls the merge driver by its name.
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    monkeypatch.setenv("GIT_AUTHOR_DATE", f"{NOW} +0000")
    monkeypatch.setenv("GIT_COMMITTER_DATE", f"{NOW} +0000")
    root = tmp_path / "wiki"
    root.mkdir()
    return Wiki(root)


def sha(text: str | bytes) -> str:
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()


def answer(
    claims: Sequence[Mapping[str, Any]],
    subjects: Sequence[Mapping[str, Any]] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """An extraction; subjects that claims name and nobody lists are concepts."""
    listed = list(subjects or ())
    known = {s["name"] for s in listed}
    for claim in claims:
        if claim["subject"] not in known:
            known.add(claim["subject"])
            name = claim["subject"]
            listed.append({"name": name, "kind": "concept", "description": f"About {name}."})
    return {
        "schema": "llmwiki.extraction/1",
        "document": {"title": "On tea", "summary": "What tea is."},
        "subjects": listed,
        "claims": list(claims),
        "end": True,
        **more,
    }


def claim(
    subject: str, text: str, *quotes: str, lines: Sequence[int] = (1, 1), **more: Any
) -> dict[str, Any]:
    """One claim of an extraction; its text is its quote where none is given."""
    claim.number += 1  # type: ignore[attr-defined]
    return {
        "id": f"k{claim.number}",  # type: ignore[attr-defined]
        "subject": subject,
        "text": text,
        "evidence": [{"quote": q, "lines": list(lines)} for q in (quotes or (text,))],
        **more,
    }


claim.number = 0  # type: ignore[attr-defined]


# --- promises ------------------------------------------------------------------------------


def check(wiki: Wiki, *, dangling: bool = False, squashed: bool = False) -> None:
    """Everything that holds of a wiki after any operation.

    `dangling`: a person or an undo may have taken out what other lines link to. `squashed`: a
    commit may hold several operations.
    """
    files = wiki.contents(lambda path: path.startswith(("wiki/", "raw/")))
    pages = pages_in(files)
    _readable(pages)
    _evidence(wiki, files, pages)
    _links(pages, dangling)
    _catalogue(wiki, files, pages)
    told = log_ids(files)
    assert len(told) == len(set(told))
    if not squashed:
        check_log(wiki, told)


def _readable(pages: Mapping[str, Page]) -> None:
    for path, page in pages.items():
        assert Page.parse(path, page.text).node == page.node, path
        front = re.match(r"\A---\n(.*?)\n---\n", page.text, re.DOTALL)
        assert front, path
        values = yaml.load(front[1], yaml.CSafeLoader)
        assert isinstance(values["title"], str) and values["title"], path
        assert isinstance(values.get("description", ""), str), path
        for key in ("aliases", "tags"):
            assert all(isinstance(word, str) for word in values.get(key, [])), (path, key)
        assert page.title == values["title"]


def _evidence(wiki: Wiki, files: Mapping[str, bytes], pages: Mapping[str, Page]) -> None:
    """Every quote stands in the lines it names, of the bytes its ledger records."""
    texts: dict[str, list[str]] = {}
    ids: list[str] = []
    for page in pages.values():
        if page.type == "source":
            (own,) = [s for s in page.sources if s.id == page.stem]
            if not own.sha256:
                # Taken back: nothing may rest on it.
                assert not any(page.stem in other.cited() for other in pages.values())
                continue
            raw = own.resource.removeprefix("/")
            data = files.get(raw, b"")
            if sha(data) != own.sha256:
                data = _recorded(wiki, raw, own.sha256)
            text = files.get(f"raw/.text/{own.sha256[:16]}.txt", data)
            texts[page.stem] = text.decode("utf-8-sig", "replace").split("\n")
    for path, page in pages.items():
        for held in page.claims:
            ids.append(held.id)
            assert held.evidence, (path, held)
            if held.successor and held.successor.startswith("gone in"):
                continue
            for item in held.evidence:
                there = fold_quote(" ".join(texts[item.source]))
                assert fold_quote(item.quote) in there, (path, held.id, item)
    assert len(ids) == len(set(ids))


def _recorded(wiki: Wiki, path: str, sha256: str) -> bytes:
    """The bytes of that hash at that path, before a person or an undo moved on."""
    for commit in wiki.git("rev-list", "HEAD", "--", path).split():
        oid = wiki.git("rev-parse", "-q", "--verify", f"{commit}:{path}", ok=(0, 1)).strip()
        if oid and sha(data := gitkit_bytes(wiki, oid)) == sha256:
            return data
    raise AssertionError(f"no {path} with {sha256}")


def _links(pages: Mapping[str, Page], dangling: bool) -> None:
    stems = {page.stem for page in pages.values()}
    claims = {page.stem: {c.id for c in page.claims} for page in pages.values()}
    for path, page in pages.items():
        defined = set(re.findall(r"^\[\^([^\]\s]+)\]: ", page.text, re.MULTILINE))
        assert page.cited() <= defined, path
        for source in defined:
            assert f"wiki/sources/{source}.md" in pages, (path, source)
        for node in page.body:
            if node.kind in ("ref", "rel") and not dangling:
                for stem, block in re.findall(r"\[\[([^\]|#]+)(?:#\^([^\]|]+))?", node.raw):
                    assert stem in stems, (path, node.raw)
                    assert not block or block in claims[stem], (path, node.raw)


def _catalogue(wiki: Wiki, files: Mapping[str, bytes], pages: Mapping[str, Page]) -> None:
    with Repository(layout_of(wiki.root)) as repo:
        state = WikiState(repo)
        state.advance(repo.head())
        overview = overview_text(state.totals(), state.text("wiki/overview.md"))
        wanted = {**state.index_files(), "wiki/overview.md": overview}
        for path, text in wanted.items():
            assert state.text(path) == text, path
    held = {p for p in files if re.fullmatch(r"wiki/(.+/index-.+|index|overview)\.md", p)}
    assert held == set(wanted)
    reached = set()
    for path, text in wanted.items():
        for angled, bare_ in re.findall(r"\]\((?:<([^>]*)>|([^()\s]*))\)", text):
            folder = path.rpartition("/")[0]
            reached.add(os.path.normpath(f"{folder}/{angled or bare_}"))
    assert set(pages) <= reached, set(pages) - reached


def log_ids(files: Mapping[str, bytes]) -> list[str]:
    """The operations that the log tells of."""
    text = "".join(data.decode() for path, data in files.items() if path.startswith("wiki/log"))
    return re.findall(r"^## \[.*· ([0-9a-f]{12})$", text, re.MULTILINE)


def check_log(wiki: Wiki, told: Sequence[str]) -> None:
    """The log tells of exactly the operations of the history."""
    made = wiki.git("log", "--format=%(trailers:key=Wiki-Id,valueonly,separator=)").split()
    assert sorted(told) == sorted(made)


def gitkit_bytes(wiki: Wiki, oid: str) -> bytes:
    """The bytes of a blob."""
    return subprocess.run(
        ["git", "cat-file", "blob", oid], cwd=wiki.root, capture_output=True, check=True
    ).stdout


def outside(wiki: Wiki) -> dict[str, bytes]:
    """Every file that no operation may touch: all but wiki/, raw/ and git's own data."""
    found: dict[str, bytes] = {}
    for path in sorted(wiki.root.parent.rglob("*")):
        name = path.relative_to(wiki.root.parent).as_posix()
        quiet = ("wiki/wiki/", "wiki/raw/", "wiki/.git/", "home/")
        if path.is_file() and not name.startswith(quiet):
            found[name] = path.read_bytes()
    for name in ("config", "hooks", "info", "HEAD", "description"):
        place = wiki.root / ".git" / name
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if path.is_file():
                found[f".git/{path.relative_to(wiki.root / '.git')}"] = path.read_bytes()
    return found


def only_wiki_and_raw(paths: Iterable[str]) -> bool:
    """Whether a commit's paths are what an ingest may write."""
    return all(re.fullmatch(r"wiki/(?:[^/]+/)*[^/]+\.md|raw/.+", path) for path in paths)


# --- plumbing ------------------------------------------------------------------------------


def called(
    args: Sequence[str], env: Mapping[str, str], stdin: bytes = b"", *, merged: bool = False
) -> Run:
    """The command in this process; `merged`: all it says is in `out`, as a terminal shows it."""
    out = _stream()
    err = out if merged else _stream()
    before = signal.getsignal(signal.SIGTERM)
    with _swapped_environment(env), contextlib.ExitStack() as stack:
        stack.callback(signal.signal, signal.SIGTERM, before)
        stack.callback(setattr, sys, "argv", sys.argv)
        stack.callback(setattr, sys, "stdin", sys.stdin)
        sys.argv = ["wiki", *args]
        sys.stdin = _stream(stdin)
        stack.enter_context(contextlib.redirect_stdout(out))
        stack.enter_context(contextlib.redirect_stderr(err))
        code = run_wiki()
    return Run(code, _text(out), "" if merged else _text(err))


def _stream(data: bytes = b"") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()


@contextlib.contextmanager
def _swapped_environment(values: Mapping[str, str]) -> Any:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
