"""Rules about how old knowledge is: by the last operation on the sources it rests on."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date, timedelta
from typing import TYPE_CHECKING

from llmwiki.core.page_kinds import TOPICS
from llmwiki.lint.finding import RuleHit
from llmwiki.lint.page_links import kind_of
from llmwiki.lint.relation import Group, Relation, Value
from llmwiki.lint.rule import OverGroup, OverWiki, Rule, rule
from llmwiki.lint.view import PageView

if TYPE_CHECKING:
    from llmwiki.lint.wiki import WikiView

_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?", re.ASCII)
_DATED = "@"
"""What the key of a page with dated claims begins with; the others are paths below raw/."""


def _say(view: PageView) -> Iterator[tuple[str, Value]]:
    sources = () if view.broken else view.head.sources
    resources = {ref.id: ref.resource.lstrip("/") for ref in sources}
    ages = int(kind_of(view) in TOPICS)
    for number, resource in enumerate(dict.fromkeys(resources.values())):
        if resource:
            yield resource, (len(resources), int(number == 0), ages)
    for placed in view.claims:
        claim = placed.claim
        as_of, until = view.date_of(claim), claim.attribute("until") or ""
        if claim.successor is None and (as_of or until):
            rests = sorted({resources.get(e.source, "") for e in claim.evidence} - {""})
            yield _DATED + view.path, (placed.line, claim.id, as_of, until, *rests)


SOURCES = Relation("sources", _say)
"""Under the path of each source below raw/ the pages that rest on it: of how many sources each
does, whether this is its first, whether it ages. Under `@` and its path what a page's claims say
of their time."""


def _overflow(group: Group) -> Iterator[RuleHit]:
    if group.key.startswith(_DATED):
        return
    for path, value in group.rows:
        if value[1] and int(value[0]) > group.limits.sources:
            message = f"It rests on {value[0]} sources; up to {group.limits.sources} are usual"
            yield RuleHit(0, message, path)


class _Ages:
    """When the sources of pages were last worked on."""

    def __init__(self, wiki: WikiView) -> None:
        self._wiki = wiki
        self._known: dict[str, date | None] = {}

    def touched(self, resource: str) -> date | None:
        """The date of the last operation on a source; None where none is known."""
        if resource not in self._known:
            self._known[resource] = self._wiki.history.last_touch(resource)
        return self._known[resource]

    def pages(self) -> dict[str, date | None]:
        """Each page that ages to the newest such date of its sources."""
        newest: dict[str, date | None] = {}
        for group in self._wiki.groups(SOURCES):
            if group.key.startswith(_DATED):
                continue
            touched = self.touched(group.key)
            for path, value in group.rows:
                if value[2]:
                    before = newest.get(path)
                    newest[path] = touched if before is None else max(before, touched or before)
        return newest


def _stale(wiki: WikiView) -> Iterator[RuleHit]:
    if wiki.history.shallow:
        return
    for path, touched in sorted(_Ages(wiki).pages().items()):
        if touched is None:
            yield RuleHit(0, "Nobody knows when its sources were last worked on", path)
        elif (days := (wiki.today - touched).days) >= wiki.limits.stale_days:
            yield RuleHit(0, f"Its sources were last worked on {days} days ago, on {touched}", path)


def _ages(wiki: WikiView) -> Iterator[RuleHit]:
    if wiki.history.shallow:
        return
    for path, touched in sorted(_Ages(wiki).pages().items()):
        days = 0 if touched is None else (wiki.today - touched).days
        if wiki.limits.aging_days <= days < wiki.limits.stale_days:
            yield RuleHit(0, f"Its sources were last worked on {days} days ago, on {touched}", path)


def _past(wiki: WikiView) -> Iterator[RuleHit]:
    ages = _Ages(wiki)
    is_known = not wiki.history.shallow
    for group in wiki.groups(SOURCES):
        if not group.key.startswith(_DATED):
            continue
        for path, (line, claim_id, as_of, until, *resources) in group.rows:
            dates = [ages.touched(str(resource)) for resource in resources] if is_known else []
            touched = max((day for day in dates if day is not None), default=None)
            message = _outlived(wiki, str(as_of), str(until), touched)
            if message:
                said = f"^{claim_id} {message}"
                yield RuleHit.of_claim(str(claim_id), int(line), said, path=path)


def _outlived(wiki: WikiView, as_of: str, until: str, touched: date | None) -> str:
    """What is past of a claim; empty where nothing is.

    An `until` that lay in the past when the source was read is history, and stays true.
    """
    end = last_day(until)
    if end is not None and end < wiki.today and (touched is None or touched <= end):
        return f"was to hold until {until}"
    seen = last_day(as_of)
    old = timedelta(days=wiki.limits.stale_days)
    if (
        seen is not None
        and touched is not None
        and until == ""
        and seen + old <= wiki.today
        and touched + old <= wiki.today
    ):
        return f"tells of {as_of}, and its sources were last worked on on {touched}"
    return ""


def last_day(text: str) -> date | None:
    """The last day of a year, month or day; None for what is none of them."""
    found = _DATE.fullmatch(text.strip())
    if found is None:
        return None
    year, month, day = int(found[1]), int(found[2] or 12), int(found[3] or 0)
    if not (1 <= year < 9999 and 1 <= month <= 12):
        return None
    longest = monthrange(year, month)[1]
    return date(year, month, day or longest) if day <= longest else None


def _rests_on(count: int) -> str:
    entries = "".join(
        f"  - {{id: s{n:02}-md, resource: /raw/s{n:02}.md, sha256: aa}}\n" for n in range(count)
    )
    return f"---\ntype: concept\ntitle: Example\nsources:\n{entries}---\n\n# Example\n"


RULES: tuple[Rule, ...] = (
    rule(
        "WK306 note stale-page",
        OverWiki(_stale, ("pages", "history", "day")),
        "None of the sources that an entity, concept or synthesis rests on was worked on for 90 "
        "days; or no operation on them is known. Today is the date of the newest commit.",
        "Look whether the sources still hold; ingest newer ones.",
    ),
    rule(
        "WK307 note aging-page",
        OverWiki(_ages, ("pages", "history", "day")),
        "None of the sources that an entity, concept or synthesis rests on was worked on for 30 "
        "days. Today is the date of the newest commit.",
        "Nothing need be done yet; it is stale after 90 days.",
    ),
    rule(
        "WK308 note stale-claim",
        OverWiki(_past, ("pages", "history", "day")),
        "A claim says until when it holds, and that day has come since its source was read; or it "
        "says as of when it holds, and both that day and the last operation on its sources are "
        "90 days back.",
        "Find out what holds now: a newer source updates or supersedes it.",
    ),
    rule(
        "WK309 warning sources-overflow",
        OverGroup(SOURCES, _overflow),
        "A page rests on more than 20 sources: it most likely speaks of several things.",
        "Move what is a subject of its own to a page of its own.",
        bad=_rests_on(21),
        good=_rests_on(20),
    ),
)
