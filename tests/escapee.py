"""What a hostile document would do once it runs code: run by tests in confined processes.

Arguments: the package's root, `limit` or nothing (whether it gives up rights itself), a folder at
home with a file `secret`, a port that listens. Prints a JSON object: what was tried, and why it
failed or "done".
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

root, limits, home, port = sys.argv[1:]
sys.path.append(root)
sys.stdin.buffer.read()

if limits == "limit":
    from llmwiki.sources.sandbox import limit, readable

    limit(memory=512 << 20, seconds=20, reads=readable())


def attempt(act: Callable[[], object]) -> str:
    try:
        act()
    except OSError as error:
        return type(error).__name__
    return "done"


def connect(kind: socket.SocketKind) -> None:
    with socket.socket(socket.AF_INET, kind) as one:
        one.settimeout(2)
        one.connect(("127.0.0.1", int(port)))
        one.send(b"x")


def write(name: str) -> None:
    fd = os.open(name, os.O_WRONLY | os.O_CREAT)
    os.write(fd, b"x")
    os.close(fd)


print(
    json.dumps(
        {
            "read": attempt(lambda: Path(home, "secret").read_bytes()),
            "list": attempt(lambda: os.listdir(home)),
            "passwords": attempt(lambda: Path("/etc/passwd").read_bytes()),
            "write": attempt(lambda: write(f"{home}/new")),
            "write elsewhere": attempt(lambda: write(f"{home}/../new")),
            "tcp": attempt(lambda: connect(socket.SOCK_STREAM)),
            "udp": attempt(lambda: connect(socket.SOCK_DGRAM)),
            "unix": attempt(lambda: socket.socket(socket.AF_UNIX)),
            "run": attempt(lambda: subprocess.run(["/bin/true"], check=True)),
        }
    )
)
