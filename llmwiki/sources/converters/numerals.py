"""Numbers as they are shown: `3`, `iv`, `C`, `03` of lists, `^2` above the line."""

from __future__ import annotations

import re

BULLET = "-"
"""What stands before a point without a number."""

_RAISED = re.compile(r"[-+\u2212]?\d[\d,]*")
_ROMAN = tuple(
    zip(
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        ("m", "cm", "d", "cd", "c", "xc", "l", "xl", "x", "ix", "v", "iv", "i"),
        strict=True,
    )
)


def numeral(value: int, form: str) -> str:
    """A number in a form as Word names them: `lowerLetter`, `upperRoman`, `decimalZero` …

    Letters go on as `aa`, `bb`; what a form has no sign for is shown in digits.
    """
    if form in ("lowerLetter", "upperLetter") and 1 <= value <= 26 * 10:
        letters = chr(ord("a") + (value - 1) % 26) * ((value - 1) // 26 + 1)
        return letters.upper() if form == "upperLetter" else letters
    if form in ("lowerRoman", "upperRoman") and 1 <= value < 4000:
        roman = ""
        for size, sign in _ROMAN:
            roman += sign * (value // size)
            value %= size
        return roman.upper() if form == "upperRoman" else roman
    return f"{value:02}" if form == "decimalZero" else str(value)


def raised(text: str) -> str:
    """Text that stands above the line: numbers as `^2`, so that they are not part of the word.

    Powers and the marks of notes look alike, and stay so.
    """
    return f"^{text}" if _RAISED.fullmatch(text) else text
