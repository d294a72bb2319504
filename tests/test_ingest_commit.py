"""One source in, one commit out; what is the user's stays as it was."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
import wikikit
from wikikit import NOTE, Wiki, answer, check, claim, only_wiki_and_raw, sha

OPERATION_KEYS = {
    "id",
    "commit",
    "pending",
    "kept",
    "source",
    "sha256",
    "status",
    "pages_created",
    "pages_changed",
    "claims_added",
    "evidence_added",
    "refused",
    "remarks",
    "joined",
    "kept_apart",
    "aliases_refused",
    "leads_to_renew",
    "unquoted",
    "tokens",
    "cost_usd",
    "exit_code",
    "error",
}


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch)


def test_one_source_is_one_commit_with_trailers_and_a_history_for_a_body(wiki: Wiki) -> None:
    wiki.put("raw/tea.md", NOTE)
    before = wiki.count()
    operation = wiki.ok("ingest", "raw/tea.md", "--json").operation
    assert wiki.count() == before + 1
    assert operation["commit"] == wiki.head
    assert wiki.trailers() == [
        ("Wiki-Op", "ingest"),
        ("Wiki-Id", operation["id"]),
        ("Wiki-Source", f"raw/tea.md sha256:{sha(NOTE)}"),
        ("Wiki-Model", wiki.trailer("Wiki-Model")),
    ]
    assert wiki.trailer("Wiki-Model").startswith("llmwiki-offline/")
    message = wiki.git("log", "-1", "--format=%B")
    assert message.startswith("wiki ingest: Tea\n\nRead raw/tea.md.\n\n- Tea: new source, 4 claims")
    assert max(map(len, message.split("\n")[:6])) <= 72
    assert wiki.changed() == {
        "raw/tea.md": "A",
        "wiki/sources/tea-md.md": "A",
        "wiki/index.md": "M",
        "wiki/log.md": "M",
        "wiki/overview.md": "M",
    }
    assert operation["pages_created"] == ["wiki/sources/tea-md.md"]
    assert operation["claims_added"] == operation["evidence_added"] == 4
    assert wiki.status == ""
    check(wiki)


CRANE = "The crane lifts 80 tonnes."
ONE, TWO = f"# Harbour\n\n{CRANE}\n", f"# Yard\n\n{CRANE} It is red.\n"


def crane(**more: Any) -> dict[str, Any]:
    return answer([claim("Crane", CRANE, lines=(3, 3), **more)])


@pytest.mark.parametrize("denied_first", [True, False])
def test_a_denial_and_an_affirmation_are_two_claims(wiki: Wiki, denied_first: bool) -> None:
    means = ({"stance": "rejected", "speaker": "Bob"}, {"as_of": "2015"})
    first, then = means if denied_first else means[::-1]
    wiki.learn("raw/one.md", ONE, crane(**first))
    wiki.learn("raw/two.md", TWO, crane(**then))
    held = {c.is_denied: c for _path, c in wiki.claims().values()}
    assert len(wiki.claims()) == 2
    assert (held[True].attribute("speaker"), held[False].attribute("as of")) == ("Bob", "2015")
    sources = {c.is_denied: [e.source for e in c.evidence] for c in held.values()}
    assert sources == {denied_first: ["one-md"], not denied_first: ["two-md"]}
    assert all(held[not each].id in (c.attribute("contradicts") or "") for each, c in held.items())
    found = wiki.run("lint", "--fail-on", "never").out
    assert "WK301" in found and "WK303" not in found
    before = wiki.read("wiki/concepts/Crane.md")
    wiki.ok("lint", "--fix", "--fail-on", "never")
    assert wiki.read("wiki/concepts/Crane.md") == before


@pytest.mark.parametrize("more", [{"speaker": "Eve"}, {"as_of": "2015"}, {"scope": "in wind"}])
def test_who_says_so_when_and_where_is_not_dropped(wiki: Wiki, more: dict[str, str]) -> None:
    wiki.learn("raw/one.md", ONE, crane())
    wiki.learn("raw/two.md", TWO, crane(**more))
    assert len(wiki.claims()) == 2
    assert "WK3" not in wiki.run("lint", "--fail-on", "never").out
    wiki.learn("raw/three.md", f"# Dock\n\n{CRANE}\n", crane(**more))
    assert sorted(len(c.evidence) for _path, c in wiki.claims().values()) == [1, 2]


def test_a_new_reading_of_one_source_keeps_a_denial_and_says_so(wiki: Wiki) -> None:
    wiki.learn("raw/one.md", ONE, crane(stance="rejected"))
    done = wiki.learn("raw/one.md", f"{ONE}\nMore.\n", crane())
    ((_path, held),) = wiki.claims().values()
    assert held.is_denied and len(held.evidence) == 1
    assert any(held.id in remark["became"] for remark in done["remarks"]), done["remarks"]


def test_one_source_that_says_and_denies_the_same_has_two_claims_for_good(wiki: Wiki) -> None:
    both = answer([*crane()["claims"], *crane(stance="rejected")["claims"]])
    wiki.learn("raw/one.md", ONE, both)
    before = wiki.claims()
    assert {c.is_denied for _path, c in before.values()} == {True, False}
    wiki.learn("raw/one.md", f"{ONE}\nMore.\n", both)
    assert wiki.claims().keys() == before.keys()


def test_dirty_and_staged_work_stays_byte_for_byte(wiki: Wiki) -> None:
    for name in ("raw/other.md", "notes.txt", "wiki/concepts/Mine.md", "gone.txt"):
        wiki.put(name, f"---\ntitle: {name}\n---\n\n# {name}\n")
    wiki.git("add", "-A")
    wiki.git("commit", "-q", "-m", "mine")
    wiki.put("notes.txt", "staged\n")
    wiki.put("new.txt", "new and staged\n")
    (wiki.root / "gone.txt").unlink()
    wiki.git("add", "notes.txt", "new.txt", "gone.txt")
    wiki.put("notes.txt", "staged, and edited since\n")
    wiki.put("raw/other.md", "edited\n")
    wiki.put("wiki/concepts/Mine.md", "---\ntitle: Mine\n---\n\nedited\n")
    wiki.put("untracked.txt", "u\n")
    looks = (("diff",), ("diff", "--cached"), ("status", "--porcelain", "-uall"))
    before = [wiki.git(*look) for look in looks]
    wiki.put("raw/tea.md", NOTE)
    wiki.ok("ingest", "raw/tea.md")
    assert [wiki.git(*look) for look in looks] == before
    assert only_wiki_and_raw(wiki.changed())
    assert "wiki/concepts/Mine.md" not in wiki.changed()


@pytest.mark.parametrize("state", ["untracked", "staged", "modified", "modified and staged"])
def test_the_raw_file_is_adopted_as_it_lies(wiki: Wiki, state: str) -> None:
    if state.startswith("modified"):
        wiki.put("raw/tea.md", "# Old\n")
        wiki.git("add", "raw/tea.md")
        wiki.git("commit", "-q", "-m", "mine")
    wiki.put("raw/tea.md", NOTE)
    if state.endswith("staged"):
        wiki.git("add", "raw/tea.md")
    wiki.ok("ingest", "raw/tea.md")
    assert wiki.git("show", "HEAD:raw/tea.md") == NOTE
    assert wiki.status == ""
    check(wiki)


def test_a_file_from_outside_is_copied_and_left_where_it_was(wiki: Wiki, tmp_path: Path) -> None:
    place = tmp_path / "desk" / "Tea notes.md"
    place.parent.mkdir()
    place.write_text(NOTE)
    operation = wiki.ok("ingest", str(place), "--json").operation
    assert operation["source"] == "raw/Tea notes.md"
    assert wiki.read("raw/Tea notes.md") == NOTE == place.read_text()
    assert wiki.ok("ingest", str(place), "--json").operation["status"] == "skipped"
    check(wiki)


def test_standard_input_is_kept_under_its_name(wiki: Wiki) -> None:
    operation = wiki.ok("ingest", "-", "--name", "tea.md", "--json", stdin=NOTE.encode()).operation
    assert operation["source"] == "raw/tea.md"
    assert wiki.git("show", "HEAD:raw/tea.md") == NOTE == wiki.read("raw/tea.md")
    again = wiki.ok("ingest", "-", "--name", "tea.md", "--json", stdin=NOTE.encode()).operation
    assert again["status"] == "skipped"
    other = wiki.ok(
        "ingest", "-", "--name", "tea.md", "--json", stdin=b"# Mate\n\nMate is a tea of holly.\n"
    ).operation
    assert other["source"].startswith("raw/tea-") and other["status"] == "ingested"
    check(wiki)


@pytest.mark.parametrize("name", ["../x.md", "a/b.md", ".x.md", "", "x\ny.md", "brand"])
def test_standard_input_takes_plain_names_only(wiki: Wiki, name: str) -> None:
    done = wiki.run("ingest", "-", "--name", name, stdin=NOTE.encode())
    if name == "brand":
        assert done.code in (0, 2)
    else:
        assert done.code == 2, done
        assert wiki.status == ""


def test_a_folder_is_a_batch_of_one_commit_each(wiki: Wiki) -> None:
    for name in ("b", "a", "deep/c"):
        wiki.put(f"raw/{name}.md", f"# {name}\n\nThe {name} engine is a machine of steel.\n")
    wiki.put("raw/bad.md", b"\x81\xff broken\n")
    before = wiki.count()
    done = wiki.run("ingest", "raw/", "--json")
    told = {o["source"]: o["status"] for o in done.json["operations"]}
    assert list(told) == sorted(told)
    assert told == {
        "raw/a.md": "ingested",
        "raw/b.md": "ingested",
        "raw/bad.md": "failed",
        "raw/deep/c.md": "ingested",
    }
    (failed,) = [o for o in done.json["operations"] if o["status"] == "failed"]
    assert done.code == failed["exit_code"] == 2 and failed["error"]
    assert wiki.count() == before + 3
    batches = {wiki.trailer("Wiki-Batch", f"HEAD~{n}") for n in range(3)}
    assert len(batches) == 1 and len(batches.pop()) == 12
    check(wiki)
    (wiki.root / "raw/bad.md").unlink()
    again = wiki.ok("ingest", "raw/", "--json")
    assert {o["status"] for o in again.json["operations"]} == {"skipped"}
    assert wiki.count() == before + 3


def test_a_dry_run_writes_nothing_and_shows_what_would_land(wiki: Wiki, tmp_path: Path) -> None:
    place = tmp_path / "tea.md"
    place.write_text(NOTE)
    before = (wiki.head, wiki.status, wiki.git("count-objects", "-v"), wikikit.outside(wiki))
    shown = wiki.ok("ingest", str(place), "--dry-run").out
    assert "+++ b/wiki/sources/tea-md.md" in shown and "new file raw/tea.md" in shown
    operation = wiki.ok("ingest", str(place), "--dry-run", "--json").operation
    assert operation["status"] == "planned" and operation["claims_added"] == 4
    assert (
        wiki.head,
        wiki.status,
        wiki.git("count-objects", "-v"),
        wikikit.outside(wiki),
    ) == before


@pytest.mark.parametrize("moved_on", [False, True])
def test_a_review_of_a_file_in_raw_is_merged_by_git(wiki: Wiki, moved_on: bool) -> None:
    wiki.put("raw/tea.md", NOTE)
    wiki.put("raw/other.md", "# Other\n\nOther is untouched.\n")
    done = wiki.ok("ingest", "raw/tea.md", "--review")
    (branch,) = wiki.git("branch", "--format=%(refname:short)", "--list", "wiki-review/*").split()
    assert f"on branch {branch}, the source with it" in done.out
    assert wiki.status == "?? raw/other.md\n"
    if moved_on:
        wiki.ok("remember", "We drink tea at four.")
    wiki.git("merge", "-q", "--no-edit", branch)
    assert wiki.read("raw/tea.md") == NOTE
    # A new version of a source that is committed goes the same way.
    later = NOTE.replace("80 degrees", "75 degrees")
    wiki.put("raw/tea.md", later)
    wiki.ok("ingest", "raw/tea.md", "--review")
    assert wiki.read("raw/tea.md") == NOTE and wiki.status == "?? raw/other.md\n"
    (second,) = {
        *wiki.git("branch", "--format=%(refname:short)", "--list", "wiki-review/*").split()
    } - {branch}
    if moved_on:
        wiki.ok("remember", "And at five.")
    wiki.git("merge", "-q", "--no-edit", second)
    assert wiki.read("raw/tea.md") == later
    wiki.ok("remember", "Merged.")
    check(wiki)


def test_json_has_the_shape_it_promises(wiki: Wiki) -> None:
    wiki.put("raw/tea.md", NOTE)
    wiki.put("raw/bad.md", b"\xff\xfe")
    for args in (("raw/",), ("raw/",), ("raw/tea.md", "--dry-run"), ("raw/bad.md",)):
        done = wiki.run("ingest", *args, "--json")
        assert done.json.keys() == {"schema", "operations"}
        assert done.json["schema"] == "llmwiki.ingest/1"
        for operation in done.json["operations"]:
            noted = {"note"} if operation["status"] == "skipped" else set()
            assert operation.keys() == OPERATION_KEYS | noted
    told = wiki.learn(
        "raw/x.md",
        "# X\n\nOolong is a partly oxidised tea.\n",
        answer(
            [
                claim("Oolong", "Oolong is a partly oxidised tea.", lines=(3, 3)),
                claim("Oolong", "Oolong is blue.", "Oolong is a blue tea", lines=(3, 3)),
            ]
        ),
    )
    assert told.keys() == OPERATION_KEYS
    assert [r.keys() for r in told["refused"]] == [{"text", "quote", "reason", "claim"}]


def test_prepare_writes_a_job_and_nothing_else(wiki: Wiki) -> None:
    wiki.put("raw/tea.md", NOTE)
    before = {p: p.read_bytes() for p in wiki.root.rglob("*") if p.is_file()}
    job = wiki.prepare("raw/tea.md")
    assert sha(NOTE) in job and "L3: Tea is an infusion" in job and "wiki apply" in job
    after = {p: p.read_bytes() for p in wiki.root.rglob("*") if p.is_file()}
    index = re.compile(r"\.git/llmwiki/index\.[a-z-]+")
    new = {p.relative_to(wiki.root).as_posix() for p in after.keys() - before.keys()}
    assert {p for p in new if not index.fullmatch(p)} == {
        ".git/llmwiki/job-rules.md",
        f".git/llmwiki/jobs/{sha(NOTE)[:16]}/job.json",
        f".git/llmwiki/jobs/{sha(NOTE)[:16]}/segment-1.md",
    }
    assert {p: after[p] for p in before} == before
    assert "raw/tea.md: 0 of 1" in wiki.ok("status").out


# --- apply ---------------------------------------------------------------------------------

LONG = "# Grains\n\n" + "\n".join(
    f"Grain number {n} is a seed of the {n}th field.\n" for n in range(1, 1200)
)


def _segments(wiki: Wiki) -> list[dict[str, object]]:
    job = wiki.prepare("raw/long.md")
    found = [row[6:-1] for row in job.split("\n") if row.startswith("Job: `")]
    return [json.loads(row)["source"] for row in found]


def _grain(source: dict[str, object]) -> dict[str, object]:
    first = source["lines"][0] + 4  # type: ignore[index]
    first += 1 - first % 2
    number = (first - 1) // 2
    text = f"Grain number {number} is a seed of the {number}th field."
    return answer([claim("Grain", text, lines=(first, first))], source=source)


def test_several_segments_land_as_one_operation_when_the_last_has_come(wiki: Wiki) -> None:
    wiki.put("raw/long.md", LONG)
    sources = _segments(wiki)
    assert len(sources) > 2
    head = wiki.head
    for source in sources[:0:-1]:
        done = wiki.apply(_grain(source))
        assert (done.code, done.operation["status"], wiki.head) == (0, "pending", head)
    assert f"{len(sources) - 1} of {len(sources)}" in wiki.ok("status").out
    assert wiki.apply(_grain(sources[2])).operation["status"] == "pending"
    done = wiki.apply(_grain(sources[0])).operation
    assert done["status"] == "ingested" and done["claims_added"] == len(sources)
    assert wiki.git("rev-list", "--count", f"{head}..HEAD").strip() == "1"
    assert not list((wiki.root / ".git/llmwiki/jobs").iterdir())
    check(wiki)


GOOD = claim("Tea", "Tea is an infusion.", "Tea is an infusion of the leaves", lines=(3, 3))
SOURCE = {"sha256": sha(NOTE), "segment": [1, 1]}


def _deep(depth: int) -> bytes:
    return b'{"schema": "llmwiki.extraction/1", "x": ' + b"[" * depth + b"]" * depth + b"}"


BROKEN = {
    "not json": (b"{", 5),
    "empty": (b"", 5),
    "a list": (b"[]", 5),
    "nan": ({"questions": [{"text": "?", "lines": [float("nan"), 1]}]}, 5),
    "infinite": ({"questions": [{"text": "?", "lines": [1, float("inf")]}]}, 5),
    "a source that is a number": ({"source": float("nan")}, 2),
    "deep": (_deep(200_000), 5),
    "huge number": (b'{"schema": ' + b"9" * 10_000 + b"}", 5),
    "not utf-8": (b'{"schema": "\xff\xfe"}', 5),
    "unknown schema": ({"schema": "llmwiki.extraction/9", "source": SOURCE}, 5),
    "no schema": ({"schema": None, "source": SOURCE}, 5),
    "other hash": ({"source": {"sha256": "0" * 64, "segment": [1, 1]}}, 2),
    "no hash": ({"source": {"segment": [1, 1]}}, 2),
    "hash with a path": ({"source": {"sha256": "../../etc/passwd", "segment": [1, 1]}}, 2),
    "wrong segment": ({"source": {**SOURCE, "segment": [2, 2]}}, 5),
    "segment of others": ({"source": {**SOURCE, "segment": [1, 2]}}, 5),
    "segment zero": ({"source": {**SOURCE, "segment": [0, 1]}}, 5),
    "segment of text": ({"source": {**SOURCE, "segment": "1"}}, 5),
    "lines of another": ({"source": {**SOURCE, "lines": [2, 3]}}, 5),
    "truncated": ({"end": None}, 5),
    "end false": ({"end": False}, 5),
    "extra key": ({"commit_to": ".git/config"}, 5),
    "extra key in a claim": ({"claims": [{**GOOD, "path": "../x"}]}, 5),
    "no evidence": ({"claims": [{**GOOD, "evidence": []}]}, 5),
    "four quotes": ({"claims": [{**GOOD, "evidence": GOOD["evidence"] * 4}]}, 5),
    "lines of one": (
        {"claims": [{**GOOD, "evidence": [{"quote": "Tea is an infusion", "lines": [3]}]}]},
        5,
    ),
}


def test_an_answer_that_does_not_fit_changes_nothing(wiki: Wiki) -> None:
    wiki.put("raw/tea.md", NOTE)
    wiki.prepare("raw/tea.md")
    before = (wiki.head, wiki.status)
    for name, (change, code) in BROKEN.items():
        data = change
        if isinstance(change, dict):
            whole = {**answer([GOOD], source=SOURCE), **change}
            data = json.dumps({k: v for k, v in whole.items() if v is not None}).encode()
        done = wiki.run("apply", "-", stdin=data)
        assert done.code == code, (name, done)
        assert "wiki:" in done.err and "internal" not in done.err, name
        assert (wiki.head, wiki.status) == before, name
    assert wiki.apply(answer([GOOD], source=SOURCE)).code == 0, "the job is still there"


def test_several_answers_in_files_and_one_of_them_broken(wiki: Wiki, tmp_path: Path) -> None:
    texts = {n: f"# {n}\n\nThe {n} wheel is a disc of wood.\n" for n in ("one", "two")}
    files = []
    for n, text in texts.items():
        wiki.put(f"raw/{n}.md", text)
        wiki.prepare(f"raw/{n}.md")
        file = tmp_path / f"{n}.json"
        source = {"sha256": sha(text), "segment": [1, 1]}
        quote = claim("Wheel", f"The {n} wheel is a disc of wood.", lines=(3, 3))
        file.write_text(json.dumps(answer([quote], source=source)))
        files.append(str(file))
    broken = tmp_path / "broken.json"
    broken.write_text(json.dumps({"schema": "x"}))
    done = wiki.run("apply", files[0], str(broken), files[1], "--json")
    statuses = [o["status"] for o in done.json["operations"]]
    assert (done.code, statuses) == (5, ["ingested", "failed", "ingested"])
    check(wiki)


def test_a_source_that_changed_since_its_job_is_refused(wiki: Wiki) -> None:
    wiki.put("raw/tea.md", NOTE)
    wiki.prepare("raw/tea.md")
    wiki.put("raw/tea.md", NOTE + "more\n")
    done = wiki.run("apply", "-", stdin=json.dumps(answer([GOOD], source=SOURCE)).encode())
    assert done.code == 2 and "--prepare" in done.err


def test_an_answer_to_what_came_by_standard_input(wiki: Wiki) -> None:
    wiki.prepare("-", "--name", "tea.md", stdin=NOTE.encode())
    assert "raw/tea.md" not in wiki.files() and not (wiki.root / "raw/tea.md").exists()
    done = wiki.apply(answer([GOOD], source=SOURCE))
    assert done.code == 0 and wiki.read("raw/tea.md") == NOTE
    check(wiki)


def test_a_dirty_page_in_the_way_keeps_the_job_and_says_how_to_finish(
    wiki: Wiki, tmp_path: Path
) -> None:
    wiki.learn("raw/tea.md", NOTE, answer([GOOD]))
    text = "# More\n\nTea is drunk in many countries of the world.\n"
    wiki.put("raw/more.md", text)
    wiki.prepare("raw/more.md")
    file = tmp_path / "it's an answer.json"
    more = claim("Tea", "Tea is drunk in many countries of the world.", lines=(3, 3))
    source = {"sha256": sha(text), "segment": [1, 1]}
    file.write_text(json.dumps(answer([more], source=source)))
    mine = wiki.read("wiki/concepts/Tea.md").replace("# Tea", "# Tea, my draft")
    wiki.put("wiki/concepts/Tea.md", mine)
    before = (wiki.head, wiki.status)
    done = wiki.run("apply", str(file))
    assert done.code == 3 and "wiki/concepts/Tea.md" in done.err and "wiki apply" in done.err
    assert (wiki.head, wiki.status) == before and wiki.read("wiki/concepts/Tea.md") == mine
    wiki.git("commit", "-qam", "my draft")
    assert wiki.run("apply", str(file)).code == 0
    assert "my draft" in wiki.read("wiki/concepts/Tea.md")
    check(wiki)


def test_a_wiki_below_the_top_of_its_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = wikikit.bare(tmp_path, monkeypatch)
    top.put("src/main.c", "int main;\n")
    top.git("init", "-q")
    top.git("add", "-A")
    top.git("commit", "-q", "-m", "code")
    top.ok("init", "docs/kb")
    inner = Wiki(top.root / "docs/kb")
    inner.put("raw/tea.md", NOTE)
    inner.ok("ingest", "raw/tea.md")
    assert all(p.startswith("docs/kb/") for p in top.changed())
    assert inner.ok("show", "Tea").out.count("\n") > 5
    assert os.listdir(top.root / "docs") == ["kb"]


# --- a file outside of raw/, and its copy ---------------------------------------------------

POOL = """# Pool

The pool opens at 8 in the morning.

The pool is 25 metres long and 12 metres wide.

The pool was built by the town of Hasselt in 1974.

The pool closes at 9 in the evening.
"""
LATER = POOL.replace("opens at 8 in", "opens at 7 in")


def _ledgers(wiki: Wiki) -> list[Any]:
    return [page for path, page in sorted(wiki.pages().items()) if "/sources/" in path]


def _standing(wiki: Wiki) -> list[str]:
    return sorted(c.text for _, c in wiki.claims().values() if c.successor is None)


def _said(text: str) -> list[str]:
    return sorted(line for line in text.split("\n") if line.endswith("."))


def _copied(wiki: Wiki, *places: str, text: str = POOL) -> None:
    for place in places:
        wiki.put(place, text)
    wiki.ok("ingest", *places)


def test_a_file_of_the_repository_read_again_is_a_new_version(wiki: Wiki) -> None:
    _copied(wiki, "docs/pool.md")
    (first,) = _ledgers(wiki)
    assert first.value("origin") == "docs/pool.md"
    wiki.put("docs/pool.md", LATER)
    told = wiki.ok("ingest", "docs/pool.md", "--json").operation
    assert (told["source"], told["status"]) == ("raw/pool.md", "ingested")
    (ledger,) = _ledgers(wiki)
    assert ledger.value("origin") == "docs/pool.md" and ledger.value("sha256") == sha(LATER)
    assert wiki.read("raw/pool.md") == LATER == wiki.git("show", "HEAD:raw/pool.md")
    assert _standing(wiki) == _said(LATER)
    struck = [c.text for _, c in wiki.claims().values() if c.successor]
    assert struck == ["The pool opens at 8 in the morning."]
    assert "unchanged" in wiki.ok("ingest", "docs/pool.md").out
    check(wiki)
    wiki.ok("undo")
    assert _standing(wiki) == _said(POOL)
    wiki.ok("ingest", "docs/pool.md")
    assert _standing(wiki) == _said(LATER) and len(_ledgers(wiki)) == 1
    check(wiki)


def test_claims_that_were_deleted_stay_away(wiki: Wiki) -> None:
    wiki.put("docs/pool.md", POOL)
    wiki.ok("ingest", "docs/pool.md")
    page, gone = next((p, c.id) for p, c in wiki.claims().values() if "25 metres" in c.text)
    text = wiki.read(page)
    at = text.index("- “The pool is 25 metres")
    wiki.edit(page, text[at : text.index("- “The pool", at + 5)], "")
    assert gone not in wiki.claims()
    wiki.put("docs/pool.md", LATER.replace("closes at 9", "closes at 10"))
    wiki.ok("ingest", "docs/pool.md")
    left = [said for said in _said(LATER) if "25 metres" not in said]
    assert _standing(wiki) == [said.replace("at 9", "at 10") for said in left]
    assert len(_ledgers(wiki)) == 1
    check(wiki)


def test_a_folder_and_a_file_in_it_are_one_origin(wiki: Wiki) -> None:
    wiki.put("docs/lint.md", "# Linting\n\nLinting finds what is wrong on pages.\n")
    _copied(wiki, "docs/pool.md", text=POOL)
    wiki.ok("ingest", "docs")
    assert sorted(page.value("source") for page in _ledgers(wiki)) == [
        "raw/docs/lint.md",
        "raw/pool.md",
    ]
    before = wiki.count()
    for args in (["docs/lint.md"], ["docs", "raw", "docs/pool.md"]):
        assert {o["status"] for o in wiki.ok("ingest", *args, "--json").json["operations"]} == {
            "skipped"
        }
    wiki.put("docs/pool.md", LATER)
    done = wiki.ok("ingest", "raw", "docs", "--json").json["operations"]
    assert [o["source"] for o in done if o["status"] == "ingested"] == ["raw/pool.md"]
    assert wiki.count() == before + 1 and len(_ledgers(wiki)) == 2
    assert [said for said in _standing(wiki) if "pool" in said.lower()] == _said(LATER)


def test_what_is_recorded_of_a_file_elsewhere_is_not_where_it_lies(
    wiki: Wiki, tmp_path: Path
) -> None:
    for owner in ("ann", "ben"):
        place = tmp_path / f"hidden-{owner}" / "pool.md"
        place.parent.mkdir()
        place.write_text(POOL.replace("25 metres", f"25 metres for {owner}"))
        wiki.ok("ingest", str(place))
    assert len(_ledgers(wiki)) == 2
    for owner in ("ann", "ben"):
        place = tmp_path / f"hidden-{owner}" / "pool.md"
        place.write_text(LATER.replace("25 metres", f"25 metres for {owner}"))
        link = tmp_path / f"{owner}.md"
        link.symlink_to(place)
        wiki.ok("ingest", str(place))
        assert "unchanged" in wiki.ok("ingest", str(link.resolve())).out
    assert len(_ledgers(wiki)) == 2
    assert len([said for said in _standing(wiki) if "opens at 7" in said]) == 2
    for page in _ledgers(wiki):
        assert re.fullmatch(r"file:pool\.md#[0-9a-f]{16}", page.value("origin") or "")
    history = wiki.git("log", "-p", "--format=%B")
    assert "hidden-" not in history and str(tmp_path) not in history
    check(wiki)


def test_a_copy_that_was_edited_since_is_not_overwritten_unasked(wiki: Wiki) -> None:
    _copied(wiki, "docs/pool.md")
    mine = POOL.replace("1974", "1975")
    wiki.put("raw/pool.md", mine)
    wiki.ok("ingest", "raw/pool.md")
    # The file it was copied from is as it was: nothing is to be done.
    assert "unchanged" in wiki.ok("ingest", "docs/pool.md").out
    wiki.put("docs/pool.md", LATER)
    for args in (["docs/pool.md"], ["docs"]):
        told = wiki.ok("ingest", *args)
        assert "edited" in told.out and "--again" in told.out, told
    assert wiki.read("raw/pool.md") == mine and _standing(wiki) == _said(mine)
    wiki.ok("ingest", "--again", "docs/pool.md")
    assert wiki.read("raw/pool.md") == LATER and _standing(wiki) == _said(LATER)
    wiki.put("docs/pool.md", POOL)
    wiki.ok("ingest", "docs/pool.md")
    assert _standing(wiki) == _said(POOL) and len(_ledgers(wiki)) == 1
    wiki.put("raw/pool.md", mine)
    wiki.put("docs/pool.md", LATER)
    assert wiki.run("ingest", "docs/pool.md").code == 3
    assert wiki.read("raw/pool.md") == mine
    wiki.git("commit", "-qam", "a person's own")
    assert "--again" in wiki.ok("ingest", "docs/pool.md").out
    check(wiki)


def test_a_dry_run_a_review_and_an_agent_take_it_for_a_new_version_too(wiki: Wiki) -> None:
    _copied(wiki, "docs/pool.md")
    wiki.put("docs/pool.md", LATER)
    assert "raw/pool.md" in wiki.ok("ingest", "docs/pool.md", "--dry-run").out
    assert wiki.read("raw/pool.md") == POOL
    job = wiki.prepare("docs/pool.md")
    assert "opens at 7" in job and "raw/pool.md" in job
    said = "The pool opens at 7 in the morning."
    read = answer([claim("Pool", said, lines=(3, 3))])
    read["source"] = {"sha256": sha(LATER), "segment": [1, 1]}
    assert wiki.apply(read).code == 0
    (ledger,) = _ledgers(wiki)
    assert ledger.value("sha256") == sha(LATER) == sha(wiki.read("raw/pool.md"))
    wiki.put("docs/pool.md", POOL)
    wiki.ok("ingest", "docs/pool.md", "--review", "--model", "offline")
    review = wiki.git("for-each-ref", "--format=%(refname:short)", "refs/heads/wiki-review").strip()
    wiki.git("merge", "-q", review)
    assert wiki.read("raw/pool.md") == POOL and len(_ledgers(wiki)) == 1


@pytest.mark.parametrize("name", ["a  b.md", "Ünï \u2013 \u201cx\u201d.md", "#1 - [x].md"])
def test_an_odd_name_is_known_again(wiki: Wiki, name: str) -> None:
    _copied(wiki, f"docs/{name}")
    wiki.put(f"docs/{name}", LATER)
    wiki.ok("ingest", f"docs/{name}")
    assert len(_ledgers(wiki)) == 1 and _standing(wiki) == _said(LATER)


def test_a_ledger_without_an_origin_is_left_as_it_is(wiki: Wiki) -> None:
    _copied(wiki, "docs/pool.md")
    (ledger,) = _ledgers(wiki)
    wiki.edit(ledger.path, "origin: docs/pool.md\n", "")
    assert "unchanged" in wiki.ok("ingest", "docs/pool.md").out
    wiki.ok("lint", "--fail-on", "warning", "--ignore", "WK3,WK4")
    wiki.put("docs/pool.md", LATER)
    told = wiki.ok("ingest", "docs/pool.md").out
    assert "raw/pool.md has other bytes" in told and len(_ledgers(wiki)) == 2


def test_a_text_of_the_same_name_is_a_new_version_where_it_is_like_it(wiki: Wiki) -> None:
    def piped(text: str) -> str:
        told = wiki.ok("ingest", "-", "--name", "pool.md", "--json", stdin=text.encode()).operation
        return str(told["source"])

    assert piped(POOL) == piped(LATER) == "raw/pool.md"
    assert _standing(wiki) == _said(LATER) and len(_ledgers(wiki)) == 1
    assert piped(NOTE).startswith("raw/pool-")
    # A file that a person put there is theirs, however like it is.
    wiki.put("raw/tea.md", NOTE)
    wiki.ok("ingest", "raw/tea.md")
    other = wiki.ok("ingest", "-", "--name", "tea.md", "--json", stdin=NOTE.encode() + b"More.\n")
    assert other.operation["source"].startswith("raw/tea-") and wiki.read("raw/tea.md") == NOTE
