"""Sizes of files as people write them."""

from __future__ import annotations

import re

import click

_SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,9})?) ?(?:([kmgt])(i?))?b?", re.IGNORECASE)
_POWERS = {None: 0, "k": 1, "m": 2, "g": 3, "t": 4}


def read_size(_ctx: click.Context, _option: click.Parameter, value: str | None) -> int | None:
    """Bytes of a size such as `50000000`, `50MB`, `1.5 GB` (powers of 1000) or `64MiB` (of 1024).

    None for None. Raises BadParameter for anything else, and for less than a byte.
    """
    if value is None:
        return None
    found = _SIZE.fullmatch(value.strip())
    if found is not None:
        number, letter, binary = found.groups()
        size = int(float(number) * (1024 if binary else 1000) ** _POWERS[letter and letter.lower()])
        if size >= 1:
            return size
    raise click.BadParameter(f"`{value}` is no size such as 50000000, 50MB or 64MiB.")
