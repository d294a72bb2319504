"""The time that one call may take, with everything that belongs to it."""

from __future__ import annotations

import time

from llmwiki.core.errors import ProviderError


class Deadline:
    """The end of a call's time, by the monotonic clock.

    It begins with the first request, so that a call does not spend its time waiting for others to
    give back what they reserved of a budget.
    """

    def __init__(self, seconds: float, where: str) -> None:
        self.seconds = seconds
        self._where = where
        self._end: float | None = None

    def begin(self) -> None:
        """The time runs from here on; only the first call counts."""
        if self._end is None:
            self._end = time.monotonic() + self.seconds

    @property
    def left(self) -> float:
        """Seconds; below 0 when they are over."""
        return self.seconds if self._end is None else self._end - time.monotonic()

    def check(self) -> None:
        """Raises ProviderError when the time is over."""
        if self.left <= 0:
            raise self.over()

    def over(self) -> ProviderError:
        """What is raised when the time is over."""
        return ProviderError(
            f"the call took longer than {self.seconds:g} s",
            where=self._where,
            fix="Try again later; nothing was written. For a slow server raise"
            " model.call_timeout in the user configuration.",
        )
