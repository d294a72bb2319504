"""`wiki mcp install`: one entry in a file of others, and that file as it was without it."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
import wikikit
from hypothesis import given, settings
from hypothesis import strategies as st
from longform import examples
from wikikit import Wiki

from llmwiki.core.errors import InputError
from llmwiki.mcp.hosts import HOSTS
from llmwiki.mcp.json_entry import with_entry, without_entry
from llmwiki.mcp.toml_entry import with_table, without_table

ENTRY = {"command": "wiki", "args": ["mcp"]}
FILES = {host.name: host.file for host in HOSTS}


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch)


def put_in(text: str) -> str:
    return with_entry(text, "mcpServers", "llmwiki", ENTRY)


def taken_out(text: str) -> str:
    return without_entry(text, "mcpServers", "llmwiki")


JSON = [
    "{}",
    "{ }\n",
    "{\n}\n",
    '{"a": 1}',
    '{\n  "a": [1, {"b": "}"}],\n  "c": "x\\"y"\n}\n',
    '{\n\t"a": 1\n}',
    json.dumps({"mcpServers": {"other": {"url": "http://x"}}}, indent=4),
    json.dumps({"mcpServers": {}, "z": 1}, indent=4),
    '{"mcpServers": {}}',
    '{\n  "mcpServers": {},\n  "z": null\n}\n',
    '{"mcpServers": {"other": {"command": "x"}}, "z": 1}',
    '{\r\n  "a": 1\r\n}\r\n',
    '// mine\n{\n  /* two */\n  "a": 1, // three\n  "mcpServers": {\n    "o": {},\n  },\n}\n',
    '\ufeff{"a": 1}\n',
]


@pytest.mark.parametrize("text", JSON)
def test_json_of_others_stays_byte_for_byte(text: str) -> None:
    added = put_in(text)
    assert put_in(added) == added, "a second time nothing changes"
    assert taken_out(added) == text
    if "//" not in text:
        told = json.loads(added.removeprefix("\ufeff"))
        assert told["mcpServers"]["llmwiki"] == ENTRY
        told["mcpServers"].pop("llmwiki")
        was = json.loads(text.removeprefix("\ufeff"))
        assert told == {"mcpServers": {}, **was}


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=examples(300), deadline=None)
@given(
    st.dictionaries(st.text(max_size=6), _VALUES, max_size=3),
    st.none() | st.dictionaries(st.text(max_size=6), st.just({"url": "x"}), max_size=2),
    st.sampled_from([None, 1, 2, 4, "\t"]),
    st.booleans(),
)
def test_any_json_comes_back(
    told: dict[str, Any], servers: dict[str, Any] | None, indent: int | str | None, is_ascii: bool
) -> None:
    told.pop("mcpServers", None)
    whole = told if servers is None else {**told, "mcpServers": servers}
    text = json.dumps(whole, indent=indent, ensure_ascii=is_ascii)
    added = put_in(text)
    assert json.loads(added) == {**told, "mcpServers": {**(servers or {}), "llmwiki": ENTRY}}
    assert taken_out(added) == text


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{",
        '{"a" 1}',
        '{"a": }',
        "nonsense",
        '{"mcpServers": []}',
        '{"a": 1} x',
        '{"a": ' + "[" * 5_000,
        '{"mcpServers": {"llmwiki": {"command": "other"}}}',
    ],
)
def test_what_cannot_be_edited_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        put_in(text)


def test_an_entry_of_somebody_else_is_not_removed() -> None:
    with pytest.raises(InputError):
        taken_out('{"mcpServers": {"llmwiki": {"command": "other", "args": ["mcp"]}}}')
    moved = '{"mcpServers": {"llmwiki": {"command": "/opt/bin/wiki", "args": ["-C", "x", "mcp"]}}}'
    assert taken_out(moved) == '{"mcpServers": {}}'


TOML = [
    'model = "x"\n',
    'model = "x"',
    '# mine\n\n[mcp_servers.other]\ncommand = "x"\n',
    '[profiles.a]\nx = """\n[mcp_servers.llmwiki]\n"""\n\n\n',
    "\n",
    "[[a]]\nb = 1\n",
]


@pytest.mark.parametrize("text", TOML)
def test_toml_of_others_stays_byte_for_byte(text: str) -> None:
    added = with_table(text, "mcp_servers", "llmwiki", ENTRY)
    assert tomllib.loads(added)["mcp_servers"]["llmwiki"] == ENTRY
    assert with_table(added, "mcp_servers", "llmwiki", ENTRY) == added
    assert without_table(added, "mcp_servers", "llmwiki") == text


def test_a_table_before_others_is_taken_out() -> None:
    added = with_table("a = 1\n", "mcp_servers", "llmwiki", ENTRY)
    later = f"{added}\n[other]\nb = 2\n"
    assert without_table(later, "mcp_servers", "llmwiki") == "a = 1\n\n[other]\nb = 2\n"


@pytest.mark.parametrize(
    "text", ["mcp_servers = {}\n", "a =\n", '[mcp_servers.llmwiki]\ncommand = "x"\n']
)
def test_toml_that_cannot_be_edited_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        with_table(text, "mcp_servers", "llmwiki", ENTRY)


@pytest.mark.parametrize("host", [host.name for host in HOSTS])
def test_a_host_gets_its_entry_and_loses_it(wiki: Wiki, host: str) -> None:
    before = wikikit.outside(wiki), wiki.status
    planned = wiki.ok("mcp", "install", host, "--dry-run")
    assert "+" in planned.out and (wikikit.outside(wiki), wiki.status) == before
    done = wiki.ok("mcp", "install", host)
    assert FILES[host] in done.out
    text = wiki.read(FILES[host])
    told = tomllib.loads(text) if host == "codex" else json.loads(text)
    (section,) = told.values()
    assert section["llmwiki"]["command"] == "wiki" and section["llmwiki"]["args"][-1] == "mcp"
    assert str(wiki.root) not in text
    assert "already" in wiki.ok("mcp", "install", host).out and wiki.read(FILES[host]) == text
    wiki.ok("mcp", "install", host, "--uninstall")
    assert (wikikit.outside(wiki), wiki.status) == before
    assert "has no entry" in wiki.ok("mcp", "install", host, "--uninstall").out


def test_one_file_that_cannot_be_edited_stops_all(wiki: Wiki) -> None:
    wiki.put(".vscode/mcp.json", "{ broken")
    done = wiki.run("mcp", "install", "all")
    assert done.code == 2 and ".vscode/mcp.json" in done.err
    assert not (wiki.root / ".mcp.json").exists()


def test_links_are_not_followed(wiki: Wiki, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text("{}")
    (wiki.root / ".mcp.json").symlink_to(other)
    assert wiki.run("mcp", "install", "claude").code == 7
    (wiki.root / ".cursor").symlink_to(tmp_path)
    assert wiki.run("mcp", "install", "cursor").code == 7
    assert other.read_text() == "{}" and not (tmp_path / "mcp.json").exists()


def test_a_wiki_below_the_top_is_named_from_there(tmp_path: Path, wiki: Wiki) -> None:
    wiki.ok("init", "--help")
    nested = wiki.root / "docs/kb"
    nested.mkdir(parents=True)
    wikikit.called(["-C", str(nested), "init", "--nested"], {"LLMWIKI_NOW": str(wikikit.NOW)})
    done = wikikit.called(["-C", str(nested), "mcp", "install", "claude", "cursor"], {})
    assert done.code == 0, done.err
    claude = json.loads((wiki.root / ".mcp.json").read_text())["mcpServers"]["llmwiki"]
    cursor = json.loads((wiki.root / ".cursor/mcp.json").read_text())["mcpServers"]["llmwiki"]
    assert claude["args"] == ["-C", "docs/kb", "mcp"]
    assert cursor["args"] == ["-C", "${workspaceFolder}/docs/kb", "mcp"]


def test_a_host_must_be_named(wiki: Wiki) -> None:
    done = wiki.run("mcp", "install")
    assert done.code == 2 and "claude, codex, cursor, gemini, vscode, all" in done.err
