"""Settings, where each may come from, and which of several values counts.

Order: flag > environment (`LLMWIKI_…`) > the repository's .llmwiki.toml > the user's own file >
default. What touches security or money never comes from a repository: a clone must not be able to
redirect a key or to raise a limit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from llmwiki.core.errors import InputError

Value = str | int | float | bool
FORMAT = 1
"""The layout of a wiki on disk that this version reads and writes."""


@dataclass(frozen=True, slots=True)
class Option:
    """One setting."""

    key: str
    """`section.name`, as in the TOML files."""
    default: Value
    meaning: str
    from_repository: bool = True
    """Whether .llmwiki.toml may set it."""
    many: bool = False
    """Whether it is words with commas between them, which TOML may write as a list."""

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "LLMWIKI_" + self.key.removesuffix(".id").replace(".", "_").upper()


OPTIONS: tuple[Option, ...] = (
    Option("format", FORMAT, "Layout of the wiki on disk"),
    Option("model.id", "", "Model that reads and writes; `offline` for the embedded extractor"),
    Option("ingest.max_cost", 0.0, "US dollars one command may spend; 0: no limit", False),
    Option("ingest.max_size", 100_000_000, "Bytes of the largest source that is read", False),
    Option("ingest.parallel", 4, "Model calls at once", False),
    Option("ingest.segment_bytes", 24_000, "Bytes of text in one model call"),
    Option("ingest.pictures", "", "Who reads pictures: model, tesseract, none; empty: any", False),
    Option("ingest.ocr_languages", "", "Languages for tesseract, such as `eng+jpn`"),
    Option("ingest.candidates", 30, "Existing pages shown to the model at most"),
    Option(
        "lint.select", "", "Rules that run: codes, their beginnings, names; empty: all", many=True
    ),
    Option("lint.ignore", "", "Rules that do not run", many=True),
    Option("lint.fail_on", "warning", "What makes a lint fail: error, warning, note or never"),
    Option("lint.baseline", "", "File of findings that are not reported, inside the wiki's root"),
    Option("lint.stub_bytes", 100, "A page whose body is shorter says nothing"),
    Option("lint.hub_stub_bytes", 500, "A much-linked page whose body is shorter says too little"),
    Option("lint.links", 2, "A page should lead to so many others"),
    Option("lint.missing_uses", 3, "So many pages that use a name make it worth a page"),
    Option("lint.chain", 3, "So many claims that replaced one another are a long chain"),
    Option("lint.sources", 20, "A page on more sources speaks of too much"),
    Option("lint.aging_days", 30, "From so many days on knowledge ages"),
    Option("lint.stale_days", 90, "From so many days on it is stale"),
    Option("lock.wait", 30.0, "Seconds to wait for another operation", False),
)
_BY_KEY = {option.key: option for option in OPTIONS}


@dataclass(frozen=True, slots=True)
class Setting:
    """The value in force and where it came from."""

    option: Option
    value: Value
    origin: str
    """`default`, `environment`, or the path of a file."""


@dataclass(frozen=True, slots=True)
class Config:
    """All settings in force, and what was ignored."""

    settings: Mapping[str, Setting]
    ignored: tuple[str, ...] = ()
    """Sentences: a key that the repository may not set, or that does not exist."""

    def text(self, key: str) -> str:
        """A setting of words."""
        return str(self.settings[key].value)

    def number(self, key: str) -> float:
        """A setting that is a number."""
        return float(self.settings[key].value)

    def whole(self, key: str) -> int:
        """A setting that is a whole number."""
        return int(self.settings[key].value)


def merge(
    environment: Mapping[str, str],
    repository: tuple[str, Mapping[str, object]],
    user: tuple[str, Mapping[str, object]],
) -> Config:
    """The settings in force; files are given as (origin, their parsed TOML).

    Raises InputError for a value of the wrong type, naming where it stands, and for a `format`
    that this version does not know.
    """
    ignored: list[str] = []
    settings = {o.key: Setting(o, o.default, "default") for o in OPTIONS}
    for origin, table, trusted in ((*user, True), (*repository, False)):
        for key, raw in _flat(table):
            option = _BY_KEY.get(key)
            if option is None:
                if not (trusted and key.startswith("model.")):
                    ignored.append(f"{origin}: there is no setting {key}")
            elif not trusted and not option.from_repository:
                ignored.append(f"{origin}: {key} is not taken from a repository")
            else:
                settings[key] = Setting(option, _typed(option, raw, origin), origin)
    for option in OPTIONS:
        held = environment.get(option.variable)
        if held:
            value = _typed(option, _from_text(option, held), option.variable)
            settings[option.key] = Setting(option, value, "environment")
    known = settings["format"]
    if known.value != FORMAT:
        raise InputError(
            f"this wiki has format {known.value}; this version reads format {FORMAT}",
            where=known.origin,
            fix="Install the version of llmwiki that made it.",
        )
    return Config(settings, tuple(ignored))


def _flat(table: Mapping[str, object], prefix: str = "") -> Sequence[tuple[str, object]]:
    rows: list[tuple[str, object]] = []
    for name, value in table.items():
        key = f"{prefix}{name}"
        if isinstance(value, Mapping):
            rows += _flat(value, f"{key}.")
        else:
            rows.append((key, value))
    return rows


def _from_text(option: Option, text: str) -> object:
    kind = type(option.default)
    if kind is bool:
        return text.lower() in ("1", "true", "yes", "on")
    if kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            return text
    return text


def _typed(option: Option, raw: object, origin: str) -> Value:
    wanted = type(option.default)
    if option.many and isinstance(raw, list) and all(isinstance(word, str) for word in raw):
        return ",".join(raw)
    if wanted is float and isinstance(raw, int) and not isinstance(raw, bool):
        return float(raw)
    if type(raw) is wanted and isinstance(raw, str | int | float | bool):
        if isinstance(raw, int | float) and raw < 0:
            raise InputError(f"{option.key} must not be negative", where=origin)
        if option.key == "ingest.segment_bytes" and raw == 0:
            raise InputError(f"{option.key} must be positive", where=origin)
        return raw
    names = {str: "words", int: "a whole number", float: "a number", bool: "true or false"}
    raise InputError(f"{option.key} must be {names[wanted]}", where=origin)
