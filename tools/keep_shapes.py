"""Renews the shapes of tokens that are taken from a kept list, the rules of gitleaks.

    python tools/keep_shapes.py path/to/gitleaks.toml VERSION

It writes llmwiki/core/secrets/gitleaks_list.py. The list is under the MIT licence, whose notice
stands in NOTICE. Of each rule only the shape is taken, as data: the literal words that a text must
hold, the pattern, the least entropy. What the list wraps around a shape (what may stand before and
after it) is taken off, since the scan has its own ways there. Values without a beginning of their
own, told by an issuer's name alone, are left out: the scan looks at every value behind a name.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

OUT = Path(__file__).resolve().parents[1] / "llmwiki" / "core" / "secrets" / "gitleaks_list.py"

AROUND = frozenset(
    """
    curl-auth-header curl-auth-user freemius-secret-key generic-api-key hashicorp-tf-password
    jwt jwt-base64 kubernetes-secret-yaml nuget-config-password pkcs12-file private-key
    sidekiq-secret sidekiq-sensitive-url telegram-bot-api-token
    """.split()  # noqa: SIM905
)
"""Told by what stands around them, or by no text at all: `carriers` and `named` do that."""
PUBLIC = frozenset(
    """
    adobe-client-id asana-client-id bitbucket-client-id discord-client-id flutterwave-public-key
    linkedin-client-id lob-pub-api-key looker-client-id mailgun-pub-key mapbox-api-token
    messagebird-client-id new-relic-browser-api-token plaid-client-id sendbird-access-id
    sumologic-access-id
    """.split()  # noqa: SIM905
)
"""No secrets: they stand in every page that uses them."""
LOOSE = frozenset(
    """
    aws-amazon-bedrock-api-key-short-lived azure-ad-client-secret sourcegraph-access-token
    sonar-api-token vault-service-token vault-batch-token
    """.split()  # noqa: SIM905
)
"""Such shapes also fit commits and names in code, or are no more than a beginning."""
WIDER = frozenset(
    """
    anthropic-admin-api-key anthropic-api-key artifactory-api-key aws-access-token
    github-app-token github-fine-grained-pat github-oauth github-pat github-refresh-token
    gitlab-cicd-job-token gitlab-deploy-token gitlab-feature-flag-client-token gitlab-feed-token
    gitlab-incoming-mail-token gitlab-kubernetes-agent-token gitlab-oauth-app-secret gitlab-pat
    gitlab-pat-routable gitlab-ptt gitlab-runner-authentication-token
    gitlab-runner-authentication-token-routable gitlab-scim-token heroku-api-key-v2
    huggingface-access-token huggingface-organization-api-token mailchimp-api-key
    mailgun-private-api-token new-relic-user-api-key notion-api-token openai-api-key
    sendgrid-api-token slack-app-token slack-bot-token slack-legacy-bot-token slack-legacy-token
    slack-user-token slack-webhook-url square-access-token stripe-access-token
    planetscale-api-token planetscale-oauth-token planetscale-password atlassian-api-token
    twilio-api-key pypi-upload-token doppler-api-token hashicorp-tf-api-token
    """.split()  # noqa: SIM905
)
"""Drawn wider in `tokens`, for issuers lengthen their tokens and this list tells exact lengths."""

BEFORE = re.compile(r"\A(?:\(\?i\))?\(?(?:\(\?i\))?\\b")
AFTER = (
    r"""(?:[\x60'"\s;]|\\[nr]|$)""",
    r"""(?:[\x60'"\s;]|\\[nr]|$|\b)""",
    r"""(?:[^\w-]|\z)""",
    r"""(?:[^a-zA-Z0-9+/]|\z)""",
    r"\b",
)
JOIN = r"""(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}"""
"""What the list writes between the name of an issuer and a value."""
LITERAL = re.compile(r"(?:\(\?:)*(?:[A-Za-z0-9_]|\\?[.-]){3,}")
"""Beginnings of shapes that tell themselves."""
UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"


def main() -> None:
    """Read the list that the first argument names, write the module."""
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    listed = tomllib.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["rules"]
    tokens: list[str] = []
    issuers: set[str] = set()
    for rule in sorted(listed, key=lambda each: str(each["id"])):
        ident, pattern = rule["id"], rule.get("regex", "")
        if ident in AROUND | PUBLIC | LOOSE | WIDER:
            continue
        hints = tuple(sorted(word.lower() for word in rule.get("keywords", ())))
        entropy = float(rule.get("entropy", 0))
        if JOIN in pattern:
            shape = shape_of(pattern.partition(JOIN)[2], case=pattern.startswith("(?i)"))
            plain = shape.removeprefix("(?i:")
            if plain.lower().startswith(UUID):
                issuers.update(hints)
            elif LITERAL.match(plain):
                tokens.append(line(ident, hints, shape, entropy))
        else:
            tokens.append(line(ident, hints, shape_of(pattern), entropy))
    OUT.write_text(render(sys.argv[2], tokens, sorted(issuers)), encoding="utf-8")
    print(f"{OUT}: {len(tokens)} shapes, {len(issuers)} issuers, of {len(listed)} rules")


def line(ident: str, hints: tuple[str, ...], shape: str, entropy: float) -> str:
    """One entry of the module."""
    re.compile(shape)
    return f"    ({ident!r}, {hints!r}, {shape!r}, {entropy}),\n"


def shape_of(pattern: str, *, case: bool = False) -> str:
    """The shape itself, in Python's grammar, without groups that capture."""
    ignores = case or pattern.startswith("(?i)")
    shape = pattern.removeprefix("(?i)").removeprefix(r"\b")
    for end in AFTER:
        shape = shape.removesuffix(end)
    shape = shape.replace("[[:alnum:]]", "[A-Za-z0-9]").replace("[\\S]", "\\S")
    shape = _scoped(re.sub(r"(?<!\\)\((?!\?)", "(?:", shape))
    shape = re.sub(r"\A\(\?:\\b", "(?:", shape)
    while (inner := _unwrapped(shape)) != shape:
        shape = inner
    return f"(?i:{shape})" if ignores else shape


def _unwrapped(shape: str) -> str:
    """Without a group around the whole."""
    whole = shape.startswith("(?:") and _end_of_group(shape, 3) == len(shape) - 1
    return shape[3:-1] if whole else shape


def _scoped(shape: str) -> str:
    """`(?i)` in the middle holds to the end of its group; Python wants that said."""
    while (at := shape.find("(?i)")) >= 0:
        end = _end_of_group(shape, at + 4)
        shape = f"{shape[:at]}(?i:{shape[at + 4 : end]}){shape[end:]}"
    return shape


def _end_of_group(shape: str, start: int) -> int:
    """Where the group that is open at `start` closes, or the end."""
    depth = at = 0
    at, in_class = start, False
    while at < len(shape):
        char = shape[at]
        if char == "\\":
            at += 1
        elif in_class:
            in_class = char != "]"
        elif char == "[":
            in_class = True
        elif char == "(":
            depth += 1
        elif char == ")":
            if depth == 0:
                return at
            depth -= 1
        at += 1
    return at


def render(version: str, tokens: list[str], issuers: list[str]) -> str:
    """The module's text."""
    return f'''"""Shapes of tokens from a kept list: gitleaks {version}, MIT licence, see NOTICE.

Data; made by tools/keep_shapes.py, never edited by hand. Each entry: the list's name of it, words
in lower case of which a text holds one, the pattern, and the least entropy in bits a character.
"""

from __future__ import annotations

Entry = tuple[str, tuple[str, ...], str, float]

# fmt: off
TOKENS: tuple[Entry, ...] = (
{"".join(tokens)})
"""Told by their own shape."""

ISSUERS_OF_UUIDS: tuple[str, ...] = {tuple(issuers)!r}
"""In lower case: whose keys are UUIDs, told by the name they stand behind only."""
# fmt: on
'''


if __name__ == "__main__":
    main()
