"""Structured sources: tables, data, chats, markup, notebooks, subtitles, mail."""

from __future__ import annotations

import base64
import email.message
import json
import subprocess
from typing import TYPE_CHECKING

import pytest
from convertkit import read_document

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.sources.conversion_limits import SourceLimits
from llmwiki.sources.read_source import converter_of
from llmwiki.sources.read_source import read_document as read_confined

if TYPE_CHECKING:
    from pathlib import Path


def body(name: str, data: bytes | str) -> list[str]:
    """The text's lines that are not empty, without the metadata line."""
    raw = data.encode() if isinstance(data, str) else data
    return [line for line in read_document(f"raw/{name}", raw).lines[1:] if line]


def refusal(name: str, data: bytes | str) -> InputError | PolicyError:
    with pytest.raises((InputError, PolicyError)) as caught:
        body(name, data)
    assert caught.value.where == f"raw/{name}"
    assert caught.value.fix
    return caught.value


ROWS = ["row 1 | name | year", "row 2 | name: Ada, née Byron | year: 1843"]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv", 'name,year\n"Ada, née Byron",1843\n'.encode()),
        ("a.csv", "name;year\r\nAda, née Byron;1843\r\n".encode("cp1252")),
        ("a.csv", "name|year\nAda, née Byron|1843\n".encode("utf-8-sig")),
        ("a.tsv", "name\tyear\nAda, née Byron\t1843\n".encode("utf-16")),
        ("a.csv", 'name,year\n"Ada,\n née Byron",1843\n'.encode("utf-16-le")),
    ],
)
def test_csv_rows_repeat_the_names_of_their_columns(name: str, data: bytes) -> None:
    assert body(name, data) == ROWS


def test_csv_in_odd_shapes() -> None:
    assert body("a.csv", "Prices in 2024\n\nport,height\nBrest,13\n,7\n") == [
        "row 1 | Prices in 2024",
        "row 3 | port | height",
        "row 4 | port: Brest | height: 13",
        "row 5 | height: 7",
    ]
    assert body("a.csv", "1,2\n3,4\n") == ["row 1 | 1 | 2", "row 2 | 3 | 4"]
    assert body("a.csv", "name,note\nAda,x,more\n")[1] == "row 2 | name: Ada | note: x | more"
    assert body("a.csv", "名前,年\n潮,1999\nשלום,2000\n")[1:] == [
        "row 2 | 名前: 潮 | 年: 1999",
        "row 3 | 名前: שלום | 年: 2000",
    ]


def test_json_values_keep_their_paths() -> None:
    data = """{"users": [{"name": "Ada", "year": 1843, "tags": ["x", "y"]},
        {"name": "Émilie", "alive": false, "by": null}],
        "price": 1.50, "odd key": {"e": {}}, "grid": [[1, true], [3]], "none": [],
        "poem": "one\\ntwo"}"""
    assert body("a.json", data) == [
        "users[0].name: Ada",
        "users[0].year: 1843",
        "users[0].tags: x | y",
        "users[1] | name: Émilie | alive: false | by: null",
        "price: 1.50",
        '["odd key"] | e: {}',
        "grid[0]: 1 | true",
        "grid[1]: 3",
        "none: []",
        "poem:",
        "one",
        "two",
    ]
    assert body("a.json", '"only words"') == ["only words"]


def test_yaml_values_stand_as_they_are_written() -> None:
    data = """# remark
base: &base {port: 0080, since: 2020-01-01}
site: *base
call: !!python/object/apply:os.system [ls]
text: |
  one
  two
---
- yes
- 1_000
"""
    assert body("a.yaml", data) == [
        "[document 1]",
        "base | port: 0080 | since: 2020-01-01",
        "site | port: 0080 | since: 2020-01-01",
        "call: ls",
        "text:",
        "one",
        "two",
        "[document 2]",
        "yes | 1_000",
    ]


def test_json_lines_are_counted_as_in_the_file() -> None:
    assert body("a.jsonl", '{"a": 1}\n\n{"a": {"b": [1, {"c": 2}]}}\n') == [
        "line 1 | a: 1",
        "line 3.a.b[0]: 1",
        "line 3.a.b[1] | c: 2",
    ]


def test_notebooks_keep_cells_and_the_text_of_outputs() -> None:
    picture = base64.b64encode(b"not shown").decode()
    outputs = [
        {"output_type": "stream", "text": ["\x1b[31mred\x1b[0m\n", "5%\r100%\n"]},
        {"output_type": "display_data", "data": {"image/png": picture, "text/plain": "<Figure>"}},
        {"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": ["long"]},
    ]
    cells = [
        {"cell_type": "markdown", "source": ["# Tides\n", "of the sea"]},
        {"cell_type": "code", "source": "print('```')", "outputs": outputs},
    ]
    modern = {"nbformat": 4, "metadata": {"language_info": {"name": "python"}}, "cells": cells}
    found = body("a.ipynb", json.dumps(modern))
    assert found == [
        "[cell 1 markdown]",
        "# Tides",
        "of the sea",
        "[cell 2 code]",
        "````python",
        "print('```')",
        "````",
        "[cell 2 output]",
        "red",
        "100%",
        "[cell 2 output]",
        "<Figure>",
        "[cell 2 picture image/png]",
        "[cell 2 output]",
        "ValueError: no",
    ]
    with pytest.raises(InputError, match="no cells"):
        body("a.ipynb", json.dumps({"nbformat": 3, "worksheets": []}))


def test_subtitles_are_joined_to_sentences_after_their_time() -> None:
    vtt = """WEBVTT

NOTE not shown

00:01.000 --> 00:02.000 align:start
<v Ada>The <b>moon</b> &amp; the

00:02.000 --> 00:03.000
<v Ada>sea meet.

00:03.000 --> 00:04.000
<v Bo>And then

01:00:04.000 --> 01:00:05.000
月が

01:00:05.000 --> 01:00:06.000
引く。
"""
    assert body("a.vtt", vtt) == [
        "[00:00:01] Ada: The moon & the sea meet.",
        "[00:00:03] Bo: And then",
        "[01:00:04] 月が引く。",
    ]
    srt = (
        "\ufeff1\r\n00:00:01,000 --> 00:00:02,000\r\n<i>Is 1 < 2\r\n\r\n"
        "2\r\n00:00:02,000 --> 00:00:04,000\r\n{\\an8}Is 1 < 2\r\nor more?\r\n"
    )
    assert body("a.srt", srt) == ["[00:00:01] Is 1 < 2 or more?"]
    bare = "WEBVTT\n\n00:01.000 --> 00:02.000\nOne.\n00:02.000 --> 00:03.000\nTwo.\n"
    assert body("a.vtt", bare) == ["[00:00:01] One.", "[00:00:02] Two."]


def test_mail_prefers_plain_text_and_names_attachments() -> None:
    message = email.message.EmailMessage()
    message["From"] = "Ada Ó <ada@example.org>"
    message["To"] = "b@example.org"
    message["Date"] = "Mon, 06 May 2024 10:00:05 +0200"
    message["Subject"] = "潮 and tides"
    message.set_content("Plain words.\nשלום\n")
    message.add_alternative("<p>HTML words.</p>", subtype="html")
    message.add_attachment(b"secret bytes", maintype="application", subtype="pdf", filename="a.pdf")
    inner = email.message.EmailMessage()
    inner["Subject"] = "inner"
    inner.set_content("inner words")
    message.add_attachment(inner)
    assert body("a.eml", message.as_bytes()) == [
        "# 潮 and tides",
        "From: Ada Ó <ada@example.org>",
        "To: b@example.org",
        "Date: 2024-05-06 10:00+02:00",
        "Plain words.",
        "שלום",
        "[enclosed message]",
        "## inner",
        "inner words",
        "[attachment: a.pdf, application/pdf]",
    ]


def test_every_text_of_a_mail_is_read_once() -> None:
    mixed = b"""From: a@example.org
Subject: s
Content-Type: multipart/mixed; boundary=M

--M
Content-Type: multipart/alternative; boundary=A

--A
Content-Type: text/plain

first words
--A
Content-Type: text/html

<p>first words
--A--
--M
Content-Type: text/plain
Content-Disposition: inline; filename=a.txt

file words
--M
Content-Type: text/plain

last words
--M--
"""
    assert body("a.eml", mixed)[2:] == [
        "first words",
        "last words",
        "[attachment: a.txt, text/plain]",
    ]
    assert body("a.eml", mixed.replace(b"first words", b"", 1))[2] == "first words"
    cut = b"From: a@example.org\nContent-Type: multipart/mixed\n\nno parts\n"
    assert body("a.eml", cut)[1:] == ["no parts"]


@pytest.mark.parametrize("charset", ["utf-8", "cp1252", "iso-2022-jp"])
def test_mail_with_raw_letters_in_its_header_and_no_charset(charset: str) -> None:
    subject, words = (
        ("潮位の観測", "港の中") if charset == "iso-2022-jp" else ("café – ünï", "naïve")
    )
    mail = f"From: a@example.org\nSubject: {subject}\n\n{words}\n".encode(charset)
    assert body("a.eml", mail) == [f"# {subject}", "From: a@example.org", words]


@pytest.mark.parametrize("charset", ["undefined", "rot13", "a\0b", "punycode"])
def test_a_charset_is_a_name_and_nothing_more(charset: str) -> None:
    head = f'From: a@example.org\nContent-Type: text/plain; charset="{charset}"\n\nwords\n'
    assert "words" in body("a.eml", head)[-1]


def test_mail_in_html_and_in_a_wrong_charset() -> None:
    head = b"From: a@example.org\nSubject: x\nContent-Type: text/%s; charset=%s\n\n%s\n"
    page = "<meta charset=shift_jis><p>Héllo<p hidden>no<script>no</script><p>two"
    assert body("a.eml", head % (b"html", b"utf-8", page.encode()))[2:] == ["Héllo", "two"]
    assert body("a.eml", head % (b"plain", b"no-such", b"h\xe9llo"))[2:] == ["héllo"]
    assert body("a.eml", head % (b"plain", b"iso-8859-1", b"\x93h\xe9\x94"))[2:] == ["“hé”"]


SAMPLES = {
    "a.csv": "a,b\n1,2\n",
    "a.json": '{"b": {"y": 1, "x": 2}}',
    "a.jsonl": '{"b": 1}',
    "a.yaml": "b: {y: 1, x: 2}",
    "a.ipynb": '{"cells": [{"cell_type": "raw", "source": "x"}]}',
    "a.srt": "1\n00:00:01,000 --> 00:00:02,000\nx\n",
    "a.eml": "From: a@example.org\n\nx\n",
}


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_the_same_bytes_give_the_same_text_by_a_named_tool(name: str) -> None:
    data = SAMPLES[name].encode()
    first = read_document(f"raw/{name}", data)
    assert first == read_confined(f"raw/{name}", data)
    assert "/" in str(converter_of(first))
    assert first.media_type != "text/plain"


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_empty_binary_and_capped_sources(name: str) -> None:
    assert isinstance(refusal(name, b" \n\n"), InputError)
    refusal(name, b"\x00\x01\x02\xff" * 100)
    with pytest.raises(PolicyError, match="characters of text"):
        read_document(f"raw/{name}", SAMPLES[name].encode(), limits=SourceLimits(max_text=1))


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.csv", 'a,b\n"open,1\n2,3\n', "quote is never closed"),
        ("a.json", '{"a": 1,', "line 1, column 9"),
        ("a.jsonl", '{"a": 1}\n{bad', "line 2"),
        ("a.yaml", "a: [1", "YAML is broken"),
        ("a.yaml", "a: *b", "alias"),
        ("a.ipynb", "{}", "no notebook"),
        ("a.srt", "words\n", "no cues"),
        ("a.eml", "words\n", "no e-mail"),
    ],
)
def test_broken_sources_say_what_is_wrong(name: str, data: str, words: str) -> None:
    error = refusal(name, data)
    assert words in error.what
    assert error.exit_code == 2


def test_a_mailbox_is_parted_by_git(tmp_path: Path) -> None:
    head = "From ada@example.org Mon Sep 17 00:00:00 2001\nFrom: Ada <ada@example.org>\n"
    both = [f"{head}Subject: Gauge {n}\n\nIt was built in 180{n}.\n\n" for n in (1, 2)]
    box = tmp_path / "in.mbox"
    box.write_text("".join(both))
    for name in ("raw/in.mbox", "raw/in.eml", "raw/in"):
        with pytest.raises(InputError) as caught:
            read_document(name, box.read_bytes())
        assert "git mailsplit" in str(caught.value.fix)
    subprocess.run(["git", "mailsplit", f"-o{tmp_path}", box], check=True, capture_output=True)
    for number in (1, 2):
        found = read_document(f"raw/000{number}", (tmp_path / f"000{number}").read_bytes())
        assert f"# Gauge {number}" in found.lines
        assert f"It was built in 180{number}." in found.lines
