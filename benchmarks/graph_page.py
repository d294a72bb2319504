"""How soon the graph's page opens, and how smooth it is: a headless browser without a GPU.

usage: python -m benchmarks.graph_page GRAPH.html [GRAPH.html …]

A row a file and view: seconds from the call until the page answers and until the layout is done,
then milliseconds a frame (median / 95th percentile) at rest, while the picture is moved, and while
the wheel turns. At rest a frame takes 16.7.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from tests.browser import BINARY, Browser, Page

_FRAMES = """(async () => {
  const canvas = document.getElementById('canvas'), times = [];
  const act = {
    rest: () => {},
    pan: (i) => canvas.dispatchEvent(new KeyboardEvent(
      'keydown', { key: i % 2 ? 'ArrowLeft' : 'ArrowRight', shiftKey: true })),
    wheel: (i) => canvas.dispatchEvent(new WheelEvent(
      'wheel', { deltaY: i < 30 ? -60 : 60, clientX: 800, clientY: 450, cancelable: true })),
  }[ACT];
  let last = performance.now();
  for (let i = 0; i < 60; i++) {
    act(i);
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    times.push(now - last);
    last = now;
  }
  times.sort((a, b) => a - b);
  return [times[30], times[56]];
})()"""
_SHOW_ALL = (
    "[...document.querySelectorAll('#trail button')].find((e) => e.textContent === 'All pages')"
)


def _row(tab: Page, name: str, begun: float, answered: float) -> None:
    tab.until("wikiGraph.settled", 120)
    settled = time.monotonic() - begun
    cells = [f"{name:32}", f"{answered:5.2f}", f"{settled:7.2f}"]
    for act in ("rest", "pan", "wheel"):
        median, slow = tab.run(_FRAMES.replace("ACT", f"'{act}'"))
        cells.append(f"{median:5.1f} /{slow:6.1f}")
    print("  ".join(cells), flush=True)


def main() -> int:
    """Measures each file named on the command line."""
    if not BINARY:
        print("no chromium or google-chrome on this machine", file=sys.stderr)
        return 2
    print(f"{'':32}  open  settled  {'rest':>13}  {'pan':>13}  {'wheel':>13}")
    with tempfile.TemporaryDirectory() as room:
        browser = Browser(Path(room))
        try:
            for file in map(Path, sys.argv[1:]):
                begun = time.monotonic()
                with browser.page(file.resolve(), size=(1440, 900)) as tab:
                    answered = time.monotonic() - begun
                    pages, view = tab.run("[wikiGraph.pages, wikiGraph.view]")
                    _row(tab, f"{pages:,} pages, {view}", begun, answered)
                    if view == "groups" and tab.run(f"Boolean({_SHOW_ALL})"):
                        begun = time.monotonic()
                        tab.run(f"{_SHOW_ALL}.click()")
                        _row(tab, f"{pages:,} pages, all", begun, time.monotonic() - begun)
        finally:
            browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
