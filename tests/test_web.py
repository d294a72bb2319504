"""`wiki serve`: what the views show, who may ask, what may be decided, how the server ends."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
import servekit
import wikikit
from servekit import GREEN, HOST, PORT, Visitor
from wikikit import Wiki

import llmwiki
from llmwiki.interfaces.web.site import with_code

OWN = f"http://{HOST}"


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch, servekit.grow)


@pytest.fixture
def visitor(wiki: Wiki) -> Iterator[Visitor]:
    with llmwiki.Wiki.open(wiki.root).session() as opened:
        yield Visitor(opened)


# ---- what is shown


def test_from_a_page_to_the_words_of_its_source_and_back(wiki: Wiki, visitor: Visitor) -> None:
    (ident,) = (each for each, (_path, claim) in wiki.claims().items() if claim.text == GREEN)
    home = visitor.get("/")
    assert "2 concepts , 1 source · 2 claims" in home.words and "What is here" not in home.words
    assert "On tea" in home.words
    page = visitor.get("/wiki/concepts/Green tea".replace(" ", "%20"))
    assert f'id="{ident}"' in page.text
    # A claim that is its quote is shown once, with the lines it stands in.
    assert f"“{GREEN}” <cite>" in page.text and "<details" not in page.text
    assert "On tea, L5" in page.words
    links = re.findall(r'href="(/source/[^"]*claim=[^"]*)"', page.text)
    assert links == [f"/source/tea-md?claim={ident}&amp;quote=1#L5"]
    source = visitor.get(links[0].replace("&amp;", "&").partition("#")[0])
    # The item's own mark is no part of the quote.
    assert f'<span class="text" dir="auto">- <mark>{GREEN}</mark></span>' in source.text
    assert 'class="line asked" id="L5"' in source.text
    assert f"/wiki/concepts/Green%20tea#{ident}" in source.text
    why = visitor.get(f"/why/{ident}")
    assert "raw/tea.md L5" in why.words
    assert visitor.get("/page/green%20tea".replace("/page", "/wiki/concepts/Green%20tea?x=")).status
    assert visitor.ask("/page/green%20tea").headers["location"] == "/wiki/concepts/Green%20tea"
    file = visitor.get("/file/tea-md")
    assert file.body == wikikit.NOTE.encode()
    assert file.headers["content-disposition"].startswith("attachment")


def test_the_quotes_of_a_claim_in_other_words_are_folded(wiki: Wiki, visitor: Visitor) -> None:
    said = "Green tea is steamed at once."
    told = [wikikit.claim("Green tea", "Steam stops green tea.", said)]
    wiki.learn("raw/leaf.md", f"{said}\n", wikikit.answer(told))
    folded = visitor.get("/wiki/concepts/Green%20tea").text.partition("<details")[2]
    assert "<summary>1 quote" in folded and f"<q>{said}</q>" in folded


def test_each_view_answers(wiki: Wiki, visitor: Visitor) -> None:
    wiki.ok("remember", "Prefers loose leaf.", "--kind", "preference")
    for target, word in {
        "/search?q=green+tea": "Green tea",
        "/search?q=green+xylophones": "nothing says xylophones",
        "/pages/concept": "Black tea",
        "/markdown/wiki/concepts/Green%20tea.md": "type: concept",
        "/preview/wiki/concepts/Green%20tea": "Green tea",
        "/why/Green%20tea": "raw/tea.md",
        "/history/wiki/concepts/Green%20tea.md": "new concept",
        "/log": "memory",
        "/change/HEAD~1": "Green tea",
        "/graph": "<canvas",
        "/lint": "pages",
        "/status": "raw/tea.md",
        "/reviews": "Nothing waits",
        "/ask?q=How+is+green+tea+steeped%3F": "80 degrees",
        "/wiki/memory": "loose leaf",
        "/wiki/index": "Green tea",
        "/static/web.css": ":root",
        "/static/web.js": "use strict",
    }.items():
        assert word in visitor.get(target).text, target
    assert "Green tea" in visitor.ask("/wiki/concepts/Gren%20tea").words
    assert visitor.ask("/wiki/concepts/Gren%20tea").status == 404


def test_a_retracted_source_offers_no_text(wiki: Wiki, visitor: Visitor) -> None:
    assert "/source/tea-md" in visitor.get("/wiki/sources/tea-md").text
    wiki.ok("retract", "raw/tea.md")
    assert "/source/tea-md" not in visitor.get("/wiki/sources/tea-md").text
    refused = visitor.ask("/source/tea-md").body.decode()
    assert "Was retracted" in refused and "<code>wiki undo</code>" in refused


def test_what_stands_between_backticks_is_shown_as_code() -> None:
    assert with_code("Run `a <b>` or ` <c>") == "Run <code>a &lt;b&gt;</code> or ` &lt;c&gt;"


def test_the_past_and_what_a_browser_has_already(wiki: Wiki, visitor: Visitor) -> None:
    before = wiki.head
    wiki.edit("wiki/concepts/Green tea.md", "# Green tea\n", "# Green tea\n\nA lead of today.\n")
    now = visitor.get("/wiki/concepts/Green%20tea")
    then = visitor.get(f"/wiki/concepts/Green%20tea?at={before}")
    assert "A lead of today." in now.words
    assert "A lead of today." not in then.words
    assert f"at={before}" in then.text
    assert "A lead of today." in visitor.get("/history/wiki/concepts/Green%20tea.md").words
    again = visitor.ask("/wiki/concepts/Green%20tea", if_none_match=now.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    # A browser would put it in the place of the policy that came with what it has.
    assert "content-security-policy" not in again.headers
    wiki.ok("remember", "Something else.")
    assert (
        visitor.ask("/wiki/concepts/Green%20tea", if_none_match=now.headers["etag"]).status == 200
    )
    assert visitor.ask("/wiki/concepts/Green%20tea?at=nothing").status == 404
    for address in ("/?at=../..", "/change/HEAD?at=%00", "/static/none?at=%0a%00"):
        assert visitor.ask(address).status in (200, 404), address


def test_a_very_large_page_is_shown_in_part_and_at_once(wiki: Wiki, visitor: Visitor) -> None:
    wiki.edit("wiki/concepts/Green tea.md", "# Green tea\n", "# Green tea\n\nA lead.\n")
    before = wiki.head
    path = wiki.root / "wiki/concepts/Green tea.md"
    text = path.read_text() + "".join(
        f"\nLine {n} of many{' words' * 15}.\n" for n in range(12_000)
    )
    path.write_text(text)
    wiki.git("commit", "-qam", "many lines")
    path.write_text(text + "\nThe last line.\n")
    wiki.git("commit", "-qam", "one more")
    page = visitor.get("/wiki/concepts/Green%20tea")
    assert "A lead." in page.words
    assert len(page.text) < 500_000
    assert "The last line." in visitor.get("/markdown/wiki/concepts/Green%20tea.md").text
    history = visitor.get("/history/wiki/concepts/Green%20tea.md").words
    assert "Too large to be compared here: wiki/concepts/Green tea.md" in history
    assert "many lines" in history
    assert "Too large" not in visitor.get(f"/change/{before}").words


# ---- text of others

EVIL = """---
type: concept
title: "<script>alert(1)</script>"
description: "\\"><img src=x onerror=alert(2)>"
---

# x

<script>alert(3)</script> <img src=x onerror=alert(4)> ![p](http://192.0.2.1/p.png)

[a](javascript:alert(5)) [b](data:text/html,x) [[x" onclick="alert(6)|<svg onload=alert(7)>]]

> [!warning] <style>*{}</style>

\u202e reversed \x1b[31m

- said <iframe src=x> ^c-0000000001
  - “<form action=x>” [^tea-md]
"""


def test_what_pages_hold_is_text(wiki: Wiki, visitor: Visitor) -> None:
    wiki.put("wiki/concepts/Evil.md", EVIL)
    wiki.git("add", "-A")
    wiki.git("commit", "-qm", "<script>alert(8)</script>")
    for target in ("/", "/wiki/concepts/Evil", "/search?q=x", "/log", "/change/HEAD",
                   "/pages/concept",
                   "/source/tea-md?claim=c-0000000001", "/why/c-0000000001",
                   "/search?q=%3Cscript%3Ealert(9)"):  # fmt: skip
        text = visitor.get(target).text
        main = text[text.index("<main") :]
        assert not re.search(r"<(script|img|iframe|svg|style|base|object)\b", main), target
        assert not re.search(r'<[^>]+\s(on\w+|style)\s*=|href="(javascript|data|vbscript):', main)
        assert "\u202e" not in text
        assert "\x1b" not in text
    assert "window.x" not in visitor.get("/preview/wiki/concepts/Evil").text


def test_nothing_but_pages_and_sources_is_given_out(visitor: Visitor) -> None:
    for target in (
        "/wiki/../../etc/passwd", "/wiki/..%2f..%2f.git/config", "/markdown/.git/config",
        "/markdown/raw/tea.md", "/markdown/.llmwiki.toml", "/source/..%2f..%2fetc%2fpasswd",
        "/file/wiki/index.md", "/file/.llmwiki.toml", "/static/../site.py",
        "/static/%2e%2e/site.py",
        "/wiki/a%00b", "/change/--output=x", "/change/HEAD%00", "/history/..%2f.git/config",
        "/page/raw/tea.md",
    ):  # fmt: skip
        assert visitor.ask(target).status in (400, 404), target


# ---- who may ask


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"host": f"localhost:{PORT}"}, 200),
        ({"host": f"[::1]:{PORT}"}, 200),
        ({"host": "[::1]"}, 200),
        ({"host": "[::1"}, 421),
        ({"host": f"[::1]{PORT}"}, 421),
        ({"host": "evil.example"}, 421),
        ({"host": f"evil.example:{PORT}"}, 421),
        ({"host": f"127.0.0.1.evil.example:{PORT}"}, 421),
        ({"host": "127.0.0.1:80"}, 421),
        ({"host": "192.0.2.1"}, 421),
        ({"host": None}, 421),
        ({"cookie": None}, 403),
        ({"cookie": f"wiki-{PORT}=wrong"}, 403),
        ({"cookie": f"wiki-{PORT}="}, 403),
        ({"cookie": f"wiki-{PORT + 1}=right"}, 403),
        ({"cookie": "\xff\xfe=;;;"}, 403),
    ],
)
def test_names_and_tokens(visitor: Visitor, headers: dict[str, str | None], status: int) -> None:
    found = visitor.ask("/log", **headers)
    assert found.status == status
    assert "default-src 'none'" in found.headers["content-security-policy"]
    assert found.headers["x-content-type-options"] == "nosniff"


def test_the_token_of_the_address_becomes_a_cookie(visitor: Visitor) -> None:
    found = visitor.ask("/search?q=tea&token=right", cookie=None)
    assert (found.status, found.headers["refresh"]) == (200, "0;url=/search?q=tea")
    assert "token" not in found.text
    assert found.headers["set-cookie"].startswith(
        f"wiki-{PORT}=right; HttpOnly; Path=/; SameSite=s"
    )
    assert visitor.ask("/?token=wrong", cookie=None).status == 403
    assert visitor.ask("/?token=wrong&token=right", cookie=None).headers["refresh"] == "0;url=/"
    assert visitor.ask("//evil.example/?token=right", cookie=None).headers["refresh"] == (
        "0;url=/evil.example/"
    )
    assert visitor.ask("/", method="PUT").status == 405
    assert visitor.ask("/", method="HEAD").status == 200
    assert visitor.ask("/search?q=" + "x" * 9000).status == 414


# ---- deciding


OOLONG = """---
description: Oolong is an infusion of leaves that are oxidised in part.
---

# Oolong

Oolong is an infusion of leaves that are oxidised in part.

- Oolong tea is steeped at 90 degrees for three minutes.
- White tea is steeped at 75 degrees for one minute.
"""


def test_review_is_decided_by_forms_of_this_server_alone(wiki: Wiki, visitor: Visitor) -> None:
    wiki.put("raw/oolong.md", OOLONG)
    wiki.ok("ingest", "raw/oolong.md", "--review", "--model", "offline")
    (found,) = visitor.wiki.reviews()
    items = [each.id for each in found.items if "degrees" in each.text and each.claim]
    target, head = f"/review/{found.id}", wiki.head
    assert "White tea is steeped at 75 degrees for one minute." in visitor.get(target).words

    def sent(body: str, origin: str | None = OWN, to: str = target) -> int:
        return visitor.ask(to, "POST", body.encode(), origin=origin).status

    accepts = f"form=form&action=accept&item={items[0]}"
    assert sent(accepts, origin=None) == 403
    assert sent(accepts, origin="http://evil.example") == 403
    assert sent(accepts, origin="null") == 403
    assert sent(f"form=wrong&action=accept&item={items[0]}") == 403
    assert sent("form=form&action=accept") == 404
    assert sent(f"form=form&action=reject-all&item={items[0]}") == 404
    assert sent("form=form&" + "x" * 70_000) == 413
    assert sent(accepts, to="/log") == 405
    assert wiki.head == head
    assert sent(accepts) == 303
    assert wiki.head != head
    assert "accept-all" in visitor.get(target).text
    assert sent("form=form&action=reject-all") == 303
    wikikit.check(wiki)
    assert "White tea is steeped at 75 degrees for one minute." not in " ".join(
        c.text for _p, c in wiki.claims().values()
    )
    assert "Nothing waits" in visitor.get("/reviews").text


def test_read_only_decides_and_writes_nothing(wiki: Wiki) -> None:
    with llmwiki.Wiki.open(wiki.root).aside().session() as opened:
        visitor = Visitor(opened, read_only=True)
        files = {p: p.stat().st_mtime_ns for p in wiki.root.rglob("*") if p.is_file()}
        for target in (
            "/",
            "/search?q=tea",
            "/wiki/concepts/Green%20tea",
            "/ask?q=tea",
            "/reviews",
        ):
            visitor.get(target)
        assert visitor.ask("/ask", "POST", b"form=form&q=tea", origin=OWN).status == 405
        assert {p: p.stat().st_mtime_ns for p in wiki.root.rglob("*") if p.is_file()} == files


# ---- the server


def test_the_server_says_where_it_is_and_ends_at_once(wiki: Wiki) -> None:
    assert wiki.run("serve", "--bind", "0.0.0.0").code == 7
    assert wiki.run("serve", "--no-token").code == 2
    with socket.create_server(("127.0.0.1", 0)) as taken:
        refused = wiki.run("serve", "--port", str(taken.getsockname()[1]))
        assert (refused.code, "cannot listen" in refused.err) == (3, True)
    server = wiki.spawn("serve", "--port", "0")
    assert server.stdout
    address = server.stdout.readline().decode().strip()
    found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=(\S{40,})", address)
    assert found, (address, server.communicate())
    port, token = found.groups()
    with socket.create_connection(("127.0.0.1", int(port))) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nHost: ")
        with socket.create_connection(("127.0.0.1", int(port))) as asks:
            asks.sendall(
                f"HEAD /log HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
                f"Cookie: wiki-{port}={token}\r\nConnection: close\r\n\r\n".encode()
            )
            said = b"".join(iter(lambda: asks.recv(65536), b""))
        assert said.startswith(b"HTTP/1.1 200 ")
        assert said.endswith(b"\r\n\r\n")
        began = time.monotonic()
        server.send_signal(signal.SIGINT)
        try:
            out, err = server.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            server.kill()
            raise
    assert time.monotonic() - began < 3
    assert (server.returncode, out) == (0, b"")
    assert b"Traceback" not in err
    assert quote(token) == token
