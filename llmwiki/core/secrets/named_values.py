"""Values behind the name of a secret, in any of the ways a name gets a value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from llmwiki.core.quick_to_load import lazy_pattern
from llmwiki.core.secrets.gitleaks_list import ISSUERS_OF_UUIDS
from llmwiki.core.secrets.looks_like_a_secret import (
    decoded,
    is_key_uuid,
    is_said,
    is_stated,
    is_term,
    looks_chosen,
    looks_random,
)

KIND = "assignment"

WORDS: tuple[str, ...] = (
    "secret", "token", "passw", "passphrase", "passcode", "pwd", "credential", "psk", "requirepass",
    "kennwort", "mot de passe", "mots de passe", "contraseña", "contrasena", "senha",
    "wachtwoord", "lösenord", "adgangskode", "passord", "salasana", "hasło", "hasła", "haslo",
    "heslo", "jelszó", "parola", "parolă", "şifre", "пароль", "пароля", "密码", "密碼", "口令",
    "パスワード", "暗証番号", "비밀번호", "암호", "كلمة المرور", "كلمة السر", "סיסמה", "סיסמא",
    "पासवर्ड", "κωδικός", "mật khẩu", "รหัสผ่าน", "kata sandi",
)  # fmt: skip
"""Words in lower case, each of which makes a name that of a secret: English, then the word for a
password in the languages that have most readers."""
PARTS: dict[str, re.Pattern[str]] = {
    "key": re.compile(
        r"(?:api|app|application|access|private|auth|signing|encryption|account|master|shared"
        r"|secret|wi-?fi|service|deploy|license|subscription)[ _.-]?\Z|[A-Z][0-9_]{0,11}_\Z",
        re.IGNORECASE,
    ),
    "pass": re.compile(r"(?:\A|[^A-Za-z])\Z"),
}
"""Words that need something before them: `api-key`, `DATADOG_APP_KEY`, `SMTP_PASS`."""
_GOES_ON = re.compile(r"[a-z]|(?<=S)[A-Z]")
"""Behind `pass` where it begins another word: `passages`, `PASSPORT`."""
HINTS = (*WORDS, *PARTS)

_NOT_SECRET = lazy_pattern(
    r"sha\d|hash|digest|checksum|finger|public|etag|idempot|tokeni[sz]|(?:page|redir)[_-]?token|next|csrf"
    r"|xsrf|nonce|salt|cache|partition|primary|foreign|sort|unique|group|bypass"
    r"|certificate|(?:^|[_.-])pub(?:[_.-]|$)",
    re.IGNORECASE,
)
_ABOUT = lazy_pattern(
    r"[_.-]?(?:ids?|names?|ur[il]s?|files?|paths?|types?|len(?:gth)?|sizes?|policy|policies|fields?"
    r"|endpoint|expir\w{0,24}|ttl|age|counts?|limits?|formats?|versions?|refs?|arns?|columns?|prefix"
    r"|hints?|reset\w{0,24}|managers?|stores?|providers?|class|rules?|kind|env|vars?|binding"
    r"|alias\w{0,24}|stdin|enc|alg\w{0,24}|getinstance)\Z",
    re.IGNORECASE,
)
"""Ends of names that tell something about a secret, not the secret."""
_PARAMETER = lazy_pattern(
    r"(?:x-(?:[a-z]{1,20}-)?|ocp-apim-|h)?(?:(?:api|app|application|access|account|auth|oauth|bearer"
    r"|bot|client|deploy|id|master|personal|private|refresh|secret|security|service|session|shared"
    r"|subscription|user|webhook)[_.-]?){0,3}(?:key|token|secret|passw(?:or)?d|passphrase|pass)",
    re.IGNORECASE,
)
"""Of an address, a parameter that gives access. Others, `searchToken` or `sstoken`, say where a
list or a form goes on, and the `pwd` of a meeting is sent to all who are asked to it."""
_WORKING_FOLDER = ("PWD", "OLDPWD")
"""Not a password, but a shell's name for where it stands."""
_BEFORE = 13
"""Characters before a word in which what it needs is looked for: `subscription-` has as many."""
_REACH = 40
"""Characters before a word that may be part of its name."""
_HEAD = re.compile(r"(?:.*[^\w.-])?+", re.DOTALL)
"""All before the name that a window of the text ends with."""
_TAIL = re.compile(r"(?:[A-Za-z0-9_\-\u00c0-\u024f\u0400-\u04ff]|\.(?!\s)){0,24}+")
"""A dot that ends a sentence is no part of a name: `input and output tokens. **1.6-trillion**`."""
_PASSWORD = re.compile(r"passw|passphrase|pwd|(?:^|[_.-])pass\Z", re.IGNORECASE)
_SECRET = re.compile(r"key|secret|passw|pwd", re.IGNORECASE)

_OPENING = "[\"'`“”„«»‘’「『【*_(\\[]{0,3}[ \xa0]?[\"'`“”‘’*_]{0,2}"
_CHAR = r"[!#$%&*+./0-9:=?@A-Z\\^_a-z~\u00a1-\u00aa\u00ac-\u00ba\u00bc-\u08ff-]"
"""Of a value without quotes: none of quotes, brackets, separators, nor letters of scripts that are
written without blanks."""
_PLAIN = (
    rf"(?P<s>(?:(?!&[A-Za-z_][\w.-]{{0,40}}=|\\[nrt]|\\u[0-9A-Fa-f]{{4}}){_CHAR}){{6,300}}+)"
    r"(?![(\[{])"
)
"""A parameter of an address, or a line break as JSON writes it, ends it."""
_QUOTED = r"(?P<quote>[\"'`])(?P<s>[^\s\"'`]{6,300})(?P=quote)"
_VALUE = rf"{_OPENING}{_PLAIN}"
_CLOSING = "[\"'`”’»」』*_)\\]}]{0,4}"

_ASSIGNED = lazy_pattern(
    # An element of XML ends at its name: `tokens > 9` compares.
    rf"{_CLOSING}(?:>(?![ \t\xa0])|[ \t]{{0,40}}(?:=>|:=|->|={{1,3}}|:"
    r"|:[ \t]{0,3}[&A-Za-z_][\w<>.&]{0,20}[ \t]{0,3}=)"
    rf"[*_]{{0,3}}[ \t]{{0,40}})(?:\n[ \t]{{0,40}})?{_VALUE}"
)
_TYPED = re.compile(
    rf"[ \t]{{0,3}}:?[ \t]{{0,3}}[&A-Za-z_][\w<>.&]{{0,20}}[ \t]{{0,3}}=[ \t]{{0,3}}{_QUOTED}"
)
_PAIRED = lazy_pattern(
    r"[\"']?[\s,{]{1,40}[\"']?(?i:value|default)[\"']?\s{0,3}[:=]\s{0,3}" + _VALUE
)
_PASSED = re.compile(rf"[\"']?\s{{0,3}}[,(]\s{{0,3}}{_QUOTED}")
_BESIDE = re.compile(rf"{_CLOSING}[ \t\xa0]{{1,4}}{_VALUE}")
_SAID = re.compile(
    r"[^\n.;!?=|\"'`<>]{0,60}?(?:[\s:](?i:is|are|was|now|ist|lautet|war|est|es|era|é|è|jest|to|je"
    r"|är|er|on|это|—|–)|[是为為は이가는은]|:[ \t\xa0])(?:[ \t\xa0](?i:now|jetzt|ahora))?"
    r"[ \t\xa0:]{0,3}" + _VALUE
)
_TRAILING = ".,:;?*_`'\"’”»"


def find(text: str, named: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int, str]]:
    """Start, end and kind of each secret behind one of the `names` of the text."""
    for start, end in named:
        if text[start - 1 : start] == ":" == text[end : end + 1]:
            # A part of a URN: `arn:…:secret:name`.
            continue
        is_parameter = text[start - 1 : start] in ("?", "&") and text[end : end + 1] == "="
        for pattern in (_ASSIGNED, _TYPED, _PAIRED, _PASSED, _BESIDE, _SAID):
            match = pattern.match(text, end)
            if match is None:
                continue
            value = match["s"].rstrip(_TRAILING)
            if is_parameter:
                value = value.partition("#")[0]
            is_key = _PARAMETER.fullmatch(text, start, end) and looks_random(value)
            if (is_parameter and not is_key) or match["s"].endswith(("...", "…")):
                # Nobody can use what is cut.
                break
            if text[match.start("s") - 1 : match.start("s") + 1] == "[^":
                # The mark of a footnote: `every test must pass — [^guide]`.
                break
            is_loose = pattern in (_BESIDE, _SAID)
            name = text[start:end]
            if is_secret(name, value, is_loose=is_loose) or (
                pattern is _SAID and _PASSWORD.search(name) and is_said(value)
            ):
                yield match.start("s"), match.start("s") + len(value), KIND
                break


def names(text: str, lowered: str) -> Iterator[tuple[int, int]]:
    """Start and end of each name that means a secret; `lowered` as for `key_shapes.find`."""
    seen = set[int]()
    for hint in HINTS:
        at = lowered.find(hint)
        while at >= 0:
            after = at + len(hint)
            needs = PARTS.get(hint)
            is_whole = needs is None or needs.search(text, max(0, at - _BEFORE), at)
            if is_whole and not (hint == "pass" and _GOES_ON.match(text, after)):
                head = _HEAD.match(text, max(0, at - _REACH), at)
                tail = _TAIL.match(text, after)
                end = tail.end() if tail else after
                name = text[head.end() if head else at : end]
                first = end - len(name)
                whole = name
                if text.startswith("[[", first - 2) and first > 1:
                    # A wikilink is the rest of a name: `publicKey[[Token]]`.
                    head = _HEAD.match(text, max(0, first - _REACH), first - 2)
                    whole = text[head.end() if head else first - 2 : first - 2] + name
                if end not in seen and names_a_secret(whole, text[after:end]):
                    seen.add(end)
                    yield end - len(name), end
            at = lowered.find(hint, after)


@lru_cache(maxsize=4096)
def names_a_secret(name: str, tail: str) -> bool:
    """Whether a name that holds one of the words, and ends in `tail`, means the secret itself."""
    return not (_NOT_SECRET.search(name) or _ABOUT.search(tail) or name in _WORKING_FOLDER)


def is_secret(name: str, value: str, *, is_loose: bool = False) -> bool:
    """Whether the value of such a name is a secret; `is_loose`: only a blank or words between."""
    if is_key_uuid(value):
        issued = any(issuer in name.lower() for issuer in ISSUERS_OF_UUIDS)
        return not is_loose and (issued or _SECRET.search(name) is not None)
    told = decoded(value)
    if told is not None:
        return is_stated(told.strip()) and not is_loose
    if is_loose and (
        value.startswith("-") or is_term(value) or name.lower() == "pass" or _GIVEN.match(value)
    ):
        # An option, the name of a thing, a verb, another name with its value or `/name:value`.
        return False
    if looks_random(value):
        return True
    if name.lower().endswith("tokens"):
        # How many, of a model's: `max_tokens = 10_000`.
        return False
    is_exact = not is_loose or not value.isalnum() or _PASSWORD.search(name) is not None
    return is_exact and looks_chosen(value)


_GIVEN = re.compile(r"[a-z]{2,20}=[^=]|/[a-z]{1,20}:")
_RULE = re.compile(r"[ \t]{0,3}\|?[ \t:|-]{3,}")
_HEADING = re.compile(r"\w[\w .-]{0,30}")
_CELL = re.compile(r"\S{6,300}")
_DRESS = " \t*_`'\"“”"
_SEPARATORS = "|\t;,"
_MOST_ROWS = 100_000


def find_in_columns(text: str, named: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int, str]]:
    """Start, end and kind of each secret in such a column; `named` as for `find`."""
    read_to = -1
    for start, _ in sorted(named):
        if start < read_to:
            continue
        first = text.rfind("\n", 0, start) + 1
        read_to = _end_of_line(text, first)
        separator = next((each for each in _SEPARATORS if each in text[first:read_to]), "")
        if separator:
            yield from _column(text, first, read_to, separator)


def _column(text: str, first: int, last: int, separator: str) -> Iterator[tuple[int, int, str]]:
    heads = [
        (number, text[start:end])
        for number, (start, end) in enumerate(_cells(text, first, last, separator))
    ]
    is_markdown = separator == "|"
    if len(heads) < 2 or not (
        _is_first_row(text, first)
        if is_markdown
        else all(_HEADING.fullmatch(head) for _, head in heads)
    ):
        return
    wanted = {
        number: head
        for number, head in heads
        if len(head) <= 60 and any(end == len(head) for _, end in names(head, head.lower()))
    }
    at, rows = last + 1, 0
    while wanted and at < len(text) and rows < _MOST_ROWS:
        end = _end_of_line(text, at)
        if separator not in text[at:end]:
            return
        if not (rows == 0 and _RULE.fullmatch(text, at, end)):
            cells = _cells(text, at, end, separator)
            if not is_markdown and len(cells) != len(heads):
                return
            for number, head in wanted.items():
                begin, stop = cells[number] if number < len(cells) else (0, 0)
                if not _CELL.fullmatch(text, begin, stop):
                    continue
                if is_secret(head, text[begin:stop], is_loose=True):
                    yield begin, stop, KIND
        at, rows = end + 1, rows + 1


def _is_first_row(text: str, first: int) -> bool:
    """Whether no row with words in it stands above in a table of Markdown: the word `secret` in a
    row says nothing of the rows below. An empty head and its rule may stand there."""
    while first:
        before = text.rfind("\n", 0, first - 1) + 1
        row = text[before:first]
        if "|" not in row:
            return True
        if any(map(str.isalnum, row)):
            return False
        first = before
    return True


def _cells(text: str, first: int, last: int, separator: str) -> list[tuple[int, int]]:
    """Start and end of each cell of a line, what dresses it left out."""
    found: list[tuple[int, int]] = []
    at = first
    while at <= last:
        end = text.find(separator, at, last)
        end = last if end < 0 else end
        cell = text[at:end]
        start = at + len(cell) - len(cell.lstrip(_DRESS))
        found.append((start, max(start, at + len(cell.rstrip(_DRESS)))))
        at = end + 1
    return found


def _end_of_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end
