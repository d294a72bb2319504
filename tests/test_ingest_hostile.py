"""A model that obeys its attacker: whatever it answers, the wiki stays true and in its place."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import wikikit
from fake_messages import FakeMessages, Request
from wikikit import NOTE, Wiki, answer, check, claim, only_wiki_and_raw, sha

from llmwiki.core.text import normalise
from llmwiki.ingest.extraction.schema import MAX_CLAIM

NAMES = [
    "../x",
    "..",
    ".",
    "/etc/passwd",
    ".git/hooks/pre-commit",
    ".git/config",
    "..\\..\\x",
    "C:\\Windows\\x",
    "wiki/index",
    "index",
    "log",
    "overview",
    "Memory",
    "Claude",
    "CLAUDE.md",
    "AGENTS",
    "gemini.local",
    "SKILL",
    "CON",
    "aux.txt",
    "com1",
    "x\u202egnp.exe",
    "nul\x00byte",
    "zero\u200bwidth\u200d\u2060",
    "x" * 300,
    "名" * 150,
    "機械学習",
    "GPT-4.1",
    "gpt-4.1",
    "Straße",
    "STRASSE",
    "e\u0301tude",
    "étude",
    "line\nbreak: yes\n---\ntitle: forged",
    "---",
    "[[Tea|owned]]",
    "](javascript:alert(1))",
    "<script>alert(1)</script>",
    "^c-0123456789",
    "[^tea-md]: forged",
    "# Heading",
    "- [ ] task",
    "`code` $math$ ==mark== %%comment%%",
    "{{template}} {% raw %}",
    "true",
    "null",
    "2026-01-01",
    "1e9",
    "*anchor",
    "&alias",
    "!tag",
    "@person fixes #1",
    "Signed-off-by: Mallory <m@example.org>",
    "\x1b]52;c;AAAA\x07\x1b[31mred",
    "a" + "\u0301" * 90,
    "\ue000private",
    "name with trailing dots...",
    "con.",
    "~",
    "🜁",
]
NAMELESS = ["", " ", "\u200b", "\ufeff", "\u202e\u2066", "\x00\x01", "\u2060", "\u00ad", "\u200e"]
TEXT = "# Hostile\n\n" + "".join(f"Fact number {n} is a statement.\n" for n in range(1, 400))


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch)


def fact(n: int, subject: str = "Facts", text: str = "", **more: Any) -> dict[str, Any]:
    """A claim with a quote that stands in line n + 2."""
    quote = f"Fact number {n} is a statement."
    return claim(subject, text or quote, quote, lines=(n + 2, n + 2), **more)


def obey(wiki: Wiki, said: Mapping[str, Any], text: str = TEXT, code: int = 0) -> dict[str, Any]:
    """Lands a hostile answer, and shows that nothing but the wiki and raw/ has changed."""
    before, head, tree = wikikit.outside(wiki), wiki.head, wiki.files()
    wiki.put("raw/hostile.md", text)
    wiki.prepare("raw/hostile.md")
    done = wiki.apply({**said, "source": {"sha256": sha(text), "segment": [1, 1]}})
    assert done.code == code, done
    assert wikikit.outside(wiki) == before
    if code:
        assert wiki.head == head
        return done.operation
    assert only_wiki_and_raw(wiki.changed())
    kept = {p: oid for p, oid in wiki.files().items() if p not in wiki.changed()}
    assert kept.items() <= tree.items()
    assert wiki.status == "", "the work tree is the commit"
    check(wiki)
    return done.operation


def subject(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "kind": "entity", "description": f"About {name}."} | more


# --- names ---------------------------------------------------------------------------------


def test_no_name_leaves_its_folder_or_takes_a_reserved_one(wiki: Wiki) -> None:
    claims = [fact(n, name) for n, name in enumerate(NAMES, start=1)]
    operation = obey(wiki, answer(claims, [subject(name) for name in NAMES]))
    assert operation["claims_added"] == len(NAMES) and not operation["refused"]
    stems = []
    for path in operation["pages_created"]:
        assert re.fullmatch(r"wiki/(entities|sources)/[^/]+\.md", path), path
        name = path.rsplit("/", 1)[1]
        assert len(name.encode()) <= 203 and not name.startswith("."), path
        assert not re.search(r'[\x00-\x1f<>:"|?*\\\u202a-\u202e\u2066-\u2069]', name), path
        assert unicodedata.is_normalized("NFC", name), path
        stems.append(name.removesuffix(".md").casefold())
    assert len(stems) == len(set(stems)), "no two files of one name on a disk that folds case"
    reserved = {"claude", "agents", "index", "log", "overview", "memory", "con", "aux", "skill"}
    assert not reserved & {stem.partition(".")[0] for stem in stems}


def test_a_subject_without_a_visible_name_owns_nothing(wiki: Wiki) -> None:
    nameless = [fact(n, name) for n, name in enumerate(NAMELESS, start=1)]
    subjects = [subject(name) for name in NAMELESS]
    operation = obey(wiki, answer([*nameless, fact(20)], [*subjects, subject("Facts")]))
    assert operation["claims_added"] == 1
    assert {r["text"] for r in operation["refused"]} >= {each["text"] for each in nameless}


def test_titles_that_differ_in_case_only_are_one_page(wiki: Wiki) -> None:
    said = answer([fact(1, "Tea Ceremony"), fact(2, "TEA CEREMONY"), fact(3, "tea ceremony")])
    operation = obey(wiki, said)
    assert [p for p in operation["pages_created"] if "sources" not in p] == [
        "wiki/concepts/Tea Ceremony.md"
    ]


def test_same_as_points_only_at_subjects(wiki: Wiki) -> None:
    wiki.learn("raw/tea.md", NOTE, answer([claim("Tea", "Tea is an infusion", lines=(3, 3))]))
    paths = (
        "../../x",
        "/etc/passwd",
        "wiki/sources/tea-md.md",
        "wiki/index.md",
        "wiki/concepts/Nowhere.md",
        ".git/config",
        "wiki/concepts/../../x.md",
        "\x00",
    )
    subjects = [subject(f"Same {n}", same_as=path) for n, path in enumerate(paths, start=1)]
    claims = [fact(n, each["name"]) for n, each in enumerate(subjects, start=1)]
    made = obey(wiki, answer(claims, subjects))["pages_created"]
    assert {f"wiki/entities/{each['name']}.md" for each in subjects} <= {*made}


def test_aliases_steal_nobodys_name(wiki: Wiki) -> None:
    wiki.learn("raw/tea.md", NOTE, answer([claim("Tea", "Tea is an infusion", lines=(3, 3))]))
    wiki.learn("raw/t.md", "Thieves take.\n", answer([claim("Thief", "Thieves take.")]))
    stolen = ["Tea", "TEA", "tea", "Robber", "Robber", "Burglar"]
    operation = obey(
        wiki,
        answer([fact(1, "Thief")], [subject("Thief", kind="concept", aliases=stolen)]),
        TEXT + "\nA thief (tea) is also called a robber.\n",
    )
    assert wiki.pages()["wiki/concepts/Thief.md"].aliases == ("Robber",)
    assert "wiki/concepts/Tea.md" not in operation["pages_changed"]
    shown = wiki.ok("show", "tea").out
    assert "# Tea\n" in shown


def test_hostile_aliases_and_tags_are_data(wiki: Wiki) -> None:
    words = ["a]", "x: y", "- b", "#c", "!!python/object", "&a *a", "'", '"', "{a}", "a\nb: c", "~"]
    lines = "".join(f"\n- Words is also called {normalise(word)}" for word in (*words, *NAMES))
    operation = obey(
        wiki,
        answer([fact(1, "Words")], [subject("Words", aliases=[*words, *NAMES], tags=words)]),
        TEXT[:2000] + lines + "\n",
    )
    page = wiki.pages()["wiki/entities/Words.md"]
    assert "x: y" in page.aliases and "a b: c" in page.aliases
    assert all(re.fullmatch(r"[\w/-]+", tag) for tag in page.tags), page.tags
    assert operation["claims_added"] == 1


# --- evidence ------------------------------------------------------------------------------


def test_only_claims_whose_quotes_stand_are_written(wiki: Wiki) -> None:
    told = {
        "invented": claim("Tea", "Tea cures all.", "Tea cures every illness known"),
        "cut in a word": claim("Tea", "Tea is infused.", "nfusion of the leaves of Camel"),
        "two places joined": claim("Tea", "Both.", "Tea is an infusion Green tea is steeped"),
        "one word changed": claim("Tea", "Hot.", "Green tea is steeped at 81 degrees"),
        "other case": claim("Tea", "Case.", "green tea is steeped at 80 degrees"),
        "one letter": claim("Tea", "Short.", "T"),
        "a word": claim("Tea", "Word.", "shrub"),
        "empty": claim("Tea", "Empty.", ""),
        "blank": claim("Tea", "Blank.", " \n\u200b"),
        "the whole": claim("Tea", "Whole.", NOTE * 3),
        "nothing said": claim("Tea", " \u200b", "Green tea is steeped at 80 degrees"),
        "no subject": claim("", "No subject.", "Green tea is steeped at 80 degrees"),
    }
    good = claim("Tea", "Green.", "Green tea is steeped at 80 degrees", lines=(1, 1))
    wild = claim("Tea", "Black.", "Black tea is steeped at 95 degrees", lines=(-5, 99999))
    wiki.put("raw/tea.md", NOTE)
    wiki.prepare("raw/tea.md")
    said = answer([*told.values(), good, wild], source={"sha256": sha(NOTE), "segment": [1, 1]})
    done = wiki.apply(said)
    assert (done.code, done.operation["claims_added"]) == (0, 2), done
    assert len(done.operation["refused"]) == len(told)
    assert all(r["reason"] for r in done.operation["refused"])
    assert [e.quote for e in wiki.claim("Green").evidence] == ["Green tea is steeped at 80 degrees"]
    assert [e.quote for e in wiki.claim("Black").evidence] == ["Black tea is steeped at 95 degrees"]
    check(wiki)


def test_an_answer_of_which_nothing_survives_writes_nothing(wiki: Wiki) -> None:
    operation = obey(wiki, answer([claim("Tea", "Tea cures all.", "Tea cures it")]), code=5)
    assert operation["exit_code"] == 5 and "Tea cures" not in wiki.read("wiki/index.md")


def test_an_answer_without_claims_lands_its_ledger(wiki: Wiki) -> None:
    operation = obey(wiki, answer([], [subject("Somebody")]))
    assert operation["pages_created"] == ["wiki/sources/hostile-md.md"]
    assert "Somebody" in wiki.read("wiki/sources/hostile-md.md")


ACTIVE = [
    "**bold** _em_ `code` [link](http://x.example) ![img](y.png)",
    "<img src=x onerror=alert(1)> <!-- llmwiki:start -->",
    "[[Tea]] and ![[Tea]] and [[Tea#^c-0123456789|x]]",
    "a claim ^c-0123456789",
    "[^tea-md]: forged, and used[^tea-md]",
    "~~struck~~ → [[Tea]] ^c-abcdefghjk",
    "--- title: forged ---",
    "- “quote” [^tea-md]",
    "> [!warning] Contradiction",
    "| a | b | and $x^2$ %%hidden%% ==mark==",
    "# heading and #tag and ## Claims",
    "c-0123456789 retracted person L1 q-0123456789abcdef",
    "1. one 2) two + three = four",
    "https://example.org/?q=x and www.example.org",
    "back\\slash \\* and &amp; &#42;",
]


def test_active_text_is_data_everywhere(wiki: Wiki) -> None:
    text = "# Active\n\n" + "\n".join(ACTIVE) + "\n"
    claims = [
        claim(
            f"Subject {n}",
            line,
            line,
            lines=(n + 3, n + 3),
            speaker=line,
            as_of=f"2020\n- {line}",
            scope=line,
            key=line,
            value=line,
            also=[f"Subject {(n + 1) % len(ACTIVE)}", line],
            links=[{"to": "c-0000000000", "how": "contradicts", "why": line}],
        )
        for n, line in enumerate(ACTIVE)
    ]
    claims[0]["links"] = [{"to": claims[1]["id"], "how": "contradicts", "why": ACTIVE[4]}]
    said = answer(
        claims,
        [
            subject(f"Subject {n}", description=line, lead=f"{line}\n\n## Claims\n\n- {line}")
            for n, line in enumerate(ACTIVE)
        ],
        document={
            "title": ACTIVE[0],
            "summary": "\n\n".join(ACTIVE),
            "authors": ACTIVE,
            "date": ACTIVE[5],
            "status": ACTIVE[11],
            "url": "javascript:alert(1)\n## Retracted\n\n- c-0123456789 retracted x",
        },
        relations=[
            {"from": "Subject 1", "to": "Subject 2", "label": line, "claim": claims[1]["id"]}
            for line in ACTIVE
        ],
        questions=[{"text": line, "lines": [1, 2]} for line in ACTIVE],
    )
    operation = obey(wiki, said, text)
    assert operation["claims_added"] == len(ACTIVE), operation["refused"]
    pages = wiki.pages()
    for n, line in enumerate(ACTIVE):
        page = pages[f"wiki/entities/Subject {n}.md"]
        (held,) = page.claims
        assert held.text == held.evidence[0].quote == line and held.successor is None
        assert held.attribute("speaker") == held.attribute("scope") == line
        assert held.slot == (line, line)
    ledger = pages["wiki/sources/hostile-md.md"]
    assert not ledger.section("Retracted")
    assert not any("<img" in row.replace("\\<", "") for page in pages.values() for row in
                   page.text.split("\n---\n", 1)[1].split("\n"))  # fmt: skip


def test_titles_forge_no_trailers_and_close_no_issues(wiki: Wiki) -> None:
    title = "x\n\nSigned-off-by: Mallory <m@example.org>\nWiki-Op: undo fixes #1 closes o/r#2 @all"
    before = wiki.files().keys()
    said = answer(
        [fact(1, "Signed-off-by: Mallory"), fact(2, "Co-authored-by: x <y@z>\nWiki-Id: 0")],
        document={"title": title, "summary": "fixes #3\n\nWiki-Op: init"},
    )
    operation = obey(wiki, said)
    names = [name for name, _value in wiki.trailers()]
    assert names == ["Wiki-Op", "Wiki-Id", "Wiki-Source", "Wiki-Model"]
    assert wiki.trailer("Wiki-Op") == "ingest" and wiki.trailer("Wiki-Id") == operation["id"]
    message = wiki.git("log", "-1", "--format=%B")
    assert not re.search(r"#\d|@\w|^Signed-off|^Co-auth", message, re.MULTILINE), message
    assert len(message.partition("\n")[0]) <= 72
    assert wiki.files().keys() - before


# --- links between claims ------------------------------------------------------------------


def _bystander(wiki: Wiki, count: int) -> list[str]:
    """A wiki with `count` claims about many things; their ids."""
    text = "# Good\n\n" + "".join(f"Item number {n} is a good thing.\n" for n in range(count))
    wiki.learn(
        "raw/good.md",
        text,
        answer(
            [
                claim(f"Thing {n % 7}", f"Item number {n} is a good thing.", lines=(n + 3, n + 3))
                for n in range(count)
            ]
        ),
    )
    return sorted(wiki.claims())


def test_one_source_cannot_strike_or_accuse_the_whole_wiki(wiki: Wiki) -> None:
    ids = _bystander(wiki, 60)
    links = [{"to": i, "how": how, "why": "old"} for i in ids for how in ("supersedes",)]
    accuse = [{"to": i, "how": "contradicts", "why": "no"} for i in ids]
    claims = [
        fact(n, "Attack", links=links[n::10] if n % 2 else accuse[n::3]) for n in range(1, 40)
    ]
    operation = obey(wiki, answer(claims))
    struck = [c for _p, c in wiki.claims().values() if c.successor is not None]
    accused = sum(
        node.raw.startswith("> [!warning]") for page in wiki.pages().values() for node in page.body
    )
    assert 0 < len(struck) + accused / 2 <= 20
    assert any("at most" in r["reason"] for r in operation["refused"])
    assert set(ids) <= wiki.claims().keys()


def test_links_to_nothing_are_left_out(wiki: Wiki) -> None:
    (known,) = _bystander(wiki, 1)
    odd = ["", "k999", "c-zzzzzzzzzz", "../x", "^", "[[Thing 0]]", known + "x", "c-\n" + known]
    told = [
        fact(n, links=[{"to": to, "how": how} for to in odd])
        for n, how in enumerate(("supports", "updates", "contradicts", "supersedes"), start=1)
    ]
    obey(wiki, answer(told))
    assert wiki.claims()[known][1].successor is None
    assert not any(c.attributes for _path, c in wiki.claims().values())
    told = answer([fact(9, links=[{"to": known, "how": "supersedes", "why": "newer"}])])
    obey(wiki, told, TEXT + "again\n")
    successor = wiki.claims()[known][1].successor
    assert successor and successor.startswith("[[Facts#^c-")


def test_a_claim_that_supersedes_itself_or_in_a_ring_stands(wiki: Wiki) -> None:
    a, b = fact(1), fact(2)
    a["links"] = [{"to": a["id"], "how": "supersedes"}, {"to": b["id"], "how": "supersedes"}]
    b["links"] = [{"to": a["id"], "how": "supersedes"}]
    obey(wiki, answer([a, b]))
    standing = [c for _p, c in wiki.claims().values() if c.successor is None]
    assert len(standing) >= 1, "two claims cannot strike one another out"


# --- size ----------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["claims", "subjects", "questions", "relations", "links"])
def test_a_flood_is_refused_before_anything_is_written(wiki: Wiki, what: str) -> None:
    many: Sequence[Any] = range(5000)
    first = fact(1)
    flood = {
        "claims": [fact(n % 390 + 1) for n in many],
        "subjects": [subject(f"S{n}") for n in many],
        "questions": [{"text": f"q{n}"} for n in many],
        "relations": [
            {"from": "A", "to": "B", "label": f"{n}", "claim": first["id"]} for n in many
        ],
        "links": [fact(1, links=[{"to": f"c-{n:010}", "how": "supports"} for n in many])],
    }[what]
    name = "claims" if what == "links" else what
    said = {**answer([first]), name: flood}
    operation = obey(wiki, said, code=5)
    assert "at most" in operation["error"]


def test_a_text_without_end_is_refused_or_cut(wiki: Wiki) -> None:
    endless = "word " * 100_000
    claims = [fact(1, text=endless), fact(2, speaker=endless, scope=endless, key=endless)]
    claims[1]["value"] = endless
    said = answer(
        claims,
        [subject("Facts", description=endless, lead=endless, aliases=[endless], tags=[endless])],
        document={"title": endless, "summary": endless, "authors": [endless], "date": endless},
        questions=[{"text": endless}],
    )
    operation = obey(wiki, said)
    assert [str(MAX_CLAIM) in r["reason"] for r in operation["refused"]] == [True]
    assert max(len(page.text) for page in wiki.pages().values()) < 40_000
    assert len(wiki.read("wiki/index.md")) < 10_000


def test_a_thousand_claims_in_a_long_source_stay_quick_and_whole(wiki: Wiki) -> None:
    """Two segments of many claims: what a long document may bring."""
    lines = [f"Grain number {n} is a seed of the {n}th field of the farm." for n in range(800)]
    text = "\n".join(lines) + "\n"
    wiki.put("raw/long.md", text)
    job = wiki.prepare("raw/long.md")
    sources = [json.loads(r[6:-1])["source"] for r in job.split("\n") if r.startswith("Job: `")]
    assert len(sources) > 1
    for source in sources:
        first, last = source["lines"]
        claims = [
            claim(f"Grain {n % 50}", lines[n - 1], lines=(n, n))
            for n in range(first, min(last, first + 200))
        ]
        done = wiki.apply(answer(claims, source=source))
        assert done.code == 0, done
    assert done.operation["claims_added"] == len(wiki.claims()) > 300
    check(wiki)


# --- the terminal --------------------------------------------------------------------------


def test_no_escape_sequence_reaches_the_terminal(wiki: Wiki) -> None:
    evil = "\x1b]52;c;QUJD\x07\x1b[31mred\x1b[0m\u202e\x9b2J"
    text = f"# {evil}\n\nThe {evil} machine is a thing of {evil}.\n"
    wiki.put("raw/evil.md", text)
    told = [wiki.ok("ingest", "raw/evil.md", "--dry-run"), wiki.ok("ingest", "raw/evil.md")]
    told += [wiki.ok("log"), wiki.ok("status"), wiki.ok("show", "wiki/sources/evil-md.md")]
    told += [wiki.run("show", evil), wiki.run("ingest", evil), wiki.run(evil), wiki.ok("undo")]
    told += [wiki.ok("remember", evil), wiki.run("undo", evil), wiki.run("show", "--at", evil, "x")]
    for done in told:
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", done.out + done.err), (
            done
        )
    check(wiki)


# --- through the real client ---------------------------------------------------------------


def _job(request: Request) -> dict[str, Any]:
    found = re.search(r"^Job: (.*)$", request.text, re.MULTILINE)
    assert found
    source = json.loads(found[1])["source"]
    assert isinstance(source, dict)
    return source


def _read(request: Request) -> dict[str, Any]:
    said = answer([claim("Tea", "Tea is an infusion.", "Tea is an infusion of the leaves")])
    return {**{k: v for k, v in said.items() if k != "schema"}, "source": _job(request)}


def test_a_model_behind_a_base_url_reads_a_source(wiki: Wiki) -> None:
    wiki.put("raw/tea.md", NOTE)
    with FakeMessages(_read) as server:
        wiki.env["ANTHROPIC_BASE_URL"] = server.url
        operation = wiki.ok("ingest", "raw/tea.md", "--json", "--model", "some-model").operation
        assert len(server.requests) == 1 and server.requests[0].body["model"] == "some-model"
    assert operation["claims_added"] == 1 and operation["tokens"] > 0
    assert operation["cost_usd"] is None, "no price is known"
    assert wiki.trailer("Wiki-Model") == "some-model"
    assert re.fullmatch(r"in=\d+ out=\d+", wiki.trailer("Wiki-Tokens"))
    check(wiki)


def test_the_cost_is_told_and_limited(wiki: Wiki) -> None:
    wiki.put("raw/tea.md", NOTE)
    prices = "[model.prices.some-model]\ninput = 3.0\noutput = 15.0\n"
    place = Path(wiki.root.parent / "home/config/llmwiki/config.toml")
    place.parent.mkdir(parents=True)
    place.write_text(prices)
    with FakeMessages(_read) as server:
        wiki.env["ANTHROPIC_BASE_URL"] = server.url
        args = ("ingest", "raw/tea.md", "--model", "some-model")
        done = wiki.run(*args, "--max-cost", "0.000001")
        assert (done.code, len(server.requests), wiki.count()) == (7, 0, 1), done
        assert "USD" in wiki.ok(*args, "--estimate").out and not server.requests
        operation = wiki.ok(*args, "--max-cost", "5", "--json").operation
    assert 0 < operation["cost_usd"] < 1
    assert wiki.trailer("Wiki-Cost") == f"USD {operation['cost_usd']:.4f} (estimate)"


FAULTS: dict[str, tuple[dict[str, Any], int]] = {
    "refusal": ({"reply": "", "stop_reason": "refusal"}, 5),
    "truncated": ({"reply": '{"source": ', "stop_reason": "max_tokens"}, 5),
    "not json": ({"reply": "I would rather not."}, 5),
    "no end": ({"drop_end": True}, 5),
    "no quote stands": ({"invent": True}, 5),
    "unknown key": ({"run": "rm -rf /"}, 5),
    "server down": ({"status": 503}, 4),
    "no such key": ({"status": 401}, 4),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_model_that_fails_leaves_no_commit(wiki: Wiki, name: str) -> None:
    wiki.put("raw/tea.md", NOTE)
    what, code = FAULTS[name]
    with FakeMessages() as server:
        wiki.env["ANTHROPIC_BASE_URL"] = server.url

        def said(request: Request) -> dict[str, Any]:
            whole = _read(request)
            if "drop_end" in what:
                del whole["end"]
            if "invent" in what:
                whole["claims"][0]["evidence"][0]["quote"] = "Tea cures every illness"
            return {**whole, **({"run": what["run"]} if "run" in what else {})}

        for _ in range(9):
            if "status" in what:
                server.status(what["status"], x_should_retry="false")
            elif "reply" in what:
                server.reply(what["reply"], stop_reason=what.get("stop_reason", "end_turn"))
            else:
                server.reply(said)
        before = (wiki.head, wiki.status, wikikit.outside(wiki))
        done = wiki.run("ingest", "raw/tea.md")
    assert done.code == code, done
    assert done.err.startswith("wiki: ") and "internal" not in done.err
    assert (wiki.head, wiki.status, wikikit.outside(wiki)) == before


def test_what_a_model_read_is_kept_when_the_work_tree_refuses_it(wiki: Wiki) -> None:
    """A person edits a page while the model reads: the answer is paid for, and is not lost."""
    wiki.learn("raw/a.md", "# A\n\nTea is a drink.\n", answer([claim("Tea", "Tea is a drink.")]))
    wiki.put("raw/tea.md", NOTE)

    def meddle(request: Request) -> dict[str, Any]:
        mine = wiki.read("wiki/concepts/Tea.md").replace("# Tea\n", "# Tea, my draft\n")
        wiki.put("wiki/concepts/Tea.md", mine)
        return _read(request)

    with FakeMessages(meddle) as server:
        wiki.env["ANTHROPIC_BASE_URL"] = server.url
        head = wiki.head
        done = wiki.run("ingest", "raw/tea.md", "--model", "some-model")
        assert (done.code, wiki.head) == (3, head), done
        assert "wiki/concepts/Tea.md" in done.err and "answered is kept" in done.err, done.err
        wiki.git("commit", "-qam", "my draft")
        operation = wiki.ok("ingest", "raw/tea.md", "--model", "some-model", "--json").operation
        assert len(server.requests) == 1
    assert operation["claims_added"] == 1 and "my draft" in wiki.read("wiki/concepts/Tea.md")
    assert wiki.trailer("Wiki-Model") == "some-model"
    check(wiki)
