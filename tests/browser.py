"""A headless Chromium, driven over a pipe by its DevTools protocol; standard library only."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

BINARY = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)
"""The browser on this machine, or an empty text."""

_FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--disable-sync",
    "--hide-scrollbars",
]
_KEYS = {
    "Enter": (13, "\r"), "Escape": (27, ""), "Tab": (9, ""), "ArrowLeft": (37, ""),
    "ArrowUp": (38, ""), "ArrowRight": (39, ""), "ArrowDown": (40, ""),
}  # fmt: skip


class Browser:
    """One running browser; `page` opens a tab."""

    def __init__(self, room: Path) -> None:
        to_child, self._out = os.pipe()
        self._in, from_child = os.pipe()
        arguments = [BINARY, *_FLAGS, f"--user-data-dir={room / 'profile'}", "about:blank"]
        quiet = os.open(os.devnull, os.O_RDWR)
        # Both ends are first put out of the way, for either may have the number 3 or 4 itself.
        actions = [
            (os.POSIX_SPAWN_DUP2, to_child, 103),
            (os.POSIX_SPAWN_DUP2, from_child, 104),
            (os.POSIX_SPAWN_DUP2, 103, 3),
            (os.POSIX_SPAWN_DUP2, 104, 4),
            *((os.POSIX_SPAWN_DUP2, quiet, number) for number in range(3)),
        ]
        environment = {**os.environ, "HOME": str(room)}
        self._child = os.posix_spawn(
            BINARY, arguments, environment, file_actions=actions, setsid=True
        )
        for each in (to_child, from_child, quiet):
            os.close(each)
        self._number = 0
        self._held = b""
        self.events: list[dict[str, Any]] = []

    def close(self) -> None:
        """Ends the browser and all it started."""
        for each in (self._out, self._in):
            os.close(each)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._child, signal.SIGKILL)
        os.waitpid(self._child, 0)

    def call(self, method: str, session: str = "", /, **params: Any) -> Any:
        """The answer of one command; events that come meanwhile are kept in `events`."""
        self._number += 1
        number = self._number
        message: dict[str, Any] = {"id": number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._out, data) :]
        while True:
            answer = self._read(60)
            if answer is None:
                raise TimeoutError(method)
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def collect(self, seconds: float) -> None:
        """Waits for events."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if (answer := self._read(left)) is not None:
                self.events.append(answer)

    def _read(self, seconds: float) -> dict[str, Any] | None:
        until = time.monotonic() + seconds
        while b"\0" not in self._held:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._in], [], [], left)[0]:
                return None
            if not (data := os.read(self._in, 1 << 20)):
                raise EOFError("the browser is gone")
            self._held += data
        message, self._held = self._held.split(b"\0", 1)
        loaded: dict[str, Any] = json.loads(message)
        return loaded

    @contextlib.contextmanager
    def page(
        self,
        file: Path | str,
        *,
        dark: bool = False,
        size: tuple[int, int] = (1360, 860),
        ready: str = "window.wikiGraph !== undefined",
    ) -> Iterator[Page]:
        """A tab with `file` and no network behind it, or with an address, once `ready` is true;
        closed at the end."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.events.clear()
        tab = Page(self, session)
        for domain in ("Page", "Runtime", "Network", "Log"):
            tab.call(f"{domain}.enable")
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        tab.call("Emulation.setEmulatedMedia", features=features)
        width, height = size
        tab.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip
        tab.call(
            "Network.emulateNetworkConditions",
            offline=isinstance(file, Path), latency=0, downloadThroughput=-1, uploadThroughput=-1,
        )  # fmt: skip
        tab.call("Page.navigate", url=file.as_uri() if isinstance(file, Path) else file)
        tab.until(ready)
        yield tab
        self.call("Target.closeTarget", targetId=target)


class Page:
    """One tab."""

    def __init__(self, browser: Browser, session: str) -> None:
        self.browser = browser
        self.session = session

    def call(self, method: str, /, **params: Any) -> Any:
        return self.browser.call(method, self.session, **params)

    def run(self, script: str) -> Any:
        """The value of an expression, awaited if it is a promise."""
        answer = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def until(self, script: str, seconds: float = 30) -> None:
        """Waits until an expression is true."""
        end = time.monotonic() + seconds
        while not self.run(script):
            if time.monotonic() > end:
                raise TimeoutError(script)
            time.sleep(0.02)

    def key(self, name: str) -> None:
        code, text = _KEYS.get(name, (0, name))
        held = {"key": name, "windowsVirtualKeyCode": code, "code": name if code else ""}
        self.call(
            "Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **held
        )
        self.call("Input.dispatchKeyEvent", type="keyUp", **held)

    def write(self, text: str) -> None:
        for letter in text:
            self.key(letter)

    def drag(self, x: float, y: float, dx: float, dy: float) -> None:
        """Presses at a place of the window, moves and lets go."""
        mouse = {"button": "left", "clickCount": 1}
        self.call("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, **mouse)
        for part in (0.5, 1):
            at = {"x": x + dx * part, "y": y + dy * part}
            self.call("Input.dispatchMouseEvent", type="mouseMoved", buttons=1, **at, **mouse)
        self.call("Input.dispatchMouseEvent", type="mouseReleased", x=x + dx, y=y + dy, **mouse)

    def wheel(self, x: float, y: float, turn: float) -> None:
        self.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=turn)

    def click(self, x: float, y: float) -> None:
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            button = "none" if kind == "mouseMoved" else "left"
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, clickCount=1)

    def click_on(self, selector: str) -> None:
        """Clicks in the middle of what a CSS selector finds first."""
        x, y = self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            "e.scrollIntoView({block: 'nearest'}); const b = e.getBoundingClientRect();"
            "return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        self.click(x, y)

    def place(self, label: str) -> tuple[float, float]:
        """Where a page or a community is in the window, by its label."""
        x, y = self.run(
            "(() => { const b = document.getElementById('canvas').getBoundingClientRect();"
            f"const p = wikiGraph.places.find((each) => each[0] === {json.dumps(label)});"
            "return [p[1] + b.x, p[2] + b.y]; })()"
        )
        return x, y

    def told(self) -> list[dict[str, Any]]:
        """Events of this tab so far."""
        return [each for each in self.browser.events if each.get("sessionId") == self.session]

    def picture(self, file: Path) -> None:
        """A PNG of the window."""
        import base64

        data = self.call("Page.captureScreenshot", format="png")["data"]
        file.write_bytes(base64.b64decode(data))
