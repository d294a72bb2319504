"""`wiki upgrade`: a wiki of format 1 in the grammar of format 2, alone and in two clones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import wikikit
from clones import Clones, clone
from old_wiki import BURIED, CUP, GREEN, HOLDS, INFUSION, LATER, PAGES, TEA_LEDGER, TEA_PAGE
from wikikit import Wiki

from llmwiki.core.text import sha256_hex
from llmwiki.pages.merge_page import merge_page
from llmwiki.pages.page import Page
from llmwiki.pages.tombstones import claim_refs, tombstones
from llmwiki.pages.upgrade import upgraded

PAGE, LEAF, LEDGER = "wiki/concepts/Tea.md", "wiki/concepts/Leaf.md", "wiki/sources/tea-md.md"


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    wiki = wikikit.make(tmp_path, monkeypatch)
    wiki.edit(".llmwiki.toml", "format = 2", "format = 1")
    commit(wiki, PAGES)
    return wiki


def commit(wiki: Wiki, files: dict[str, str]) -> None:
    for name, text in files.items():
        wiki.put(name, text)
    wiki.git("add", "-A")
    wiki.git("commit", "-q", "-m", "by the version before")


# --- one wiki ------------------------------------------------------------------------------


def test_the_pages_after_it(wiki: Wiki) -> None:
    done = wiki.ok("upgrade", "--json").json
    assert done["pages_changed"] == [LEAF, PAGE, LEDGER] and not done["dry_run"]
    assert "format = 2\n" in wiki.read(".llmwiki.toml")
    assert wiki.read(PAGE) == (
        "---\ntype: concept\ntitle: Tea\ndescription: About it.\naliases:\n  - chai\n  - cha\n"
        'tags:\n  - drink\nsources:\n  - "[[sources/tea-md]]"\n'
        "generated: llmwiki/0.1.0 p-00000000 a-11111111\n---\n\n# Tea\n\nA lead.\n\n"
        f"## Claims\n\n- Tea is an infusion of leaves. ^{INFUSION}\n"
        "  - “Tea is an infusion of leaves.” — [^tea-md] L3\n"
        f"- Green tea is steeped at 80 °C. ^{GREEN}\n"
        "  - “Green tea is steeped at 80 degrees.” — [^tea-md] L4\n"
        "  - (as of: 2020-05; supports:"
        f" [[Tea#^{INFUSION}|Tea: Tea is an infusion of leaves.]])\n\n"
        "## Related\n\n- **Tea** is made of [[Leaf]] [^tea-md]\n\n"
        "[^tea-md]: [[sources/tea-md|Tea notes]] (2020-05), raw/tea.md\n"
    )
    assert wiki.read(LEAF).endswith(
        "\n## Seen in\n\n"
        f"- [[Tea#^{INFUSION}|Tea: Tea is an infusion of leaves.]]\n\n"
        "Mine own words, with [[Tea]].\n\n"
        "## Related\n\n- [[Tea]] is made of **Leaf** [^tea-md]\n\n"
        "[^tea-md]: [[sources/tea-md|Tea notes]] (2020-05), raw/tea.md\n"
    )
    sha = sha256_hex(PAGES["raw/tea.md"].encode())
    lines = sorted([f"> - {INFUSION} L3\n", f"> - {GREEN} L4\n"])
    assert wiki.read(LEDGER) == (
        "---\ntype: source\ntitle: Tea notes\ndescription: About it.\nsource: raw/tea.md\n"
        f"sha256: {sha}\ndate: 2020-05\nauthors:\n  - Ann\n  - Bob\n"
        "generated: llmwiki/0.1.0 p-00000000 a-11111111\n---\n\n# Tea notes\n\nA lead.\n\n"
        "## Elsewhere\n\n"
        "- [[Tea]]: Tea is an infusion of leaves. Green tea is steeped at 80 °C.\n\n"
        "## Open questions\n\n- Is white tea steeped cooler? (L4)\n\n"
        f"> [!note]- Record\n{''.join(lines)}"
        f"> - {BURIED} retracted person L4 q-0123456789abcdef\n"
    )


def test_a_second_run_changes_nothing(wiki: Wiki) -> None:
    wiki.ok("upgrade")
    head = wiki.git("rev-parse", "HEAD")
    assert "already" in wiki.ok("upgrade").out
    assert wiki.git("rev-parse", "HEAD") == head
    assert wiki.ok("lint", "--fail-on", "error").code == 0
    assert not wiki.git("status", "--porcelain")


def test_a_dry_run_writes_nothing(wiki: Wiki) -> None:
    head = wiki.git("rev-parse", "HEAD")
    assert wiki.ok("upgrade", "--dry-run").out == "would rewrite 3 pages in format 2\n"
    assert wiki.git("rev-parse", "HEAD") == head and not wiki.git("status", "--porcelain")


def test_who_writes_asks_for_it_first_and_who_reads_does_not(wiki: Wiki) -> None:
    refused = wiki.run("remember", "x")
    assert refused.code == 3 and "wiki upgrade" in refused.err
    wiki.put("raw/new.md", "# New\n\nMate is a drink.\n")
    assert wiki.run("ingest", "raw/new.md", "--model", "offline").code == 3
    found = json.loads(wiki.ok("search", "infusion", "--json").out)
    assert found["results"][0]["path"] == PAGE
    assert wiki.ok("status").code == 0 and wiki.ok("show", "Tea").code == 0
    assert "infusion" in wiki.ok("context", "What is tea?").out
    assert wiki.ok("lint", "--fail-on", "error").code == 0


def test_the_source_is_known_after_it(wiki: Wiki) -> None:
    wiki.ok("upgrade")
    assert "unchanged" in wiki.ok("ingest", "raw/tea.md").out


def test_what_a_person_deleted_before_does_not_come_back(wiki: Wiki) -> None:
    gone = TEA_PAGE.replace(TEA_PAGE[TEA_PAGE.index("- Green") : TEA_PAGE.index("\n## Rel")], "")
    commit(wiki, {PAGE: gone})
    wiki.ok("upgrade")
    assert GREEN in claim_refs(wiki.pages()[LEDGER])
    commit(wiki, {"raw/tea.md": PAGES["raw/tea.md"] + "More.\n"})
    wiki.ok("ingest", "raw/tea.md", "--model", "offline")
    assert {t.claim for t in tombstones(wiki.pages()[LEDGER])} == {GREEN, BURIED}


def test_what_was_ingested_before_can_be_undone_after_it(wiki: Wiki) -> None:
    wiki.ok("upgrade")
    text = wiki.git("show", f"HEAD~1:{PAGE}")
    assert upgraded(Page.parse(PAGE, text)).claims == Page.parse(PAGE, text).claims


def test_pages_of_people_keep_their_bytes() -> None:
    for text in (
        "---\ntags: [a, b]\naliases: x\nsources:\n- some-slug\n---\n\n# X\n\n- [[Y]] — why\n",
        "# X\n\n- [[Y]]: words\n\n## Retracted\n\nNothing.\n",
        "---\nsources:\n  - {id: a, note: mine}\n---\n",
        "---\nbroken: [\n---\n\n- [[Y]] — uses [^a]\n",
    ):
        page = Page.parse("wiki/concepts/X.md", text)
        assert upgraded(page).text == text


# --- two clones ----------------------------------------------------------------------------


def test_two_clones_that_upgrade_each_their_branch(wiki: Wiki) -> None:
    two = clone(wiki, wiki.root.parent / "two", driver=True)
    wiki.ok("upgrade")
    commit(two, LATER)
    two.ok("upgrade")
    clones = Clones(wiki, two, driver=True)
    left = [path for path in clones.merge(wiki, two) if path.startswith("wiki/") and
            path.count("/") > 1]  # fmt: skip
    assert left == []
    wiki.git("checkout", "-q", "--ours", ".", ok=(0, 1))
    wiki.git("add", "-A")
    wiki.git("commit", "-q", "-m", "merged", ok=(0, 1))
    assert wiki.claims().keys() == {INFUSION, GREEN, HOLDS}
    infusion = wiki.claims()[INFUSION][1]
    assert sorted(e.source for e in infusion.evidence) == ["cup-md", "tea-md"]
    related = [n for n in wiki.pages()[PAGE].body if n.kind == "rel"]
    assert [len(n.parts) for n in related] == [2]
    wiki.ok("upgrade")
    assert "already" in wiki.ok("upgrade").out
    assert wiki.ok("lint", "--fail-on", "warning", "--ignore", "WK021,WK107,WK108").code == 0


@pytest.mark.parametrize("which", ["ours", "theirs"])
def test_one_side_upgraded_and_one_not(which: str) -> None:
    for path in (PAGE, LEDGER):
        base = Page.parse(path, PAGES[path])
        new, old = upgraded(base), Page.parse(path, LATER.get(path, TEA_LEDGER + "\nMine.\n"))
        sides = (new, old) if which == "ours" else (old, new)
        merged, conflicts = merge_page(base, *sides)
        assert merged is not None and not conflicts
        assert merged.text == upgraded(old).text


def test_the_numbers_of_lines_match_the_text() -> None:
    assert CUP.split("\n")[3] == "Tea is an infusion of leaves."
