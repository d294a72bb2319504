"""Keys and passwords in text, found before a model or a commit sees them. Pure.

`tokens` knows what tells itself by its shape, `carriers` places where only a secret stands, `named`
and `columns` values behind names; `values` tells a secret from what stands for one. All read the
text as `plain` gives it.
"""

from __future__ import annotations

from llmwiki.core.secrets.scan import MARKER, Secret, may_hold, redacted, refuse, scan

__all__ = ["MARKER", "Secret", "may_hold", "redacted", "refuse", "scan"]
