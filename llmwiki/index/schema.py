"""The tables of the index file, and what makes one file fit this program."""

from __future__ import annotations

import sqlite3
import sys
import unicodedata

import Stemmer

from llmwiki.language import tokens

VERSION = 1
FACTS = 14
"""Raised whenever the same page may give other facts, keys or terms: `page_facts`, `keys`,
`page_terms`. An index made with another is made anew."""
APPLICATION_ID = 0x6C6D7769
"""`lmwi`, in the header of the file (sqlite.org/pragma.html#pragma_application_id)."""

# One page is one row of `page` and one number, given once and never again. `posting` is the
# inverted file: what was indexed together is one segment, whose postings are never changed; a page
# that changes gets a new number in a new segment, and its old number is listed in `dead`.
TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE page (
  doc INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, oid TEXT NOT NULL, type TEXT NOT NULL,
  title TEXT NOT NULL, description TEXT NOT NULL, rest TEXT NOT NULL, runs TEXT NOT NULL,
  mtime INTEGER NOT NULL, size INTEGER NOT NULL, inode INTEGER NOT NULL
);
CREATE TABLE segment (
  id INTEGER PRIMARY KEY, first INTEGER NOT NULL, pages INTEGER NOT NULL,
  lengths BLOB NOT NULL, titles BLOB NOT NULL
);
CREATE TABLE posting (
  segment INTEGER NOT NULL, key TEXT NOT NULL, docs BLOB NOT NULL, PRIMARY KEY (segment, key)
) WITHOUT ROWID;
CREATE TABLE dead (doc INTEGER PRIMARY KEY);
CREATE TABLE tally (
  kind TEXT NOT NULL, key TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (kind, key)
) WITHOUT ROWID;
CREATE INDEX tally_by_count ON tally (kind, count);
CREATE TABLE folder (path TEXT PRIMARY KEY, stamp BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE drift (path PRIMARY KEY, committed TEXT) WITHOUT ROWID;
"""


def tag() -> str:
    """What the stored facts depend on beside the pages: another tag, another index."""
    return " ".join(
        (
            f"index {VERSION}",
            f"facts {FACTS}",
            f"tokens {tokens.VERSION}",
            f"snowball {Stemmer.version()}",
            f"unicode {unicodedata.unidata_version}",
            f"{sys.byteorder} endian",
        )
    )


def create(db: sqlite3.Connection) -> None:
    """Make the tables in an empty file."""
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute(f"PRAGMA user_version = {VERSION}")
    db.executescript(TABLES)
    put(db, "tag", tag())


def put(db: sqlite3.Connection, key: str, value: str) -> None:
    """Set one value of `meta`."""
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


def strays(db: sqlite3.Connection) -> dict[str, str | None]:
    """Pages indexed in other bytes than the commit's, to their blob id there."""
    return {
        path if isinstance(path, str) else path.decode("utf-8", "surrogateescape"): committed
        for path, committed in db.execute("SELECT path, committed FROM drift ORDER BY path")
    }


def stored(path: str) -> str | bytes:
    """A path as `drift` holds it: as bytes where it is not UTF-8."""
    return path if is_text(path) else path.encode("utf-8", "surrogateescape")


def is_text(path: str) -> bool:
    """Whether a page of this path can be indexed: names that are not UTF-8 are left out."""
    return path.isascii() or path.encode("utf-8", "replace").decode() == path


def get(db: sqlite3.Connection, key: str) -> str:
    """One value of `meta`; empty where it is not set."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return row[0] if row else ""
