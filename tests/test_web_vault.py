"""A vault of other tools in the web view: notes as a tree, pictures, embeds, marks, comments."""

from __future__ import annotations

from pathlib import Path

import gitkit
import pytest
from servekit import Visitor

import llmwiki

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
KEYCLOAK = """---
aliases: [KC]
tags: [tool, sso]
---
# Keycloak

Keycloak is the ==single *sign-on*== server. %%internal: in the safe%%

![[harbor.png|300]] and ![diagram](../img/harbor.png) and ![[secret.txt]],
![far](https://x.org/a.png)

> [!warning] Upgrade
> Never upgrade on a Friday.

![[API#Limits]]

%%
A block comment about Marina.
%%

```bat
for %%kept%% in (x)
```
"""


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    gitkit.isolate(monkeypatch)
    root = tmp_path / "vault"
    root.mkdir()
    gitkit.git(root, "init", "-q")
    for path, text in {
        "Tools/Keycloak.md": KEYCLOAK,
        "Projects/API.md": "---\ntags: [tool]\n---\n# API\n\nBilled.\n\n## Limits\n\nTen a second."
        " See [[KC]].\n\n## Other\n\nNot this.\n",
        "secret.txt": "a secret",
        "img/fake.png": "no picture",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root / "img/harbor.png").write_bytes(PNG)
    gitkit.git(root, "add", "-A")
    gitkit.git(root, "commit", "-qm", "notes")
    return root


def test_the_home_of_a_vault_lists_its_notes(vault: Path) -> None:
    home = Visitor(llmwiki.Wiki.open(vault)).get("/")
    assert "<summary>Tools/</summary>" in home.text and "/page/Projects/API" in home.text
    assert "#tool 2" in home.words and "Recent notes" in home.words


def test_the_graph_leads_to_the_notes(vault: Path) -> None:
    visitor = Visitor(llmwiki.Wiki.open(vault))
    found = visitor.ask("/Tools/Keycloak.md")
    assert (found.status, found.headers["location"]) == (303, "/page/Tools/Keycloak")
    assert visitor.ask("/Tools/Nothing.txt").status == 404


def test_a_note_is_shown_as_its_own_tool_shows_it(vault: Path) -> None:
    visitor = Visitor(llmwiki.Wiki.open(vault))
    page = visitor.get("/page/Tools/Keycloak")
    assert "<mark>single <em>sign-on</em></mark>" in page.text
    assert "in the safe" not in page.text and "Marina" not in page.text and "%%kept%%" in page.text
    assert page.text.count('src="/picture/img/harbor.png"') == 2 and 'width="300"' in page.text
    assert 'src="http' not in page.text and "secret.txt" in page.words
    assert "Ten a second." in page.words and "Not this" not in page.words
    assert 'class="callout callout-warning"' in page.text


def test_pictures_of_the_repository_are_given_out_and_nothing_else(vault: Path) -> None:
    visitor = Visitor(llmwiki.Wiki.open(vault))
    found = visitor.get("/picture/img/harbor.png")
    assert found.status == 200 and found.body == PNG
    assert found.headers["content-type"] == "image/png"
    for path in ("secret.txt", "img/fake.png", "img/none.png", "../vault/img/harbor.png"):
        assert visitor.ask(f"/picture/{path}").status == 404, path


def test_what_a_note_hides_is_never_printed(vault: Path) -> None:
    wiki = llmwiki.Wiki.open(vault)
    for words in ("Marina", "safe", "sign-on"):
        rows = wiki.search(words).rows
        assert not any("Marina" in row.text or "safe" in row.text for row in rows)
