"""The tables of the index file, and what makes one file fit this program."""

from __future__ import annotations

import sqlite3
import sys
import unicodedata

import Stemmer

from llmwiki.core.language import search_terms
from llmwiki.index.names_and_words import MAX_BODY_COUNT, MAX_TITLE_COUNT

VERSION = 5
FACTS = 19
"""Raised whenever the same page may give other facts, keys or terms: `page_facts`, `keys`,
`names_and_words`. An index made with another is made anew."""
APPLICATION_ID = 0x6C6D7769
"""`lmwi`, in the header of the file (sqlite.org/pragma.html#pragma_application_id)."""

COLUMNS = (
    *(f"t{n}" for n in range(1, MAX_TITLE_COUNT + 1)),
    *(f"b{n}" for n in range(1, MAX_BODY_COUNT + 1)),
)
"""Of `text`: a term stands in the column that says how often a page has it, in its title or in its
body. So one row of `posting` tells page and count, and no positions are kept."""
BLOCK = 1024
"""Pages whose lengths are stored together."""
LINK = "l:"
"""Prefix of the keys of links, see `corpus`."""
OFTEN = 16
"""Links on more pages than this are also found by how many there are."""


def behind(prefix: str) -> str:
    """What stands behind every key that begins with `prefix`, and before all others."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)


def begins(prefix: str) -> str:
    """The keys that begin with a prefix of ours, in SQL."""
    return f"key >= '{prefix}' AND key < '{behind(prefix)}'"


# One page is one row of `page`. Its keys (`keys`, `corpus`) stand once in `name`, with how many
# pages have them, and by number in `named`. Its words are a row of the full text, which holds no
# text: what is to be deleted there, and what common words count on few pages, is known from
# `words`, by the numbers of `term`.
TABLES = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE page (
  id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, oid TEXT NOT NULL, type TEXT NOT NULL,
  title TEXT NOT NULL, description TEXT NOT NULL, facts TEXT NOT NULL, runs TEXT NOT NULL,
  mtime INTEGER NOT NULL, size INTEGER NOT NULL, inode INTEGER NOT NULL
);
CREATE TABLE words (page INTEGER PRIMARY KEY, terms BLOB NOT NULL);
CREATE TABLE term (id INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE, pages INTEGER NOT NULL);
CREATE TABLE name (key TEXT PRIMARY KEY, id INTEGER NOT NULL, pages INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX linked ON name (pages) WHERE {begins(LINK)} AND pages > {OFTEN};
CREATE TABLE named (
  name INTEGER NOT NULL, page INTEGER NOT NULL, PRIMARY KEY (name, page)
) WITHOUT ROWID;
CREATE TABLE length (block INTEGER PRIMARY KEY, words BLOB NOT NULL, titles BLOB NOT NULL);
CREATE TABLE folder (path TEXT PRIMARY KEY, mtime INTEGER NOT NULL, stamp BLOB NOT NULL);
CREATE INDEX page_by_time ON page (mtime, path, size, inode);
CREATE TABLE drift (path TEXT PRIMARY KEY, committed TEXT) WITHOUT ROWID;
CREATE VIRTUAL TABLE text USING fts5({", ".join(COLUMNS)},
  content='', detail=column, columnsize=0,
  tokenize="ascii tokenchars '!#$%&()*+,-./:;<=>?@[\\]^_`{{|}}~'");
CREATE VIRTUAL TABLE posting USING fts5vocab(text, 'instance');
CREATE VIRTUAL TABLE spread USING fts5vocab(text, 'row');
"""


def tag() -> str:
    """What the stored facts depend on beside the pages: another tag, another index."""
    return " ".join(
        (
            f"index {VERSION}",
            f"facts {FACTS}",
            f"tokens {search_terms.VERSION}",
            f"snowball {Stemmer.version()}",
            f"unicode {unicodedata.unidata_version}",
            f"{sys.byteorder} endian",
        )
    )


def codes() -> dict[str, int]:
    """Each column of the full text to what it adds to a page's code (`names_and_words.code`)."""
    return {name: int(name[1:]) << (6 if name[0] == "t" else 0) for name in COLUMNS}


def create(db: sqlite3.Connection) -> None:
    """Make the tables in an empty file."""
    # Rows of one to two kilobytes leave less of a page empty than in pages of the usual 4,096.
    db.execute("PRAGMA page_size = 8192")
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute(f"PRAGMA user_version = {VERSION}")
    db.executescript(TABLES)
    put(db, "tag", tag())


def put(db: sqlite3.Connection, key: str, value: str) -> None:
    """Set one value of `meta`."""
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


def strays(db: sqlite3.Connection) -> dict[str, str | None]:
    """Pages indexed in other bytes than the commit's, to their blob id there."""
    return dict(db.execute("SELECT path, committed FROM drift ORDER BY path").fetchall())


def get(db: sqlite3.Connection, key: str) -> str:
    """One value of `meta`; empty where it is not set."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return row[0] if row else ""
