"""Keys and passwords in text, found before a model or a commit sees them. Pure.

`tokens` finds secrets by their shape, `carriers` places where only a secret can stand, `named`
values behind names and in columns below them; `values` tells a secret from a placeholder. All read
the text as `plain` gives it.
"""

from __future__ import annotations

from llmwiki.core.secrets.scan import MARKER, Secret, may_hold, redacted, refuse, scan

__all__ = ["MARKER", "Secret", "may_hold", "redacted", "refuse", "scan"]
