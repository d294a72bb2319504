"""The addresses of the views."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

if TYPE_CHECKING:
    from llmwiki.app.types import Claim, Entry, Evidence


@dataclass(frozen=True, slots=True)
class Addresses:
    """Addresses of views, all of the same commit."""

    at: str = ""
    """The commit that is looked at, as it was named; empty: the wiki as it is."""

    def _to(self, path: str, *, fragment: str = "", **query: object) -> str:
        named = {key: str(value) for key, value in query.items() if value not in ("", None, 0)}
        if self.at:
            named["at"] = self.at
        asked = f"?{urlencode(named)}" if named else ""
        place = f"#{quote(fragment)}" if fragment else ""
        return quote(path, safe="/", errors="replace") + asked + place

    def page(self, path: str, fragment: str = "") -> str:
        """Of a page, by its path."""
        plain = path.removesuffix(".md")
        if plain.startswith("wiki/"):
            return self._to(f"/{plain}", fragment=fragment)
        return self._to(f"/page/{plain}", fragment=fragment)

    def markdown(self, path: str) -> str:
        """Of a page as Markdown."""
        return self._to("/markdown/" + path)

    def named(self, name: str) -> str:
        """Of a page by any of its names."""
        return self._to(f"/page/{name}")

    def source(self, ident: str, line: int = 0, claim: str = "", number: int = 0) -> str:
        """Of a source's text, at a line, with what a claim quotes marked."""
        fragment = f"L{line}" if line else ""
        return self._to(f"/source/{ident}", fragment=fragment, claim=claim, quote=number)

    def quoted(self, claim: Claim, evidence: Evidence) -> str:
        """Of a source at the place where a claim's quote stands."""
        number = claim.evidence.index(evidence) + 1
        return self.source(evidence.source, max(1, evidence.first), claim.id, number)

    def file(self, ident: str, place: str = "") -> str:
        """Of a source's file; `place` is where in it: `p. 12`."""
        page = re.search(r"p\. (\d+)", place)
        return self._to(f"/file/{ident}", fragment=f"page={page[1]}" if page else "").replace(
            "#page%3D", "#page="
        )

    def picture(self, path: str) -> str:
        """Of a picture of the repository, by its path from the root."""
        return self._to(f"/picture/{path}")

    def why(self, what: str) -> str:
        """Of the story of a claim, or of all claims of a page."""
        return Addresses()._to(f"/why/{what}")

    def history(self, path: str) -> str:
        """Of a page's history."""
        return Addresses()._to("/history/" + path)

    def change(self, commit: str) -> str:
        """Of what one commit changed."""
        return f"/change/{quote(commit)}"

    def kind(self, kind: str, start: int = 0) -> str:
        """Of the list of pages of a type."""
        return self._to(f"/pages/{kind}", start=start)

    def search(self, words: str = "", kind: str = "", *, more: bool = False) -> str:
        """Of a search; `more` shows more pages."""
        return self._to("/search", q=words, kind=kind, more=int(more))

    def view(self, name: str) -> str:
        """Of a view without a subject: `log`, `graph` …"""
        return self._to(f"/{name}")

    def entry(self, entry: Entry, fragment: str = "") -> str:
        """Of a page that is listed."""
        return self.page(entry.path, fragment)
