"""Structure: how a page is written, its frontmatter, type, title, and how much it says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from llmwiki.core.page_and_note_kinds import KINDS, MEMORY, TOPICS
from llmwiki.core.text import counted
from llmwiki.lint import text_fixes
from llmwiki.lint.findings import Finding, Severity, found_at, milder, named, short
from llmwiki.lint.own_and_foreign_pages import (
    home_type,
    is_folder_note,
    is_ours,
    is_template,
    kind_of,
)
from llmwiki.lint.page_view import PageView
from llmwiki.lint.rule import FixContext, rule
from llmwiki.lint.whole_wiki_view import LintedWiki
from llmwiki.pages.body_blocks import CONFLICT_BEGINS, CONFLICT_ENDS
from llmwiki.pages.markdown_blocks import body_start
from llmwiki.pages.merge.two_records import OTHER
from llmwiki.pages.page_file_names import folder_of

_AT = re.compile(r" \(line (\d{1,9}), column (\d{1,9})\): (.*)", re.DOTALL)
_OPEN = re.compile(r"\ufeff?---[ \t\r]*\n[A-Za-z_][\w-]{0,99}:(?:[ \t\r]|\n)")
_BEGINS = tuple("-\ufeff \t\r\n")
_POINTS = re.compile(r"^\.\.\.[ \t\r]*$", re.MULTILINE)
_LATE = re.compile(
    r"(\ufeff?[ \t\r\n]{1,200})---[ \t\r]*+\n"
    r"(?:[A-Za-z_][\w-]{0,99}+[ \t]*+:(?:[ \t][^\n]{0,501}+|\r)?+\n){2,50}+"
    r"---[ \t\r]*+(?:\n|\Z)"
)
_ENTRY = re.compile(r"(?P<key>[\w. -]{1,100}:[ \t]+|[ \t]{0,20}-[ \t]+)(?P<value>\S[^\n]{0,500})")
_KEY = re.compile(r"\w[\w-]{0,40}")
_KEYS = re.compile(r"(?<!\S)[a-z][\w-]{0,40}: ")
_WIKILINK = re.compile(r"\[\[[^\[\]]{1,200}\]\]")
_DESCRIBED = (*TOPICS, "source")


# --- frontmatter ---------------------------------------------------------------------------


def _missing_frontmatter(view: PageView) -> Iterator[Finding]:
    if view.has_front or not view.text.strip() or _OPEN.match(view.text):
        return
    home = home_type(view)
    if home and home != "skill" and not is_template(view):
        yield found_at(
            1,
            "This page has no frontmatter",
            mend=f"Begin it with `type: {home}`, `title:` and `description:` between two lines"
            " `---`.",
            severity=Severity.WARNING,
        )


def _cure(line: str, problem: str) -> tuple[str, str]:
    """Why a line of frontmatter is no YAML, and how it is written; of no known kind: `problem`,
    what the parser says."""
    if problem == "could not find expected ':'":
        key, colon, value = line.strip().partition(":")
        mend = f"Write `{key}: {value}`." if colon and _KEY.fullmatch(key) else ""
        return f"“{short(line.strip())}” is no key with a colon, a blank and a value", mend
    found = _ENTRY.fullmatch(line.rstrip())
    if found is None:
        return problem, ""
    value = found["value"]
    links = _WIKILINK.findall(value)
    if links and not _WIKILINK.sub("", value).strip(", \t"):
        said = ", ".join(f'"{link}"' for link in links)
        return "links with commas between them are no list", f"Write `{found['key']}[{said}]`."
    quoted = f"`{json.dumps(value, ensure_ascii=False)}`"
    if "'" not in value and ('"' in value or "\\" in value):
        quoted = f"`'{value}'`"
    if value[0] in "@%`*&!|>":
        return f"a value cannot begin with `{value[0]}`", f"Put it between quotes: {quoted}."
    if value[0] in "\"'":
        return _quoting(value, problem)
    if value[0] in "[{":
        return "text follows behind the closing bracket, or it has none", ""
    if len(_KEYS.findall(value)) > 1:
        return "several keys stand in one line", "Write each of them in a line of its own."
    if ": " in value or value.endswith(":"):
        return "a value holds a second colon", f"Put it between quotes: {quoted}."
    return problem, ""


def _quoting(value: str, problem: str) -> tuple[str, str]:
    """The same of a value that begins with a quotation mark."""
    if value.rstrip().endswith(f"\\{value[0]}"):
        return "the last quotation mark stands behind a backslash, and closes nothing", (
            "Take the backslash out, or put another mark behind it."
        )
    if "\\" in value:
        return f"{problem}, behind a backslash", "Put the value between single quotes."
    if value.count(value[0]) == 1:
        return "a quotation mark is not closed", "Close it, or take it out."
    return "text follows behind the closing quote", "Put the whole value between quotes."


def _malformed_frontmatter(view: PageView) -> Iterator[Finding]:
    if view.text[:1] not in _BEGINS or is_template(view):
        return
    if late := _LATE.match(view.text):
        yield found_at(
            late[1].count("\n") + 1,
            "The frontmatter does not begin the page: to Obsidian it is text",
            mend="Take out what stands before its first `---`.",
        )
    if not view.text.startswith(("---", "\ufeff---")):
        return
    if not view.has_front:
        # Other tools end it with three points, too, as YAML may.
        if _OPEN.match(view.text) and not (view.is_foreign and _POINTS.search(view.text)):
            yield found_at(1, "The frontmatter has no end", mend="Close it with a line `---`.")
        return
    if view.broken and (view.front_lines or not view.is_foreign):
        what, line, column, mend = view.broken, 1, 0, ""
        if at := _AT.search(what):
            line, column = int(at[1]), int(at[2])
            why, mend = _cure(view.lines[line - 1], at[3])
            what = f"{what[: at.start()]}: {why}"
        yield found_at(line, f"{what[:1].upper()}{what[1:]}", column=column, mend=mend)


def _duplicate_key(view: PageView) -> Iterator[Finding]:
    front = view.head.front
    if front is None or view.broken:
        return
    again = {part.key[1] for part in front.parts if part.kind == "front" and len(part.key) == 3}
    for name in sorted(again - {""}):
        yield found_at(
            view.front_line(name),
            f"The key `{short(name)}` stands more than once in the frontmatter",
            about=name,
        )


# --- type ----------------------------------------------------------------------------------


def _missing_type(view: PageView) -> Iterator[Finding]:
    if not view.has_front or view.broken or view.type.strip() or not is_ours(view):
        return
    home = home_type(view)
    yield found_at(
        view.front_line("type"),
        "This page has no type",
        mend=f"Write `type: {home}`: it lies among pages of that type." if home else "",
    )


def _type_mismatch(view: PageView) -> Iterator[Finding]:
    home, kind = home_type(view), view.type.strip()
    if not home or kind not in KINDS or kind == home:
        return
    if view.folder == "skills" and view.stem != "SKILL":
        return
    place = MEMORY if kind == "memory" else f"{folder_of(kind)}/"
    yield found_at(
        view.front_line("type"),
        f"The type is `{kind}`, but the page lies among pages of type `{home}`",
        mend=f"Write `type: {home}`, or move the page to `{place}`.",
        about=kind,
    )


def _unknown_type(view: PageView) -> Iterator[Finding]:
    kind = view.type.strip()
    if kind and kind not in KINDS and is_ours(view):
        yield found_at(
            view.front_line("type"),
            f"`{short(kind)}` is none of the types of pages",
            mend=f"Use one of: {', '.join(KINDS)}.",
            about=short(kind),
        )


# --- title and description -----------------------------------------------------------------


def _missing_title(view: PageView) -> Iterator[Finding]:
    if not view.has_front or view.broken or not is_ours(view):
        return
    told = view.values.get("title")
    if isinstance(told, str) and told.strip():
        return
    if "title" in view.front_lines:
        yield found_at(view.front_line("title"), "The title is empty", about="title")
    elif not any(placed.node.kind == "h1" for placed in view.body):
        yield found_at(1, "This page has no title, and no heading to take one from", about="title")


# --- how it is written --------------------------------------------------------------------------

_OTHER_WORDING = re.compile(rf"^(?:# |> |    |  - ){re.escape(OTHER)}", re.MULTILINE)


def _windows_line_ends(view: PageView) -> Iterator[Finding]:
    count = view.text.count("\r\n") if "\r" in view.text and not view.is_foreign else 0
    if count:
        line = view.text.count("\n", 0, view.text.index("\r\n")) + 1
        some = "" if count == view.text.count("\n") else ", others not"
        yield found_at(line, f"{count} lines end as on Windows{some}")


_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]")
_BEGINS_UTF8 = frozenset("ÂÃÐÑâãäåæçèéðï")
"""What the first bytes of most characters in UTF-8 are in Latin-1."""
_C0 = bytes((*range(9), 0x0B, *range(0x0E, 0x20), 0x7F))


def _control_characters(view: PageView) -> Iterator[Finding]:
    data = view.data
    if len(data.translate(None, _C0)) == len(data) and b"\xc2" not in data:
        return
    found = list(view.matches(_CONTROL))
    if view.is_foreign:
        # In code it is the key of a macro or what a terminal was sent; in slides \v ends a line.
        found = [each for each in found if view.visible[each[0].start()] == each[0][0] != "\v"]
    for match, line, column in found[:1]:
        code = f"U+{ord(match[0]):04X}"
        message = f"{counted(len(found), 'control character')} (U+0000 to U+009F), such as `{code}`"
        mend = "Take the control characters out."
        if not data.strip(b"\0"):
            message = "The file holds nothing but NUL characters: its text is lost"
            mend = "Restore it from a backup or from git: `git log` of the file names its commits."
        elif match[0] > "\x7f" and _BEGINS_UTF8.intersection(view.text[: match.start()][-3:]):
            message += ": the text was UTF-8 and was decoded as Windows-1252 or Latin-1"
            mend = "Encode it so again and decode it as UTF-8; to take characters out loses text."
        hit = found_at(line, message, column=column, mend=mend, about=code)
        yield hit._replace(by_hand=True)


_HEAD = "---\ntype: concept\ntitle: Example\ndescription: One of many.\n---\n"
_LEAD = """
# Example

An example shows by one case what holds for many, and is chosen because it is easy to follow; one
that is not typical misleads.
"""
_GOOD = _HEAD + _LEAD
_BOTH = "<<<<<<< HEAD\nIt is short.\n=======\nIt is long.\n>>>>>>> theirs\n"


# --- the rules -------------------------------------------------------------------------------


@rule(
    "WK001 error missing-frontmatter",
    was="WK003 WK006 missing-page-type missing-title",
    bad="---\ntitle: Example\ndescription: One of many.\n---\n" + _LEAD,
    good=_GOOD,
    fix=text_fixes.with_head,
)
def missing_frontmatter(view: PageView) -> Iterator[Finding]:
    """A page in one of the wiki's folders, or one with `generated` or our footnotes, has no type,
    an empty title, or neither a title nor a heading to take it from; or, a warning, no frontmatter
    at all, so that all of this is guessed.

    Write frontmatter with type, title and description; --fix takes the type from the folder and the
    title from the heading, else from the file's name.
    """
    yield from _missing_frontmatter(view)
    yield from _missing_type(view)
    yield from _missing_title(view)


@rule(
    "WK002 error malformed-frontmatter",
    was="WK030 duplicate-key",
    bad="---\ntype: concept\ntitle: Example: one\n---\n" + _LEAD,
    good='---\ntype: concept\ntitle: "Example: one"\n---\n' + _LEAD,
)
def malformed_frontmatter(view: PageView) -> Iterator[Finding]:
    """The frontmatter is not YAML with a key a line, has no end, or does not begin the page.
    Nothing of it is read, and no command rewrites the page. Or, a warning, a key stands twice in
    it: programs differ in which of its values counts. Templates (`{{…}}`, `<%…%>`) are left alone.

    Mend the line named; text with a colon or a bracket wants quotes.
    """
    yield from _malformed_frontmatter(view)
    yield from milder(_duplicate_key(view), Severity.WARNING)


@rule(
    "WK004 error page-type-mismatch",
    was="WK005 unknown-page-type",
    bad=_GOOD.replace("type: concept", "type: entity"),
    good=_GOOD,
)
def page_type_mismatch(view: PageView) -> Iterator[Finding]:
    """A page's type and its folder disagree, so the catalogue lists it where nobody looks; or, a
    warning, its type is none that this program knows, and it is listed under other pages.

    Change the type, or move the page to the folder of its type.
    """
    yield from _type_mismatch(view)
    yield from milder(_unknown_type(view), Severity.WARNING)


@rule(
    "WK009 note missing-description",
    bad=_GOOD.replace("description: One of many.\n", ""),
    good=_GOOD,
)
def missing_description(view: PageView) -> Iterator[Finding]:
    """An entity, concept, source or synthesis has no description, by which people and models choose
    pages from the catalogue.

    Write one sentence that says what it is.
    """
    if view.has_front and not view.broken and is_ours(view) and kind_of(view) in _DESCRIBED:
        told = view.values.get("description")
        if not isinstance(told, str) or not told.strip():
            yield found_at(view.front_line("description"), "This page has no description")


_SHOWN = 10
"""Empty notes that are named, where another tool's are told at once."""


@rule(
    "WK017 warning empty-page",
    was="WK018 stub-page",
    bad=_HEAD + "\n# Example\n\nTo do.\n",
    good=_GOOD,
)
def empty_page(wiki: LintedWiki) -> Iterator[Finding]:
    """A page has nothing below its frontmatter, or less than 100 bytes.
    Ledgers, daily notes, memory, skills, templates and pages that show a picture may be as short as
    they like. Notes of another tool may be short, and empty ones are told, as one note, only where
    nothing links to them; the note of a folder, of its name, may be.

    Say what it is, merge it into another page, or remove it.
    """
    empty: list[str] = []
    for path, stem, thin in wiki.rows(
        "SELECT path, stem, thin FROM lint.head AS head JOIN lint.page AS page "
        "ON page.id = head.page WHERE thin >= 0 ORDER BY path"
    ):
        if thin:
            yield found_at(1, f"This page is a stub: {thin} bytes below its frontmatter", path)
        elif not wiki.vaults.foreign(path):
            yield found_at(1, f"This page {_lack([path], wiki)}", path)
        elif not is_folder_note(path) and path not in wiki.users(stem):
            empty.append(path)
    if empty:
        lack = _lack(empty, wiki)
        message = f"{len(empty)} pages {lack}: {named(empty, _SHOWN)}"
        yield found_at(1, message if len(empty) > 1 else f"This page {lack}", empty[0])


def _lack(paths: Sequence[str], wiki: LintedWiki) -> str:
    """What pages with nothing below their frontmatter do, as a verb: files of no bytes are empty,
    the others may have a frontmatter."""
    views = map(wiki.page, paths)
    is_one = len(paths) == 1
    if all(view is not None and not view.text for view in views):
        return "is empty" if is_one else "are empty"
    return "says nothing" if is_one else "say nothing"


@rule(
    "WK029 error conflict-marker",
    bad=f"{_GOOD}\n> {OTHER}\n> An example is one of many.\n",
    good=f"{_GOOD}\n```text\n{_BOTH}```\n",
)
def conflict_marker(view: PageView) -> Iterator[Finding]:
    """Two sides of a merge worded one thing differently, and nobody has chosen: one wording stands,
    and the other beside it, after `The other side of a merge:`. Or git merged the page by lines,
    and its marks `<<<<<<<` and `>>>>>>>` stand in it; nothing writes on such a page. In code both
    are text like any other.

    Keep one wording, or both, and take the mark out; while git's merge is under way, `wiki resolve`
    merges the page claim by claim.
    """
    text = view.text
    found = [*view.matches(_OTHER_WORDING)] if OTHER in text else []
    if CONFLICT_BEGINS.search(text) and CONFLICT_ENDS.search(text):
        found += view.matches(CONFLICT_BEGINS)
    front = body_start(text)
    yield from (
        found_at(line, "A merge left the wordings of both its sides here")
        for match, line, _column in found
        if match.start() < front or view.visible[slice(*match.span())].strip()
    )


def _as_utf8(view: PageView, _found: Sequence[Finding], _ground: FixContext) -> str:
    return view.text.removeprefix("\ufeff").replace("\r\n", "\n")


@rule(
    "WK031 warning encoding",
    was="WK032 WK603 byte-order-mark windows-line-ends control-character",
    bad="\ufeff" + _GOOD,
    good=_GOOD,
    fix=_as_utf8,
)
def encoding(view: PageView) -> Iterator[Finding]:
    """A file holds a control character, which acts on the terminal that shows the page and makes
    git take it for binary; or, notes, it begins with U+FEFF, behind which some programs do not find
    its frontmatter, or lines end in CR LF, and the next edit elsewhere may change every line.

    Take control characters out. Save it as UTF-8 with LF and without a byte order mark.
    """
    if view.text.startswith("\ufeff---" if view.is_foreign else "\ufeff"):
        message = "The file begins with a byte order mark"
        yield found_at(1, message, severity=Severity.NOTE)
    yield from milder(_windows_line_ends(view), Severity.NOTE)
    yield from _control_characters(view)
