"""The one reader of raw/: finding sources, their text, its numbered lines and segments."""

from llmwiki.sources.document import converter_of, first_quotable, read_document, text_path
from llmwiki.sources.files import read_bytes, sha256_file
from llmwiki.sources.find import expand
from llmwiki.sources.formats import is_read, unsupported
from llmwiki.sources.found import SourceFile
from llmwiki.sources.limits import SourceLimits
from llmwiki.sources.mailbox import is_mailbox
from llmwiki.sources.numbering import numbered
from llmwiki.sources.paths import is_source
from llmwiki.sources.segments import segment

__all__ = [
    "SourceFile",
    "SourceLimits",
    "converter_of",
    "expand",
    "first_quotable",
    "is_mailbox",
    "is_read",
    "is_source",
    "numbered",
    "read_bytes",
    "read_document",
    "segment",
    "sha256_file",
    "text_path",
    "unsupported",
]
