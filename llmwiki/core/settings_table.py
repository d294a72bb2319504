"""The table of settings: what each means, which values it takes, and who may set it.

A setting is set by the user (a flag, `LLMWIKI_…`, the user's own file) or by the repository
(`.llmwiki.toml`). Whoever clones a repository has not read that file: where a setting decides how
much a command costs, the repository has a narrower range than the user, or none at all.
"""

from __future__ import annotations

import math

from llmwiki.core.quick_to_load import NamedTuple

Value = str | int | float | bool
FORMAT = 3
"""The layout of a wiki on disk that this version writes; it reads earlier ones too."""

MAX_WORDS = 10_000
"""Characters of a setting that is words; all codes and names of rules together are some 2,000."""


class Range(NamedTuple):
    """The numbers that a setting takes, both ends included."""

    floor: float
    cap: float

    def __contains__(self, value: object) -> bool:
        return isinstance(value, (int, float)) and self.floor <= value <= self.cap

    def nearest(self, value: float) -> float:
        """The number of the range that is nearest to `value`."""
        return max(self.floor, min(value, self.cap))

    def __str__(self) -> str:
        if self.cap == math.inf:
            return f"{_written(self.floor)} or more"
        return f"{_written(self.floor)} to {_written(self.cap)}"


class Option(NamedTuple):
    """One setting."""

    key: str
    """`section.name`, as in the TOML files."""
    default: Value
    meaning: str
    range: Range | None = None
    """Of a number."""
    from_repository: bool = True
    """Whether .llmwiki.toml may set it."""
    of_repository: Range | None = None
    """The range that .llmwiki.toml has, where it is narrower."""
    many: bool = False
    """Whether it is words with commas between them, which TOML may write as a list."""

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "LLMWIKI_" + self.key.removesuffix(".id").replace(".", "_").upper()


_SECONDS = Range(0.1, 86_400)
"""Up to a day."""

OPTIONS: tuple[Option, ...] = (
    Option("format", FORMAT, "Layout of the wiki on disk"),
    Option(
        "branch",
        "main",
        "The branch on which index.md, overview.md and log.md are written; empty: none, where they"
        " are another tool's",
    ),
    Option("review", "", "`always`: all that changes pages waits on a branch for review"),
    Option("layout.wiki", "wiki", "Folder whose Markdown files are read as pages too; `.`: all"),
    Option("model.id", "", "Model that reads and writes; `offline` for the reader without a model"),
    Option(
        "model.max_output_tokens",
        16_000,
        "Tokens of one reply; raised once to twice as much when a reply is cut there",
        Range(16, 200_000),
        from_repository=False,
    ),
    Option(
        "model.max_input_tokens",
        200_000,
        "Tokens of one request at most, an estimate",
        Range(1_000, 2_000_000),
        from_repository=False,
    ),
    Option("model.connect_timeout", 10.0, "Seconds to connect in", _SECONDS, from_repository=False),
    Option(
        "model.read_timeout",
        120.0,
        "Seconds without a byte after which a reply counts as stalled",
        _SECONDS,
        from_repository=False,
    ),
    Option(
        "model.call_timeout",
        1800.0,
        "Seconds that one call may take, with its retries, waits and repair",
        _SECONDS,
        from_repository=False,
    ),
    Option(
        "ingest.max_cost",
        0.0,
        "US dollars one command may spend; 0: no limit",
        Range(0, 1_000_000),
        from_repository=False,
    ),
    Option(
        "ingest.max_size",
        100_000_000,
        "Bytes of the largest source that is read",
        Range(1, 10_000_000_000),
        from_repository=False,
    ),
    Option("ingest.parallel", 4, "Model calls at once", Range(1, 64), from_repository=False),
    Option(
        "ingest.segment_bytes",
        24_000,
        "Bytes of text in one model call",
        Range(1_000, 200_000),
        # Each call repeats some 10,000 bytes of rules: with a third of the usual text a source
        # costs some 2.1 times as much. Twice the usual text still fits the answer that is reserved.
        of_repository=Range(8_000, 48_000),
    ),
    Option(
        "ingest.pictures",
        True,
        "Whether a model or an agent reads pictures and scans",
        from_repository=False,
    ),
    Option(
        "ingest.candidates",
        30,
        "Existing pages shown to the model at most",
        Range(0, 200),
        of_repository=Range(0, 60),
    ),
    Option(
        "fetch.allow",
        False,
        "Whether `wiki ingest ADDRESS` may use the network without --allow-network",
        from_repository=False,
    ),
    Option(
        "retrieval.sources", True, "Whether a context shows lines of the sources beside the claims"
    ),
    Option(
        "lint.select", "", "Rules that run: codes, their beginnings, names; empty: all", many=True
    ),
    Option("lint.ignore", "", "Rules that do not run", many=True),
    Option("lint.fail_on", "warning", "What makes a lint fail: error, warning, note or never"),
    Option("lint.baseline", "", "File of findings that are not reported, inside the wiki's root"),
    Option(
        "chat.routes",
        "",
        "How chat spreads work: one, delegate or classify; empty: as its profile has it",
        from_repository=False,
    ),
    Option(
        "chat.profile",
        "wiki",
        "Tables by which chat makes prompts and keeps talks small: wiki, picoclaw, clawdbot, roo, "
        "claw0 or layers2025",
        from_repository=False,
    ),
    Option(
        "chat.exec",
        "off",
        "Whether chat may run programs: off, sandbox or unsandboxed",
        from_repository=False,
    ),
    Option(
        "chat.web_fetch",
        False,
        "Whether chat may read pages of the web",
        from_repository=False,
    ),
    Option(
        "chat.web_search",
        "",
        "With what chat searches the web: brave or searxng; empty: not",
        from_repository=False,
    ),
    Option(
        "chat.web_search_url",
        "",
        "Address of the search server, where it is not the provider's own",
        from_repository=False,
    ),
    Option(
        "chat.i2c",
        "",
        "Buses (`1`) and devices (`1:0x38`) that chat may reach over I2C; empty: none",
        from_repository=False,
        many=True,
    ),
    Option(
        "chat.spi",
        "",
        "Devices (`0.0`) that chat may reach over SPI; empty: none",
        from_repository=False,
        many=True,
    ),
    Option(
        "memory.commit",
        "ask",
        "Whether what is learned from conversations is committed: ask (once a clone), always or "
        "never; a repository may say never only",
    ),
    Option(
        "memory.idle",
        300,
        "Seconds that nothing is typed in chat before a model reads what is new in it for the"
        " memory; 0: never",
        Range(0, 86_400),
        from_repository=False,
    ),
    Option("memory.review", "", "`ask`: what is learned waits until a person has seen it"),
    Option(
        "mcp.writes",
        "commit",
        "What becomes of a write that comes over MCP: commit, review or off",
    ),
    Option(
        "lock.wait",
        30.0,
        "Seconds to wait for another operation",
        Range(0, 86_400),
        from_repository=False,
    ),
)
BY_KEY = {option.key: option for option in OPTIONS}

PRIVATE = ("model.base_url", "model.api_key", "model.prices")
"""Keys of the user's own file that are no single value to be listed: an address that may hold a
password, a key, a table. `models.settings` reads them."""


def default_of(key: str) -> float:
    """The default of a setting that is a number."""
    return float(BY_KEY[key].default)


def _written(number: float) -> str:
    return f"{number:,.0f}".replace(",", "_") if number == int(number) else f"{number:g}"
