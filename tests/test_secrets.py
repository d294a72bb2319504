"""Secrets are found before a model or a commit sees them, and prose is left alone."""

from __future__ import annotations

import base64
import hashlib
import random
import string
from pathlib import Path

import pytest
from secretkit import UPPER, hexa, some

from llmwiki.core import secrets

_RANDOM = random.Random(20261120)


def b64(count: int) -> str:
    return base64.urlsafe_b64encode(_RANDOM.randbytes(count)).decode().rstrip("=")


PLANTED: dict[str, str] = {
    "aws-access-key": "AKIA" + some(16, string.ascii_uppercase + "234567"),
    "aws-secret-key": "aws_secret_access_key = " + some(40),
    "github-token": "ghp_" + some(36),
    "github-fine-grained-token": "github_pat_" + some(22) + "_" + some(59),
    "gitlab-token": "glpat-" + some(20),
    "bitbucket-token": "ATBB" + some(32),
    "atlassian-token": "ATATT3" + "xFfGF0" + some(180),
    "slack-token": "xoxb-"
    + some(12, string.digits)
    + "-"
    + some(12, string.digits)
    + "-"
    + some(24),
    "slack-app-token": f"xapp-1-A{some(10, UPPER)}-{some(13, string.digits)}-{hexa(64)}",
    "slack-webhook": "https://hooks.slack.com/services/"
    + f"T{some(8, UPPER)}/B{some(8, UPPER)}/{some(24)}",
    "stripe-key": "sk_" + "live_" + some(24),
    "stripe-webhook-secret": "whsec_" + some(32),
    "gcp-api-key": "AIza" + some(35),
    "google-oauth-secret": "GOCSPX-" + some(28),
    "google-oauth-token": "ya29." + some(120),
    "anthropic-key": "sk-ant-api03-" + some(93) + "AA",
    "openai-key": "sk-proj-" + some(74),
    "openrouter-key": "sk-or-v1-" + hexa(64),
    "huggingface-token": "hf_" + some(34),
    "groq-key": "gsk_" + some(52),
    "npm-access-token": "npm_" + some(36),
    "pypi-token": "pypi-" + "AgEIcHlwaS5vcmc" + some(120),
    "rubygems-api-token": "rubygems_" + hexa(48),
    "docker-token": "dckr_pat_" + some(27),
    "jwt": "eyJ" + some(33) + ".eyJ" + some(60) + "." + some(43),
    "azure-storage-key": "AccountName=a;AccountKey=" + some(86) + "==;EndpointSuffix=x",
    "azure-sas": "https://a.blob.core.windows.net/c?sv=2022&sig=" + some(43) + "%3D",
    "azure-client-secret": some(3) + "8Q~" + some(34),
    "twilio-key": "SK" + hexa(32),
    "sendgrid-key": "SG." + some(22) + "." + some(43),
    "mailgun-key": "key-" + hexa(32),
    "mailchimp-key": hexa(32) + "-us12",
    "discord-token": "M" + some(25) + "." + some(6) + "." + some(38),
    "telegram-token": some(9, "123456789") + ":AA" + some(33),
    "digitalocean-pat": "dop_v1_" + hexa(64),
    "shopify-access-token": "shpat_" + hexa(32),
    "databricks-api-token": "dapi" + hexa(32),
    "vault-token": "hvs." + some(90),
    "terraform-token": some(14) + ".atlasv1." + some(67),
    "newrelic-key": "NRAK-" + some(27, UPPER),
    "grafana-api-key": base64.b64encode(
        b'{"k":"' + some(32).encode() + b'","n":"reports","id":1}'
    ).decode(),
    "grafana-service-account-token": "glsa_" + some(32) + "_" + hexa(8),
    "sentry-user-token": "sntryu_" + hexa(64),
    "linear-api-key": "lin_api_" + some(40),
    "notion-token": "ntn_" + some(46),
    "figma-token": "figd_" + some(40),
    "airtable-personnal-access-token": "pat" + some(14) + "." + hexa(64),
    "postman-api-token": "PMAK-" + hexa(24) + "-" + hexa(34),
    "supabase-key": "sbp_" + hexa(40),
    "age-secret-key": "AGE-SECRET-KEY-1" + some(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"),
    "url-password": "postgres://app:" + some(16) + "@db.internal:5432/app",
    "connection-password": "Server=tcp:db;User ID=sa;Password=" + some(14) + ";Encrypt=true",
    "authorization-header": "Authorization: Bearer " + some(40),
    "private-key": "-----BEGIN "
    + "OPENSSH PRIVATE KEY-----\n"
    + "\n".join(some(64) for _ in range(6))
    + "\n-----END OPENSSH PRIVATE KEY-----",
    "assignment": "DATADOG_API_KEY: '" + hexa(32) + "'",
}


@pytest.mark.parametrize("kind", sorted(PLANTED))
def test_planted_keys_are_found_and_never_shown(kind: str) -> None:
    text = f"# Notes\n\nWe used {PLANTED[kind]} last week.\n"
    (found,) = secrets.scan(text)
    assert (found.kind, found.line) == (kind, 3)
    hidden = secrets.redacted(text)
    assert hidden.startswith("# Notes\n\nWe used ")
    assert hidden.endswith(" last week.\n")
    assert secrets.MARKER in hidden
    assert secrets.scan(hidden) == ()
    shown = found.preview.split("…")[0]
    assert len(shown) <= 4
    assert not any(
        part and part in found.preview for part in PLANTED[kind].split(shown or "\n")[1:]
    )
    assert secrets.scan(text, allowed={found.digest}) == ()


def test_a_digest_is_that_of_the_secret_itself() -> None:
    token = "ghp_" + some(36)
    (found,) = secrets.scan(f"token `{token}`")
    assert found.digest == hashlib.sha256(token.encode()).hexdigest()[:16]


def test_a_key_in_a_named_assignment_is_one_finding() -> None:
    text = "a\nGITHUB_TOKEN=ghp_" + some(36) + "\nb\nNPM_TOKEN=npm_" + some(36) + "\n"
    found = secrets.scan(text)
    assert [one.line for one in found] == [2, 4]
    assert secrets.redacted(text).count(secrets.MARKER) == 2


def test_a_cut_private_key_is_still_one() -> None:
    body = "\n".join(some(64) for _ in range(3))
    assert [one.kind for one in secrets.scan("-----BEGIN PRIVATE KEY-----\n" + body)] == [
        "private-key"
    ]


def test_nothing_that_this_program_brings_along_is_taken_for_a_secret() -> None:
    root = Path(__file__).parents[1]
    told = root.glob("llmwiki/**/*[!y]"), root.glob("docs/*.md"), root.glob("*.md")
    files = [path for each in told for path in each if path.suffix in {".md", ".toml", ".json"}]
    assert len(files) > 40
    # Its own example of a key stands in the documentation of the rule.
    kinds = {
        (path.name, one.kind) for path in files for one in secrets.scan(path.read_text("utf-8"))
    }
    assert kinds <= {("rules.md", "aws-access-key")}
