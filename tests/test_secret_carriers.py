"""Secrets in the files, commands and sentences that carry them; what looks alike is left alone."""

from __future__ import annotations

import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest
from longform import seldom
from secretkit import INNOCENT, PLANTED, Planted, password, some
from wikikit import Wiki, answer, claim, make, sha

from llmwiki.core import secrets
from llmwiki.core.secrets import gitleaks_list
from llmwiki.core.secrets.text_without_disguise import plain

ROOT = Path(__file__).parents[1]
FOLDER = "llmwiki/core/secrets"


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return make(tmp_path, monkeypatch)


@pytest.mark.parametrize("planted", PLANTED, ids=[each.name for each in PLANTED])
def test_a_secret_is_found_where_it_usually_stands(planted: Planted) -> None:
    text = f"First line.\n\n{planted.text}\n\nThe last line.\n"
    (found,) = secrets.scan(text)
    lines = plain(planted.text).text.split("\n")
    begins = next(n for n, line in enumerate(lines) if planted.secret.split("\n")[0][:12] in line)
    assert found.line == 3 + begins or found.kind == "putty-key"
    hidden = secrets.redacted(text)
    assert planted.secret not in plain(hidden).text
    assert hidden.startswith("First line.\n\n")
    assert hidden.endswith("\n\nThe last line.\n")
    assert secrets.MARKER in hidden
    assert secrets.may_hold(text)
    assert len(found.preview.split("…")[0]) <= 4
    assert planted.secret[:6] not in str(found)
    assert secrets.scan(planted.text, allowed={found.digest}) == ()


@pytest.mark.parametrize("name", INNOCENT)
def test_what_only_looks_like_a_secret_is_left_alone(name: str) -> None:
    assert secrets.scan(INNOCENT[name]) == ()
    assert secrets.redacted(INNOCENT[name]) == INNOCENT[name]


def test_a_hidden_secret_has_the_digest_of_the_plain_one() -> None:
    token = "ghp_" + some(36)
    (open_one,) = secrets.scan(token)
    for hidden in (token[:9] + "\u200b" + token[9:], token.replace("_", "&#95;")):
        (found,) = secrets.scan(f"x {hidden} y")
        assert found.digest == open_one.digest
        assert secrets.redacted(f"x {hidden} y") == f"x {secrets.MARKER} y"


def test_places_are_those_of_the_original() -> None:
    token = "glpat-" + some(20)
    text = f"a\u200b&amp;\\_ﬀ\uff01\n\u00ad\nb {token}\u200b c\n"
    (found,) = secrets.scan(text)
    assert found.line == 3
    assert secrets.redacted(text) == text.replace(token, secrets.MARKER)


def test_a_letter_that_grows_in_lower_case_moves_nothing() -> None:
    secret = password()
    text = "İ" * 40 + f" password: {secret} " + "İ" * 40
    assert secrets.redacted(text) == text.replace(secret, secrets.MARKER)


HOSTILE = (
    "password", "password is ", "api_key=", "key ", "secret:", "curl -u ", "curl -", "mysql -p",
    "machine a login b ", "aws secret ", "-----BEGIN PRIVATE KEY-----", "://a:", "auth=('a',",
    "echo ", "sk-ant-", "ghp_", "xoxb-", "eyJa.", "A-", "a1.", "&#", "\\", "\u200b", "|password|",
    "password,", "LS0tLS1CRUdJTi", "hooks.slack.com/services/T", ":5432:a", "user: a / ", "a:1:",
    "PuTTY-User-Key-File-2: a\n", "token = 'a", "密码是", "=a;", "1" * 9 + ":AA", "t1.", "0a",
    "htpasswd -b ", "authorization: basic ", "https://a.webhook.office.com/webhookb2/", "M" * 25,
)  # fmt: skip


@pytest.mark.parametrize("piece", seldom(HOSTILE, set(HOSTILE) - set(HOSTILE[::3])))
def test_four_times_the_text_takes_four_times_the_time(piece: str) -> None:
    def cost(size: int) -> float:
        text = piece * (size // len(piece))
        best = float("inf")
        for _ in range(2):
            start = time.process_time()
            secrets.scan(text)
            best = min(best, time.process_time() - start)
        return best

    cost(1000)
    small, large = cost(4_000), cost(16_000)
    assert large < 10 * max(small, 0.01)


def test_the_kept_list_is_renewed_from_a_file(tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text(
        """
[[rules]]
id = "acme-token"
regex = '''\\b(acme_(?i)[a-z0-9]{32})(?:[\\x60'"\\s;]|\\\\[nr]|$)'''
entropy = 3
keywords = ["ACME_"]
[[rules]]
id = "generic-api-key"
regex = '''key'''
keywords = ["key"]
""",
        encoding="utf-8",
    )
    script = tmp_path / "tools" / "keep_shapes.py"
    script.parent.mkdir()
    script.write_text((ROOT / "tools/keep_shapes.py").read_text(), encoding="utf-8")
    made = tmp_path / FOLDER / "gitleaks_list.py"
    made.parent.mkdir(parents=True)
    subprocess.run([sys.executable, str(script), str(rules), "1.2"], check=True, timeout=60)
    found: dict[str, object] = {}
    exec(made.read_text(encoding="utf-8"), found)
    assert found["TOKENS"] == (("acme-token", ("acme_",), "acme_(?i:[a-z0-9]{32})", 3.0),)
    assert "gitleaks 1.2, MIT licence" in made.read_text(encoding="utf-8")


def test_the_kept_list_brings_its_licence_along() -> None:
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    assert "MIT License" in notice
    assert "Copyright (c) 2019 Zachary Rice" in notice
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "NOTICE" in project["license-files"]
    assert len(gitleaks_list.TOKENS) > 50


def test_a_note_with_a_secret_is_not_remembered(wiki: Wiki) -> None:
    secret = password()
    done = wiki.run("remember", f"The password of the NAS is {secret}.")
    assert done.code == 7
    assert secret not in done.err + done.out
    digest = done.err.split("--allow-secret ")[1].split()[0]
    done = wiki.ok("remember", f"The password of the NAS is {secret}.", "--allow-secret", digest)
    assert secret in plain(wiki.read(done.out.split()[-1])).text


def test_all_findings_of_a_file_are_told_at_once(wiki: Wiki) -> None:
    held = [password(), "ghp_" + some(36), password()]
    wiki.put("raw/nas.md", "".join(f"The password is {each}.\n" for each in (*held, held[0])))
    done = wiki.run("ingest", "raw/nas.md", "--model", "offline")
    assert done.code == 7 and "what looks like 3 secrets: assignment in line 1 " in done.err
    assert not any(each in done.err for each in held)
    options = done.err.partition("run it again with ")[2].split("\n")[0].split()
    wiki.ok("ingest", "raw/nas.md", "--model", "offline", *options)


def test_a_page_with_a_secret_is_shown_to_a_model_without_it(wiki: Wiki) -> None:
    secret = password()
    wiki.put(
        "wiki/concepts/Router.md",
        "---\ntype: concept\ntitle: Router\ndescription: The router of the office.\n---\n\n"
        f"# Router\n\nThe router of the office has the password {secret} since May.\n",
    )
    wiki.git("add", "wiki")
    wiki.git("commit", "-qm", "A page by hand")
    for form in ((), ("--json",)):
        done = wiki.ok("context", "Which password has the router?", *form)
        assert "router of the office" in done.out
        assert secrets.MARKER in done.out
        assert secret not in done.out


def test_a_secret_in_the_overview_an_index_or_the_log_is_a_finding(wiki: Wiki) -> None:
    for path in ("wiki/overview.md", "wiki/index.md", "wiki/log.md"):
        assert "WK601" not in wiki.run("lint").out
        held = wiki.read(path) if (wiki.root / path).exists() else ""
        secret = password()
        wiki.put(path, f"{held}\nThe password of the NAS is {secret}.\n")
        done = wiki.run("lint")
        assert done.code == 1 and f"{path}:" in done.out and "WK601" in done.out
        assert secret not in done.out
        wiki.put(path, held)


def test_an_answer_that_brings_a_secret_of_its_own_is_refused(wiki: Wiki) -> None:
    secret = password()
    fact = "Green tea is steeped for two minutes."
    wiki.put("raw/tea.md", f"{fact}\n")
    wiki.ok("ingest", "raw/tea.md", "--prepare")
    source = {"sha256": sha(f"{fact}\n"), "segment": [1, 1], "lines": [1, 1]}
    row = claim("Tea", fact, asked=f"The password is {secret}.")
    told = {**answer([row]), "source": source}
    before = wiki.head
    done = wiki.apply(told)
    assert done.code == 7, done
    assert secret not in done.err + done.out
    assert wiki.head == before
    (found,) = secrets.scan(f"The password is {secret}.")
    assert wiki.apply(told, "--allow-secret", found.digest).code == 0
