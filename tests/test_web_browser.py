"""The web view in a real browser: what scripts add, what works without them, what never runs."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browser
import pytest
import servekit
import wikikit
from servekit import GREEN
from test_web import EVIL

pytestmark = pytest.mark.skipif(
    not browser.BINARY, reason="no chromium or google-chrome on this machine"
)
LOADED = (
    "document.readyState === 'complete' && location.protocol === 'http:'"
    " && !location.search.includes('token=')"
)


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, str]]:
    """Where a server runs, and its token."""
    wiki = wikikit.make(tmp_path, monkeypatch, servekit.grow)
    wiki.put("wiki/concepts/Evil.md", EVIL + "\n[[Green tea]]\n")
    wiki.git("add", "-A")
    wiki.git("commit", "-qm", "hostile")
    wiki.edit("wiki/concepts/Green tea.md", "# Green tea\n", "# Green tea\n\nA lead of today.\n")
    server = wiki.spawn("serve", "--port", "0")
    assert server.stdout
    found = re.fullmatch(r"(http://\S+)/\?token=(\S+)\s*", server.stdout.readline().decode())
    assert found, server.communicate()
    yield found[1], found[2]
    server.send_signal(signal.SIGINT)
    server.communicate(timeout=20)


def trouble(tab: browser.Page, base: str) -> list[Any]:
    """Requests that leave, and what the browser refused or a script threw."""
    tab.browser.collect(0.1)
    told = tab.told()
    asked = [
        e["params"]["request"]["url"] for e in told if e["method"] == "Network.requestWillBeSent"
    ]
    bad = [e for e in told if e["method"] in ("Log.entryAdded", "Runtime.exceptionThrown")]
    return [url for url in asked if not url.startswith(base)] + bad


def test_reading_with_scripts_without_and_in_bad_company(
    address: tuple[str, str], tmp_path: Path
) -> None:
    base, token = address
    running = browser.Browser(tmp_path)
    try:
        with running.page(f"{base}/?token={token}", ready=LOADED) as tab:
            tab.key("/")
            tab.write("green")
            tab.until("document.querySelector('#found a.page')?.textContent === 'Green tea'")
            assert not trouble(tab, base)
        with running.page(f"{base}/wiki/concepts/Evil", dark=True, ready=LOADED) as tab:
            tab.call("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
            x, y = tab.run(
                "(() => { const b = [...document.querySelectorAll('.prose a.page')].at(-1);"
                "b.scrollIntoView({block: 'center'}); const r = b.getBoundingClientRect();"
                "return [r.x + r.width / 2, r.y + r.height / 2]; })()"
            )
            tab.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
            tab.until(
                "document.querySelector('#preview:not([hidden]) b')?.textContent === 'Green tea'"
            )
            assert (
                tab.run("document.querySelectorAll('main script, main img, main iframe').length")
                == 0
            )
            assert not trouble(tab, base)
        with running.page(
            f"{base}/wiki/concepts/Green%20tea", size=(390, 844), ready=LOADED
        ) as tab:
            tab.call("Emulation.setScriptExecutionDisabled", value=True)
            tab.call("Page.reload")
            tab.until(LOADED)
            tab.click_on(".claim cite a")
            tab.until(
                "location.pathname.startsWith('/source/') && document.readyState === 'complete'"
            )
            assert tab.run("document.querySelector('mark').textContent") == GREEN
            seen = "(b => b.top > 0 && b.bottom < innerHeight)(document.querySelector('mark')"
            tab.until(f"{seen}.getBoundingClientRect())")
            assert tab.run("document.documentElement.scrollWidth <= innerWidth")
        with running.page(f"{base}/history/wiki/concepts/Green%20tea.md", ready=LOADED) as tab:
            assert tab.run("document.querySelector('[data-slider] select').hidden")
            tab.run("document.querySelector('input[type=range]').focus()")
            tab.key("ArrowLeft")
            tab.until("location.search.startsWith('?at=') && document.readyState === 'complete'")
            assert not tab.run("document.body.innerText.includes('A lead of today.')")
            assert not trouble(tab, base)
    finally:
        running.close()


def test_a_page_of_another_program_leads_to_the_view(
    address: tuple[str, str], tmp_path: Path
) -> None:
    """As `wiki serve --open` does; the cookie is one that browsers keep from other sites."""
    base, token = address
    page = tmp_path / "open.html"
    page.write_text(f'<meta http-equiv="refresh" content="0;url={base}/?token={token}">')
    running = browser.Browser(tmp_path)
    ready = f"{LOADED} && document.body.innerText.includes('On tea')"
    try:
        with running.page(page.as_uri(), ready=ready) as tab:
            assert tab.run("location.href") == f"{base}/"
    finally:
        running.close()
