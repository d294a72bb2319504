"""Findings as people and programs read them: reports, ignores, baselines, explanations."""

from __future__ import annotations

import importlib.util
import json
import re
import unicodedata
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema
import pytest
from lintkit import lint_texts

from llmwiki.app import lint_reports
from llmwiki.core.errors import InputError
from llmwiki.lint import baseline, ignore_comments, select_rules
from llmwiki.lint.findings import Coverage, Finding, LintReport, Severity, fingerprints
from llmwiki.lint.page_view import PageView
from llmwiki.lint.rule import Rule, WikiFix
from llmwiki.lint.rules import RULES
from llmwiki.lint.sarif_github_gitlab import MAX_RESULTS, github, gitlab, sarif
from llmwiki.lint.select_rules import chosen, find
from llmwiki.lint.text_report import MANY, as_text
from llmwiki.lint.vault_and_archive_folders import VaultKind, VaultKinds

ROOT = Path(__file__).parents[1]
HERE = Path(__file__).parent


def rule(code: str, name: str, severity: Severity, **more: Any) -> Rule:
    meaning, mending = f"What {name} means.", f"How {name} is mended."
    return Rule(code, name, severity, meaning, mending, of="page", **more)


BROKEN = rule("WK101", "broken-wikilink", Severity.WARNING, bad="[[Tae]]\n", good="[[Tea]]\n")
SPARSE = rule("WK102", "sparse", Severity.NOTE, bad={"wiki/a.md": "a", "wiki/b.md": "b"})
SECRET = rule("WK601", "secret", Severity.ERROR, fix=WikiFix.RENDER, fixable=True)
RULE_SET = (BROKEN, SPARSE, SECRET)
NAMES = {"wk101": "WK101", "broken-wikilink": "WK101", "wk102": "WK102", "sparse": "WK102"}

A = "wiki/concepts/A.md"
LINK = Finding(A, 12, 5, "WK101", "[[Tae]] leads to no page", "Did you mean [[Tea]]?", "tae")
OTHER = Finding(A, 20, 1, "WK101", "[[Milk]] leads to no page", about="milk")
THIN = Finding("wiki/concepts/B.md", 0, 0, "WK102", "the page leads nowhere")
KEY = Finding("wiki/concepts/B.md", 3, 0, "WK601", "a key stands here", about="1f2e")
WHOLE = Finding("", 0, 0, "WK102", "the wiki is young")
ALL = tuple(sorted((LINK, OTHER, THIN, KEY, WHOLE)))

HOSTILE = (
    "bad\x1b[31m\u202e [[x]](1) | <b> %0A::error::\r\n::warning file=/etc/passwd::x\x07"
    "\ud800\U000e0041 @someone ,a:b"
)


def told(*findings: Finding, **more: Any) -> LintReport:
    more.setdefault("coverage", Coverage(103, 368, 412, 412))
    return LintReport(tuple(sorted(findings)), rules={r.code: r for r in RULE_SET}, **more)


# --- text ------------------------------------------------------------------------------------


def test_text_groups_by_rule_says_how_to_mend_and_ends_with_what_was_covered() -> None:
    assert as_text(told(*ALL)) == (
        "wiki/concepts/B.md:3 error WK601 a key stands here\n"
        "    How secret is mended.\n"
        "\n"
        "wiki/concepts/A.md:12:5 warning WK101 [[Tae]] leads to no page\n"
        "    Did you mean [[Tea]]?\n"
        "wiki/concepts/A.md:20:1 warning WK101 [[Milk]] leads to no page\n"
        "    How broken-wikilink is mended.\n"
        "\n"
        "the wiki note WK102 the wiki is young\n"
        "    How sparse is mended.\n"
        "wiki/concepts/B.md note WK102 the page leads nowhere\n"
        "\n"
        "103 pages, 368 claims, 412 quotes checked; 1 error, 2 warnings, 2 notes\n"
    )


def test_text_says_so_when_there_is_nothing_and_when_quotes_were_not_compared() -> None:
    nothing = told(coverage=Coverage(1, 1, 3, 2), ignored=4, known=5)
    assert as_text(nothing) == (
        "1 page, 1 claim, 2 of 3 quotes checked; no issues found, 5 in the baseline, 4 ignored\n"
    )


def test_more_than_two_hundred_findings_are_a_table_unless_all_are_asked_for() -> None:
    many = [Finding(f"wiki/{n % 3}.md", n, 1, "WK101", "gone") for n in range(1, MANY + 1)]
    assert as_text(told(*many)).count("gone") == MANY
    more = told(*many, Finding("wiki/0.md", 900, 1, "WK102", "gone"))
    table = as_text(more)
    assert table.count(" gone") == 3 + 1 and "--all" in table
    assert "     200  WK101 warning" in table and "       1  WK102" in table
    worst = table[table.index("Pages with the most") :].split("\n")
    assert worst[1:4] == ["      67  wiki/0.md", "      67  wiki/1.md", "      67  wiki/2.md"]
    assert table.endswith(more.summary() + "\n")
    assert as_text(more, whole=True).count("gone") == MANY + 1
    assert as_text(more, brief=True).count("gone") == MANY + 1


def hostile() -> LintReport:
    path = "wiki/concepts/E\x1b]0;x\x07\u202e,:%\n\udcff.md"
    return told(Finding(path, 1, 1, "WK101", HOSTILE, HOSTILE, HOSTILE))


@pytest.mark.parametrize(
    "report",
    [
        as_text(hostile()),
        github(hostile()),
        gitlab(hostile()),
        sarif(hostile()),
        lint_reports.render(hostile(), "json", exit_code=1),
    ],
    ids=["text", "github", "gitlab", "sarif", "json"],
)
def test_no_report_carries_what_acts_on_a_terminal(report: str) -> None:
    acting = {c for c in report if unicodedata.category(c) in ("Cc", "Cs") and c != "\n"}
    assert acting == set()
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", report)
    report.encode()


# --- JSON ------------------------------------------------------------------------------------


def test_json_holds_every_finding_and_what_was_covered() -> None:
    report = lint_reports.render(told(*ALL, ignored=1, known=2), "json", exit_code=1)
    value = json.loads(report)
    assert report == json.dumps(value, ensure_ascii=False, sort_keys=True, indent=2) + "\n"
    assert value["schema"] == "llmwiki.lint/1"
    assert value["exit_code"] == 1
    assert value["counts"] == {"error": 1, "warning": 2, "note": 2, "ignored": 1, "baseline": 2}
    assert value["coverage"] == {
        "pages": 103,
        "claims": 368,
        "quotes": 412,
        "compared": 412,
        "rules": 3,
        "left_out": [],
    }
    assert [f["path"] for f in value["findings"]] == [f.path for f in ALL]
    assert value["findings"][1] == {
        "code": "WK101",
        "name": "broken-wikilink",
        "severity": "warning",
        "path": A,
        "line": 12,
        "column": 5,
        "message": "[[Tae]] leads to no page",
        "mend": "Did you mean [[Tea]]?",
        "about": "tae",
        "claims": [],
        "fingerprint": fingerprints([LINK])[0],
        "fixable": False,
    }
    assert value["findings"][2]["mend"] == "How broken-wikilink is mended."


# --- SARIF -----------------------------------------------------------------------------------

SCHEMA = json.loads((HERE / "data/sarif_for_github.schema.json").read_text("utf-8"))


def run_of(report: str) -> dict[str, Any]:
    value = json.loads(report)
    jsonschema.Draft202012Validator(SCHEMA).validate(value)
    (run,) = value["runs"]
    assert isinstance(run, dict)
    return run


def test_sarif_is_of_the_schema_and_says_where_and_what() -> None:
    run = run_of(sarif(told(*ALL, prefix="docs/kb/")))
    rules = run["tool"]["driver"]["rules"]
    assert [r["id"] for r in rules] == ["WK101", "WK102", "WK601"]
    assert [r["defaultConfiguration"]["level"] for r in rules] == ["warning", "note", "error"]
    assert all(rules[r["ruleIndex"]]["id"] == r["ruleId"] for r in run["results"])
    link = next(r for r in run["results"] if "Tae" in r["message"]["text"])
    assert link["message"]["text"] == "[[Tae]] leads to no page. Did you mean [[Tea]]?"
    assert link["level"] == "warning"
    assert link["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {
                    "uri": "docs/kb/wiki/concepts/A.md",
                    "uriBaseId": "%SRCROOT%",
                },
                "region": {"startLine": 12, "startColumn": 5},
            }
        }
    ]
    marks = [r["partialFingerprints"]["primaryLocationLineHash"] for r in run["results"]]
    assert len(set(marks)) == len(ALL)
    places = [
        r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in run["results"]
    ]
    assert "docs/kb/.llmwiki.toml" in places


def test_sarif_quotes_paths_and_takes_links_out_of_messages() -> None:
    path = "wiki/concepts/Größe & 100 %\udcff.md"
    (result,) = run_of(sarif(told(Finding(path, 0, 0, "WK101", "see [this](1)"))))["results"]
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place["uri"] == "wiki/concepts/Gr%C3%B6%C3%9Fe%20%26%20100%20%25%FF.md"
    assert result["message"]["text"].startswith("see \\[this\\](1). ")


def test_sarif_keeps_the_worst_five_thousand_and_says_how_many_are_left_out() -> None:
    many = [Finding(f"wiki/{n:05}.md", 1, 1, "WK102", "sparse") for n in range(5200)]
    # Whether each result is of the schema is seen in fewer of them.
    (run,) = json.loads(sarif(told(*many, KEY)))["runs"]
    assert len(run["results"]) == MAX_RESULTS
    assert [r["ruleId"] for r in run["results"]].count("WK601") == 1
    (invocation,) = run["invocations"]
    (note,) = invocation["toolExecutionNotifications"]
    assert note["message"]["text"].startswith("201 more")
    assert "toolExecutionNotifications" not in run_of(sarif(told(KEY)))["invocations"][0]


# --- GitHub and GitLab -----------------------------------------------------------------------


def test_github_gets_one_command_a_finding_the_worst_first() -> None:
    lines = github(told(*ALL, prefix="docs/kb/")).splitlines()
    assert lines[0] == (
        "::error file=docs/kb/wiki/concepts/B.md,line=3,endLine=3,title=WK601 secret"
        "::a key stands here%0AHow secret is mended."
    )
    assert lines[1] == (
        "::warning file=docs/kb/wiki/concepts/A.md,line=12,endLine=12,col=5,"
        "title=WK101 broken-wikilink::[[Tae]] leads to no page%0ADid you mean [[Tea]]?"
    )
    assert "::notice title=WK102 sparse::the wiki is young%0AHow sparse is mended." in lines
    assert lines[-1].endswith("1 error, 2 warnings, 2 notes")
    assert len(lines) == len(ALL) + 1


def test_nothing_on_a_page_can_add_a_command_or_a_property() -> None:
    lines = github(hostile()).splitlines()
    assert len(lines) == 2
    assert re.findall(r"^::\w+", lines[0]) == ["::warning"]
    head = lines[0].removeprefix("::warning ").split("::")[0]
    assert [pair.split("=")[0] for pair in head.split(",")] == [
        "file",
        "line",
        "endLine",
        "col",
        "title",
    ]
    assert "%2C%3A%25" in head


def test_gitlab_gets_what_code_quality_asks_for() -> None:
    value = json.loads(gitlab(told(*ALL, prefix="kb/")))
    assert value[1] == {
        "description": "WK101: [[Tae]] leads to no page. Did you mean [[Tea]]?",
        "check_name": "broken-wikilink",
        "fingerprint": fingerprints([LINK])[0],
        "severity": "minor",
        "location": {"path": "kb/wiki/concepts/A.md", "lines": {"begin": 12}},
    }
    assert {entry["severity"] for entry in value} == {"info", "minor", "major"}
    assert all(entry["location"]["lines"]["begin"] >= 1 for entry in value)
    assert len({entry["fingerprint"] for entry in value}) == len(ALL)


# --- fingerprints and baselines --------------------------------------------------------------


def test_a_fingerprint_stays_when_lines_move_and_wording_changes() -> None:
    moved = LINK._replace(line=99, column=1, message="another wording", mend="")
    assert fingerprints([LINK]) == fingerprints([moved])
    assert len(set(fingerprints([LINK, OTHER, THIN, KEY, WHOLE, LINK, LINK]))) == 7
    assert fingerprints([THIN]) != fingerprints([THIN._replace(message="something else")])
    assert fingerprints([LINK]) != fingerprints([LINK._replace(path="wiki/concepts/C.md")])


def test_a_baseline_holds_what_it_was_written_from_and_nothing_else() -> None:
    written = baseline.write([LINK, THIN])
    held = baseline.read(written.encode(), "b.json")
    again = LINK._replace(line=40)
    twice = LINK._replace(line=50)
    split = baseline.split([again, twice, KEY], held, {rule.code: rule for rule in RULE_SET})
    assert split.known == (again,)
    assert split.new == (twice, KEY)
    assert split.gone == 1


def test_a_baseline_is_sorted_a_line_a_finding() -> None:
    written = baseline.write([KEY, LINK])
    assert written == baseline.write([LINK, KEY])
    more = baseline.write([LINK, KEY, THIN])
    assert len(set(more.splitlines()) - set(written.splitlines())) <= 2
    assert json.loads(written)["schema"] == "llmwiki.baseline/1"
    assert baseline.read(baseline.write([]).encode(), "b.json") == frozenset()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b"[]",
        b"[" * 100_000,
        b'{"schema": "llmwiki.baseline/2", "findings": []}',
        b'{"schema": "llmwiki.baseline/1"}',
        b'{"schema": "llmwiki.baseline/1", "findings": [1]}',
        b'{"schema": "llmwiki.baseline/1", "findings": [{"fingerprint": 1}]}',
    ],
)
def test_what_is_no_baseline_is_refused(data: bytes) -> None:
    with pytest.raises(InputError) as refusal:
        baseline.read(data, "b.json")
    assert refusal.value.where == "b.json"
    assert "--write-baseline" in refusal.value.fix


# --- which rules -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("select", "ignore", "codes"),
    [
        ((), (), {"WK101", "WK102", "WK601"}),
        (("WK1",), (), {"WK101", "WK102"}),
        (("wk101,secret",), (), {"WK101", "WK601"}),
        (("WK101 sparse", "SECRET"), (), {"WK101", "WK102", "WK601"}),
        (("WK1",), ("sparse",), {"WK101"}),
        ((), ("WK",), set()),
        (("",), (" , ",), {"WK101", "WK102", "WK601"}),
    ],
)
def test_rules_are_chosen_by_code_beginning_or_name(
    select: tuple[str, ...], ignore: tuple[str, ...], codes: set[str]
) -> None:
    assert chosen(RULE_SET, select, ignore) == codes


@pytest.mark.parametrize(
    ("word", "near"),
    [("broken-wikilnk", "broken-wikilink"), ("WK602", "WK601"), ("sparce", "sparse")],
)
def test_an_unknown_rule_is_refused_with_the_nearest(word: str, near: str) -> None:
    for attempt in (lambda: chosen(RULE_SET, [word]), lambda: find(RULE_SET, word)):
        with pytest.raises(InputError, match=re.escape(word)) as refusal:
            attempt()
        assert f"Did you mean {near}?" in refusal.value.fix
        assert refusal.value.exit_code == 2


@pytest.mark.parametrize(
    ("severities", "fail_on", "expected"),
    [
        ("WK101", "warning", True),
        ("WK101", "error", False),
        ("WK101", "note", True),
        ("WK102", "warning", False),
        ("WK102", "note", True),
        ("WK601", "error", True),
        ("WK601", "never", False),
    ],
)
def test_what_fails(severities: str, fail_on: str, expected: bool) -> None:
    assert told(Finding(A, 1, 1, severities, "x")).fails(fail_on) is expected
    assert told().fails(fail_on) is False


# --- ignores ---------------------------------------------------------------------------------


def silenced(page: str, line: int, code: str = "WK101") -> bool:
    told = ignore_comments.silenced(ignore_comments.read(PageView(A, page), NAMES))
    return ignore_comments.covers(told, Finding(A, line, 1, code, "x"))


def lines_silenced(page: str, code: str = "WK101") -> list[int]:
    return [n for n in range(page.count("\n") + 2) if silenced(page, n, code)]


ONE = "<!-- wiki: ignore=WK101 -->"


@pytest.mark.parametrize(
    ("page", "lines"),
    [
        (f"a\nb [[x]] {ONE}\nc\n", [2]),
        (f"a\n{ONE}\nb\nc\n", [3]),
        (f"a\n{ONE}\n\n\nb\nc\n", [5]),
        (f"a\r\n{ONE}\r\nb\r\nc\r\n", [3]),
        (f"> {ONE}\n> b\n", [2]),
        (f"- a\n  {ONE}\n  - b\n", [3]),
        (f"a\n{ONE}\n<!-- wiki: ignore=sparse -->\nb\n", [4]),
        (f"# A {ONE}\n", [1]),
        (f"| a | b {ONE} |\n| - | - |\n| c | d {ONE} |\n", [1, 3]),
        (f"<div onclick='x()'> {ONE}\nb\n</div>\n", [1]),
        (f"costs $5 {ONE} or $6\n", [1]),
        (f"a {ONE} `b` {ONE}\n", [1]),
        ("a <!--wiki:ignore=broken-wikilink-->\n", [1]),
        ("a <!-- wiki: ignore = WK102 , wk101 -->\n", [1]),
        ("a <!-- wiki: ignore=WK102 -->\n", []),
        ("<!-- wiki: ignore-file=WK101 -->\na\n", [0, 1, 2, 3]),
        ("a\n\nb <!-- wiki: ignore-file=broken-wikilink -->\n", [0, 1, 2, 3, 4]),
        # Code, and what only looks like an ignore.
        (f"```\na {ONE}\n```\n", []),
        (f"~~~ md\n{ONE}\n~~~\nb\n", []),
        (f"a\n\n    b {ONE}\n", []),
        (f"write `{ONE}` on a line\n", []),
        (f"write ``b ` {ONE}`` on a line\n", []),
        (f"- a\n\n      {ONE}\n", []),
        (f"\\{ONE}\n", []),
        (f"---\ntitle: a {ONE}\n---\nb\n", []),
        ("a <!-- wiki: ignored=WK101 -->\n", []),
        ("a <!-- ignore=WK101 -->\n", []),
        ("a <!-- wiki: ignore=WK101\n-->\n", []),
        ("a <!-- wiki: ignore= -->\n", []),
    ],
)
def test_what_a_comment_silences(page: str, lines: list[int]) -> None:
    assert lines_silenced(page) == lines


def test_an_ignore_says_where_it_stands_and_what_it_does_not_know() -> None:
    (ignore,) = ignore_comments.read(
        PageView(A, "a\nbc <!-- wiki: ignore=WK101,typo,WK999 -->\n"), NAMES
    )
    assert (ignore.at, ignore.column, ignore.line) == (2, 4, 2)
    assert ignore.codes == {"WK101"}
    assert ignore.unknown == ("typo", "wk999")


def test_a_misspelt_ignore_is_told_of_and_one_in_code_is_text() -> None:
    page = (
        "a <!-- wiki: ignore WK101 -->\n\n<!-- wiki: ingore=WK101 -->\nb\n"
        "`<!-- wiki: ignore WK101 -->` <!-- wiki: ignore=WK101 --> <!-- a wiki: b -->\n"
    )
    assert list(ignore_comments.misspelt(PageView(A, page))) == [
        (1, 3, "ignore WK101"),
        (3, 1, "ingore=WK101"),
    ]
    found = lint_texts(f"# Tea\n\n{page}", ["unknown-ignore"])
    assert [(f.line, f.column) for f in found] == [(3, 3), (5, 1)]
    assert "“wiki: ignore WK101” is no ignore" in found[0].message


def test_only_what_silences_nothing_is_unused() -> None:
    page = (
        "a <!-- wiki: ignore=WK101 -->\nb <!-- wiki: ignore=WK102 -->\nc <!-- wiki: ignore=x -->\n"
    )
    found = ignore_comments.read(PageView(A, page), NAMES)
    (left,) = ignore_comments.needless([Finding(A, 1, 3, "WK101", "x")], {A: found})
    assert left.line == 2
    judged = ignore_comments.read(
        PageView(A, "a <!-- wiki: ignore=WK801 -->\n"), {"wk801": "WK801"}
    )
    assert list(ignore_comments.needless([], {A: judged})) == []


# --- explaining ------------------------------------------------------------------------------


def test_a_rule_is_explained_with_examples_and_how_to_silence_it() -> None:
    said = select_rules.as_text(BROKEN)
    assert said.startswith("WK101 broken-wikilink\nwarning, links\n")
    for part in ("What broken-wikilink means.", "How broken-wikilink is mended."):
        assert part in said
    assert "Bad, wiki/concepts/Example.md:\n    [[Tae]]\n" in said
    assert "Good, wiki/concepts/Example.md:\n    [[Tea]]\n" in said
    assert "<!-- wiki: ignore=WK101 -->" in said and "<!-- wiki: ignore-file=WK101 -->" in said
    assert "mended by --fix" in select_rules.as_text(SECRET)


def make_rules() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_rules", ROOT / "docs/make_rules.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_document_of_rules_is_what_the_rules_say() -> None:
    made = make_rules().render()
    assert (ROOT / "docs/rules.md").read_text("utf-8") == made, "run: python docs/make_rules.py"
    for each in RULES:
        assert f"### {each.code} {each.name}\n" in made


def test_no_two_rules_share_a_code_or_a_name() -> None:
    assert len({r.code for r in RULES}) == len(RULES) == len({r.name for r in RULES})
    assert all(re.fullmatch(r"WK\d{3}", r.code) for r in RULES)
    assert all(re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", r.name) for r in RULES)


def test_each_place_of_a_secret_is_in_the_table_and_where_one_stands_more_than_once() -> None:
    keys = [f"API_SECRET={number}20fe0cef02fb73d2a39a5fd11b2e279\n" for number in range(5)]
    pages = {f"wiki/{name}.md": "".join(keys[:size]) for name, size in (("a", 5), ("b", 2))}
    for letter in "abcdefghijklmnopqrst":
        pages |= {
            f"wiki/{letter}2.md": f"[[Gren tea {letter}]]\n",
            f"wiki/Green tea {letter}.md": "",
        }
    report = lint_texts(pages, ["WK601", "WK101"], vaults=VaultKinds(vault=VaultKind.OBSIDIAN))
    table = as_text(replace(told(*report), is_foreign=True))
    assert table.count("password or key in use") == 5 and table.count("(in 2 files)") == 2


def test_the_table_shows_first_what_says_how_it_is_mended() -> None:
    plain = [Finding(f"{n}.md", 1, 1, "WK101", f"{n} is gone", about=f"{n}") for n in range(30)]
    table = as_text(replace(told(*plain), is_foreign=True))
    assert table.count("How broken-wikilink is mended.") == 1
    late = Finding("z.md", 1, 1, "WK101", "x" * 200, "Did you mean [[Tea]]?")
    like = Finding("zz.md", 1, 1, "WK101", "0 is gone", "Did you mean [[Cup]]?", "0")
    lines = as_text(replace(told(*plain, late, like), is_foreign=True)).split("\n")
    assert lines[2:8] == [
        "          zz.md:1:1 0 is gone (in 2 files)",
        "              Did you mean [[Cup]]?",
        f"          z.md:1:1 {'x' * 159}…",
        "              Did you mean [[Tea]]?",
        "          1.md:1:1 1 is gone",
        "              How broken-wikilink is mended.",
    ]


def test_the_table_says_which_notes_are_notes_for_lying_in_archives() -> None:
    found = [Finding(f"{n}.md", 1, 1, "WK101", "gone") for n in range(20)]
    old = Finding("archive/a.md", 1, 1, "WK101", "gone", severity=Severity.NOTE)
    lines = as_text(replace(told(*found, old), is_foreign=True)).split("\n")
    assert "       1  WK101 note     broken-wikilink (in archive folders)" in lines
    assert "      20  WK101 warning  broken-wikilink" in lines
    both = told(*found, old, old._replace(path="new/a.md"))
    table = as_text(replace(both, is_foreign=True))
    assert "       2  WK101 note     broken-wikilink (1 of them in archive folders)" in table
    alone = told(*(old._replace(line=n) for n in range(1, 22)))
    assert "in archive folders" not in as_text(replace(alone, is_foreign=True))


def test_somebody_elses_notes_are_told_as_a_table_with_three_examples_of_each_kind() -> None:
    vault = VaultKinds(vault=VaultKind.OBSIDIAN)
    pages = {f"wiki/notes/{n}.md": f"[[Gren tea leaf]] [[Wish {n}]] [[Wish]]\n" for n in range(21)}
    pages["wiki/notes/Green tea leaf.md"] = "Tea."
    for letter in "abcdefghijklmnopqrst":
        pages[f"wiki/{letter}2.md"] = f"[[Gren tea {letter}]]\n"
        pages[f"wiki/Green tea {letter}.md"] = ""
    found = lint_texts(pages, ["WK101"], vaults=vault)
    table = as_text(replace(told(*found), is_foreign=True))
    assert "      21  WK101 warning  broken-wikilink" in table
    assert table.count("Did you mean [[Green tea ") == 3
    also = "[[Gren tea leaf]] leads to no page, here and on 20 other pages"
    assert also in [each.message for each in found]
    assert "       1  WK101 note     broken-wikilink" in table
    assert "22 linked names have no page yet, most often [[Wish]] (21 times), [[Wish 0]]" in table
    few = replace(told(*found[:6]), is_foreign=True)
    assert len(few.findings) == 6 and "Findings by rule" not in as_text(few)
    two = {"wiki/a.md": "[[Topic]] [[Tea]] ![[All]]\n", "wiki/Tea.md": "[[all]]"}
    (hit,) = lint_texts(two, ["WK101"], vaults=vault)
    assert hit.message == "[[all]] (2 times) and [[Topic]] have no page yet"
