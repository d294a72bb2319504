"""Secrets found by patterns: what a pattern is, and the documented shapes of keys, as data."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from llmwiki.core.secrets.gitleaks_list import TOKENS as KEPT
from llmwiki.core.secrets.looks_like_a_secret import decoded, entropy, is_placeholder


def is_no_placeholder(value: str) -> bool:
    """Whether a value does not say of itself that it stands for another."""
    return not is_placeholder(value)


def _is_of_grafana(value: str) -> bool:
    """Whether a value in Base64 is `{"k": …, "n": …, "id": …}`. The address of a report of Power BI
    begins alike, and is for everybody."""
    told = decoded(value.rstrip("=") + "=" * (-len(value.rstrip("=")) % 4)) or ""
    return '"n":' in told and '"id":' in told


_REAL = {"grafana-api-key": _is_of_grafana}
"""What more is asked of a shape of the kept list."""


@dataclass(frozen=True, slots=True)
class SecretPattern:
    """One pattern, and what it finds. A text without any of `hints` is not searched."""

    kind: str
    hints: tuple[str, ...]
    """Literal parts, in lower case, of which every match holds one (in any case)."""
    source: str
    """Its group `s`, `q` or `d`, or else the whole match, is the secret."""
    is_real: Callable[[str], bool] = is_no_placeholder
    """Whether a match is a secret, and nothing that stands for one."""
    begins: bool = True
    """Whether every match begins with one of the hints: then nothing else is looked at."""
    glued: bool = False
    """Whether its beginning tells it where it is written without a blank behind or before a word:
    `tokenghp_…`. What touches it is a word at most, and not the rest of a longer string."""
    least: float = 0.0
    """Bits a character (see `entropy`) that it has at least."""
    flags: int = 0


def find(table: Sequence[SecretPattern], text: str, lowered: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and kind of each secret; `lowered` is the text in lower case, place by place."""
    for sought in table:
        for match in _matches(sought, text, lowered):
            names = match.re.groupindex
            group = next((name for name in ("s", "q", "d") if name in names and match[name]), 0)
            value = match[group]
            is_real = sought.is_real(value) and not (sought.least and entropy(value) < sought.least)
            if is_real and not (sought.glued and _is_within_a_string(text, *match.span())):
                yield *match.span(group), sought.kind


def _matches(sought: SecretPattern, text: str, lowered: str) -> Iterator[re.Match[str]]:
    for hint in sought.hints:
        at = lowered.find(hint)
        if at < 0:
            continue
        pattern = _compiled(sought.source, sought.flags)
        if not sought.begins:
            yield from pattern.finditer(text)
            return
        behind = 0
        while at >= 0:
            match = pattern.match(text, at) if at >= behind else None
            if match:
                behind = match.end()
                yield match
            at = lowered.find(hint, at + len(hint))


@lru_cache(maxsize=1024)
def _compiled(source: str, flags: int) -> re.Pattern[str]:
    return re.compile(source, flags)


def _is_within_a_string(text: str, start: int, end: int) -> bool:
    before = _BEFORE.search(text, max(0, start - _LONGEST_WORD - 1), start)
    after = _AFTER.match(text, end, end + _LONGEST_WORD + 1)
    return any(len(run[0]) > _LONGEST_WORD for run in (before, after) if run)


_START = r"(?<![A-Za-z0-9_-])"
_END = r"(?![A-Za-z0-9_-])"
_LONGEST_WORD = 24
"""Characters that may stand glued to a token; a longer run is data of another kind."""
_BEFORE = re.compile(rf"[A-Za-z0-9_+/=-]{{0,{_LONGEST_WORD + 1}}}+\Z")
_AFTER = re.compile(r"[A-Za-z0-9_-]*+")
_BEGINNING = re.compile(r"(?:\(\?i:)?((?:[A-Za-z0-9_~-]|\\[.-])+)")


def _token(kind: str, source: str, hints: str) -> SecretPattern:
    """One whose beginning, any of the hints with blanks between them, no word has."""
    return SecretPattern(kind, tuple(hints.split()), source, glued=True)


def _apart(
    kind: str, source: str, hints: str, begins: bool = True, least: float = 0.0
) -> SecretPattern:
    """One that is told only where it stands by itself."""
    shape = f"{_START}(?:{source}){_END}"
    return SecretPattern(kind, tuple(hints.split()), shape, begins=begins, least=least)


_OURS: tuple[SecretPattern, ...] = (
    _token(
        "aws-access-key",
        r"(?<![A-Z0-9])A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Z0-9])",
        "akia asia abia acca",
    ),
    _token("github-token", r"gh[pousr]_[A-Za-z0-9]{36,255}", "ghp_ gho_ ghu_ ghs_ ghr_"),
    _token("github-fine-grained-token", r"github_pat_[A-Za-z0-9_]{50,255}", "github_pat_"),
    _token(
        "gitlab-token",
        r"gl(?:pat|dt|rt|cbt|ptt|soat|ft|imt|agent|oas|ffct)-[A-Za-z0-9_-]{20,64}",
        "glpat- gldt- glrt- glcbt- glptt- glsoat- glft- glimt- glagent- gloas- glffct-",
    ),
    _apart("bitbucket-token", r"AT(?:BB|CTT3)[A-Za-z0-9_=-]{24,220}", "atbb atctt3"),
    _token("atlassian-token", r"ATATT3[A-Za-z0-9_=-]{60,260}", "atatt3"),
    _token("slack-token", r"xox[abeoprs](?:-[A-Za-z0-9]{8,}+){2,6}", "xox"),
    _token("slack-app-token", r"xapp-\d-[A-Z0-9]{8,}-\d{8,}-[A-Za-z0-9]{30,}", "xapp-"),
    _token(
        "stripe-key",
        r"[sr]k_(?:live|test|org)_[A-Za-z0-9]{16,250}",
        "sk_live_ sk_test_ sk_org_ rk_live_ rk_test_ rk_org_",
    ),
    _token("stripe-webhook-secret", r"whsec_[A-Za-z0-9+/=]{24,}", "whsec_"),
    _token("google-oauth-secret", r"GOCSPX-[A-Za-z0-9_-]{24,}", "gocspx-"),
    _apart("google-oauth-token", r"ya29\.[A-Za-z0-9_-]{30,}", "ya29."),
    _token("anthropic-key", r"sk-ant-[A-Za-z0-9_-]{24,}", "sk-ant-"),
    _token("openai-key", r"sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{24,}", "sk-"),
    _apart("openai-key", r"sk-[A-Za-z0-9]{32,64}", "sk-"),
    _apart(
        "model-gateway-key",
        r"sk-[a-z]{2,10}-(?:[A-Za-z0-9]{32,64}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})",
        "sk-",
    ),
    _token("openrouter-key", r"sk-or-v1-[0-9a-f]{64}", "sk-or-"),
    _apart("huggingface-token", r"(?:hf|api_org)_[A-Za-z0-9]{30,40}", "hf_ api_org_"),
    _apart("groq-key", r"gsk_[A-Za-z0-9]{40,60}", "gsk_"),
    _apart("xai-key", r"xai-[A-Za-z0-9]{60,90}", "xai-"),
    _apart("replicate-token", r"r8_[A-Za-z0-9]{36,40}", "r8_"),
    _token("pypi-token", r"pypi-AgE[A-Za-z0-9_-]{47,}", "pypi-age"),
    _token("age-secret-key", r"AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{40,}", "age-secret-key-"),
    _token("docker-token", r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{24,}", "dckr_"),
    _apart("jwt", r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{16,}", "eyj"),
    _apart("twilio-key", r"SK[0-9a-f]{32}", "sk"),
    _apart("sendgrid-key", r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}", "sg."),
    _apart("mailgun-key", r"key-[0-9a-f]{32}", "key-"),
    _apart("mailchimp-key", r"[0-9a-f]{32}-us\d{1,2}", "-us", begins=False),
    # The lookbehind stands second, so that the search may skip to the three letters.
    SecretPattern(
        "discord-token",
        (".",),
        r"[MNO](?<![A-Za-z0-9_-][MNO])[A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}"
        r"\.[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_-])",
        glued=True,
        begins=False,
    ),
    _apart("telegram-token", r"\d{8,10}:AA[A-Za-z0-9_-]{32,35}", ":aa", begins=False),
    SecretPattern(
        "telegram-token",
        ("/bot",),
        r"(?<=/bot)\d{8,10}:[A-Za-z0-9_-]{32,40}",
        glued=True,
        begins=False,
    ),
    _token("sourcegraph-token", r"sgp_(?:(?:[0-9a-fA-F]{16}|local)_)?[0-9a-fA-F]{40}", "sgp_"),
    _token("square-token", r"sq0(?:atp|csp)-[A-Za-z0-9_-]{22,43}", "sq0"),
    _apart("vault-token", r"hv[sbr]\.[A-Za-z0-9_-]{24,}", "hvs. hvb. hvr."),
    _apart(
        "terraform-token",
        r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}",
        ".atlasv1.",
        begins=False,
    ),
    _token("newrelic-key", r"NRAK-[A-Z0-9]{27}", "nrak-"),
    _apart("notion-token", r"(?:secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{40,})", "secret_ ntn_"),
    _token("figma-token", r"figd_[A-Za-z0-9_-]{36,}", "figd_"),
    _apart("doppler-token", r"dp\.(?:pt|st|ct|sa|scim)\.[A-Za-z0-9._-]{40,}", "dp."),
    _token("planetscale-token", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,}", "pscale_"),
    _token("supabase-key", r"sb(?:p_[0-9a-f]{40}|_secret_[A-Za-z0-9_-]{24,})", "sbp_ sb_secret_"),
    _token("heroku-key", r"HRKU-[A-Za-z0-9_-]{36,}", "hrku-"),
    _token("artifactory-key", r"AKCp[A-Za-z0-9]{60,80}", "akcp"),
)
"""What the kept list lacks, or draws so close that a longer token of the same issuer is none."""


def _kept(kind: str, hints: tuple[str, ...], source: str, least: float) -> SecretPattern:
    """A shape of the kept list; how it begins decides how it is looked for."""
    if is_real := _REAL.get(kind):
        return SecretPattern(kind, hints, source, is_real, glued=True, least=least)
    found = _BEGINNING.match(source)
    literal = found[1].replace("\\", "") if found else ""
    if len(literal) < 3:
        return _apart(kind, source, " ".join(hints), begins=False, least=least)
    # Any sum in hexadecimal digits may hold a beginning of such digits.
    is_sum = set(literal.lower()) <= set("0123456789abcdef")
    if len(literal) >= 4 and not literal.isalpha() and not is_sum:
        return SecretPattern(kind, (literal.lower(),), source, glued=True, least=least)
    return _apart(kind, source, literal.lower(), least=least)


SHAPES: tuple[SecretPattern, ...] = (*_OURS, *(_kept(*entry) for entry in KEPT))
