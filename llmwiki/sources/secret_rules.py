"""What secrets look like: the documented shapes of keys and tokens, as data."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """One shape. A text without any of `hints` is not searched."""

    kind: str
    hints: tuple[str, ...]
    """Literal parts, in lower case, of which every match holds one (in any case)."""
    pattern: re.Pattern[str]
    """Its group `s`, or else the whole match, is the secret."""


_START = r"(?<![A-Za-z0-9_-])"
_END = r"(?![A-Za-z0-9_-])"


def _token(kind: str, shape: str, *hints: str) -> Rule:
    """A token that stands by itself, told by its prefix."""
    return Rule(kind, hints, re.compile(_START + shape + _END))


def _inside(kind: str, shape: str, *hints: str) -> Rule:
    """A secret told by what stands around it."""
    return Rule(kind, hints, re.compile(shape, re.IGNORECASE))


RULES: tuple[Rule, ...] = (
    Rule(
        "private-key",
        ("private key",),
        re.compile(
            # Up to the next dashes only, so that many beginnings without an end cost little.
            r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----"
            r"(?=[^`]{0,400}?[A-Za-z0-9+/=]{32})"
            r"(?:(?!-----)[A-Za-z0-9+/=\s:,.\\()@<>-]){40,20000}"
            r"(?:-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----)?"
        ),
    ),
    Rule("putty-key", ("putty-user-key",), re.compile(r"PuTTY-User-Key-File-[23]: \S+\r?\n")),
    _token("age-key", r"AGE-SECRET-KEY-1[0-9A-Z]{58}", "age-secret-key-1"),
    _token("aws-access-key", r"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}", "akia", "asia", "abia", "acca"),
    _inside(
        "aws-secret-key",
        r"aws.{0,20}?secret.{0,20}?[:=]\s*[\"']?(?P<s>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        "aws",
    ),
    _token("github-token", r"gh[pousr]_[A-Za-z0-9]{36,255}", "ghp_", "gho_", "ghu_", "ghs_",
           "ghr_"),
    _token("github-fine-grained-token", r"github_pat_[A-Za-z0-9_]{50,255}", "github_pat_"),
    _token(
        "gitlab-token",
        r"gl(?:pat|dt|rt|cbt|ptt|soat|ft|imt|agent|oas|ffct)-[A-Za-z0-9_-]{20,64}",
        "glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glsoat-", "glft-", "glimt-", "glagent-",
        "gloas-", "glffct-",
    ),
    _token("bitbucket-token", r"AT(?:BB|CTT3)[A-Za-z0-9_=-]{24,220}", "atbb", "atctt3"),
    _token("atlassian-token", r"ATATT3[A-Za-z0-9_=-]{60,260}", "atatt3"),
    _token("slack-token", r"xox[abeoprs](?:-[A-Za-z0-9]{8,}){2,6}", "xox"),
    _token("slack-app-token", r"xapp-\d-[A-Z0-9]{8,}-\d{8,}-[A-Za-z0-9]{30,}", "xapp-"),
    _inside(
        "slack-webhook",
        r"hooks\.slack\.com/(?:services|workflows)/T[A-Z0-9]{6,}/[A-Z0-9]{6,}/[A-Za-z0-9/]{16,}",
        "hooks.slack.com",
    ),
    _token("stripe-key", r"[sr]k_(?:live|test|org)_[A-Za-z0-9]{16,250}", "k_live_", "k_test_",
           "k_org_"),
    _token("stripe-webhook-secret", r"whsec_[A-Za-z0-9+/=]{24,}", "whsec_"),
    _token("google-api-key", r"AIza[A-Za-z0-9_-]{35}", "aiza"),
    _token("google-oauth-secret", r"GOCSPX-[A-Za-z0-9_-]{24,}", "gocspx-"),
    _token("google-oauth-token", r"ya29\.[A-Za-z0-9_-]{30,}", "ya29."),
    _token("anthropic-key", r"sk-ant-[A-Za-z0-9_-]{24,}", "sk-ant-"),
    _token("openai-key", r"sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{24,}", "sk-"),
    _token("openai-key", r"sk-[A-Za-z0-9]{32,64}", "sk-"),
    _token("openrouter-key", r"sk-or-v1-[0-9a-f]{64}", "sk-or-"),
    _token("huggingface-token", r"(?:hf|api_org)_[A-Za-z0-9]{30,40}", "hf_", "api_org_"),
    _token("groq-key", r"gsk_[A-Za-z0-9]{40,60}", "gsk_"),
    _token("xai-key", r"xai-[A-Za-z0-9]{60,90}", "xai-"),
    _token("perplexity-key", r"pplx-[A-Za-z0-9]{40,60}", "pplx-"),
    _token("replicate-token", r"r8_[A-Za-z0-9]{36,40}", "r8_"),
    _token("npm-token", r"npm_[A-Za-z0-9]{36}", "npm_"),
    _token("pypi-token", r"pypi-[A-Za-z0-9_-]{50,}", "pypi-"),
    _token("rubygems-key", r"rubygems_[0-9a-f]{48}", "rubygems_"),
    _token("docker-token", r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{24,}", "dckr_"),
    _token(
        "jwt",
        r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{16,}",
        "eyj",
    ),
    _inside("azure-storage-key", r"AccountKey=(?P<s>[A-Za-z0-9+/]{86}==)", "accountkey="),
    _inside("azure-sas", r"[?&]sig=(?P<s>[A-Za-z0-9%/+=]{40,})", "sig="),
    Rule("azure-client-secret", ("q~",),
         re.compile(_START + r"[A-Za-z0-9_~.]{3}\dQ~[\w~.-]{31,34}")),
    _inside("azure-bus-key", r"SharedAccessKey=(?P<s>[A-Za-z0-9+/]{43}=)", "sharedaccesskey="),
    _token("twilio-key", r"SK[0-9a-f]{32}", "sk"),
    _token("sendgrid-key", r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}", "sg."),
    _token("mailgun-key", r"key-[0-9a-f]{32}", "key-"),
    _token("mailchimp-key", r"[0-9a-f]{32}-us\d{1,2}", "-us"),
    _token("brevo-key", r"xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}", "xkeysib-"),
    _token("discord-token", r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}",
           "."),
    _inside("discord-webhook", r"discord(?:app)?\.com/api/webhooks/\d{15,}/[\w-]{40,}",
            "/webhooks/"),
    _token("telegram-token", r"\d{8,10}:AA[A-Za-z0-9_-]{32,35}", ":aa"),
    _token("digitalocean-token", r"do[opr]_v1_[0-9a-f]{64}", "_v1_"),
    _token("shopify-token", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}", "shp"),
    _token("square-token", r"sq0(?:atp|csp)-[A-Za-z0-9_-]{22,43}", "sq0"),
    _token("databricks-token", r"dapi[0-9a-f]{32}(?:-\d)?", "dapi"),
    _token("vault-token", r"hv[sbr]\.[A-Za-z0-9_-]{24,}", "hvs.", "hvb.", "hvr."),
    _token("terraform-token", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}", ".atlasv1."),
    _token("newrelic-key", r"NRAK-[A-Z0-9]{27}", "nrak-"),
    _token("grafana-token", r"gl(?:sa|c)_[A-Za-z0-9_+/=]{32,}", "glsa_", "glc_"),
    _token("sentry-token", r"sntry[su]_[A-Za-z0-9_+/=]{40,}", "sntry"),
    _token("dynatrace-token", r"dt0c01\.[A-Z0-9]{24}\.[A-Z0-9]{64}", "dt0c01."),
    _token("linear-key", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}", "lin_"),
    _token("notion-token", r"(?:secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{40,})", "secret_", "ntn_"),
    _token("figma-token", r"figd_[A-Za-z0-9_-]{36,}", "figd_"),
    _token("airtable-token", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}", "pat"),
    _token("doppler-token", r"dp\.(?:pt|st|ct|sa|scim)\.[A-Za-z0-9._-]{40,}", "dp."),
    _token("planetscale-token", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,}", "pscale_"),
    _token("postman-key", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}", "pmak-"),
    _token("supabase-key", r"sb(?:p_[0-9a-f]{40}|_secret_[A-Za-z0-9_-]{24,})", "sbp_",
           "sb_secret_"),
    _token("pulumi-token", r"pul-[0-9a-f]{40}", "pul-"),
    _token("heroku-key", r"HRKU-[A-Za-z0-9_-]{36,}", "hrku-"),
    _token("artifactory-key", r"AKCp[A-Za-z0-9]{60,80}", "akcp"),
    _inside(
        "url-password",
        r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/?#@\"'<>`]{0,100}:(?P<s>[^\s/@\"'<>`]{6,200})@[\w\[.-]",
        "://",
    ),
    _inside(
        "connection-password",
        r"\b(?:server|host|data source|user id|uid|username)\s*=[^\n]{1,200}?;\s*"
        r"(?:password|pwd)\s*=\s*(?P<s>[^;\s\"']{6,200})",
        "password", "pwd",
    ),
    _inside(
        "authorization-header",
        r"authorization[\"']?\s*[:=]\s*[\"']?(?:bearer|basic|token)\s+(?P<s>[\w.~+/=-]{20,})",
        "authorization",
    ),
)  # fmt: skip

ASSIGNMENT = re.compile(
    r"""
    (?<![A-Za-z0-9])
    (?P<name> [\w.-]{0,40}?
        (?: api[_.-]?key | access[_.-]?key | secret | token | passw(?:or)?d | passphrase
          | pwd | private[_.-]?key | auth[_.-]?key | credentials? | signing[_.-]?key
          | encryption[_.-]?key | account[_.-]?key )
        [\w.-]{0,20} )
    ["'`]? \s{0,3} (?: = | : | := | => ) \s{0,3} ["'`]?
    (?P<s> [A-Za-z0-9_+/=.~!@\#$%^&*?-]{12,200} )
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""`name = value` where the name speaks of a secret; the value still has to look random."""

ASSIGNMENT_HINTS = ("key", "secret", "token", "passw", "passphrase", "pwd", "credential")
