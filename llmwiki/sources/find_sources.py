"""From what a person named on the command line to the sources meant by it."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from llmwiki.core.errors import InputError
from llmwiki.pages.page_file_names import name_key
from llmwiki.sources.open_and_hash import not_a_file, unreadable
from llmwiki.sources.raw_paths import RAW, as_on_disk, composed, is_plain_name, is_source
from llmwiki.sources.source_file import NamedSource, Targets

_DERIVED = frozenset({"wiki", "graph"})


def expand(
    root: Path,
    args: Sequence[str],
    cwd: Path,
    *,
    taken: Collection[str] = (),
    below: Path | None = None,
    copies: Callable[[Path], str] = lambda _file: "",
) -> list[NamedSource]:
    """The sources that `args` name, each once, sorted by their path below raw/: a file outside and
    its known copy are two.

    An argument is a file, or a folder (taken whole), relative to `cwd`. Paths below raw/ are in
    normal form C, however the disk spells them. In folders what `is_source` refuses is left out. A
    file from outside raw/ keeps its name, and its path below the folder it came through, or below
    the folder `below`; where other bytes have that name, 4 hexadecimal digits of its SHA-256 are
    added. The order of the arguments does not matter. `taken` are paths below raw/ that hold other
    bytes although nothing lies there, as a sparse checkout leaves it. `copies` says where below
    raw/ the copy of a file outside is; empty: it has none. What cannot be a source (anything but
    regular files, symbolic links that lead out of the folder they are in, names that cannot be
    written in a commit) is given as `refused` where a folder met it.

    Raises InputError for a path that does not exist, an argument that gives no source (when no
    other argument gives one either, if it is one of raw/'s reserved places), pages of the wiki,
    and for what is refused where it was named itself.
    """
    top = root.resolve()
    base = cwd.absolute()
    hits: dict[Path | None, NamedSource] = {}
    refused: InputError | None = None
    for arg in args:
        try:
            for hit in _expand_one(top, arg, base, below):
                known = hits.get(hit.file)
                if known is None or hit.path < known.path:
                    hits[hit.file] = hit
        except _NeverASourceError as error:
            refused = refused or error
    if refused is not None and not hits:
        raise refused
    ordered = sorted(hits.values(), key=lambda hit: (hit.path, str(hit.file)))
    files = [hit.file for hit in ordered if hit.file]
    known_copies = {file: path for file in files if (path := copies(file))}
    targets = Targets(top, {*taken, *known_copies.values()})
    return _place(targets, ordered, known_copies)


class _NeverASourceError(InputError):
    """A place that exists, and by its name alone holds no sources: `raw/brand`, `.env`."""


def _expand_one(root: Path, arg: str, cwd: Path, below: Path | None) -> Iterator[NamedSource]:
    if "\0" in arg or not arg:
        raise InputError("is not a path", where=repr(arg), fix="Name a file or folder.")
    place = as_on_disk(cwd / arg)
    if os.path.lexists(place):
        return _named(root, place, (below and _below(place, below)) or place.name)
    raise InputError(
        "no such file or folder",
        where=arg,
        fix=f"Check the spelling; paths start at the folder you are in, {cwd}. A folder"
        " is taken whole; patterns are the shell's.",
    )


def _named(root: Path, place: Path, name: str) -> Iterator[NamedSource]:
    """What one existing path means; a link at its end may lead to a place next to it only."""
    if place.is_dir() and not place.is_symlink():
        folder = place.resolve()
        found = False
        for hit in _folder(root, folder, folder.name):
            found = True
            yield hit
        if not found:
            raise _NeverASourceError(
                "this folder holds no sources",
                where=str(place),
                fix="Sources are documents; hidden and temporary files, raw/brand/ and "
                "raw/skills/ are not.",
            )
        return
    if not is_source(f"{RAW}/{name}"):
        raise _NeverASourceError(
            "hidden and temporary files are not sources",
            where=str(place),
            fix="Copy it under another name, and ingest that.",
        )
    yield from _file(root, place, name, within=place.parent)


def _folder(root: Path, folder: Path, name: str) -> Iterator[NamedSource]:
    """The sources below a folder; `name` is the folder's own place below raw/, if outside."""
    real = folder.resolve()
    if real == root:
        # The wiki itself was named: its sources are meant, not its pages and settings.
        real = root / RAW
    if _lies_in_derived(root, real):
        raise _own_page(str(folder))
    waiting = [real]
    while waiting:
        here = waiting.pop()
        try:
            with os.scandir(here) as listed:
                entries = sorted(listed, key=lambda each: each.name)
        except OSError as error:
            yield _refused(root, here, name, unreadable(str(here), error))
            continue
        for entry in entries:
            place = here / entry.name
            if _is_folder(entry):
                if entry.name.startswith(".") or _lies_in_derived(root, place):
                    continue
                if not entry.is_symlink():
                    waiting.append(place)
                    continue
            target = str(PurePosixPath(name) / place.relative_to(real).as_posix())
            inside = _below(place, root / RAW)
            path = f"{RAW}/{target if inside is None else inside}"
            if is_plain_name(path) and not is_source(path):
                continue
            yield from _met(root, place, target, within=real)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether it is a folder, or a link to one."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def _met(root: Path, place: Path, name: str, *, within: Path) -> Iterator[NamedSource]:
    """A file that a walk met: one that is no source must not stop the others."""
    try:
        if not _is_inner_link(place, within):
            yield from _file(root, place, name, within=within)
    except _NeverASourceError:
        raise
    except InputError as error:
        yield _refused(root, place, name, error)


def _refused(root: Path, place: Path, name: str, error: InputError) -> NamedSource:
    inside = _below(place, root / RAW)
    target = f"{RAW}/{name if inside is None else inside}"
    path = target.encode("utf-8", "backslashreplace").decode()
    return NamedSource(path, place, inside is not None, 0, refused=error)


def _file(root: Path, place: Path, name: str, *, within: Path) -> Iterator[NamedSource]:
    real = _follow(place, within)
    try:
        held = real.lstat()
    except OSError as error:
        raise unreadable(str(place), error) from error
    if not stat.S_ISREG(held.st_mode):
        raise not_a_file(str(place), held.st_mode)
    inside = _below(real, root / RAW)
    if inside is None and _is_named_below_raw(root, place):
        raise _leads_out(place, real, root / RAW)
    target = composed(f"{RAW}/{name if inside is None else inside}")
    if inside is not None and _is_another(root / target, real):
        raise InputError(
            "another file beside it has this name, spelled otherwise in Unicode",
            where=ascii(str(place))[1:-1],
            fix="Rename or remove one of the two.",
        )
    if not is_plain_name(target):
        raise InputError(
            "this name holds control characters or is not UTF-8",
            where=repr(str(place)),
            fix="Rename the file.",
        )
    if inside is None and _lies_in_derived(root, real):
        raise _own_page(str(place))
    if not is_source(target):
        raise _NeverASourceError(
            f"would be {target}, and that is never a source",
            where=str(place),
            fix="Put it somewhere else below raw/, and ingest it there.",
        )
    yield NamedSource(target, real, inside is not None, held.st_size)


def _is_another(place: Path, real: Path) -> bool:
    """Whether a file lies at `place`, and it is not `real`."""
    return place != real and os.path.lexists(place) and not place.samefile(real)


def _follow(place: Path, within: Path) -> Path:
    """The real path of `place`; links on the way to it must not lead out of `within`."""
    try:
        real = place.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise InputError(
            "is a symbolic link that leads nowhere", where=str(place), fix="Mend or remove it."
        ) from error
    if _below(real, within.resolve()) is None:
        raise _leads_out(place, real, within)
    return real


def _leads_out(place: Path, real: Path, within: Path) -> InputError:
    return InputError(
        f"is reached by a symbolic link that leads out of {within}",
        where=str(place),
        fix=f"Name the file itself, {real}, if that is what you mean.",
    )


def _is_named_below_raw(root: Path, place: Path) -> bool:
    """Whether a path says that it lies below raw/: a clone may hold a link there to any folder."""
    return any(each.name == RAW and each.parent.resolve() == root for each in place.parents)


def _is_inner_link(place: Path, within: Path) -> bool:
    """Whether this is a link to something the walk of `within` meets by itself.

    Raises InputError for links that lead out of `within`.
    """
    return place.is_symlink() and _follow(place, within) is not None


def _below(path: Path, folder: Path) -> str | None:
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else None


def _lies_in_derived(root: Path, path: Path) -> bool:
    below = _below(path, root)
    if below is None:
        return False
    parts = below.split("/")
    return parts[0] in _DERIVED or ".git" in parts


def _own_page(where: str) -> InputError:
    return InputError(
        "belongs to the wiki itself and is no source",
        where=where,
        fix="Sources are documents from elsewhere; pages are edited in place.",
    )


def _place(
    targets: Targets, hits: list[NamedSource], known: Mapping[Path, str]
) -> list[NamedSource]:
    found: dict[tuple[str, bool], NamedSource] = {}
    # Files of raw/ first: an outside copy of the same bytes is then the file that is there.
    for hit in sorted(hits, key=lambda hit: not hit.inside):
        copy = known.get(hit.file, "") if hit.file and not hit.refused else ""
        path = copy or (hit.path if hit.inside or hit.refused else targets.claim(hit))
        beside = "" if copy or name_key(path) == name_key(hit.path) else hit.path
        found.setdefault((path, bool(copy)), replace(hit, path=path, beside=beside))
    return [found[key] for key in sorted(found)]
