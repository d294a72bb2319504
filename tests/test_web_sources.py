"""Pages of the web as sources: which may be asked, what is kept, and what a person sees of it."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import wikikit
from webkit import Reply, Site, site
from wikikit import Wiki, answer, claim, sha

from llmwiki.core.errors import InputError, PolicyError, ProviderError, WikiError
from llmwiki.sources.web.allowed_address import check_place, is_public, parse_address, redirected
from llmwiki.sources.web.fetch import FetchedPage, fetch
from llmwiki.sources.web.fetched_page import page_bytes, page_path

ALLOW = ("--allow-network", "--model", "offline")
TEA = "<h1>Tea</h1><p>Green tea is a tea that is steeped at 80 degrees for two minutes.</p>"


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch)


@pytest.fixture
def web() -> Iterator[Site]:
    with site() as served:
        yield served


def got(url: str, **limits: Any) -> FetchedPage:
    return fetch(parse_address(url), **{"max_bytes": 10_000, "seconds": 20, **limits})


# --- which places may be asked -------------------------------------------------------------


@pytest.mark.parametrize(
    "number",
    [
        "127.0.0.1",
        "127.8.8.8",
        "0.0.0.0",
        "10.0.0.1",
        "172.16.9.9",
        "192.168.1.1",
        "100.64.0.1",
        "100.100.100.200",
        "169.254.169.254",
        "168.63.129.16",
        "192.0.0.192",
        "192.0.2.1",
        "198.18.0.1",
        "224.0.0.1",
        "239.255.255.250",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::1",
        "2002:7f00:1::",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fe80::1%eth0",
        "fec0::1",
        "ff02::1",
        "2001:db8::1",
        "no number",
    ],
)
def test_a_place_of_ones_own_network_is_not_asked(number: str) -> None:
    assert not is_public(number)


@pytest.mark.parametrize(
    "number", ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"]
)
def test_a_public_place_is(number: str) -> None:
    assert is_public(number)


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("ftp://example.org/x", "http:// or https://"),
        ("file:///etc/passwd", "http:// or https://"),
        ("https://", "no host"),
        ("https://ada:secret@example.org/", "name or a password"),
        ("https://example.org:99999/", "not an address"),
        ("https://exa mple.org/", "no blanks"),
        ("https://example.org/" + "a" * 2000, "2000 characters"),
        ("https://exa_mple[.org/", "not an address"),
        ("http://[::1/", "not an address"),
    ],
)
def test_what_is_no_address_of_the_web_is_refused(word: str, says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        parse_address(word)
    assert "secret" not in str(caught.value)


def test_two_spellings_of_an_address_are_one() -> None:
    first = parse_address("HTTPS://Example.ORG:443/a b".replace(" ", "%20") + "#part")
    assert first.url == parse_address("https://example.org/a%20b").url
    assert parse_address("https://bücher.example/ü").url == ("https://xn--bcher-kva.example/%C3%BC")
    assert parse_address("http://[::1]:8080/").url == "http://[::1]:8080/"


def test_a_redirect_does_not_lead_out_of_encryption() -> None:
    secure = parse_address("https://example.org/a/b")
    assert redirected(secure, "c").url == "https://example.org/a/c"
    assert redirected(secure, "//other.example/").url == "https://other.example/"
    with pytest.raises(PolicyError, match="not encrypted"):
        redirected(secure, "http://example.org/c")
    with pytest.raises(InputError):
        redirected(secure, "file:///etc/passwd")


def test_the_message_names_the_number_and_not_a_secret() -> None:
    with pytest.raises(PolicyError, match=r"inner\.example is 10\.0\.0\.7"):
        check_place(parse_address("http://inner.example/"), "10.0.0.7")


# --- fetching ------------------------------------------------------------------------------


def test_a_page_comes_as_it_is_and_nothing_of_the_user_goes(web: Site) -> None:
    web.pages["/a"] = Reply(b"<p>a</p>", headers={"Content-Type": "text/html; charset=utf-8"})
    page = got(web.url + "/a")
    assert (page.data, page.media_type, page.charset) == (b"<p>a</p>", "text/html", "utf-8")
    ((path, headers),) = web.asked
    assert path == "/a"
    assert set(headers) == {"Host", "User-Agent", "Accept", "Accept-Encoding", "Connection"}
    assert headers["Host"] == f"127.0.0.1:{web.port}"


def test_a_cookie_is_not_given_back(web: Site) -> None:
    web.pages["/a"] = Reply(status=302, headers={"Location": "/b", "Set-Cookie": "k=v; Path=/"})
    web.html("/b", "b")
    assert got(web.url + "/a").url == web.url + "/b"
    assert not any("Cookie" in headers for _path, headers in web.asked)


def test_loopback_is_refused_before_anything_is_sent() -> None:
    with site(exempt=False) as served, pytest.raises(PolicyError, match=r"127\.0\.0\.1"):
        got(f"http://localhost:{served.port}/")
    assert not served.asked


@pytest.mark.parametrize("host", ["2130706433", "0x7f.1", "127.1", "0177.0.0.1", "[::1]"])
def test_another_spelling_of_loopback_is_refused(host: str) -> None:
    with pytest.raises(PolicyError, match="private network"):
        got(f"http://{host}:9/")


def test_each_redirect_is_checked(web: Site) -> None:
    for path, place in (
        ("/cloud", "http://169.254.169.254/latest/meta-data/"),
        ("/port", "http://127.0.0.1:9/"),
        ("/v6", "http://[::ffff:127.0.0.1]/"),
    ):
        web.pages[path] = Reply(status=302, headers={"Location": place})
        with pytest.raises(PolicyError, match="private network"):
            got(web.url + path)


def test_a_name_is_looked_up_once_and_what_was_checked_is_asked(
    web: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    web.html("/a", "a")
    looked: list[str] = []

    def look_up(host: str, port: int, **_: Any) -> list[Any]:
        # What a rebinding server does: a public place first, one's own machine the next time.
        looked.append(host)
        place = "127.0.0.1" if len(looked) == 1 else "127.0.0.2"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (place, port))]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    assert got(f"http://rebound.example:{web.port}/a").data
    assert looked == ["rebound.example"]
    assert web.asked[0][1]["Host"] == f"rebound.example:{web.port}"


def test_one_private_number_among_public_ones_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    def look_up(host: str, port: int, **_: Any) -> list[Any]:
        numbers = ("93.184.216.34", "10.0.0.1")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (n, port)) for n in numbers]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    with pytest.raises(PolicyError, match=r"10\.0\.0\.1"):
        got("http://both.example/")


def test_a_circle_of_redirects_ends(web: Site) -> None:
    web.pages["/a"] = Reply(status=301, headers={"Location": "/a"})
    with pytest.raises(PolicyError, match="more than 5 times"):
        got(web.url + "/a")
    assert len(web.asked) == 6


def test_a_page_has_an_end(web: Site) -> None:
    web.pages["/said"] = Reply(b"x" * 20_000)
    chunk = b"ffff\r\n" + b"x" * 0xFFFF + b"\r\n"
    web.pages["/chunked"] = Reply(chunk * 9, headers={"Transfer-Encoding": "chunked"})
    for path in ("/said", "/chunked"):
        with pytest.raises(PolicyError, match="10,000 bytes") as caught:
            got(web.url + path)
        assert "ingest.max_size" in caught.value.fix


def test_a_packing_that_was_not_asked_for_is_refused(web: Site) -> None:
    web.pages["/a"] = Reply(b"tea", headers={"Content-Encoding": "br"})
    with pytest.raises(ProviderError, match="packed as br"):
        got(web.url + "/a")


def test_a_page_that_breaks_off_is_no_page(web: Site) -> None:
    web.pages["/a"] = Reply(b"half", headers={"Content-Length": "400"})
    with pytest.raises(ProviderError, match="broke off"):
        got(web.url + "/a")


def test_a_server_that_says_nothing_is_left_in_time(web: Site) -> None:
    with pytest.raises(ProviderError, match=r"longer than 0\.2 s"):
        got(web.url + "/slow", seconds=0.2)


def test_a_server_without_encryption_is_not_taken_for_one_with(web: Site) -> None:
    with pytest.raises(ProviderError, match="does not speak TLS"):
        got(f"https://127.0.0.1:{web.port}/")
    assert not web.asked


def test_what_fails_says_what_to_do(web: Site) -> None:
    with pytest.raises(ProviderError, match="404 Not Found") as caught:
        got(web.url + "/none")
    assert "login" in caught.value.fix
    gone = web.url
    with site() as other:
        gone = other.url
    with pytest.raises((ProviderError, PolicyError)):
        got(gone)


# --- names and bytes -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "kind", "path"),
    [
        ("https://example.org/", "text/html", "raw/web/example.org.html"),
        ("https://example.org/a/b.php", "text/html", "raw/web/example.org-a-b.php.html"),
        ("https://example.org/a/b.html", "text/html", "raw/web/example.org-a-b.html"),
        (
            "https://en.example.org/wiki/Ada_Lovelace",
            "text/html",
            "raw/web/en.example.org-wiki-ada-lovelace.html",
        ),
        ("https://example.org/paper", "application/pdf", "raw/web/example.org-paper.pdf"),
        ("https://example.org/x/README.md", "text/plain", "raw/web/example.org-x-readme.md"),
        ("https://example.org/notes", "text/plain", "raw/web/example.org-notes.txt"),
        ("https://example.org/notes", "text/markdown", "raw/web/example.org-notes.md"),
        ("https://example.org/t.vtt", "text/vtt", "raw/web/example.org-t.vtt"),
        ("https://example.org/n", "application/x-ipynb+json", "raw/web/example.org-n.ipynb"),
        ("https://example.org/%E7%B7%91%E8%8C%B6", "text/html", "raw/web/example.org-緑茶.html"),
        ("https://example.org/../../etc/", "text/html", "raw/web/example.org-etc.html"),
    ],
)
def test_a_page_has_a_name_that_says_where_it_is_from(url: str, kind: str, path: str) -> None:
    assert page_path(parse_address(url), FetchedPage(url, kind, "", b"x")) == path


def test_a_query_or_a_taken_name_adds_a_hash() -> None:
    page = FetchedPage("", "text/html", "", b"x")
    one, two = (page_path(parse_address(f"https://example.org/a?id={n}"), page) for n in (1, 2))
    assert one != two
    plain = parse_address("https://example.org/a")
    assert page_path(plain, page) != page_path(plain, page, is_taken=True)


def test_what_a_server_does_not_name_is_told_by_its_bytes() -> None:
    place = parse_address("https://example.org/a")
    assert page_path(place, FetchedPage("", "", "", b"%PDF-1.7")).endswith(".pdf")
    assert page_path(place, FetchedPage("", "", "", b"<!doctype html>")).endswith(".html")
    assert page_path(place, FetchedPage("", "", "", b"words")).endswith(".txt")
    for kind, data in (("image/svg+xml", b"<svg/>"), ("", b"\0\1"), ("video/mp4", b"x")):
        with pytest.raises(InputError, match="not read"):
            page_path(place, FetchedPage("", kind, "", data))


def test_plain_text_is_kept_as_utf_8() -> None:
    page = FetchedPage("", "text/plain", "iso-8859-1", "Grün".encode("latin-1"))
    assert page_bytes("raw/web/a.txt", page) == "Grün".encode()
    assert page_bytes("raw/web/a.html", page) == page.data
    strange = FetchedPage("", "text/plain", "unicode_escape", b"\\u0041")
    assert page_bytes("raw/web/a.txt", strange) == strange.data


# --- what a person sees --------------------------------------------------------------------


def test_without_leave_nothing_is_asked_and_the_way_is_said(wiki: Wiki, web: Site) -> None:
    url = web.html("/tea", TEA)
    done = wiki.run("ingest", url)
    assert done.code == 7, done
    assert "--allow-network" in done.err and "[fetch]" in done.err and "config.toml" in done.err
    assert not web.asked


def test_a_repository_cannot_give_leave(wiki: Wiki, web: Site) -> None:
    url = web.html("/tea", TEA)
    wiki.put(".llmwiki.toml", "format = 3\n\n[fetch]\nallow = true\n")
    done = wiki.run("ingest", url)
    assert done.code == 7, done
    assert "fetch.allow is not taken from a repository" in done.err
    assert not web.asked


def test_the_users_own_settings_give_leave(wiki: Wiki, web: Site, tmp_path: Path) -> None:
    url = web.html("/tea", TEA)
    own = tmp_path / "home/config/llmwiki/config.toml"
    own.parent.mkdir(parents=True)
    own.write_text("[fetch]\nallow = true\n")
    wiki.ok("ingest", url, "--model", "offline")
    assert len(web.asked) == 1


def test_a_page_becomes_a_source_with_its_address_and_day(wiki: Wiki, web: Site) -> None:
    url = web.html("/tea", TEA)
    done = wiki.ok("ingest", url, *ALLOW, "--json").operation
    name = f"raw/web/127.0.0.1-{web.port}-tea.html"
    assert done["source"] == name and done["claims_added"] >= 1
    assert (wiki.root / name).read_bytes() == web.pages["/tea"].body
    assert wiki.status == ""
    ((path, ledger),) = [(p, page) for p, page in wiki.pages().items() if "/sources/" in p]
    assert (ledger.value("url"), ledger.value("fetched")) == (url, "2026-09-21"), path
    assert f"Fetched on 2026-09-21 from 127.0.0.1:{web.port}/tea" in wiki.git(
        "log", "-1", "--format=%B"
    )
    assert wiki.trailer("Wiki-Source").startswith(name)
    wiki.ok("lint", "--fail-on", "note", "--ignore", "WK3,WK4")


def test_the_same_address_again_is_a_new_version_of_the_source(wiki: Wiki, web: Site) -> None:
    url = web.html("/tea", TEA)
    wiki.ok("ingest", url, *ALLOW)
    before = wiki.count()
    assert "unchanged" in wiki.ok("ingest", url, *ALLOW).out
    assert wiki.count() == before
    web.html("/tea", TEA.replace("two minutes", "three minutes"))
    wiki.ok("ingest", url, *ALLOW, at=wikikit.NOW + 864_000)
    assert wiki.count() == before + 1
    ((path, ledger),) = [(p, page) for p, page in wiki.pages().items() if "/sources/" in p]
    assert ledger.value("fetched") == "2026-10-01"
    assert len(list((wiki.root / "raw/web").iterdir())) == 1
    assert wiki.status == "" and wiki.changed()[path] == "M"
    assert "three minutes" in wiki.claim("three minutes").text


def test_a_page_that_the_user_has_changed_is_not_overwritten(wiki: Wiki, web: Site) -> None:
    url = web.html("/tea", TEA)
    wiki.ok("ingest", url, *ALLOW)
    (kept,) = (wiki.root / "raw/web").iterdir()
    kept.write_bytes(b"mine")
    web.html("/tea", TEA.replace("two", "three"))
    done = wiki.run("ingest", url, *ALLOW)
    assert done.code == 3 and "not committed" in done.err, done
    assert kept.read_bytes() == b"mine"


def test_another_address_never_takes_the_file_of_one(wiki: Wiki, web: Site) -> None:
    first = web.html("/tea/green", TEA)
    second = web.html("/tea-green", TEA.replace("two", "three"))
    wiki.ok("ingest", first, second, *ALLOW)
    wiki.ok("ingest", second, *ALLOW)
    assert len(list((wiki.root / "raw/web").iterdir())) == 2
    assert len([path for path in wiki.pages() if "/sources/" in path]) == 2


def test_after_an_undo_the_address_is_read_again(wiki: Wiki, web: Site) -> None:
    url = web.html("/tea", TEA)
    wiki.ok("ingest", url, *ALLOW)
    wiki.ok("undo")
    for word in ("three", "four", "five"):
        web.html("/tea", TEA.replace("two", word))
        wiki.ok("ingest", url, *ALLOW)
        assert wiki.claim(f"{word} minutes")
        wiki.ok("undo")


def test_an_agent_reads_a_page_too(wiki: Wiki, web: Site) -> None:
    web.pages["/n.txt"] = Reply(b"Tea is a plant.\n", headers={"Content-Type": "text/plain"})
    job = wiki.prepare(web.url + "/n.txt", "--allow-network")
    assert "Tea is a plant." in job
    read = answer([claim("Tea", "Tea is a plant.")])
    read["source"] = {"sha256": sha("Tea is a plant.\n"), "segment": [1, 1]}
    assert wiki.apply(read).code == 0
    (page,) = [page for path, page in wiki.pages().items() if "/sources/" in path]
    assert page.value("fetched")
    assert len(web.asked) == 1


def test_of_several_addresses_one_that_fails_does_not_stop_the_rest(wiki: Wiki, web: Site) -> None:
    url = web.html("/tea", TEA)
    done = wiki.run("ingest", web.url + "/none", url, *ALLOW)
    assert done.code == 4 and "404" in done.out and "1 ingested, 1 failed" in done.out, done
    alone = wiki.run("ingest", web.url + "/none", *ALLOW, "--json")
    assert alone.code == 4
    assert json.loads(alone.out)["operations"][0]["source"] == web.url + "/none"


def test_a_secret_in_an_address_is_found(wiki: Wiki, web: Site) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"[:36]
    url = web.html(f"/tea?token={token}", TEA)
    done = wiki.run("ingest", url, *ALLOW)
    assert done.code == 7 and token not in done.err, done
    assert not web.asked


def test_a_dry_run_fetches_and_writes_nothing(wiki: Wiki, web: Site) -> None:
    url = web.html("/tea", TEA)
    head = wiki.head
    assert "planned" in wiki.ok("ingest", url, *ALLOW, "--dry-run").out
    assert wiki.head == head and wiki.status == "" and not (wiki.root / "raw/web").exists()


def test_no_setting_opens_ones_own_network(wiki: Wiki) -> None:
    with site(exempt=False) as served:
        url = served.html("/tea", TEA)
        for env in ({}, {"LLMWIKI_FETCH_ALLOW": "1", "LLMWIKI_FETCH_EXEMPT": "127.0.0.1"}):
            wiki.env = dict(env)
            done = wiki.run("ingest", url, *ALLOW)
            assert done.code == 7 and "private network" in done.err, done
    assert not served.asked


def test_every_failure_is_one_of_ours(web: Site) -> None:
    web.pages["/a"] = Reply(status=302, headers={"Location": "https://exa mple/"})
    web.pages["/b"] = Reply(b"", headers={"Transfer-Encoding": "chunked"})
    for path in ("/a", "/b"):
        with pytest.raises(WikiError):
            got(web.url + path, seconds=2)


@pytest.mark.parametrize(
    "size", ["-5", "-FFFFFFFFFFFFFFFFF", "FFFFFFFFFFFFFFFFFFFF", "0x5", "+5", "x"]
)
def test_a_chunk_of_no_size_is_a_page_that_cannot_be_fetched(
    wiki: Wiki, web: Site, size: str
) -> None:
    body = f"{size}\r\nhello\r\n".encode()
    headers = {"Transfer-Encoding": "chunked", "Content-Type": "text/html"}
    web.pages["/tea"] = Reply(body, headers=headers)
    done = wiki.run("ingest", web.url + "/tea", *ALLOW)
    assert done.code == 4 and "cannot be fetched" in done.err, done
    assert wiki.status == ""
