"""Structure: frontmatter, types, titles and descriptions of single pages, and how much they say."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from llmwiki.core.errors import InputError
from llmwiki.core.page_kinds import KINDS, MEMORY, TOPICS
from llmwiki.core.text import fold, normalise
from llmwiki.lint.finding import RuleHit
from llmwiki.lint.rule import OverPage, Rule, rule
from llmwiki.lint.rules import catalogue, file_names, grammar, lines
from llmwiki.lint.rules.page_kinds import (
    bounded,
    home_type,
    is_ours,
    kind_of,
    short,
)
from llmwiki.lint.view import PageView
from llmwiki.pages.escape import unescape
from llmwiki.pages.names import file_name, folder_of, name_key

_AT_LINE = re.compile(r"\(line (\d{1,9})\)")
_OPEN = re.compile(r"\ufeff?---[ \t\r]*\n[A-Za-z_][\w-]{0,99}:(?:[ \t\r]|\n)")
_BEGINS = tuple("-\ufeff \t\r\n")
_LATE = re.compile(
    r"(\ufeff?[ \t\r\n]{1,200})---[ \t\r]*+\n"
    r"(?:[A-Za-z_][\w-]{0,99}+[ \t]*+:(?:[ \t][^\n]{0,501}+|\r)?+\n){2,50}+"
    r"---[ \t\r]*+(?:\n|\Z)"
)
_RESERVED = re.compile(r"[\w. -]{1,100}:[ \t]+([@%][\w@%. -]{0,80}\w)[ \t\r]*")
_NUMBERED = re.compile(r" \((?:entity|concept|synthesis|\d{1,9})\)\Z")
_TAG = re.compile(r"#?(?![0-9]+\Z)[^\s!-,.:-@\[-^`{-~]+")
_DESCRIBED = (*TOPICS, "source")


def _is_template(view: PageView) -> bool:
    """Whether a template engine fills this page in before it is a page."""
    return "{{" in view.text or "<%" in view.text


# --- frontmatter ---------------------------------------------------------------------------


def _missing_frontmatter(view: PageView) -> Iterator[RuleHit]:
    if view.has_front or not view.text.strip() or _OPEN.match(view.text):
        return
    home = home_type(view)
    if home and home != "skill" and not _is_template(view):
        yield RuleHit(
            1,
            "This page has no frontmatter",
            mend=f"Begin it with `type: {home}`, `title:` and `description:` between two lines"
            " `---`.",
        )


def _quoted(lines: tuple[str, ...]) -> str:
    """How to mend a line whose value begins with what YAML keeps for itself; empty for others."""
    value = _RESERVED.fullmatch(lines[0]) if lines else None
    return f"Put it between quotes: `{json.dumps(value[1], ensure_ascii=False)}`." if value else ""


def _malformed_frontmatter(view: PageView) -> Iterator[RuleHit]:
    if view.text[:1] not in _BEGINS or _is_template(view):
        return
    if late := _LATE.match(view.text):
        yield RuleHit(
            late[1].count("\n") + 1,
            "The frontmatter does not begin the page: to Obsidian it is text",
            mend="Take out what stands before its first `---`.",
        )
    if not view.text.startswith(("---", "\ufeff---")):
        return
    if not view.has_front:
        if _OPEN.match(view.text):
            yield RuleHit(1, "The frontmatter has no end", mend="Close it with a line `---`.")
        return
    if view.broken:
        at = _AT_LINE.search(view.broken)
        what = _AT_LINE.sub("", view.broken).strip()
        line = int(at[1]) if at else 1
        yield RuleHit(
            line, f"{what[:1].upper()}{what[1:]}", mend=_quoted(view.lines[line - 1 :][:1])
        )


def _duplicate_key(view: PageView) -> Iterator[RuleHit]:
    front = view.head.front
    if front is None or view.broken:
        return
    again = {part.key[1] for part in front.parts if part.kind == "front" and len(part.key) == 3}
    for name in sorted(again - {""}):
        yield RuleHit(
            view.front_line(name),
            f"The key `{short(name)}` stands more than once in the frontmatter",
            about=name,
        )


# --- type ----------------------------------------------------------------------------------


def _missing_type(view: PageView) -> Iterator[RuleHit]:
    if not view.has_front or view.broken or view.type.strip() or not is_ours(view):
        return
    home = home_type(view)
    yield RuleHit(
        view.front_line("type"),
        "This page has no type",
        mend=f"Write `type: {home}`: it lies among pages of that type." if home else "",
    )


def _type_mismatch(view: PageView) -> Iterator[RuleHit]:
    home, kind = home_type(view), view.type.strip()
    if not home or kind not in KINDS or kind == home:
        return
    if view.folder == "skills" and view.stem != "SKILL":
        return
    place = MEMORY if kind == "memory" else f"{folder_of(kind)}/"
    yield RuleHit(
        view.front_line("type"),
        f"The type is `{kind}`, but the page lies among pages of type `{home}`",
        mend=f"Write `type: {home}`, or move the page to `{place}`.",
        about=kind,
    )


def _unknown_type(view: PageView) -> Iterator[RuleHit]:
    kind = view.type.strip()
    if kind and kind not in KINDS and is_ours(view):
        yield RuleHit(
            view.front_line("type"),
            f"`{short(kind)}` is none of the types of pages",
            mend=f"Use one of: {', '.join(KINDS)}.",
            about=short(kind),
        )


# --- title and description -----------------------------------------------------------------


def _has_heading(view: PageView) -> bool:
    return view.first_heading is not None


def _missing_title(view: PageView) -> Iterator[RuleHit]:
    if not view.has_front or view.broken or not is_ours(view):
        return
    told = view.values.get("title")
    if isinstance(told, str) and told.strip():
        return
    if "title" in view.front_lines:
        yield RuleHit(view.front_line("title"), "The title is empty", about="title")
    elif not _has_heading(view):
        yield RuleHit(1, "This page has no title, and no heading to take one from", about="title")


def _title_not_heading(view: PageView) -> Iterator[RuleHit]:
    title = view.values.get("title")
    if not isinstance(title, str) or not title.strip() or not is_ours(view):
        return
    if view.first_heading is None:
        return
    heading, line = view.first_heading
    raw = heading.strip().lstrip("#").strip()
    shown = unescape(raw)
    if fold(title) not in (fold(shown), fold(raw)):
        yield RuleHit(
            line, f"The heading says “{short(shown)}”, the title “{short(title)}”", about="title"
        )


def _title_not_file_name(view: PageView) -> Iterator[RuleHit]:
    title = view.values.get("title")
    if kind_of(view) not in TOPICS or not isinstance(title, str) or not is_ours(view):
        return
    if name_key(title) == name_key(view.stem):
        return
    try:
        wanted = file_name(title)
    except InputError:
        return
    stem = _NUMBERED.sub("", view.stem)
    if name_key(wanted) in (name_key(stem), name_key(view.stem)):
        return
    # A name that is reserved loses its dot, and one with a suffix is cut shorter.
    if name_key(wanted).replace(".", "-") == name_key(stem).replace(".", "-"):
        return
    if stem != view.stem and len(wanted.encode()) > 180 and wanted.startswith(stem):
        return
    yield RuleHit(
        view.front_line("title"),
        f"The title is “{short(title)}”, the file `{view.stem}.md`:"
        f" [[{short(wanted)}]] does not find it",
        mend=f"Rename the file to `{wanted}.md`, or change the title.",
        about="title",
    )


def _missing_description(view: PageView) -> Iterator[RuleHit]:
    if view.has_front and not view.broken and is_ours(view) and kind_of(view) in _DESCRIBED:
        told = view.values.get("description")
        if not isinstance(told, str) or not told.strip():
            yield RuleHit(view.front_line("description"), "This page has no description")


def _bad_tag(view: PageView) -> Iterator[RuleHit]:
    tags = view.values.get("tags")
    if isinstance(tags, list) and view.folder != "skills":
        yield from bounded(
            RuleHit(
                view.front_line("tags"),
                f"The tag “{short(tag)}” is none to Obsidian",
                mend="A tag has letters, digits, `-`, `_` and `/`, and not digits alone.",
                about=short(tag),
            )
            for tag in tags
            if isinstance(tag, str) and not _TAG.fullmatch(normalise(tag))
        )


# --- how much it says ----------------------------------------------------------------------


def _is_listing(view: PageView) -> bool:
    """Whether a site's generator fills it: a title for the list of a folder, or of a tag."""
    is_placed = view.stem in ("index", "_index") or view.folder == "tags"
    return is_placed and "title" in view.front_lines and not kind_of(view)


def _empty_page(view: PageView) -> Iterator[RuleHit]:
    if not view.prose.strip("\ufeff \t\r\n") and not view.body and not _is_listing(view):
        yield RuleHit(1, "This page says nothing")


def _stub_page(view: PageView) -> Iterator[RuleHit]:
    if view.path == MEMORY or kind_of(view) in ("daily", "skill", "source"):
        return
    if view.is_deprecated:
        return
    said = view.prose.strip()
    least = view.limits.stub_bytes
    # A page that shows a picture or a document says what that says.
    if not said or len(said) >= least or "![" in said or _is_template(view):
        return
    size = len(said.encode("utf-8", "replace"))
    if size < least:
        yield RuleHit(1, f"This page is a stub: {size} bytes below its frontmatter")


_HEAD = "---\ntype: concept\ntitle: Example\ndescription: One of many.\n---\n"
_LEAD = """
# Example

An example shows by one case what holds for many, and is chosen because it is easy to follow; one
that is not typical misleads.
"""
_GOOD = _HEAD + _LEAD

_OWN: tuple[Rule, ...] = (
    rule(
        "WK001 warning missing-frontmatter",
        OverPage(_missing_frontmatter),
        "A page in one of the wiki's folders has no frontmatter, so its type, title and"
        " description are guessed.",
        "Write frontmatter with type, title and description; --fix takes the type from the folder"
        " and the title from the heading.",
        bad=_LEAD.lstrip(),
        good=_GOOD,
        fixable=True,
    ),
    rule(
        "WK002 error malformed-frontmatter",
        OverPage(_malformed_frontmatter),
        "The frontmatter is not YAML with a key a line, has no end, or does not begin the page."
        " Nothing of it is read, and no command rewrites the page. Templates (`{{…}}`,"
        " `<%…%>`) are left alone.",
        "Mend the line named; text with a colon or a bracket wants quotes.",
        bad="---\ntype: concept\ntitle: Example: one\n---\n" + _LEAD,
        good='---\ntype: concept\ntitle: "Example: one"\n---\n' + _LEAD,
    ),
    rule(
        "WK003 error missing-page-type",
        OverPage(_missing_type),
        "A page in one of the wiki's folders, or one with `generated` or our `sources`, has no"
        " `type`.",
        "Write the type; --fix takes it from the folder.",
        bad="---\ntitle: Example\ndescription: One of many.\n---\n" + _LEAD,
        good=_GOOD,
        fixable=True,
    ),
    rule(
        "WK004 error page-type-mismatch",
        OverPage(_type_mismatch),
        "A page's type and its folder disagree, so the catalogue lists it where nobody looks.",
        "Change the type, or move the page to the folder of its type.",
        bad=_GOOD.replace("type: concept", "type: entity"),
        good=_GOOD,
    ),
    rule(
        "WK005 warning unknown-page-type",
        OverPage(_unknown_type),
        "A page in one of the wiki's folders has a type that this program does not know; it is"
        " listed under other pages.",
        "Use one of the seven types.",
        bad=_GOOD.replace("type: concept", "type: idea"),
        good=_GOOD,
    ),
    rule(
        "WK006 error missing-title",
        OverPage(_missing_title),
        "A page in one of the wiki's folders has an empty title, or neither a title nor a heading"
        " to take it from.",
        "Write the title; --fix takes it from the heading, else from the file's name.",
        bad=_GOOD.replace("title: Example", "title: '  '"),
        good=_GOOD,
        fixable=True,
    ),
    rule(
        "WK007 note title-not-heading",
        OverPage(_title_not_heading),
        "The title in the frontmatter and the page's first heading say two things: the catalogue"
        " shows one, the page the other.",
        "Make them the same.",
        bad=_GOOD.replace("# Example", "# Sample"),
        good=_GOOD,
    ),
    rule(
        "WK008 warning title-not-file-name",
        OverPage(_title_not_file_name),
        "The file of an entity, concept or synthesis is not named after its title, so [[Title]]"
        " does not find it. Endings as in `Mercury (entity)` and `Plan (2)` are allowed.",
        "Rename the file, or change the title.",
        bad={"wiki/concepts/Sample.md": _GOOD},
        good={"wiki/concepts/Example (concept).md": _GOOD},
    ),
    rule(
        "WK009 note missing-description",
        OverPage(_missing_description),
        "An entity, concept, source or synthesis has no description, by which people and models"
        " choose pages from the catalogue.",
        "Write one sentence that says what it is.",
        bad=_GOOD.replace("description: One of many.\n", ""),
        good=_GOOD,
    ),
    rule(
        "WK017 warning empty-page",
        OverPage(_empty_page),
        "A page has nothing below its frontmatter. A note of another tool that gives a folder"
        " (`index.md`) or a tag (in `tags/`) its title is left to the generator of its site.",
        "Write it, or remove it.",
        bad=_HEAD,
        good=_GOOD,
    ),
    rule(
        "WK018 warning stub-page",
        OverPage(_stub_page),
        "A page says less than `lint.stub_bytes` (100) bytes below its frontmatter. Ledgers, daily"
        " notes, memory, skills, templates and pages that show a picture may be as short as they"
        " like.",
        "Say what it is, or merge it into another page.",
        bad=_HEAD + "\n# Example\n\nTo do.\n",
        good=_GOOD,
        of_ours=True,
    ),
    rule(
        "WK022 note bad-tag",
        OverPage(_bad_tag),
        "A tag in the frontmatter holds a blank or another character that Obsidian ends a tag at,"
        " or digits alone.",
        "Join its words with hyphens; --fix does.",
        bad=_GOOD.replace("---\n\n", "tags: [deep learning]\n---\n\n"),
        good=_GOOD.replace("---\n\n", "tags: [deep-learning]\n---\n\n"),
        fixable=True,
    ),
    rule(
        "WK030 warning duplicate-key",
        OverPage(_duplicate_key),
        "A key stands twice in the frontmatter: programs differ in which of its values counts.",
        "Keep one of the two lines.",
        bad=_GOOD.replace("title: Example", "title: Example\ntitle: Sample"),
        good=_GOOD,
    ),
)

RULES: tuple[Rule, ...] = tuple(
    sorted(
        (*_OWN, *catalogue.RULES, *file_names.RULES, *grammar.RULES, *lines.RULES),
        key=lambda rule: rule.code,
    )
)
