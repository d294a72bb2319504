"""What a setting may be, and who may set it: a repository's file multiplies no cost."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import wikikit
from fake_messages import KEY, FakeMessages, Request
from wikikit import NOTE, Run, Wiki, answer, claim

from llmwiki.core.errors import InputError
from llmwiki.core.settings_precedence import merge
from llmwiki.core.settings_table import OPTIONS, Option

LONG = "# Tea\n\n" + "".join(
    f"Tea number {n} is steeped for some minutes in a pot.\n\n" for n in range(300)
)
DEAR = "the-dearest-model"


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch)


@pytest.fixture
def server(wiki: Wiki) -> Iterator[FakeMessages]:
    with FakeMessages(nothing) as running:
        wiki.env["ANTHROPIC_BASE_URL"] = running.url
        wiki.env["ANTHROPIC_API_KEY"] = KEY
        yield running


def nothing(request: Request) -> dict[str, Any]:
    """An answer to any segment, without a claim."""
    job = re.search(r"^Job: (.*)$", request.text, re.MULTILINE)
    assert job
    return {
        **{key: value for key, value in answer([]).items() if key != "schema"},
        "source": json.loads(job[1])["source"],
    }


def configured(wiki: Wiki, text: str) -> None:
    wiki.put(".llmwiki.toml", "format = 3\n" + text)
    wiki.git("commit", "-qam", "settings")


# --- the table -----------------------------------------------------------------------------


@pytest.mark.parametrize("option", [o for o in OPTIONS if o.key != "format"], ids=lambda o: o.key)
def test_every_number_has_a_range_that_holds_its_default(option: Option) -> None:
    if isinstance(option.default, (str, bool)):
        assert option.range is None
        return
    assert option.range is not None and option.default in option.range
    for endless in ("inf", "-inf", "nan"):
        assert float(endless) not in option.range
    if option.of_repository is not None:
        assert option.from_repository and option.default in option.of_repository
        assert option.range.floor <= option.of_repository.floor
        assert option.of_repository.cap <= option.range.cap


@pytest.mark.parametrize("option", [o for o in OPTIONS if o.range], ids=lambda o: o.key)
def test_a_number_of_the_user_beyond_its_range_is_refused(option: Option) -> None:
    section, name = option.key.split(".")
    assert option.range is not None
    kind = type(option.default)
    for value in (kind(option.range.floor) - 1, kind(option.range.cap) + 1, 10**400):
        with pytest.raises(InputError) as caught:
            merge({}, ("", {}), ("mine.toml", {section: {name: value}}))
        assert caught.value.where == "mine.toml" and option.key in caught.value.what
        assert str(option.range) in caught.value.what
        with pytest.raises(InputError) as caught:
            merge({option.variable: str(value)}, ("", {}), ("", {}))
        assert caught.value.where == option.variable
    for value in (kind(option.range.floor), kind(option.range.cap)):
        told = merge({}, ("", {}), ("mine.toml", {section: {name: value}}))
        assert told.settings[option.key].value == value


@pytest.mark.parametrize(
    "option", [o for o in OPTIONS if o.range and o.from_repository], ids=lambda o: o.key
)
def test_a_number_of_a_repository_is_brought_within_its_range(option: Option) -> None:
    section, name = option.key.split(".")
    allowed = option.of_repository or option.range
    assert allowed is not None
    for value, counts in ((10**5000, allowed.cap), (allowed.cap + 1, allowed.cap)):
        told = merge({}, ("theirs.toml", {section: {name: int(value)}}), ("", {}))
        assert told.settings[option.key].value == counts
        (said,) = told.ignored
        assert "theirs.toml" in said and option.key in said and str(allowed) in said


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "-1"])
def test_no_number_is_a_limit_that_holds_nothing(wiki: Wiki, text: str) -> None:
    for variable in ("LLMWIKI_INGEST_MAX_COST", "LLMWIKI_LOCK_WAIT"):
        wiki.env[variable] = text
        done = wiki.run("status")
        assert done.code == 2 and variable in done.err
        del wiki.env[variable]
    wiki.put("raw/tea.md", NOTE)
    for command in (("ingest", "raw/tea.md"), ("query", "tea"), ("tidy",)):
        assert wiki.run(*command, f"--max-cost={text}").code == 2, command
    assert wiki.run("lint", "--llm", f"--max-cost={text}").code == 2


# --- a repository's file -------------------------------------------------------------------


def test_small_segments_of_a_repository_do_not_multiply_calls(
    wiki: Wiki, server: FakeMessages
) -> None:
    wiki.env["LLMWIKI_MODEL"] = "mine"
    wiki.put("raw/tea.md", LONG)
    whole = tokens(wiki.ok("ingest", "raw/tea.md", "--estimate"))
    configured(wiki, "[ingest]\nsegment_bytes = 1\ncandidates = 100000\n")
    told = wiki.ok("ingest", "raw/tea.md", "--estimate")
    assert tokens(told) < 2.2 * whole
    assert "ingest.segment_bytes is 1; 8000 counts" in told.err
    assert "ingest.candidates is 100000; 60 counts" in told.err
    done = wiki.ok("ingest", "raw/tea.md")
    assert len(server.requests) == 3, done
    wiki.put("raw/more.md", LONG + "More.\n")
    assert wiki.prepare("raw/more.md").count("# Read segment ") == 3


@pytest.mark.parametrize(("cut", "asked"), [(0, "1223"), (9, "12123")], ids=["whole", "cut"])
def test_segments_that_were_paid_for_are_not_paid_again(
    wiki: Wiki, server: FakeMessages, cut: int, asked: str
) -> None:
    wiki.env |= {"LLMWIKI_MODEL": "mine", "LLMWIKI_INGEST_PARALLEL": "1"}
    wiki.env["LLMWIKI_INGEST_SEGMENT_BYTES"] = "8000"
    wiki.put("raw/tea.md", LONG)
    server.reply(nothing)
    server.status(401)
    before = wiki.head
    assert wiki.run("ingest", "raw/tea.md").code == 4 and wiki.head == before
    (kept,) = (wiki.root / ".git/llmwiki/paid").rglob("*.json")
    kept.write_bytes(kept.read_bytes()[: -cut or None])
    wiki.ok("ingest", "raw/tea.md")
    shown = (request.text.split('"segment": ')[1][1] for request in server.requests)
    assert "".join(shown) == asked and not kept.exists()
    assert wiki.head != before


def tokens(done: Run) -> int:
    """Of the total of an estimate."""
    words = done.out.splitlines()[-1].replace(",", "").split()
    return next(int(word) for word in words if word.isdigit())


def test_a_model_of_a_repository_is_called_only_when_somebody_agrees(
    wiki: Wiki, server: FakeMessages
) -> None:
    configured(wiki, f'[model]\nid = "{DEAR}"\n')
    wiki.put("raw/tea.md", LONG)
    wiki.put("raw/other.md", NOTE)
    before = wiki.head
    wiki.learn("raw/a.md", "# A\n\nTea is hot.\n", answer([claim("Tea", "Tea is hot.")]))
    for command in (
        ("ingest", "raw/tea.md"),
        ("ingest", "raw/"),
        ("query", "tea"),
        ("tidy",),
        ("lint", "--llm"),
        ("graph", "infer"),
    ):
        done = wiki.run(*command)
        assert done.code == 7, (command, done)
        assert DEAR in done.err + done.out and "--yes" in done.err + done.out
    assert not server.requests and before != wiki.head
    assert wiki.ok("ingest", "raw/tea.md", "--estimate").code == 0
    assert wiki.run("status").code == 0
    done = wiki.ok("ingest", "raw/tea.md", "--yes")
    assert f"names the model {DEAR}" in done.err
    assert {request.body["model"] for request in server.requests} == {DEAR}


def test_a_model_of_the_users_own_goes_before_that_of_a_repository(
    wiki: Wiki, server: FakeMessages
) -> None:
    configured(wiki, f'[model]\nid = "{DEAR}"\n')
    wiki.put("raw/tea.md", LONG)
    own = wiki.root.parent / "home/config/llmwiki/config.toml"
    own.parent.mkdir(parents=True)
    own.write_text('[model]\nid = "mine"\n')
    done = wiki.ok("ingest", "raw/tea.md")
    assert f"model.id {DEAR} does not count" in done.err
    assert {request.body["model"] for request in server.requests} == {"mine"}
    configured(wiki, '[model]\nid = "offline"\n')
    wiki.put("raw/other.md", NOTE)
    before = len(server.requests)
    assert wiki.ok("ingest", "raw/other.md").code == 0
    assert len(server.requests) == before


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal")
@pytest.mark.parametrize(("said", "code"), [(b"y\n", 0), (b"n\n", 7)])
def test_on_a_terminal_the_model_of_a_repository_is_asked_about(
    wiki: Wiki, server: FakeMessages, said: bytes, code: int
) -> None:
    configured(wiki, f'[model]\nid = "{DEAR}"\n')
    wiki.put("raw/tea.md", NOTE)
    shown, status = on_a_terminal(wiki, said, "ingest", "raw/tea.md")
    assert status == code, shown
    assert b"names the model " + DEAR.encode() in shown and b"Call it?" in shown
    assert bool(server.requests) == (code == 0)


def on_a_terminal(wiki: Wiki, said: bytes, *args: str) -> tuple[bytes, int]:
    """What a command shows on a terminal on which somebody types, and its exit code."""
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "llmwiki", *args],
        cwd=wiki.root,
        env={**os.environ, **wiki.env},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    shown = bytearray()

    def read() -> None:
        while True:
            try:
                data = os.read(ours, 4096)
            except OSError:
                return
            if not data:
                return
            shown.extend(data)

    reader = threading.Thread(target=read)
    reader.start()
    end = time.monotonic() + 60
    while b"Call it?" not in shown and process.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    os.write(ours, said)
    code = process.wait(60)
    reader.join()
    os.close(ours)
    return bytes(shown), code


@pytest.mark.parametrize(
    "text",
    [
        "[ingest]\ncandidates = " + "9" * 1900,
        "[ingest]\ncandidates = 0x" + "f" * 1900,
        "[ingest]\nsegment_bytes = 1",
        ".".join("a" * 900) + " = 1",
        "\n".join(f"k{n} = 1" for n in range(2000)),
        f"[{'x' * 1900}]\ny = 1",
    ],
    ids=["digits", "hexadecimal", "small", "deep", "many", "long"],
)
def test_reading_works_in_a_clone_with_hostile_settings(wiki: Wiki, text: str) -> None:
    configured(wiki, text)
    done = wiki.ok("status")
    assert len(done.err) < 3000
    assert wiki.run("lint").code in (0, 1)


@pytest.mark.parametrize(
    "text", [".".join("a" * 20_000) + " = 1", "# " + "x" * 200_000], ids=["deep", "long"]
)
def test_settings_that_take_long_to_read_are_refused_at_once(wiki: Wiki, text: str) -> None:
    configured(wiki, text)
    begun = time.monotonic()
    done = wiki.run("status")
    assert done.code == 2 and ".llmwiki.toml" in done.err
    assert time.monotonic() - begun < 5


# --- what else is read without end ---------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ['{"schema": ' + "[" * 400 + "]" * 400 + "}", '{"schema": "' + "x" * 1_000_000 + '"}'],
    ids=["deep", "long"],
)
def test_an_answer_of_an_agent_is_refused_in_few_words(wiki: Wiki, text: str) -> None:
    done = wiki.run("apply", "-", stdin=text.encode())
    assert done.code == 5 and len(done.err) < 1000
