"""Places where nothing but a secret stands: commands, files and addresses that carry one."""

from __future__ import annotations

import re
from collections.abc import Callable

from llmwiki.core.secrets.key_shapes import SecretPattern, is_no_placeholder
from llmwiki.core.secrets.looks_like_a_secret import decoded, is_stated, looks_chosen, looks_random


def _is_whole_key(value: str) -> bool:
    return "..." not in value and "…" not in value


def _is_private_in_base64(value: str) -> bool:
    return "PRIVATE KEY" in (decoded(value[:80]) or "")


def _names_a_password(value: str) -> bool:
    """Of `name:password` in Base64."""
    name, colon, password = (decoded(value) or "").partition(":")
    return bool(name and colon) and is_stated(password)


def _is_authorization(value: str) -> bool:
    told = decoded(value)
    return _names_a_password(value) if told and ":" in told else is_no_placeholder(value)


def _is_login(value: str) -> bool:
    """Of the `auth` of a registry: `name:password` in Base64, or what another program made."""
    if ":" in (decoded(value) or ""):
        return _names_a_password(value)
    return len(value) >= 24 and looks_random(value) and looks_chosen(value)


def _is_strong(value: str) -> bool:
    return looks_chosen(value) or looks_random(value)


_EXACT = ("private-key", "azure-client-secret")
"""Kinds that are recognised in one case only."""
_ARGUMENTS = r"(?:[^\n|;]|\\\n){0,300}?"
"""Of one command, which a backslash carries to the next line."""
_ARGUMENT = r"""(?:"(?P<d>[^\s"]{4,200})"|'(?P<q>[^\s']{4,200})'|(?P<s>[^\s"'`|;&<>()]{4,200}))"""


def _carrier(
    kind: str,
    hints: tuple[str, ...],
    source: str,
    is_real: Callable[[str], bool] = is_no_placeholder,
    *,
    begins: bool = True,
) -> SecretPattern:
    """A place where nothing but a secret stands."""
    flags = re.MULTILINE | (0 if kind in _EXACT else re.IGNORECASE)
    return SecretPattern(kind, hints, source, is_real, begins, flags=flags)


def _command(kind: str, name: str, option: str) -> SecretPattern:
    """A password behind an option of a command."""
    hints = tuple(name.replace("\\w*", "").lower().split("|"))
    return _carrier(kind, hints, rf"\b(?:{name})\b{_ARGUMENTS}\s{option}{_ARGUMENT}", is_stated)


CARRIERS: tuple[SecretPattern, ...] = (
    _carrier(
        "private-key",
        ("-----begin",),
        # Up to the next dashes only, so that many beginnings without an end cost little.
        r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----"
        r"(?=[^`]{0,400}?[A-Za-z0-9+/=]{32})"
        r"(?:(?!-----)[A-Za-z0-9+/=\s:,.\\()@<>-]){40,20000}"
        r"(?:-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----)?",
        _is_whole_key,
    ),
    _carrier("private-key", ("ls0tls1crudjti",), r"LS0tLS1CRUdJTi[A-Za-z0-9+/]{66,}={0,2}",
            _is_private_in_base64),
    _carrier(
        "putty-key",
        ("putty-user-key",),
        r"PuTTY-User-Key-File-[23]: \S[^\n]{0,100}\n(?:[\w-]{1,40}:[^\n]{0,200}\n"
        r"|[A-Za-z0-9+/=]{1,200}\n){0,400}(?:[A-Za-z0-9+/=]{1,200})?",
        lambda value: _is_whole_key(value) and "private-lines:" in value.lower(),
    ),
    _carrier(
        "aws-secret-key",
        ("aws",),
        r"aws.{0,20}?secret.{0,20}?[:=\s]\s*[\"']?(?P<s>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        is_no_placeholder,
    ),
    _carrier(
        "slack-webhook",
        ("hooks.slack.com",),
        r"hooks\.slack\.com/(?:services|workflows|triggers)/T[A-Z0-9]{6,20}/[A-Z0-9]{6,20}"
        r"/[A-Za-z0-9/]{16,80}",
        lambda value: is_no_placeholder(value) and looks_random(value.rpartition("/")[2]),
    ),
    _carrier("discord-webhook", ("discord.com/api", "discordapp.com/api"),
            r"discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{15,20}/[\w-]{40,100}",
            is_no_placeholder),
    _carrier("azure-storage-key", ("accountkey=",), r"AccountKey=(?P<s>[A-Za-z0-9+/]{86}==)",
            is_no_placeholder),
    _carrier("azure-sas", ("sig=",), r"(?<=[?&])sig=(?P<s>[A-Za-z0-9%/+=]{40,200})",
            is_no_placeholder),
    _carrier("azure-client-secret", ("q~",),
            r"(?<![A-Za-z0-9_-])[A-Za-z0-9_~.]{3}\dQ~[\w~.-]{31,34}", is_no_placeholder,
            begins=False),
    _carrier("azure-bus-key", ("sharedaccesskey=",),
            r"SharedAccessKey=(?P<s>[A-Za-z0-9+/]{43}=)", is_no_placeholder),
    _carrier(
        "url-password",
        ("://",),
        r"://[^\s:/?#@\"'<>`]{0,100}:(?P<s>[^\s/@\"'<>`]{6,200})@[\w\[.-]",
        is_stated,
    ),
    _carrier(
        "connection-password",
        ("password", "pwd"),
        r"=[^\n;=]{1,100};\s{0,3}(?:password|pwd)\s{0,3}=\s{0,3}(?P<s>[^;\s\"']{6,200})",
        is_stated,
        begins=False,
    ),
    _carrier(
        "authorization-header",
        ("authorization",),
        r"authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:bearer|basic|token)\s{1,3}"
        r"(?P<s>[\w.~+/=-]{20,2000})",
        _is_authorization,
    ),
    _carrier("docker-auth", ("auth",), r"(?<![A-Za-z0-9])auth[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
            r"(?P<s>[A-Za-z0-9+/]{12,2000}={0,2})(?![A-Za-z0-9+/=])", _is_login),
    _carrier("kubeconfig-key", ("client-key-data",), r"client-key-data[\"']?\s{0,3}:\s{0,3}"
            r"[\"']?(?P<s>[A-Za-z0-9+/]{40,20000}={0,2})", looks_random),
    _carrier(
        "netrc-password",
        ("machine",),
        r"\bmachine\s{1,20}\S{1,200}\s{1,20}login\s{1,20}\S{1,200}\s{1,20}password\s{1,20}"
        r"(?P<s>\S{4,200})",
        is_stated,
    ),
    _carrier("pgpass", (":",), r"^[\w.*-]{1,100}:(?:\d{2,5}|\*):[\w*-]{1,60}:[\w*-]{1,60}:"
            r"(?P<s>[^\s:]{6,200})$", _is_strong, begins=False),
    _carrier(
        "login",
        ("login", "log-in", "user", "account", "benutzer", "usuario", "utilisateur", "zugang"),
        r"\b(?:log-?in|user(?:name)?|account|benutzer|usuario|utilisateur|zugang)[\"'*_` ]{0,4}"
        r"[:=][*_]{0,2}\s{0,3}[^\s/]{1,60} / `?(?P<s>[^\s`]{6,100})",
        looks_chosen,
    ),
    _carrier(
        "curl-password",
        ("curl",),
        rf"\bcurl\b{_ARGUMENTS}\s(?:-[a-z#0-9]{{0,8}}u|--(?:proxy-)?user)[= ]?\s{{0,3}}"
        r"""(?:"[^\s:"]{1,100}:(?P<d>[^"]{4,200})"|'[^\s:']{1,100}:(?P<q>[^']{4,200})'"""
        r"""|[^\s:"']{1,100}:(?P<s>[^\s"'`|;<>]{4,200}))""",
        is_stated,
    ),
    _command("mysql-password", r"mysql\w*|mariadb\w*", "-p"),
    _command("sshpass-password", "sshpass", r"-p\s{0,3}"),
    _command("redis-password", "redis-cli", r"-a\s{1,3}"),
    _command("docker-password", "docker login|podman login|helm registry login|az login|mongosh"
             "|mongo|mongodump|sqlcmd", r"-p\s{1,3}"),
    _command("ldap-password", r"ldap\w*", r"-w\s{1,3}"),
    _carrier("smb-password", ("smb", "mount.cifs", "rpcclient"),
            rf"\b(?:smb\w*|rpcclient|mount\.cifs)\b{_ARGUMENTS}\s-U\s{{0,3}}"
            r"[\"']?[^\s%\"']{1,100}%(?P<s>[^\s\"']{4,200})", is_stated),
    _carrier("htpasswd-password", ("htpasswd",),
            r"\bhtpasswd\b(?:\s-[A-Za-z]{1,8}|\s-C\s\d+){0,4}\s-[a-z]{0,8}b[a-z]{0,8}(?:\s-[a-z]{1,8}){0,4}"
            r"\s(?!-)\S{1,200}\s[\w.@-]{1,100}\s[\"']?(?P<s>[^\s\"']{4,200})", is_stated),
    _carrier("sudo-password", ("echo",), r"\becho\s{1,3}(?:-n\s{1,3})?[\"']?(?P<s>[^\s\"'|]{4,200})"
            r"[\"']?\s{0,3}\|\s{0,3}sudo\s{1,3}(?:-\S{1,20}\s{1,3}){0,4}(?-i:-[a-z]{0,6}S|--stdin)",
            is_stated),
    _carrier("openssl-password", ("-pass",), r"(?<=\s)-pass(?:in|out|wd)?\s{1,3}[\"']?pass:"
            r"(?P<s>[^\s\"']{4,200})", is_stated),
    _carrier("powershell-password", ("convertto-securestring",),
            r"ConvertTo-SecureString\s{1,3}(?:-String\s{1,3})?[\"'](?P<s>[^\s\"']{4,200})[\"']",
            is_stated),
    _carrier("sql-password", ("identified",), r"\bIDENTIFIED\s{1,3}(?:WITH\s{1,3}[\w'\"]{1,60}"
            r"\s{1,3})?(?:BY|AS)\s{1,3}[\"'](?P<s>[^\s\"']{4,200})[\"']", is_stated),
    _carrier("call-password", ("auth",), r"auth\w{0,20}\s{0,3}[=(:]\s{0,3}[(\[]?\s{0,3}"
            r"[\"'][^\s\"']{1,100}[\"']\s{0,3},\s{0,3}[\"'](?P<s>[^\s\"']{6,200})[\"']",
            _is_strong),
)  # fmt: skip


_EVERYWHERE = frozenset((":", "://", "=", "-----begin"))
HINTS = tuple(sorted({hint for each in CARRIERS for hint in each.hints} - _EVERYWHERE))
"""Words that a carrier begins with."""
