"""One source as a Document: its own text, or the text a converter gives, and as it is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llmwiki.core.document import Document
from llmwiki.core.errors import InputError, PolicyError
from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.core.text import DROPPED, sha256_hex
from llmwiki.pages.line_patterns import fence_after
from llmwiki.sources.conversion_limits import SourceLimits
from llmwiki.sources.encodings import decoded
from llmwiki.sources.formats import converter_for, own_text_type, seems
from llmwiki.sources.open_and_hash import too_large
from llmwiki.sources.pictures import PicturesError, with_reading, without_reading
from llmwiki.sources.raw_paths import TEXT_DIR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llmwiki.git.repository import Repository
    from llmwiki.sources.conversion_limits import ConvertedText
    from llmwiki.sources.formats import Converter
    from llmwiki.sources.pictures import PictureReader

_META = lazy_pattern(
    r"# llmwiki-text 1 converter=([\w.+=:-]+/[\w./+=:-]{1,200}) sha256=([0-9a-f]{64})"
)

_LFS_POINTER = b"version https://git-lfs.github.com/spec/"
_BLANK = lazy_pattern("(?<!`)&nbsp;(?!`)")
_AS_BLANK = lazy_pattern("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")


def read_document(
    path: str,
    data: bytes,
    *,
    kept_text: bytes | None = None,
    limits: SourceLimits | None = None,
    pictures: PictureReader | None = None,
) -> Document:
    """The numbered text of the source at `path` (below raw/) whose bytes are `data`.

    Markdown, plain text and other texts that people write are their own text: UTF-8, split on LF;
    a byte order mark at the start and a CR at the end of a line are not part of the lines. Other
    formats are converted to a text whose first line is
    `# llmwiki-text 1 converter=NAME/VERSION sha256=<64 hex>`, which is line 1 and never evidence.
    `kept_text` is that text as it was committed: it is taken as it stands, nothing is converted,
    and `text_bytes` is None.

    An image, and the scans among a PDF's pages, are read by `pictures`, and the first line names
    it too: `pypdfium2/5.15.2+pictures=agent/1`. Without a reader a scan beside other pages
    is a line `[picture, not read]`, and a source of pictures only raises PicturesError.

    Raises InputError for formats that are not read, for broken, binary, empty or encrypted
    sources, and for pointers of Git LFS; PolicyError where a limit is passed; what the reader of
    pictures raises.
    """
    bounds = limits or SourceLimits()
    if len(data) > bounds.max_bytes:
        raise too_large(path, len(data), bounds.max_bytes)
    if data.startswith(_LFS_POINTER):
        raise InputError(
            "is a pointer of Git LFS, which is not read",
            where=path,
            fix="Take the folder out of LFS (`git lfs migrate export`), or name the document.",
        )
    converter = converter_for(path, data)
    if not data:
        raise InputError("the file is empty", where=path, fix="Put the document into it.")
    digest = sha256_hex(data)
    media_type = converter.media_type if converter else own_text_type(path) or "text/plain"
    if kept_text is not None and converter is not None:
        text = _kept(path, kept_text, digest)
        return Document(path, digest, _lines(text), text_path(digest), None, media_type)
    if converter is None:
        text = _own_text(path, data)
        _check_text(path, len(data), text, bounds)
        lines = _lines(text)
        if media_type == "text/markdown" and "&nbsp;" in text:
            lines = _with_blanks(lines)
        return Document(path, digest, lines, media_type=media_type)
    result = _read_out(path, data, converter, pictures, bounds)
    text = f"# llmwiki-text 1 converter={result.tool} sha256={digest}\n{result.text}\n"
    return Document(path, digest, _lines(text), text_path(digest), text.encode(), media_type)


def document_at(
    repo: Repository, commit: str | None, path: str, *, most: int | None = None
) -> Document | None:
    """The text of the source at `path` as a commit has it, or, where that is None, the work tree.

    Nothing is converted: None where its format would have to be and its text was not kept, where
    there is no such file, and where it has more than `most` bytes. Raises what `read_document`
    raises.
    """

    def held(name: str) -> bytes | None:
        if commit is not None:
            return repo.read(commit, name)
        with repo.folders() as folders:
            return folders.read(repo.prefix + name)

    data = held(path)
    if data is None or (most is not None and len(data) > most):
        return None
    if converter_for(path, data) is None:
        return read_document(path, data)
    kept = held(text_path(sha256_hex(data)))
    return None if kept is None else read_document(path, data, kept_text=kept)


def read_kept_text(path: str, sha256: str, kept: bytes) -> Document:
    """A converted source of which only its SHA-256 and its committed text are at hand.

    Raises InputError where that is not its text.
    """
    text = _kept(path, kept, sha256)
    return Document(path, sha256, _lines(text), text_path(sha256))


def text_path(sha256: str) -> str:
    """Where the text of a converted source is kept, from the SHA-256 of the original."""
    return f"{TEXT_DIR}/{sha256[:16]}.txt"


def with_blanks(text: str) -> str:
    """A line of Markdown, or a quote of one, with the blanks that `&nbsp;` is shown as."""
    return _BLANK.sub("\u00a0", text) if "&nbsp;" in text else text


def first_quotable(document: Document) -> int:
    """The first line (from 1) that evidence may point into: 2 under a metadata line, else 1."""
    return 1 if document.text_path is None else 2


def converter_of(document: Document) -> str | None:
    """`NAME/VERSION` of what converted this document; None for its own text."""
    match = _META.fullmatch(document.lines[0]) if document.text_path else None
    return match[1] if match else None


def numbered(document: Document, first: int, last: int) -> str:
    """Lines `first` to `last` (from 1, both included), each as `L12: text`, joined by LF.

    An empty line is `L12:`. Control characters become a blank; bidirectional controls and the
    invisible tag characters go, exactly as `core.text.normalise` treats them, so that a quote
    of what was shown is found in the text. Nothing else is changed: Markdown, HTML and
    instructions in it are the prompt's concern. Raises ValueError for lines that do not exist.
    """
    if not 1 <= first <= last <= len(document.lines):
        raise ValueError(f"no lines {first} to {last} in {document.path}")
    lines = document.lines[first - 1 : last]
    return "\n".join(
        f"L{number}: {DROPPED.sub('', _AS_BLANK.sub(' ', line))}".rstrip()
        for number, line in enumerate(lines, start=first)
    )


def _kept(path: str, kept: bytes, digest: str) -> str:
    place = text_path(digest)
    text = _own_text(place, kept)
    match = _META.fullmatch(text.partition("\n")[0])
    if match is None or match[2] != digest:
        raise InputError(
            f"is not the text of {path}: its first line names other bytes",
            where=place,
            fix=f"Restore it: git checkout -- {place}",
        )
    return text


def _read_out(
    path: str, data: bytes, converter: Converter, reader: PictureReader | None, limits: SourceLimits
) -> ConvertedText:
    result = without_reading(converter, data, path, limits)
    if result.unread:
        if reader is not None:
            result = with_reading(result, reader, converter, data, path, limits)
        elif result.bare:
            raise PicturesError(path, len(result.unread))
    if not result.text.strip():
        raise InputError("it holds no text", where=path, fix="Check that it is complete.")
    _check_text(path, len(result.text), result.text, limits)
    return result


def _check_text(path: str, size: int, text: str, limits: SourceLimits) -> None:
    """Refuse a text, of `size` bytes, that is more than is worked on at once."""
    count = text.count("\n")
    if size > limits.max_text or count > limits.max_lines:
        raise PolicyError(
            f"its text has {size:,} bytes in {count:,} lines; at most {limits.max_text:,} and"
            f" {limits.max_lines:,} are read",
            where=path,
            fix="Split it, or ingest the part that matters.",
        )


def _own_text(path: str, data: bytes) -> str:
    try:
        return decoded(data)
    except InputError as error:
        error.where = path
        if ending := seems(data):
            error.what = f"it is not text: it seems to be a .{ending} file"
            error.fix = f"Give it a name that ends in .{ending}, and ingest that."
        raise


def _with_blanks(lines: Sequence[str]) -> tuple[str, ...]:
    """The lines with the blanks that Markdown shows, but for those of code."""
    mark, found = "", []
    for line in lines:
        found.append(line if mark else with_blanks(line))
        mark = fence_after(line, mark)
    return tuple(found)


def _lines(text: str) -> tuple[str, ...]:
    lines = text.removesuffix("\n").split("\n")
    return tuple(line.removesuffix("\r") for line in lines)
