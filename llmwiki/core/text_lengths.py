"""How long a text may be before it is looked at sign by sign: no page or source may hold a command.

What is longer is cut for looking, never refused and never lost: a page keeps its bytes. Patterns
take time by length on their own (see `tests/test_patterns.py`); these bounds hold what is asked
again and again, or costs much for each sign.
"""

from __future__ import annotations

NAME = 500
"""Characters of a title, alias or tag that tell names apart; the rest counts as a whole. Titles of
books and papers stay below 300."""

NESTED = 100
"""Quotations and lists inside one another; what opens deeper is text, as to most renderers, whose
bound this is (`maxNesting` of markdown-it). Each is looked at for each line."""

DIGITS = 18
"""Digits of a number that is counted with, so that it fits 64 bits; Python itself refuses to read
more than 4300 (`sys.set_int_max_str_digits`)."""
