"""What macOS lacks is asked for on Linux only."""

from __future__ import annotations

import re
from pathlib import Path

CODE = Path(__file__).parent.parent / "llmwiki"
LINUX_ONLY = (
    "O_PATH O_TMPFILE eventfd fdatasync getrandom memfd_create pidfd_open pipe2 posix_fadvise"
    " posix_fallocate sched_getaffinity sched_setaffinity setns splice unshare"
)
"""What `os` has on Linux and, as its documentation says, not on macOS."""
_USED = re.compile(rf"\b(?:os\.(?:{'|'.join(LINUX_ONLY.split())})|select\.epoll)\b")


def test_what_macos_lacks_is_asked_for_on_linux_only() -> None:
    files = {
        place.relative_to(CODE).as_posix(): text
        for place in sorted(CODE.rglob("*.py"))
        if _USED.search(text := place.read_text("utf-8"))
    }
    assert files
    assert [name for name, text in files.items() if "sys.platform" not in text] == []
