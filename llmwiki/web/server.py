"""The server: a socket, uvicorn on it, and how it ends."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

import uvicorn

from llmwiki.app.http_server import SignalledServer, guarded
from llmwiki.core.errors import StateError, reason_of
from llmwiki.web.application import application

if TYPE_CHECKING:
    from llmwiki.web.site import Site

LAST_WORD = 5
"""Seconds that an operation which is being written has when the server ends."""


def listening(bind: str, port: int) -> socket.socket:
    """A socket that listens; its port is one that was free where `port` is 0. Raises StateError."""
    family = socket.AF_INET6 if ":" in bind else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((bind.strip("[]"), port))
        sock.listen(128)
    except (OSError, OverflowError) as error:
        sock.close()
        reason = reason_of(error) if isinstance(error, OSError) else "there is no such port"
        raise StateError(
            f"cannot listen there: {reason}",
            where=f"{bind}:{port}",
            fix="Choose another --port; 0 takes one that is free.",
        ) from error
    return sock


def serve(
    site: Site, sock: socket.socket, started: Callable[[], None], ended: Callable[[int], None]
) -> None:
    """Serves until SIGINT or SIGTERM, with whose number `ended` is called: it ends the process.

    Answers that are under way are not waited for, but for one that writes: threads that still make
    others would hold an ordinary end up.
    """
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    config = guarded(application(site), lifespan="off")
    _Server(config, site, started, ended).run(sockets=[sock])


class _Server(SignalledServer):
    """Ends at once."""

    def __init__(
        self,
        config: uvicorn.Config,
        site: Site,
        started: Callable[[], None],
        ended: Callable[[int], None],
    ) -> None:
        super().__init__(config)
        self._site = site
        self._started, self._ended = started, ended

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begins to answer."""
        await super().startup(sockets)
        self._started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stops listening, and leaves at once unless something is being written."""
        for each in self.servers:
            each.close()
        self._site.end(LAST_WORD)
        self._ended(self.ended_by)
