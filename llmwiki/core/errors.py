"""Every failure that a user can meet, each with the exit code it ends in.

WikiError
├── InputError        2  usage, an unsupported or broken input
├── StateError        3  the repository's state refuses
├── ProviderError     4  the model's provider or the network
├── ModelOutputError  5  the model answered, and the answer cannot be used
├── LockTimeout       6  another operation holds the wiki
├── PolicyError       7  a policy or a limit refuses: path, secret, cost, size
└── InternalError    70  a bug of ours
"""

from __future__ import annotations


class WikiError(Exception):
    """Something went wrong: `what` happened, `where`, and what the user can do (`fix`)."""

    exit_code = 70

    def __init__(self, what: str, *, where: str = "", fix: str = "") -> None:
        self.what = what
        self.where = where
        self.fix = fix
        super().__init__(what)

    def __str__(self) -> str:
        # A file's name may hold line ends, and a line of its own may be a command to who reads it.
        where = " ".join(self.where.splitlines())
        text = f"{where}: {self.what}" if where else self.what
        return f"{text}\n  {self.fix}" if self.fix else text


def reason_of(error: OSError) -> str:
    """Why the system did not open or write a file, in words."""
    for kind, words in _REASONS:
        if isinstance(error, kind):
            return words
    return error.strerror or "the system gives no reason"


_REASONS: tuple[tuple[type[OSError], str], ...] = (
    (FileNotFoundError, "there is no such file"),
    (PermissionError, "you may not do that with it"),
    (IsADirectoryError, "it is a folder"),
    (NotADirectoryError, "a part of its path is no folder"),
)


def fault_of(error: ValueError | RecursionError) -> str:
    """Why a text is no JSON or TOML, in words: where it stops being one, as far as is known."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start} is no UTF-8"
    line, column = getattr(error, "lineno", None), getattr(error, "colno", None)
    said = str(getattr(error, "msg", error)).partition(" (at ")
    if line is None:
        return said[0] + (f", {said[2].rstrip(')')}" if said[1] else "")
    return f"line {line}, column {column}: {said[0][:1].lower()}{said[0][1:]}"


class InputError(WikiError):
    """The command was called wrongly, or an input is missing, unsupported or broken."""

    exit_code = 2


class StateError(WikiError):
    """The repository is in a state in which this command must not write."""

    exit_code = 3


class ProviderError(WikiError):
    """The model's provider could not be reached, or refused to serve."""

    exit_code = 4


class ModelOutputError(WikiError):
    """The model answered, but the answer is refused, cut short or malformed."""

    exit_code = 5


class LockTimeout(WikiError):
    """Another operation held the wiki's lock for too long."""

    exit_code = 6


class PolicyError(WikiError):
    """A rule about paths, secrets, cost or size forbids this."""

    exit_code = 7


class InternalError(WikiError):
    """A promise of this program's own code was broken."""

    exit_code = 70
