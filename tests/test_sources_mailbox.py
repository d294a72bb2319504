"""Mailboxes: where messages begin and end, and each of them as a source of its own."""

from __future__ import annotations

import hashlib
import mailbox
import re
from typing import TYPE_CHECKING

import gitkit
import pytest
import wikikit
from convertkit import in_process, read_document

from llmwiki.core.errors import InputError, PolicyError
from llmwiki.sources.find import expand
from llmwiki.sources.formats import is_read
from llmwiki.sources.mailbox import MAX_MESSAGES, messages

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SEPARATOR = b"From ada@example.org Mon Sep 17 00:00:00 2001\n"


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[wikikit.Wiki]:
    with in_process():
        yield wikikit.make(tmp_path, monkeypatch)


def mail(number: int, words: str = "", date: str = "Mon, 06 May 2024 23:30:00 -0200") -> bytes:
    """A message whose text is a claim of its own."""
    words = words or f"The gauge number {number} was built in {1800 + number}.\n"
    head = f"From: Ada <ada@example.org>\nSubject: Gauge {number}\n"
    return (head + (f"Date: {date}\n" if date else "") + "\n" + words).encode()


def box_of(place: Path, *mails: bytes) -> Path:
    """A mailbox as Python's own module writes it."""
    box = mailbox.mbox(place)
    for one in mails:
        box.add(one)
    box.close()
    return place


def hand_made(place: Path, data: bytes) -> list[bytes]:
    """The messages of a mailbox of these bytes."""
    place.write_bytes(data)
    return [one.data for one in messages(place)]


def name_of(data: bytes, day: str = "2024-05-07") -> str:
    return f"{day}-{hashlib.sha256(data).hexdigest()[:8]}.eml"


# --- splitting -----------------------------------------------------------------------------


def test_messages_come_back_as_they_were_put_in(tmp_path: Path) -> None:
    words = ("words\n", "one\n\n\n\ntwo\n\n\n", "no end of line", "\0\xff\n")
    mails = [mail(number, text) for number, text in enumerate(words)]
    box = box_of(tmp_path / "a.mbox", *mails)
    held = [one.data for one in messages(box)]
    assert held == [mails[0], mails[1], mails[2] + b"\n", mails[3]]


@pytest.mark.parametrize(
    "line",
    [
        b"From ada@example.org Mon Sep 17 00:00:00 2001",
        b"From - Mon Sep  7 00:00:00 2001",
        b"From MAILER-DAEMON Fri Jul  8 12:08:34 2011",
        b"From 1572374629123@xxx Tue Nov 05 12:00:00 +0000 2019",
        b"From ada Tue Nov 05 12:00 CET 2019",
        b"From ada Tue Nov 05 12:00:00 2019 +0100",
        b"From ada at example.org  Tue Nov  5 12:00:00 2019",
        b"From ada@example.org Tue, 5 Nov 2019 12:00:00 +0000",
        b"From ada Sat Jan  3 01:05:34 1996 remote from brest",
    ],
)
def test_what_programs_write_as_separator_lines(tmp_path: Path, line: bytes) -> None:
    box = line + b"\nSubject: a\n\na\n\n" + line + b"\nSubject: b\n\nb\n"
    assert hand_made(tmp_path / "a.mbox", box) == [b"Subject: a\n\na\n", b"Subject: b\n\nb\n"]
    crlf = box.replace(b"\n", b"\r\n")
    assert hand_made(tmp_path / "a.mbox", crlf) == [
        b"Subject: a\r\n\r\na\r\n",
        b"Subject: b\r\n\r\nb\r\n",
    ]


@pytest.mark.parametrize(
    "line",
    [
        b"From the harbour one sees the gauge.",
        b"From Monday on, at 10:30, in 2024 it was read.",
        b"From Mon Sep 17 00:00:00 2001 on, nothing was heard.",
        b"from ada@example.org Mon Sep 17 00:00:00 2001",
        b"From: ada@example.org Mon Sep 17 00:00:00 2001",
        b" From ada@example.org Mon Sep 17 00:00:00 2001",
        b"From",
    ],
)
def test_sentences_that_begin_with_from_part_nothing(tmp_path: Path, line: bytes) -> None:
    text = b"Subject: a\n\nwords\n\n" + line + b"\n\nmore\n"
    assert hand_made(tmp_path / "a.mbox", SEPARATOR + text) == [text]


def test_a_separator_line_stands_after_an_empty_line(tmp_path: Path) -> None:
    text = b"Subject: a\n\nwords\n" + SEPARATOR + b"more\n"
    assert hand_made(tmp_path / "a.mbox", SEPARATOR + text) == [text]


def test_one_mark_is_taken_off_lines_that_begin_with_from(tmp_path: Path) -> None:
    held = b"Subject: a\n\n>From one\n>>From two\n> From three\n>Frome\nx >From four\n"
    assert hand_made(tmp_path / "a.mbox", SEPARATOR + held) == [
        b"Subject: a\n\nFrom one\n>From two\n> From three\n>Frome\nx >From four\n"
    ]


def test_a_cut_last_message_is_read_and_equal_ones_once(tmp_path: Path) -> None:
    cut = mail(3)[:-5]
    box = b"".join(SEPARATOR + one + b"\n" for one in (mail(1), mail(2), mail(1)))
    assert hand_made(tmp_path / "a.mbox", box + SEPARATOR + cut) == [mail(1), mail(2), cut]
    assert hand_made(tmp_path / "a.mbox", box + SEPARATOR) == [mail(1), mail(2)]


@pytest.mark.parametrize(
    ("date", "day"),
    [
        ("Mon, 06 May 2024 23:30:00 -0200", "2024-05-07"),
        ("6 May 2024 00:30 GMT", "2024-05-06"),
        ("Mon, 06 May 2024 00:30:00 -0000", "2024-05-06"),
        ("", "undated"),
        ("yesterday", "undated"),
        ("Mon, 06 May 2024 00:30:00 +99999999999999", "undated"),
        ("Mon, 31 Dec 9999 23:30:00 -0200", "undated"),
        ("Mon, 99 May 2024 00:30:00 +0000", "undated"),
        ("../../../etc, 06 May 2024", "undated"),
    ],
)
def test_the_name_of_a_message_tells_its_day(tmp_path: Path, date: str, day: str) -> None:
    (one,) = messages(box_of(tmp_path / "a.mbox", mail(1, date=date)))
    assert one.name == name_of(mail(1, date=date), day)


def test_a_date_in_the_text_or_on_a_line_of_its_own(tmp_path: Path) -> None:
    box = tmp_path / "a.mbox"
    box.write_bytes(SEPARATOR + b"Subject: a\n\nDate: Mon, 06 May 2024 00:30:00 +0000\n")
    assert messages(box)[0].date == "undated"
    box.write_bytes(SEPARATOR + b"X: a\ndate:\r\n Mon, 06 May 2024 00:30:00 +0000\nSubject: a\n\n")
    assert messages(box)[0].date == "2024-05-06"


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "empty"),
        (b"words\n", "no mailbox"),
        (b"Subject: one message\n\nwords\n\n" + SEPARATOR + b"Subject: b\n\n", "no mailbox"),
        (b"From the harbour\n", "no mailbox"),
        (SEPARATOR, "no message"),
        (SEPARATOR + b"\n" + SEPARATOR + b"\n", "no message"),
    ],
)
def test_what_is_no_mailbox_is_refused(tmp_path: Path, data: bytes, what: str) -> None:
    with pytest.raises(InputError, match=what):
        hand_made(tmp_path / "a.mbox", data)


def test_a_mailbox_of_too_many_messages_is_refused(tmp_path: Path) -> None:
    box = tmp_path / "a.mbox"
    box.write_bytes((SEPARATOR + b"\n") * MAX_MESSAGES + SEPARATOR + mail(1))
    with pytest.raises(PolicyError, match="100,000 messages") as caught:
        messages(box)
    assert "Divide it" in caught.value.fix


# --- as sources ----------------------------------------------------------------------------


def paths(root: Path, *names: str) -> list[str]:
    return [found.path for found in expand(root, names, root.parent)]


def test_messages_lie_in_a_folder_named_as_their_mailbox(tmp_path: Path) -> None:
    root = tmp_path / "wiki"
    (root / "raw/old").mkdir(parents=True)
    (tmp_path / "post/2024").mkdir(parents=True)
    name = name_of(mail(1))
    box_of(tmp_path / "post/2024/In Box.MBOX", mail(1))
    box_of(root / "raw/old/in.mbox", mail(1))
    assert paths(root, "post/2024/In Box.MBOX") == [f"raw/In Box/{name}"]
    assert paths(root, "post") == [f"raw/post/2024/In Box/{name}"]
    assert paths(root, "post/**/*.MBOX") == [f"raw/2024/In Box/{name}"]
    assert paths(root, "wiki/raw") == [f"raw/old/in/{name}"]


def test_a_message_that_lies_in_raw_already_is_that_file(tmp_path: Path) -> None:
    root = tmp_path / "wiki"
    gitkit.put(root, {f"raw/in/{name_of(mail(1))}": mail(1)})
    box_of(root / "raw/in.mbox", mail(1), mail(2))
    found = expand(root, ["raw"], root)
    inside = {one.path: one.inside for one in found}
    assert inside == {
        f"raw/in/{name_of(mail(1))}": True,
        f"raw/in/{name_of(mail(2))}": False,
    }


def test_a_mailbox_is_no_source_by_itself(tmp_path: Path) -> None:
    assert not is_read("raw/a.mbox")
    root = tmp_path / "wiki"
    (root / "raw").mkdir(parents=True)
    box_of(root / "raw/in.mbox", mail(1), mail(2))
    (whole,) = expand(root, ["raw"], root, unfold=False)
    assert (whole.path, whole.message) == ("raw/in.mbox", None)
    with pytest.raises(InputError, match=r"ends in \.mbox|by its first line"):
        read_document("raw/Inbox", SEPARATOR + mail(1))


def test_a_mailbox_whose_folder_is_kept_for_people(wiki: wikikit.Wiki) -> None:
    box_of(wiki.root.parent / "brand.mbox", mail(1))
    done = wiki.run("ingest", "../brand.mbox")
    assert done.code == 2 and "raw/brand/" in done.err and "Rename" in done.err
    assert not any(path.endswith(".eml") for path in wiki.files())


# --- the command ---------------------------------------------------------------------------


def sources(wiki: wikikit.Wiki) -> list[str]:
    return sorted(path for path in wiki.files() if path.endswith(".eml"))


def statuses(done: wikikit.Run) -> list[str]:
    return [operation["status"] for operation in done.json["operations"]]


def test_a_mailbox_is_a_batch_of_one_commit_a_message(wiki: wikikit.Wiki) -> None:
    box = box_of(wiki.root.parent / "in.mbox", *[mail(n) for n in range(4)])
    before = wiki.count()
    done = wiki.ok("ingest", str(box), "--model", "offline", "--json")
    assert statuses(done) == ["ingested"] * 4
    assert wiki.count() == before + 4
    assert sources(wiki) == sorted(f"raw/in/{name_of(mail(n))}" for n in range(4))
    assert wiki.git("show", f"HEAD:raw/in/{name_of(mail(2))}").encode() == mail(2)
    assert len({op["commit"] for op in done.json["operations"]}) == 4
    assert len({wiki.trailer("Wiki-Batch", f"HEAD~{n}") for n in range(4)}) == 1
    assert wiki.status == ""
    titles = {page.title for page in wiki.pages().values() if page.type == "source"}
    assert titles == {f"Gauge {n}" for n in range(4)}
    wikikit.check(wiki)

    head = wiki.head
    again = wiki.ok("ingest", str(box), "--model", "offline", "--json")
    assert statuses(again) == ["skipped"] * 4 and wiki.head == head

    box_of(box, mail(4), mail(5))
    grown = wiki.ok("ingest", str(box), "--model", "offline", "--json")
    assert sorted(statuses(grown)) == ["ingested"] * 2 + ["skipped"] * 4
    assert wiki.count() == before + 6


def test_a_mailbox_in_raw_stays_uncommitted_and_is_told_of(wiki: wikikit.Wiki) -> None:
    (wiki.root / "raw/post").mkdir()
    box_of(wiki.root / "raw/post/in.mbox", mail(1), mail(2))
    wiki.ok("ingest", "raw", "--model", "offline")
    assert sources(wiki) == sorted(f"raw/post/in/{name_of(mail(n))}" for n in (1, 2))
    assert wiki.status.split() == ["??", "raw/post/in.mbox"]
    told = wiki.ok("status", "--json").json["sources"]
    assert told["mailboxes"] == ["raw/post/in.mbox"]
    assert not told["new"] + told["unread"] + told["changed"]
    assert "mailbox   raw/post/in.mbox" in wiki.ok("status").out
    lint = wiki.run("lint", "--format", "json")
    assert "in.mbox" not in lint.out
    assert statuses(wiki.ok("ingest", "raw", "--json")) == ["skipped"] * 2


def test_messages_that_fail_do_so_alone(wiki: wikikit.Wiki) -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLF"
    mails = [mail(1), mail(2, "long\n" * 500), mail(3, f"aws_access_key_id = {key}\n"), b"\n\nno\n"]
    (wiki.root.parent / "post").mkdir()
    box = box_of(wiki.root.parent / "post/in.mbox", *mails)
    (box.parent / "broken.mbox").write_bytes(b"words\n")
    options = ("--model", "offline", "--max-size", "1000", "--json")
    done = wiki.run("ingest", str(box.parent), *options)
    told = {op["source"]: (op["status"], op["exit_code"]) for op in done.json["operations"]}
    assert told == {
        f"raw/post/in/{name_of(mails[0])}": ("ingested", 0),
        f"raw/post/in/{name_of(mails[1])}": ("failed", 7),
        f"raw/post/in/{name_of(mails[2])}": ("failed", 7),
        f"raw/post/in/{name_of(mails[3], 'undated')}": ("failed", 2),
        next(name for name in told if name.endswith("/broken.mbox")): ("failed", 2),
    }
    assert done.code in (2, 7)
    assert sources(wiki) == [f"raw/post/in/{name_of(mails[0])}"]
    assert "no mailbox" in wiki.run("ingest", str(box.parent / "broken.mbox")).err


def test_hostile_headers_name_no_path(wiki: wikikit.Wiki) -> None:
    message = b"""From: ../../x <a@example.org>
Subject: ../../../etc/passwd
Message-ID: <../../raw/brand/SOUL.md>
Date: ../../2024
Content-Type: text/plain; name="../../../raw/brand/SOUL.md"

The gauge of Brest was built in 1807.
"""
    box = box_of(wiki.root.parent / "in.mbox", message)
    wiki.ok("ingest", str(box), "--model", "offline")
    added = wiki.changed()
    assert all(re.fullmatch(r"wiki/[^.].*\.md|raw/(\.text|in)/[\w.-]+", path) for path in added)
    assert sources(wiki) == [f"raw/in/{name_of(message, 'undated')}"]


def test_a_reply_stands_on_its_own_page_and_names_its_author(wiki: wikikit.Wiki) -> None:
    people = ", ".join(f"Person {number} <p{number}@example.org>" for number in range(9))
    message = f"""From: "Li, Wei" <wei@example.org>
To: {people}
Subject: Re: [brest] Fwd: Tide gauges
Date: Mon, 06 May 2024 12:00:00 +0000

The gauges of the harbour have been read by hand since 1807.
"""
    box = box_of(wiki.root.parent / "in.mbox", message.encode())
    wiki.ok("ingest", str(box), "--model", "offline")
    titles = {page.title: page for page in wiki.pages().values()}
    assert set(titles) == {"Re: [brest] Fwd: Tide gauges"}
    ledger = titles["Re: [brest] Fwd: Tide gauges"].text
    assert '\ndate: "2024-05-06"\nauthors:\n  - "Li, Wei"\n' in ledger
    assert "Person" not in ledger
    assert "\n- “The gauges of the harbour have been read by hand since 1807.” [^" in ledger


def test_the_job_of_a_message_keeps_its_bytes(wiki: wikikit.Wiki) -> None:
    box = box_of(wiki.root.parent / "in.mbox", mail(1), mail(2))
    assert wiki.prepare(str(box)).count("gauge number") == 2
    assert not (wiki.root / "raw/in").exists()
    box.unlink()
    words = "The gauge number 2 was built in 1802."
    answer = wikikit.answer([wikikit.claim("Gauge", words, lines=(6, 6))])
    source = {"sha256": wikikit.sha(mail(2)), "segment": [1, 1]}
    done = wiki.apply({**answer, "source": source})
    assert done.code == 0, done
    assert sources(wiki) == [f"raw/in/{name_of(mail(2))}"]
    wikikit.check(wiki)
