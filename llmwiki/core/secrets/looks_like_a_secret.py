"""Whether a value is a secret, where its surroundings only say that it may be one."""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections import Counter
from itertools import pairwise

from llmwiki.core.quick_to_load import lazy_pattern

MIN_ENTROPY = 3.3
"""Bits a character (Shannon, over the value itself) below which `name = value` is a word."""
MIN_CHOSEN = 8
"""Characters of a password that somebody chose; shorter ones cannot be told from words."""
MIN_STATED = 6
"""Characters of a password where nothing else can stand, as behind `curl -u name:`."""

_PLACEHOLDER = lazy_pattern(
    r"example|sample|dummy|placeholder|change[_-]?me|redacted|your[_-]|eyJzdWIiOiIxMjM0NTY3ODkw"
    r"|x{6,}|\*{3,}|\.{3}|…"
    r"|<|\$\{|\{\{|%\(|\$\(",
    re.IGNORECASE,
)
_DOCUMENTED = (
    "BQokikJOvBiI2HlW", "4eC39HqLyjWDarjt", "MWYyZDFlMmU2N2Rm", "1f2d1e2e67df", "Y4nys7f11",
    "9944b09199c62bcf9418", "czZCaGRSa3F0Mzpn", "2YotnFZFEjr1zCsi", "tGzv3JOkF0XG5Qx2",
    "mF_9.B5f-4.1JqM", "QWxhZGRpbjpvcGVu",
)  # fmt: skip
"""Of keys that everybody copies: from the documentation of Stripe, Kubernetes, Django REST, OAuth
2.0 (RFC 6749, 6750) and Basic authentication (RFC 7617)."""
_FILLER = re.compile(r"replace|insert|foobar|0{8,}|1234567|abcdef|abc123|1q2w3e", re.IGNORECASE)
"""What stands for a value in documentation, where no known prefix says that it is a real one."""
_REFERENCE = lazy_pattern(
    r"\$\w+|\{[\w.]+\}|%\w+%|%%.*|#(?:[\w-]+|/[\w/.%$~-]*)|--?[A-Za-z][\w.-]*(?:=.*)?|[a-z]{2,20}://(?![^/\s]*@).*|(?:arn|urn|vault|env|file|ref|ssm|secret|sops):.*"
    r"|ENC\[.*",
    re.IGNORECASE,
)
"""What only names the place of a secret, or holds it encrypted."""
_DIGEST = lazy_pattern(
    r"\$(?:[1256y]|2[abxy]|argon2\w{0,2}|scrypt|pbkdf2[\w-]{0,20}|bcrypt[\w-]{0,20})\$.*"
    r"|\{[A-Z0-9-]{2,20}\}.*|(?:pbkdf2|bcrypt|scrypt|argon2)[\w:]{0,40}\$.*|(?:sha|md)\d+[-:=~].*|scram-sha-\d+\$.*",
    re.IGNORECASE,
)
"""A digest of a password is no password."""
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_FINGERPRINT = re.compile(r"[0-9A-F]{40}")
"""Of a key, as GnuPG prints it."""
_SAMPLE_UUID = re.compile(r"123e4567-|12345678-|deadbeef-|550e8400-e29b-", re.IGNORECASE)
"""Beginnings of those that documentation shows, RFC 4122's own among them."""
_IDENTIFIER = lazy_pattern(
    r"""
      [A-Za-z_$][\w$]{0,39}+(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]{0,39}+)+(?:\(.*)?  # a.b.c in code
    | [\w.-]*/[\w./-]*\.[a-z]{1,5}                                    # path
    | [.~]{0,2}/[\w.%-]++(?:/[\w.%-]++)+                              # path from a root
    | [A-Za-z]:(?:\\[\w.%$-]++){2,}                                   # path of Windows
    | [\w.-]++/[\w.-]++\#\d++                                         # owner/repository#12
    | (?-i:(?:[a-z0-9-]{1,63}\.){1,9}(?:com|org|net|edu|gov|io|dev))   # host
      (?::\d{2,5})?(?:/[\w./%-]*)?
    | v?\d++(?:[.:_-]\d++)++\w*+                                      # version, date, time
    | [a-z0-9]++(?:-[a-z0-9]++)*?-(?:token|dockercfg)-[a-z0-9]{5}      # a secret of Kubernetes
    | (?:[^\W\d_]++[_-]){3,}+(?=.*[^\x00-\x7f])\w++(?<=[^\W\d_]{3})       # words in any script
    | (?-i:[a-z]{2,}+\d{0,2}+(?:[/-][a-z]{2,}+\d{0,2}+){2,}+)              # tag: it/exam/ap1/notes
    | [\w.()-]{0,99}\#\^[cn]-[0-9a-z]{10,52}                           # link to a claim
    """,
    re.VERBOSE | re.IGNORECASE,
)
_WORDS = re.compile(
    r"(?:[A-Z]?[a-z]+|[A-Z]+|\d{1,4})(?:[_.+/*=-]+(?:[A-Z]?[a-z]+|[A-Z]+|\d{1,4}))*"
    r"|[A-Za-z]++\d{0,2}+(?:[_.-][A-Za-z]++\d{0,2}+)++"
)
_TERM = re.compile(
    r"[A-Za-z]++\d{0,3}+[a-z]*+(?:[-_./+:@]++[A-Za-z]*+\d{0,4}+[A-Za-z]*+)*+[-_./+:]*+"
)
_SAID = re.compile(r"[A-Za-z]{4,}\d{1,4}[a-z]*")
_METHOD = re.compile(
    r"(?:base|utf|sha|md|aes|hmac|pbkdf|argon|oauth|pkcs|ntlm|iso|rfc|win|python|ascii|latin|ipv"
    r"|curve|secp)\d",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[^\W\d_]")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{8,}={0,2}")
_STAND_INS = frozenset(
    """
    a abc access admin an and app auth bar basic baz bearer change client complex correct custom
    credential credentials db default demo deploy dev dummy empty enter example fake foo for
    generated geheim guest hello here hidden hunter id in is it key kennwort letmein local login
    long me monitor monitoring my mysql mysecret name new no none not null of old pass
    passphrase passwd password passwort path placeholder please postgres private prod public pw
    pwd qux qwerty random readonly redacted redis replace root s safe sample secret secure
    service set some something staging string strong super supersecret temp test testing the
    this to todo token top true undefined user username value urn very welcome with world wrong
    your
    """.split()  # noqa: SIM905
)
_COUNTED = "1234567890" * 3
_LEET = str.maketrans("013457@$", "oieastas")
_LONGEST = max(len(word) for word in _STAND_INS)


def entropy(value: str) -> float:
    """Shannon's entropy of the characters of `value`, in bits a character."""
    total = len(value)
    return -sum(
        count / total * math.log2(count / total) for _, count in sorted(Counter(value).items())
    )


def is_placeholder(value: str) -> bool:
    """Whether a value says of itself that it stands for another."""
    if _PLACEHOLDER.search(value) is not None or len(set(value)) < 5:
        return True
    return any(known in value for known in _DOCUMENTED)


def is_stand_in(value: str) -> bool:
    """Whether a value is made of words that people write where a password would stand.

    `changeme`, `P@ssw0rd!`, `my-secret-token`, `user`: what everybody tries first is no secret.
    """
    core = value.strip("0123456789!@#$%^&*?._- ").lower()
    if len(value) - len(core) > 6 or len(core) > 60:
        return False
    return _is_made_of_words(re.sub(r"[\W_]+", "", core.translate(_LEET)))


def _is_made_of_words(letters: str) -> bool:
    reached = [True] + [False] * len(letters)
    for start in range(len(letters)):
        if reached[start]:
            for end in range(start + 1, min(len(letters), start + _LONGEST) + 1):
                if letters[start:end] in _STAND_INS:
                    reached[end] = True
    return reached[-1]


def looks_random(value: str) -> bool:
    """Letters and digits mixed beyond what words, names and identifiers do; from 12 on."""
    if len(value) < 12 or not _has_both(value) or entropy(value) < MIN_ENTROPY:
        return False
    if _UUID.fullmatch(value) or _FILLER.search(value) or _WORDS.fullmatch(value):
        return False
    return not _FINGERPRINT.fullmatch(value) and _is_secret_at_all(value)


def looks_chosen(value: str) -> bool:
    """A password as people make them: three of lower case, upper case, digits and signs.

    Or letters and digits that take turns, `k9x2mm4q`. Terms such as `AES-256` are none.
    """
    if len(value) < MIN_CHOSEN or not _has_both(value) or is_term(value):
        return False
    if _UUID.fullmatch(value) or _FILLER.search(value) or not _is_secret_at_all(value):
        return False
    kinds = (
        any(char.islower() for char in value),
        any(char.isupper() for char in value),
        any(char.isdigit() for char in value),
        not value.isalnum(),
    )
    return sum(kinds) >= 3 or _turns(value) >= 3


def is_stated(value: str) -> bool:
    """Whether a value that can be nothing but a password is a real one."""
    return len(value) >= MIN_STATED and value not in _COUNTED and _is_secret_at_all(value)


def is_term(value: str) -> bool:
    """Whether a value is written as names of methods and things are: `AES-256`, `db_password1`.

    None ends in `!`, as what people choose often does.
    """
    return _TERM.fullmatch(value.strip("?.,;()\"'`*")) is not None


def is_said(value: str) -> bool:
    """Whether what a sentence says a password is can be one: a word with digits, no method such
    as `base64url`."""
    word = value.strip("!?.,;()\"'`*")
    return (
        len(word) >= 10
        and _SAID.fullmatch(word) is not None
        and _METHOD.match(word) is None
        and not (_FILLER.search(word) or is_placeholder(word) or is_stand_in(word))
    )


def is_key_uuid(value: str) -> bool:
    """A UUID that is none of documentation's."""
    return (
        len(value) == 36
        and _UUID.fullmatch(value) is not None
        and _SAMPLE_UUID.match(value) is None
        and not is_placeholder(value)
    )


def decoded(value: str) -> str | None:
    """What a value says in Base64, where that is printable ASCII; else None."""
    if len(value) % 4 or not _BASE64.fullmatch(value):
        return None
    try:
        text = base64.b64decode(value, validate=True).decode("ascii")
    except (binascii.Error, UnicodeDecodeError):
        return None
    return text if text.replace("\n", "").isprintable() else None


def _is_secret_at_all(value: str) -> bool:
    return not (
        is_placeholder(value)
        or _REFERENCE.fullmatch(value)
        or _DIGEST.fullmatch(value)
        or _IDENTIFIER.fullmatch(value)
        or is_stand_in(value)
    )


def _has_both(value: str) -> bool:
    return _DIGIT.search(value) is not None and _LETTER.search(value) is not None


def _turns(value: str) -> int:
    """How often letters and digits follow each other."""
    return sum(
        one.isdigit() != two.isdigit()
        for one, two in pairwise(value)
        if one.isalnum() and two.isalnum()
    )
