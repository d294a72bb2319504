"""Safety: what must not stand in a page that people render and models read."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from urllib.parse import unquote

from llmwiki.core.errors import PolicyError
from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.core.secrets import may_hold, scan
from llmwiki.lint.findings import Finding, Severity, found_at, short
from llmwiki.lint.own_and_foreign_pages import is_clipping
from llmwiki.lint.page_view import PageView
from llmwiki.lint.rule import Rule, rule, rules_in
from llmwiki.lint.rules import hidden_text
from llmwiki.lint.vault_and_archive_folders import VaultKind
from llmwiki.pages.id_and_evidence_patterns import ID_AT_END
from llmwiki.pages.line_patterns import is_escaped

_HEAD = "---\ntype: concept\ntitle: Example\ndescription: One of many.\n---\n\n# Example\n\n"


# --- secrets -------------------------------------------------------------------------------


@rule(
    "WK601 error secret",
    was="WK614 secret-in-catalogue",
    bad=f"{_HEAD}The key is AKIA{'QX7Z2M4N' * 2}.\n",
    good=f"{_HEAD}The key is AKIAIOSFODNN7EXAMPLE.\n",
)
def secret(view: PageView) -> Iterator[Finding]:
    """What looks like a key, token or password stands in a page, or in the overview, an index or
    the log, for everybody who can read the repository. Placeholders and examples are not reported.
    In notes of another tool it is a note in what was copied there (from the web, as a whole book,
    as a row of a table), where machines are broken into for exercise, and in the docs of a project.
    Where only the words around it tell of a secret, it is a warning if it is given to a name, and
    not told there, near words of examples or the address of a meeting, for a service on one's own
    machine and in what a command has printed.

    Make the secret void where it came from, then take it out; git keeps the old page.
    """
    if view.is_foreign and view.path.endswith(".excalidraw.md"):
        # A drawing, packed: its characters look like anything.
        return
    for hit in _secrets(view.text):
        line = view.lines[hit.line - 1]
        if not view.is_foreign:
            yield hit
        elif not (_LABELLED.match(line) or any(sign in line for sign in _PASSING)):
            yield from _of_theirs(hit, view, line)


def _of_theirs(hit: Finding, view: PageView, line: str) -> Iterator[Finding]:
    """What another tool's note has of a secret, as bad as it is there."""
    kind, _, value = hit.message.partition(": ")[2].partition(" ")
    is_copied = view.vault in (VaultKind.SITE, VaultKind.DOCS) or _is_copied(view, line)
    is_copied = is_copied or _LESSON.search(view.path) is not None
    if not kind.endswith(_GUESSED):
        yield hit._replace(severity=Severity.NOTE) if is_copied else hit
    elif kind in _GIVEN and not is_copied and not _is_output(view, hit.line):
        # Notes have such words from lessons and exercises as often as in earnest.
        near = (view.path, *view.lines[max(0, hit.line - _BEFORE) : hit.line + 2])
        is_sample = any(_SAMPLE.search(each) or _LESSON.search(each) for each in near)
        is_sample = is_sample or any(sign in line for sign in _UNREAL)
        before = line.partition(value[1:].partition("…")[0])[0]
        if not is_sample and (kind != "assignment" or _GIVES.search(before)):
            shown = value.replace("(", "").replace(")", "")
            said = f"This may be a password or key in use ({kind} {shown})"
            yield hit._replace(message=said, severity=Severity.WARNING)


def _is_output(view: PageView, line: int) -> bool:
    """Whether a line of code is what the command behind a prompt above it has printed."""
    code = view.visible.split("\n")
    for above in range(line - 1, max(-1, line - _OUTPUT), -1):
        if code[above].strip():
            return False
        if view.lines[above].lstrip(" >").startswith("$ "):
            return True
    return False


def _is_copied(view: PageView, line: str) -> bool:
    """Whether a line of another tool's note is somebody else's text: of a page of the web, of a
    book, of what a program printed as a table."""
    is_row = line.lstrip(" >").startswith("|")
    return is_row or len(view.lines) > _BOOK or is_clipping(view)


_BOOK = 2_000
"""Lines from which on a page is no note."""
_PASSING = ("X-Amz-", "AWSAccessKeyId=", "rscd=", "<iframe", "utm_")
"""In addresses that are signed for a while, or tell who follows them."""


def _secrets(text: str) -> Iterator[Finding]:
    if not may_hold(text):
        return
    yield from (
        found_at(
            each.line,
            f"This looks like a secret: {each.kind} ({each.preview})",
            about=each.digest,
        )
        for each in scan(ID_AT_END.sub("", text))
    )


_GUESSED = ("-password", "assignment", "authorization-header", "docker-auth", "jwt")
"""The ends of kinds of secrets that are told by the words around them, or made in every lesson."""
_GIVES = re.compile(r"(?:[:=]>?|(?:pass|secret|token|key|пароль)\w{0,20})[ \t\"'`]{0,9}\Z", re.I)
"""Stands before a value in the line that gives it; else it is the next word of a sentence."""
_UNREAL = ("localhost", "127.0.0.1", "192.168.", "1234", "eyJ")
"""In the line of a password that opens nothing, or nothing that others can reach, or no more."""
_LESSON = re.compile(
    r"hack.?the.?box|tryhackme|\b(?:htb|thm|ctf)\b|ctf[ _-]|write.?ups?\b|pentest"
    r"|exploit|metasploit|mimikatz|hydra|crackmapexec|payload|cheat.?sheet|privilege.escalation|burp"
    r"|wpscan|brute.?forc|\b(?:oscp|osw[ae]|crto|pen-?[23]00)\b|proving.?grounds|red.?team"
    r"|offensive.security",
    re.IGNORECASE,
)
"""Where machines that are made for it are broken into, and what opened them is told."""
_OUTPUT = 40
"""Lines that a command prints, at most."""
_GIVEN = ("assignment", "curl-password", "docker-auth")
_SAMPLE = re.compile(
    r"zoom\.us|meeting id|examp|exemp|ejempl|beispiel|esempi|sampl|demo|dummy|tutori|lesson"
    r"|placehold|replac|rempla",
    re.IGNORECASE,
)
_BEFORE = 9
"""Lines up to the one of a value in which it may be called an example."""


_LABELLED = re.compile(r" {0,3}\[[^\[\]]{1,999}\]:[ \t]")


# --- where links lead ----------------------------------------------------------------------

_LINK_TO = lazy_pattern(
    r"(?<!\\)\]\([ \t]*(?:<(?P<a>[^<>\n]{1,2000})>|(?P<b>[^()\s<>]{1,2000}))"
    r"|^ {0,3}\[[^\[\]\n]{1,999}\]:[ \t]*<?(?P<c>[^\s<>]{1,2000})"
    r"|<(?P<d>[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]{1,2000})>",
    re.MULTILINE,
)
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]{0,31}):")
_IDLE = ("javascript:", "javascript:;", "javascript:void")
"""What buttons of pages that were clipped lead to: it does nothing."""
_ACTIVE = frozenset(("javascript", "vbscript", "livescript"))
_MACHINE = lazy_pattern(
    r"(?:/home/[^/]+/|/(?:Users|root|etc|var|tmp|usr|private|proc|mnt|Volumes)/|~/|[A-Za-z]:[\\/]"
    r"|\\\\[\w.-]+\\)"
)
_SHOWN = re.compile(r"path/to|\.\.\.|/(?:home|Users)/(?:user(?:name)?|you)/", re.IGNORECASE)
"""In a path that only shows how one is written."""
_HAS_PATH = re.compile(r"[/\\]{1,3}\w|~|(?<![A-Za-z])[A-Za-z]:")
_PICTURE = re.compile(r"data:image/(?:png|jpe?g|gif|webp|avif|bmp|x-icon)[;,]", re.IGNORECASE)


@lru_cache(maxsize=2)
def _targets(view: PageView) -> tuple[tuple[str, int, int, bool], ...]:
    """(address, line, column, whether an image) of each Markdown link, image, definition and
    autolink; several rules need those of one page, one after the other."""
    return tuple(_read_targets(view))


def _read_targets(view: PageView) -> Iterator[tuple[str, int, int, bool]]:
    text = view.text
    if "](" not in text and "<" not in text and text.count("]:") == text.count("]: [["):
        return
    for match, line, column in view.matches(_LINK_TO):
        target = match["a"] or match["b"] or match["c"] or match["d"]
        place = match.start() + len(match[0]) - len(match[0].lstrip(" "))
        if not _may_matter(target) or view.visible[place] == " ":
            continue
        opening = _opening(text, place) if text[place] == "]" else place
        if opening >= 0:
            yield target, line, column, text[opening - 1 : opening] == "!"


def _opening(text: str, closing: int) -> int:
    """Where the bracket stands that opens what the one at `closing` closes; -1 where none does. One
    behind a backslash is text."""
    depth = 0
    for at in range(closing, max(-1, closing - 2000), -1):
        if text[at] in "[]" and not is_escaped(text, at):
            depth += 1 if text[at] == "]" else -1
            if depth == 0:
                return at
    return -1


def _may_matter(target: str) -> bool:
    return ":" in target or ".." in target or target[0] in "/~\\" or "%" in target or "&" in target


def _scheme(target: str) -> str:
    """The scheme as a browser reads it: entities and blanks that it skips are taken out."""
    from html import unescape

    plain = re.sub(r"[\x00-\x20]", "", unescape(target[:200]))
    found = _SCHEME.match(plain)
    return found[1].lower() if found and len(found[1]) > 1 else ""


@rule(
    "WK606 error unsafe-address",
    bad=f"{_HEAD}[Open](javascript:alert)\n",
    good=f"{_HEAD}[Open](https://example.org/) and `[x](javascript:y)`\n",
)
def unsafe_address(view: PageView) -> Iterator[Finding]:
    """A link leads to `javascript:` or the like, or carries a document as `data:`: whoever clicks
    it runs what somebody else wrote. Code is not looked at, nor an image (`data:image/svg+xml`) in
    notes of another tool, where no program in it runs.

    Take the link out.
    """
    for target, line, column, is_image in _targets(view):
        scheme = _scheme(target)
        if view.is_foreign and target.lower().removesuffix("(0)") in _IDLE:
            continue
        if scheme in _ACTIVE:
            what = f"This link runs a program: `{short(target, 40)}`"
        elif scheme == "data" and not (_PICTURE.match(target) or (is_image and view.is_foreign)):
            which = "image" if is_image else "link"
            what = f"This {which} carries a document of its own: `{short(target, 40)}`"
        else:
            continue
        yield found_at(line, what, column=column, about=f"{scheme}:")


@rule(
    "WK607 error forbidden-path",
    bad=f"{_HEAD}[Notes](../../../notes.md)\n",
    good=f"{_HEAD}[Notes](../../raw/notes.md)\n",
)
def forbidden_path(view: PageView) -> Iterator[Finding]:
    """A link or source leads out of the wiki's root or to a file of one machine: `file:`,
    `/home/…`, `C:\\…`, too many `..`. An agent that follows it reads what is no source. Notes of
    another tool may lead to what lies beside them.

    Copy the file into the repository, or link to its address.
    """
    for target, line, column, _is_image in _targets(view):
        if reason := _why_forbidden(target, view):
            # What links to files of their machine does so on purpose, and many times.
            about = "" if view.is_foreign else short(target, 200)
            yield found_at(
                line, f"`{short(target)}` {reason}", column=column, about=about or reason
            )
            if view.is_foreign:
                return
    # In notes of another tool a name in double brackets is that of a note.
    links = () if view.is_foreign else view.links
    suspects = [link for link in links if link.target and _may_matter(link.target)]
    if suspects and any(sign in view.text for sign in ("[[/", "[[..", "/../", "[[~")):
        for link in suspects:
            if reason := _why_forbidden(link.target, view):
                yield found_at(link.line, f"[[{short(link.target)}]] {reason}",
                          about=short(link.target, 200))  # fmt: skip
    if ("source" in view.front_lines or ", raw/" in view.text) and not view.broken:
        for source in islice(view.sources, 1000):
            parts = source.resource.split("/")
            if ".." in parts or "\\" in source.resource or _scheme(source.resource) == "file":
                yield found_at(
                    view.front_line("source"),
                    f"The source `{short(source.id)}` names `{short(source.resource)}`, which is"
                    " no path below raw/",
                    about=short(source.id),
                )


def _why_forbidden(target: str, view: PageView) -> str:
    """Why no page may lead there; empty where it may. Notes of another tool may lie in a folder of
    a larger tree, and lead to what is beside it."""
    scheme = _scheme(target)
    if view.is_foreign and (_SHOWN.search(target) or not _HAS_PATH.search(target)):
        return ""
    if scheme:
        return "is a file of one machine" if scheme == "file" else ""
    plain = unquote(target.partition("#")[0].partition("?")[0])
    if _MACHINE.match(plain):
        return "is a path on one machine"
    if view.is_foreign:
        return ""
    place = plain[1:] if plain.startswith("/") else f"{posixpath.dirname(view.path)}/{plain}"
    return "leads out of the wiki's root" if ".." in plain and _climbs(place) else ""


def _climbs(path: str) -> bool:
    return posixpath.normpath(path.replace("\\", "/")).startswith("..")


# --- pictures from elsewhere ---------------------------------------------------------------

_REMOTE = lazy_pattern(
    r"!\[[^\[\]\n]{0,500}\]\([ \t]*<?(?P<a>(?:https?:)?//[^\s<>()]{1,2000})"
    r"|<img\s[^>\n]{0,500}?src[ \t]*=[ \t]*[\"']?(?P<b>(?:https?:)?//[^\s\"'<>]{1,2000})",
    re.IGNORECASE,
)


@rule(
    "WK612 note remote-picture",
    was="WK608 WK613 raw-html taken-for-html",
    bad=f"{_HEAD}![Tea](https://example.org/tea.png)\n",
    good=f"{_HEAD}![Tea](../../raw/tea.png), `![Tea](https://example.org/tea.png)`\n",
)
def remote_picture(view: PageView) -> Iterator[Finding]:
    """A picture is fetched from another host, which learns who reads the page and when, and what
    its address tells. In notes of another tool that is not told.

    Keep the picture in the repository.
    """
    if "//" not in view.text or not ("](" in view.text or "<" in view.text):
        return
    told: set[str] = set()
    for match, line, column in view.matches(_REMOTE):
        host = (match["a"] or match["b"]).partition("//")[2].partition("/")[0].lower()
        if host not in told and view.visible[match.start()] in "!<":
            told.add(host)
            message = f"A picture is fetched from {short(host)} whenever the page is shown"
            yield found_at(line, message, column=column, about=short(host))


# --- what no edit may bring ------------------------------------------------------------------


def rules_of_pages() -> tuple[Rule, ...]:
    """The rules of safety that look at one page."""
    own = (secret, unsafe_address, forbidden_path, remote_picture)
    each = (*rules_in(hidden_text), *own)
    return tuple(sorted(each, key=lambda rule: rule.code))


def demand_no_new_error(path: str, before: str, after: str) -> None:
    """Raises PolicyError where a page's new text has an error of safety that the old one lacks."""
    old, new = PageView(path, before), PageView(path, after)
    for each in rules_of_pages():
        if each.severity is Severity.ERROR:
            had = Counter(hit.message for hit in each.check(old))
            brought = list(each.check(new))
            more = Counter(hit.message for hit in brought) - had
            if bad := next((hit for hit in reversed(brought) if hit.message in more), None):
                raise PolicyError(
                    f"this text is not taken: {bad.message} ({each.code})",
                    where=f"{path}:{bad.line}",
                    fix=each.mending,
                )
