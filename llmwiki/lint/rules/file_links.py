"""The rule about files that links lead to and pages show."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from llmwiki.core.text import listed
from llmwiki.lint.findings import Finding, Severity, named
from llmwiki.lint.links_and_anchors import LinkRow
from llmwiki.lint.own_and_foreign_pages import (
    is_clipping,
    is_to_come,
    meant_from,
)
from llmwiki.lint.rule import beside_tea, rule
from llmwiki.lint.rules.files_by_name import by_name, folders_named, is_file, is_there
from llmwiki.lint.similar_names import LISTS, meant_by
from llmwiki.lint.vault_and_archive_folders import VaultKind
from llmwiki.lint.whole_wiki_view import LintedWiki
from llmwiki.pages.link_targets import is_attachment, link_key
from llmwiki.pages.page_file_names import name_key, stem_of

_WEB = re.compile(
    r"www\.|(?:[a-z0-9-]{1,63}\.){2,4}[a-z]{2,6}(?:/|\Z)"
    r"|[a-z0-9-]{1,63}\.(?:app|com|de|dev|edu|fr|gov|io|live|me|net|org)(?:/|\Z)",
    re.IGNORECASE,
)


@rule(
    "WK104 warning broken-file-link",
    was="WK111 WK112 missing-attachment moved-raw-file",
    bad=beside_tea("See [how](../entities/Tea.md)."),
    good=beside_tea("See [how](Tea.md#making)."),
)
def broken_file_link(wiki: LintedWiki) -> Iterator[Finding]:
    """A Markdown link leads to a file below wiki/ or raw/ that is not there, or lies elsewhere
    below raw/ now; or a page shows an image, a PDF or another file that is not in the wiki. Files
    elsewhere and addresses of the web are not looked at. In notes of another tool a path that
    begins with `/` may begin at any folder above the page, as sites have it; where they have
    wikilinks, or are Obsidian's, a page is found by its name, in whatever folder; what was copied
    from the web has links that led somewhere there; what one page lacks is told at once, and files
    of an ending of which hardly one is there as one note of all. What git ignores is there for its
    owner; a path without an ending, which may be an address of a site, is told where it is known
    what it means.

    Correct the path or the name, or add the file.
    """
    absent: dict[str, list[tuple[LinkRow, str]]] = {}
    told: set[tuple[str, str]] = set()
    view = lru_cache(maxsize=2)(wiki.page)
    for link, path in _without_file(wiki):
        is_theirs = wiki.vaults.foreign(link.path)
        if "://" in link.target:
            message = "An address stands between the round brackets of a link, and more than that"
            mend = "Write the address alone between the round brackets."
            yield link.found(message, "link", mend)
            continue
        if link.target.startswith("["):
            continue
        mend = _at_hand(link, wiki) if link.resolved else ""
        if is_theirs and (link.path, path) in told:
            # One path is mended in all of a page.
            continue
        if mend or not is_theirs:
            told.add((link.path, path))
            yield link.found(_of_one(link), path, mend)
        elif _ending(path) and not is_clipping(view(link.path)):
            absent.setdefault(_ending(path), []).append((link, path))
    lost: dict[str, list[tuple[LinkRow, str]]] = {}
    for ending, links in absent.items():
        is_few = ending == ".md" or len(links) < _ABSENT
        if not is_few and _finds(ending, links, wiki) <= _STRAY * len(links):
            names = sorted({posixpath.basename(path) for _link, path in links})
            pages = len({link.path for link, _path in links})
            message = (
                f"{len(links)} links of {pages} pages show files `{ending}` that are not in the "
                f"folder: {named(names)}"
            )
            mend = "If they are kept elsewhere, nothing is wrong."
            yield links[0][0].found(message, ending, mend)._replace(severity=Severity.NOTE)
            continue
        for link, path in links:
            lost.setdefault(link.path, []).append((link, path))
    yield from (_of_page(sorted(links)) for links in lost.values())


def _of_one(link: LinkRow) -> str:
    if link.form in ("file", "wiki"):
        shown = f"({link.target})" if link.form == "file" else link.shown
        return f"{shown} leads to no file"
    shown = f"![…]({link.target})" if link.resolved else link.shown
    return f"{shown} shows a file that is not there"


def _of_page(links: Sequence[tuple[LinkRow, str]]) -> Finding:
    """What is told of all links of a page to files that are lost."""
    first, paths = links[0][0], list(dict.fromkeys(path for _link, path in links))
    if len(paths) == 1:
        return first.found(_of_one(first), paths[0])
    shown = [f"`{name}`" for name in dict.fromkeys(link.target for link, _path in links)]
    more = [f"{len(shown) - _SHOWN} more"] if len(shown) > _SHOWN else []
    message = f"{len(links)} links lead to files that are not there: "
    return first.found(message + listed([*shown[:_SHOWN], *more]), " ".join(paths))


def _without_file(wiki: LintedWiki) -> list[tuple[LinkRow, str]]:
    """The links that lead to no file though they should, each with the path that it means."""
    found = [*_lost_files(wiki)]
    ignored = wiki.ignored({path for _link, path in found})
    return [(link, path) for link, path in found if path not in ignored]


def _lost_files(wiki: LintedWiki) -> Iterator[tuple[LinkRow, str]]:
    forms = "form IN ('file', 'shown')"
    if wiki.vaults.vault is not VaultKind.LOGSEQ:
        forms += f" OR (form IN ('wiki', 'embed') AND {wiki.no_page})"
    for link in wiki.links(forms):
        path = link.resolved or link.target
        if not link.resolved and not is_attachment(path):
            continue
        if _is_page(link, path, wiki) or (path.startswith("../") and not _is_below(path, wiki)):
            continue
        # Obsidian finds a file by its name alone, in Markdown links too where they name no folder.
        is_named = link.form != "file" or (
            wiki.vaults.foreign(link.path) and "/" not in link.target
        )
        is_by_name = is_named and not (path.startswith("raw/") or wiki.is_by_path)
        if is_there(path, wiki) or (is_by_name and is_file(path, wiki)):
            continue
        if not (wiki.vaults.foreign(link.path) and _is_made_elsewhere(link, path, wiki)):
            yield link, path


_SHOWN = 3
"""Lost files of one page that are named where they are several."""
_ABSENT = 5
"""Lost files of an ending, from which on they are told as one."""
_STRAY = 0.1
"""Links that find a file of the ending, for each that finds none, up to which that is so."""


def _finds(ending: str, lost: Sequence[tuple[LinkRow, str]], wiki: LintedWiki) -> int:
    """How many links find a file of that ending, in the folder in which most find none."""
    folders = Counter(_folder(link.path) for link, _path in lost)
    folder = max(sorted(folders), key=folders.__getitem__)
    links = wiki.links("form IN ('file', 'shown', 'embed')")
    paths = (link.resolved or link.target for link in links if _folder(link.path) == folder)
    found = (path for path in paths if _ending(path) == ending)
    return sum(is_there(path, wiki) or is_file(path, wiki) for path in found)


def _folder(path: str) -> tuple[str, ...]:
    """The folder of a note, at most the second from the top: a site beside notes is another one."""
    return tuple(path.split("/")[:-1][:2])


def _ending(path: str) -> str:
    return posixpath.splitext(path)[1].lower()


def _is_below(path: str, wiki: LintedWiki) -> bool:
    """Whether what a path above the root names lies below it: it goes up by too many folders."""
    return wiki.is_by_path and is_there(path.replace("../", ""), wiki)


def _is_page(link: LinkRow, path: str, wiki: LintedWiki) -> bool:
    """Whether a link that names a file leads to a page: to one of the name, or where links are
    paths to the one there. A path without an ending may count the page itself as a folder, as the
    addresses of sites do."""
    if not link.key:
        return False
    if not (wiki.is_by_path and link.form == "file"):
        return bool(wiki.homes(link.stem).fitting(link.key))
    own = link.path.removesuffix(".md")
    below = "" if "." in posixpath.basename(path) else posixpath.join(own, link.target)
    return any(is_there(posixpath.normpath(each), wiki) for each in (path, below) if each)


def _at_hand(link: LinkRow, wiki: LintedWiki) -> str:
    """What a path most likely means: the file of that name in another folder, or one of nearly that
    name; an address of the web."""
    if link.form == "file" and _WEB.match(link.target) and _ending(link.target) != ".md":
        return f"An address of the web begins with its scheme: (https://{link.target})."
    if odd := next((sign for sign in link.target if not sign.isprintable()), ""):
        return f"Take the invisible character U+{ord(odd):04X} out of the path."
    # A point that a slash should follow, as in `.name.md` for `./name.md`, hides the file.
    name = name_key(posixpath.basename(link.resolved).removeprefix("."))
    names = by_name(wiki.files).get(name) or wiki.of_stem(name.removesuffix(".md"))
    found = meant_from(_most_alike([e for e in names if e != link.path], link), link.resolved)
    if not found and wiki.is_by_path:
        folders = folders_named(wiki.paths).get(name, ())
        found = meant_from(_most_alike(folders, link), link.resolved)
    if not found and _ending(link.target) and not link.target.startswith("/"):
        near = meant_by(stem_of(link.resolved), wiki, link.path)
        # Where links are paths, a page of nearly that name elsewhere is another page.
        is_near = len(near) == 1 and (
            not wiki.is_by_path
            or posixpath.dirname(near[0].path) == posixpath.dirname(link.resolved)
        )
        found = near[0].path if is_near else ""
    if not found:
        return ""
    path = posixpath.relpath(found, posixpath.dirname(link.path))
    return f"Did you mean {f'(<{path}>)' if ' ' in path else f'({path})'}?"


def _most_alike(paths: Sequence[str], link: LinkRow) -> Sequence[str]:
    """Of files of one name those that share most folders before it with what a link names."""
    wanted = [name_key(part) for part in reversed(link.resolved.split("/")[:-1])]
    shared = {
        path: len(posixpath.commonprefix([wanted, list(reversed(name_key(path).split("/")[:-1]))]))
        for path in paths
    }
    most = max(shared.values(), default=0)
    if not most and (stem_of(link.resolved) in LISTS or link.target.startswith("/")):
        # Each folder has one; and below the root of another site other things are meant.
        return ()
    # Without an ending it may be an address, in which other folders mean other things.
    if (
        wanted
        and not (most or _ending(link.target))
        and "/" in link.target.replace("../", "").strip("/")
    ):
        return ()
    return [path for path in paths if shared[path] == most]


def _is_made_elsewhere(link: LinkRow, path: str, wiki: LintedWiki) -> bool:
    """Whether a link of another tool's note leads to what is made, or looked for, elsewhere: a page
    of a site (`index.html`, `/logo.svg`), a file in a hidden folder, code of another project, a
    note to come. One from the root of a site may begin at any folder above the page."""
    inside = path.replace("../", "")
    folders, _, name = f"/{inside}".rpartition("/")
    is_hidden = "/." in folders or (name.startswith(".") and not name.endswith(".md"))
    is_code = _ending(path) not in ("", ".md") and not is_attachment(path)
    if is_to_come(path) or path.endswith((".html", ".htm")) or is_hidden:
        return True
    if is_code and (folder := posixpath.dirname(path)) and not is_there(folder, wiki):
        return True
    if link.target.startswith("/"):
        above = link.path.split("/")[:-1]
        places = ("/".join((*above[:n], path)) for n in range(len(above) + 1))
        return not path.endswith(".md") or any(is_there(place, wiki) for place in places)
    if path.endswith(".md") and wiki.vaults.vault is VaultKind.LOGSEQ and "/" not in link.target:
        # It is read as a page that is not written yet.
        return True
    name = posixpath.basename(path.rstrip("/"))
    # By the id that a site's generator makes an address of.
    is_named = "." not in name and wiki.is_by_path and bool(wiki.bearers(link_key(name)))
    return is_named or is_there(link.target, wiki)
