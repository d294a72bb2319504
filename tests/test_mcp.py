"""`wiki mcp`: the wire, the versions, the tools, what they may do, how the process ends."""

from __future__ import annotations

import fcntl
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import wikikit
from jsonschema import Draft202012Validator
from longform import seldom
from mcpkit import (
    HELLO,
    LEGACY,
    META,
    MODERN,
    Host,
    call,
    cancelled,
    lines,
    modern,
    raw_talk,
    request,
    said,
    talk,
)
from secretkit import password
from wikikit import NOTE, Wiki, answer, claim

import llmwiki
from llmwiki.core.secrets import MARKER
from llmwiki.core.text import tokens_of
from llmwiki.interfaces.mcp import server as mcp_server

GREEN = "Green tea is steeped at 80 degrees for two minutes."


def grow(made: Wiki) -> None:
    made.learn("raw/tea.md", NOTE, answer([claim("Green tea", GREEN, lines=(5, 5))]))


def grow_long(made: Wiki) -> None:
    grow(made)
    text = "\n".join(f"- Tea number {n} is steeped for {n} minutes in water." for n in range(120))
    made.put("raw/long.md", f"# Long tea\n\n{text}\n")
    made.ok("ingest", "raw/long.md", "--model", "offline")


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch, grow)


def size(text: str) -> int:
    return tokens_of(len(text.encode()))


# --- versions ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "agreed"),
    [(v, v) for v in ("2024-11-05", "2025-03-26", LEGACY, "2025-11-25")]
    + [("2030-01-01", "2025-11-25"), (MODERN, "2025-11-25")],
)
def test_a_handshake_agrees_on_a_version(asked: str, agreed: str) -> None:
    hello = request(1, "initialize", **{**HELLO, "protocolVersion": asked})
    (told,) = raw_talk(None, hello)
    assert told["result"]["protocolVersion"] == agreed
    assert told["result"]["serverInfo"]["name"] == "llmwiki"
    assert set(told["result"]["capabilities"]) == {"tools", "resources"}


def test_a_request_that_names_its_version_needs_no_handshake() -> None:
    about, tools = raw_talk(None, modern(1, "server/discover"), modern(2, "tools/list"))
    assert about["result"]["supportedVersions"] == [MODERN]
    for each in (about, tools):
        assert each["result"]["resultType"] == "complete"
        assert each["result"]["ttlMs"] > 0 and each["result"]["cacheScope"] == "private"
        assert each["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "llmwiki"


def test_what_a_version_lacks_is_refused_and_said() -> None:
    version, _, able = META
    old = {**META, version: "1900-01-01"}
    unable = {key: value for key, value in META.items() if key != able}
    answers = raw_talk(
        None,
        request(1, "tools/list", _meta=old),
        request(2, "tools/list", _meta=unable),
        request(3, "tools/list"),
        modern(4, "ping"),
        request(5, "ping"),
    )
    codes = [each.get("error", {}).get("code") for each in answers]
    assert codes == [-32022, -32602, -32602, -32601, None]
    assert answers[0]["error"]["data"]["requested"] == "1900-01-01"
    assert MODERN in answers[0]["error"]["data"]["supported"]
    assert "initialize" in answers[2]["error"]["message"]


# --- the wire ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "code", "ident"),
    [
        (b"{\n", -32700, None),
        (b'"\xff"\n', -32700, None),
        (b"[" * 100_000 + b"\n", -32700, None),
        (b"{}\n", -32600, None),
        (b'{"jsonrpc":"2.0","id":3,"method":7}\n', -32600, 3),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n', -32600, None),
        (b'{"jsonrpc":"2.0","id":"a","method":"ping","params":[1]}\n', -32602, "a"),
        (b'{"jsonrpc":"2.0","id":4,"method":"no/such"}\n', -32601, 4),
        (b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"x"}}\n', -32602, 5),
        (b'{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{}}\n', -32602, 7),
    ],
)
def test_what_is_no_request_gets_an_error_and_the_next_one_its_answer(
    line: bytes, code: int, ident: object
) -> None:
    hello = request(0, "initialize", **HELLO)
    _, *both = raw_talk(None, hello, line, request("\ud800", "ping"))
    wrong, pong = sorted(both, key=lambda each: "result" in each)
    assert (wrong["error"]["code"], wrong["id"]) == (code, ident)
    assert pong == {"jsonrpc": "2.0", "id": "\ud800", "result": {}}


def test_a_line_without_end_is_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_server, "MOST_LINE", 200_000)
    huge = b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * 300_000 + b'"}\n'
    whole = request(2, "ping", pad="y" * 150_000)
    wrong, pong = raw_talk(None, huge, whole)
    assert wrong["error"]["code"] == -32600 and "200,000 bytes" in wrong["error"]["message"]
    assert pong["result"] == {}


def test_notifications_and_answers_get_no_answer() -> None:
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    stray = {"jsonrpc": "2.0", "id": 9, "result": {}}
    assert raw_talk(None, note, stray, cancelled(77), {**note, "method": "no/such"}) == []


# --- what is offered ---------------------------------------------------------------------


def test_the_offer_is_small(wiki: Wiki) -> None:
    hello, listed = raw_talk(None, request(0, "initialize", **HELLO), request(1, "tools/list"))
    assert len(hello["result"]["instructions"].encode()) <= 2_000
    tools = listed["result"]["tools"]
    assert len(tools) <= 6
    assert size(json.dumps(tools, ensure_ascii=False, separators=(",", ":"))) <= 1_500
    for tool in tools:
        Draft202012Validator.check_schema(tool["inputSchema"])
        assert len(tool["description"]) <= 2_000


def test_annotations_say_what_tools_do() -> None:
    _, listed = raw_talk(None, request(0, "initialize", **HELLO), request(1, "tools/list"))
    hints = {tool["name"]: tool["annotations"] for tool in listed["result"]["tools"]}
    readers = {name for name, each in hints.items() if each["readOnlyHint"]}
    assert readers == {"wiki_search", "wiki_context", "wiki_read", "wiki_why"}
    assert not any(hints[name]["destructiveHint"] for name in hints.keys() - readers)
    assert hints["wiki_ingest"]["openWorldHint"] and not hints["wiki_remember"]["openWorldHint"]


def test_what_is_clear_is_forgiven(wiki: Wiki) -> None:
    answers = talk(
        wiki.root,
        call(1, "wiki_search", words="green tea", limit=3),
        call(2, "wiki_search", query="green tea", limit="3"),
        call(3, "wiki_context", query="How is green tea steeped?", without="[[Green tea]]"),
        call(4, "wiki_search", query="green tea", more="x"),
        call(5, "wiki_search", query="green tea", words="tea"),
    )
    told = {each["id"]: each for each in answers}
    assert said(told[1]) == said(told[2]) and "Green tea" in said(told[2])
    assert not told[3]["result"].get("isError")
    assert told[4]["result"]["isError"] and "no parameter 'more'" in said(told[4])
    assert told[5]["result"]["isError"] and "no parameter 'query'" in said(told[5])


def _read(root: Path, uri: str) -> Any:
    (found,) = talk(root, request(1, "resources/read", uri=uri))
    return found


def test_resources_are_pages_claims_and_lines_of_sources(wiki: Wiki) -> None:
    (ident,) = wiki.claims()
    page = _read(wiki.root, "wiki://page/Green%20tea")["result"]["contents"][0]
    # What is shown names the lines of a quote, which the page does not hold.
    shown = page["text"].replace("] L5 [[", "] [[")
    assert shown == _read_by_a_model(wiki, ident) != page["text"]
    assert page["mimeType"] == "text/markdown"
    assert GREEN in _read(wiki.root, f"wiki://page/{ident}")["result"]["contents"][0]["text"]
    for uri in ("wiki://source/tea-md?lines=5", "wiki://source/raw/tea.md?lines=5-5"):
        assert f"> 5  - {GREEN}" in _read(wiki.root, uri)["result"]["contents"][0]["text"]
    assert _read(wiki.root, "wiki://source/tea-md")["result"]["contents"][0]["text"].count(">") == 8


NO_RESOURCE = (
    "wiki://page/Nowhere",
    "wiki://page/..%2F..%2Fetc%2Fpasswd",
    "wiki://page/.llmwiki.toml",
    "wiki://source/tea-md?lines=x",
    "wiki://source/nowhere",
    "file:///etc/passwd",
)


def test_what_is_no_resource_is_not_read(wiki: Wiki) -> None:
    old = [request(number, "resources/read", uri=uri) for number, uri in enumerate(NO_RESOURCE)]
    new = [modern(number, "resources/read", uri=uri) for number, uri in enumerate(NO_RESOURCE)]
    for answers, code in ((talk(wiki.root, *old), -32002), (raw_talk(wiki_of(wiki), *new), -32602)):
        assert [each["error"]["code"] for each in answers] == [code] * len(NO_RESOURCE)


def wiki_of(wiki: Wiki) -> Any:
    from llmwiki.app.wiki import Wiki as Opened

    return Opened.open(wiki.root)


# --- reading -----------------------------------------------------------------------------


def _read_by_a_model(wiki: Wiki, ident: str) -> str:
    """The page Green tea, its claim with its handle, without the line for this program."""
    held = wiki.read("wiki/concepts/Green tea.md").rstrip("\n")
    lines = [line for line in held.split("\n") if not line.startswith("generated:")]
    return "\n".join(lines).replace(f" ^{ident}", f" [[Green tea#^{ident}]]")


def test_search_context_and_read(wiki: Wiki) -> None:
    (ident,) = wiki.claims()
    answers = talk(
        wiki.root,
        call(1, "wiki_search", words="green tea"),
        call(2, "wiki_context", question="How long is green tea steeped?", quotes=True),
        call(3, "wiki_read", name="green tea"),
        call(4, "wiki_read", name=ident),
        call(5, "wiki_read", name="raw/tea.md"),
        call(6, "wiki_search", words="xylophone"),
        call(7, "wiki_search", words="xylophones of stepeed tea"),
    )
    told = {each["id"]: said(each) for each in answers}
    assert f"Green tea · concept · raw/tea.md:5 · [[Green tea#^{ident}]]" in told[1]
    assert f"^{ident}]]" in told[2] and GREEN in told[2]
    assert told[3].replace("] L5 [[", "] [[") == _read_by_a_model(wiki, ident)
    assert "raw/tea.md L5" in told[4] and f">  5  - {GREEN}" in told[5]
    assert told[6].startswith("No page was found among ")
    told_of = "[nothing says stepeed; this is for steeped; nothing says xylophones]"
    assert told[7].endswith(f"\n{told_of}")
    # One text, and nothing said again for programs.


REFUSED: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("wiki_read", {"name": "Nowhere"}, "there is no such page"),
    ("wiki_read", {"name": "../secret"}, "leads out of the wiki"),
    ("wiki_read", {"name": ".llmwiki.toml"}, "is neither a page of the wiki nor a source"),
    ("wiki_read", {"name": "a\nb"}, "in one line"),
    ("wiki_read", {"name": "Green tea", "start": 900}, "lines"),
    ("wiki_read", {"name": "Green tea", "budget": 9}, "budget must be from 200 to 8000"),
    ("wiki_read", {}, "name is required"),
    ("wiki_search", {"words": 7}, "words must be of type string"),
    ("wiki_search", {"words": "?!"}, "there is no question"),
    ("wiki_context", {"question": "x " * 9_000}, "longer than 8,000 bytes"),
    ("wiki_ingest", {}, "give either `path`"),
    ("wiki_ingest", {"path": "raw/tea.md", "text": "x"}, "give either `path`"),
    ("wiki_ingest", {"path": "raw"}, "is a folder"),
    ("wiki_ingest", {"path": "raw/none.md"}, "there is no such file"),
    ("wiki_ingest", {"path": "raw/../CLAUDE.md"}, "only files below raw/ are read"),
    ("wiki_ingest", {"path": "https://example.org/"}, "only files below raw/ are read"),
    ("wiki_ingest", {"path": "raw/etc/hostname"}, "link"),
    ("wiki_ingest", {"text": "x", "name": "../x.md"}, "not a name for a source"),
    ("wiki_remember", {"text": ""}, ""),
    ("wiki_remember", {"text": "password = hunter2hunter2hunter2"}, ""),
)


def test_what_cannot_be_done_is_told_to_the_model(wiki: Wiki) -> None:
    (wiki.root / "raw/etc").symlink_to("/etc")
    before = wiki.head
    calls = [call(number, tool, **given) for number, (tool, given, _) in enumerate(REFUSED)]
    answers = {each["id"]: each for each in talk(wiki.root, *calls)}
    for number, (tool, given, words) in enumerate(REFUSED):
        assert answers[number]["result"]["isError"] is True, (tool, given)
        assert words in said(answers[number]), (tool, given)
    assert wiki.head == before


@pytest.fixture
def long_wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch, grow_long)


REST = r"\[\d+ more lines?, about [\d,]+ tokens: `(\w+)`: (.+)\]"


@pytest.mark.parametrize("budget", seldom([600, 4_000], [4_000]))
@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("wiki/sources/long-md.md", range(20)),
        ("raw/long.md", range(120)),
        ("long-md#L20-L100", range(17, 98)),
    ],
)
def test_a_long_text_is_read_to_its_end_in_parts(
    long_wiki: Wiki, name: str, numbers: range, budget: int
) -> None:
    seen: list[str] = []
    with Host(long_wiki.root) as host:
        host.hello()
        given: dict[str, Any] = {"name": name}
        for _ in range(100):
            text = said(host.tool("wiki_read", **given, budget=budget))
            assert size(text) <= budget
            seen += re.findall(r"^(?:>.*|)- “?(Tea number \d+ [^.]*\.)", text, re.MULTILINE)
            more = re.fullmatch(REST, text.splitlines()[-1])
            if more is None:
                break
            given[more[1]] = int(more[2]) if more[1] == "start" else more[2]
    told = [f"Tea number {n} is steeped for {n} minutes in water." for n in numbers]
    if name.startswith("wiki/"):
        # How many of them the extractor takes is its own affair.
        assert len(seen) > len(told) and len(seen) == long_wiki.read(name).count("Tea number ")
        seen = seen[: len(told)]
    assert seen == told


@pytest.mark.parametrize("budget", [200, 2_000])
def test_every_answer_keeps_its_budget_and_names_what_is_left_out(
    long_wiki: Wiki, budget: int
) -> None:
    question = "How many minutes is each tea number steeped in water?"
    for each in talk(
        long_wiki.root,
        call(1, "wiki_context", question=question, budget=budget),
        call(2, "wiki_context", question="zebra minutes", budget=budget, quotes=True),
        call(3, "wiki_search", words="tea minutes", limit=50, budget=budget),
    ):
        assert size(said(each)) <= budget
        if each["id"] == 1:
            assert "found no room: raise `budget`]" in said(each)


# --- writing -----------------------------------------------------------------------------


def test_a_note_and_a_source_are_one_commit_each_and_can_be_undone(wiki: Wiki) -> None:
    count = wiki.count()
    coffee = "# Coffee\n\nCoffee is brewed at 92 degrees for four minutes.\n"
    with Host(wiki.root) as host:
        host.hello()
        noted = host.tool("wiki_remember", text="The club meets on Tuesdays.", kind="event")
        again = host.tool("wiki_remember", text="The club meets on Tuesdays.")
        read = host.tool("wiki_ingest", text=coffee, name="coffee.md")
        same = host.tool("wiki_ingest", path="raw/coffee.md")
    assert wiki.count() == count + 2
    for told, revision in ((noted, "HEAD~1"), (read, "HEAD")):
        assert f"commit {wiki.git('rev-parse', revision)[:10]}." in said(told)
        assert "Undo: wiki undo " in said(told)
    page = said(noted).partition("Remembered on ")[2].partition(" in commit")[0]
    assert "told by: agent" in wiki.read(page)
    assert said(again) == "That is remembered already." and "commit" not in said(same)
    wiki.ok("undo", said(read).rpartition("wiki undo ")[2])
    assert not any("Coffee" in page.title for page in wiki.pages().values())
    wikikit.check(wiki)


@pytest.mark.parametrize("setting", ['review = "always"', '[mcp]\nwrites = "review"'])
def test_a_wiki_that_wants_review_gets_branches(wiki: Wiki, setting: str) -> None:
    text = "# Mate\n\nMate is an infusion of holly leaves from South America.\n"
    wiki.put(".llmwiki.toml", wiki.read(".llmwiki.toml") + f"\n{setting}\n")
    wiki.git("commit", "-qam", "review what agents write")
    before = wiki.head
    answers = talk(
        wiki.root,
        call(1, "wiki_ingest", text=text, name="mate.md"),
        call(2, "wiki_remember", text="Never."),
    )
    for given in answers:
        told = said(given)
        branch = told.rpartition("git merge ")[2]
        assert f"commit {wiki.git('rev-parse', branch)[:10]}." in told and "undo" not in told
        shown = told.partition("reads it: wiki ")[2].partition(";")[0]
        wiki.ok(*shown.split())
    assert wiki.head == before and len(wiki.git("branch").splitlines()) == 3


def test_the_stricter_of_setting_and_option_counts(wiki: Wiki) -> None:
    before = wiki.head
    listed, refused = talk(
        wiki.root, request(1, "tools/list"), call(2, "wiki_remember", text="No."), limit="off"
    )
    assert [tool["name"] for tool in listed["result"]["tools"]] == [
        "wiki_search",
        "wiki_context",
        "wiki_read",
        "wiki_why",
    ]
    assert refused["error"]["code"] == -32602
    wiki.put(".llmwiki.toml", wiki.read(".llmwiki.toml") + '\n[mcp]\nwrites = "off"\n')
    (told,) = talk(wiki.root, call(1, "wiki_remember", text="No."))
    assert "takes no writes" in said(told) and wiki.head == before


def state(root: Path) -> dict[str, tuple[int, int, bytes]]:
    """Every file below a folder, the git directory too."""
    found = {}
    for path in sorted(root.rglob("*")):
        seen = path.lstat()
        # SQLite keeps a file beside an index for as long as it is open: folders may look touched.
        told = (seen.st_mtime_ns, path.read_bytes()) if path.is_file() else (0, b"")
        found[str(path.relative_to(root))] = (seen.st_mode, *told)
    return found


READINGS = (
    call(1, "wiki_search", words="green tea"),
    call(2, "wiki_context", question="How long is green tea steeped?"),
    call(3, "wiki_read", name="Green tea"),
    call(4, "wiki_read", name="raw/tea.md"),
    request(5, "resources/read", uri="wiki://page/overview"),
)


def test_a_page_cannot_have_the_fence_around_it_taken_for_a_secret(wiki: Wiki) -> None:
    secret = password()
    head = "---\ntype: concept\ntitle: Router\n---\n\n# Router\n\n"
    words = f"The router of the office has the password {secret} since May, and this token:"
    wiki.put("wiki/concepts/Router.md", f"{head}{words}\n")
    wiki.git("add", "wiki")
    wiki.git("commit", "-qm", "A page by hand")
    (found,) = talk(wiki.root, call(1, "wiki_context", question="Which password has the router?"))
    text = said(found)
    assert re.search(r"^<<<passages ([0-9a-f]{16})\n(?s:.+)\n\1 passages>>>$", text, re.MULTILINE)
    assert "and this token:" in text and MARKER in text and secret not in text
    others = talk(
        wiki.root,
        call(1, "wiki_search", words="router password"),
        call(2, "wiki_read", name="Router"),
        request(3, "resources/read", uri="wiki://page/Router"),
    )
    assert all(MARKER in str(each) and secret not in str(each) for each in others)


@pytest.mark.parametrize("index", ["current", "behind", "none", "damaged"])
def test_reading_writes_nothing_not_even_an_index(wiki: Wiki, index: str) -> None:
    wiki.ok("context", "tea")
    if index == "behind":
        page = wiki.root / "wiki/concepts/Green tea.md"
        page.write_text(page.read_text() + "\nSome call it sencha.\n")
    folder = wiki.root / ".git/llmwiki"
    if index == "none":
        for file in folder.glob("*.db"):
            file.unlink()
    elif index == "damaged":
        (folder / "index.db").write_bytes(b"SQLite format 3\0" + b"\1" * 9_000)
    before = state(wiki.root)
    answers = talk(wiki.root, *READINGS)
    assert state(wiki.root) == before
    assert not any(each["result"].get("isError") for each in answers if "result" in each)
    texts = {each["id"]: each["result"] for each in answers}
    assert "Green tea" in texts[1]["content"][0]["text"]
    assert "[[tea-md#L" in texts[2]["content"][0]["text"], "lines of sources are found too"
    if index == "behind":
        (again,) = talk(wiki.root, call(1, "wiki_search", words="sencha"))
        assert "Green tea" in said(again), "what is not committed is found"
        assert state(wiki.root) == before


MOUNTED = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && cd "$1" && shift && exec "$@"'


@pytest.fixture
def read_only(wiki: Wiki) -> Iterator[tuple[str, ...]]:
    """The wiki where nobody may write, for what runs within the command that is given."""
    folders = [wiki.root, *(path for path in wiki.root.rglob("*") if path.is_dir())]
    if os.geteuid() == 0:
        # Root may write anywhere but on a read-only mount, here one of a process of its own.
        command = ("unshare", "--mount", "sh", "-c", MOUNTED, "sh", str(wiki.root))
        if subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
            pytest.skip("nothing can be mounted here")
        yield command
        return
    for folder in folders:
        folder.chmod(0o555)
    yield ()
    for folder in folders:
        folder.chmod(0o755)


@pytest.mark.parametrize("is_behind", [False, True])
def test_a_read_only_place_is_served(
    wiki: Wiki, read_only: tuple[str, ...], is_behind: bool
) -> None:
    if is_behind:
        with (wiki.root / "wiki/concepts/Green tea.md").open("a") as page:
            page.write("\nSome call it sencha.\n")
    with Host(wiki.root, within=read_only) as host:
        host.hello()
        assert "Green tea" in said(host.tool("wiki_search", words="green tea"))
        assert GREEN in said(host.tool("wiki_context", question="green tea?"))
        assert host.tool("wiki_remember", text="No.")["result"]["isError"]
        found = said(host.tool("wiki_search", words="sencha"))
        assert ("Green tea" in found) == is_behind


# --- the process -------------------------------------------------------------------------


def _hold(wiki: Wiki) -> int:
    """The wiki's lock, as another operation holds it."""
    held = os.open(wiki.root / ".git/llmwiki/lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(held, fcntl.LOCK_EX)
    return held


def test_what_is_unknown_is_answered_while_a_call_waits(wiki: Wiki) -> None:
    held, before = _hold(wiki), wiki.count()
    with Host(wiki.root) as host:
        host.hello()
        host.send(call(50, "wiki_remember", text="Wait."), request(51, "no/such"))
        assert host.answer()["error"]["code"] == -32601
        host.send(cancelled(50))
        assert host.ask("ping")["result"] == {}
        os.close(held)
        # Begun or not, it is not answered: what is asked next is.
        assert "emembered" in said(host.tool("wiki_remember", text="Wait."))
    assert wiki.count() == before + 1


def test_an_id_is_free_as_soon_as_its_answer_is_out(wiki: Wiki) -> None:
    with Host(wiki.root) as host:
        host.hello()
        for _ in range(60):
            host.send(call("again", "wiki_read", name="index"))
            assert "result" in host.answer()


def test_the_process_is_gone_a_second_after_its_input(wiki: Wiki) -> None:
    with Host(wiki.root) as host:
        host.hello()
        assert host.process.stdin is not None
        began = time.monotonic()
        host.process.stdin.close()
        assert host.process.wait(5) == 0
        assert time.monotonic() - began < 2, "a second, and twice that on a machine at work"


def test_a_write_is_finished_and_answered_behind_the_end_of_input(wiki: Wiki) -> None:
    held, before = _hold(wiki), wiki.count()
    with Host(wiki.root) as host:
        host.hello()
        host.send(call(50, "wiki_remember", text="In time."))
        assert host.process.stdin is not None
        host.process.stdin.close()
        # Longer than the moment that calls have which only read.
        time.sleep(1.5)
        assert host.process.poll() is None
        os.close(held)
        assert "emembered" in said(host.answer())
        assert host.process.wait(5) == 0
    assert wiki.count() == before + 1 and wiki.status == ""


def test_a_write_behind_the_end_of_input_has_a_bound(
    wiki: Wiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_server, "LAST_WRITE", 0.2)
    monkeypatch.setattr(mcp_server, "LAST_MOMENT", 0.1)
    held = _hold(wiki)
    heard = io.BytesIO()
    with llmwiki.Wiki.open(wiki.root).aside() as opened:
        made = mcp_server.McpServer(lambda: opened, heard.write, "commit")
        began = time.monotonic()
        hello = request("hello", "initialize", **HELLO)
        ended = made.serve(io.BytesIO(lines(hello, call(1, "wiki_remember", text="Too late."))))
        assert not ended and time.monotonic() - began < 2
        os.close(held)
        with made._idle:
            assert made._idle.wait_for(lambda: not made._running, 60)


def test_what_the_first_question_needs_is_loaded_before_it_comes(wiki: Wiki) -> None:
    wiki.ok("context", "green tea")
    code = (
        "import sys; from llmwiki.app.method_of_wiki import load;"
        "from llmwiki.app.wiki import Wiki;"
        "load(); before = set(sys.modules);"
        "held = Wiki.open('.').aside().session(); held.context('How is green tea steeped?');"
        "held.close(); new = set(sys.modules) - before;"
        "print(len([name for name in new if name.startswith('llmwiki.')]))"
    )
    python = [sys.executable, "-P", "-c", code]
    done = subprocess.run(python, cwd=wiki.root, capture_output=True, text=True, check=True)
    # Eighty without; files that changed a moment ago are compared, which takes some more.
    assert int(done.stdout) < 25


def test_a_signal_ends_it(wiki: Wiki) -> None:
    with Host(wiki.root) as host:
        host.hello()
        host.process.send_signal(signal.SIGTERM)
        assert host.process.wait(5) == 128 + signal.SIGTERM


def test_where_there_is_no_wiki_it_serves_and_says_so(tmp_path: Path) -> None:
    with Host(tmp_path, env={"GIT_CEILING_DIRECTORIES": str(tmp_path.parent)}) as host:
        assert "result" in host.hello()
        told = host.tool("wiki_search", words="tea")
        assert told["result"]["isError"] and "git" in said(told)


@pytest.mark.parametrize(
    "servers", [3, pytest.param(20, marks=pytest.mark.soak)], ids=["few", "many"]
)
def test_many_servers_share_one_repository(wiki: Wiki, servers: int) -> None:
    hosts = [Host(wiki.root) for _ in range(servers)]
    try:
        for number, host in enumerate(hosts):
            host.send(request(0, "initialize", **HELLO))
            host.send(call(1, "wiki_remember", text=f"Note number {number}."))
        for host in hosts:
            assert host.answer()["id"] == 0
            told = host.answer()
            assert said(told).startswith("Remembered on "), told
        day = Path(said(told).split()[2]).stem
        texts = {said(host.tool("wiki_read", name=day)) for host in hosts}
        assert len(texts) == 1 and all(f"Note number {n}." in min(texts) for n in range(servers))
    finally:
        for host in hosts:
            host.__exit__()
    wikikit.check(wiki)
    assert wiki.status == ""
