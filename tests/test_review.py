"""What waits on a branch for review: decided claim by claim, whoever merges it in the end."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Any

import clones
import pytest
import wikikit
from longform import seldom
from reviewkit import branches, ids, put_up, waiting
from test_restrict import BASE, SAID, TEXT, grow, teas
from wikikit import Run, Wiki, answer, check, claim, sha

from llmwiki.core.errors import StateError

MAIN = "main"
GREEN, SENCHA, GYOKURO, SHADING, MATCHA, OOLONG, PAPER = SAID


def said(wiki: Wiki) -> set[str]:
    return {one.text for _path, one in wiki.claims().values()}


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wiki:
    return wikikit.make(tmp_path, monkeypatch, grow)


@pytest.fixture
def review(wiki: Wiki) -> str:
    """The id of a reading of seven claims that waits."""
    return put_up(wiki, "raw/teas.md", TEXT, teas(wiki))


def accept(wiki: Wiki, *args: str) -> Run:
    done = wiki.run("review", "accept", *args, "--yes", "--json")
    assert done.code == 0, done
    check(wiki)
    return done


def move_under_review(wiki: Wiki, *command: str) -> str:
    """The id of a review of what moves pages or claims."""
    wiki.env["LLMWIKI_REVIEW"] = "always"
    wiki.ok(*command)
    wiki.env.pop("LLMWIKI_REVIEW")
    (branch,) = branches(wiki)
    return branch.removeprefix("wiki-review/")


def lint_clean(wiki: Wiki) -> None:
    found = wiki.run("lint", "--json").json["findings"]
    assert not [each for each in found if each["severity"] != "note"], found


def learn_more(wiki: Wiki) -> None:
    text = "# More\n\nOolong is rolled.\n\nMatcha is ground.\n"
    told = [claim("Oolong", "Oolong is rolled.", lines=(3, 3))]
    told += [claim("Matcha", "Matcha is ground.", lines=(5, 5))]
    wiki.learn("raw/more.md", text, answer(told))


def test_claims_are_accepted_one_by_one(wiki: Wiki, review: str) -> None:
    before = wiki.head
    assert branches(wiki) == [f"wiki-review/{review}"]
    assert wiki.status == ""
    shown = wiki.ok("review", "show", review).out
    assert f"“{SENCHA}” — raw/teas.md L5" in shown
    assert "strikes ^" in shown
    found = ids(wiki, review)
    assert len(found) == 7

    done = accept(wiki, review, found[SENCHA]).json
    assert wiki.changed().keys() >= {"raw/teas.md", "wiki/concepts/Sencha.md"}
    assert wiki.git("rev-list", "--count", f"{before}..HEAD").strip() == "1"
    assert SENCHA in said(wiki)
    assert GREEN not in said(wiki)
    assert done["left"] == 9 and done["updated"]
    assert wiki.trailer("Reviewed-by") == "Ada <ada@example.org>"
    assert wiki.trailer("Wiki-Source").startswith("raw/teas.md sha256:")
    assert ids(wiki, review).keys() == found.keys() - {SENCHA}

    accept(wiki, review, "Gyokuro", found[MATCHA], found[OOLONG], found[PAPER])
    assert said(wiki) >= set(SAID) - {GREEN}
    # What is left goes with the branch; the source stays as it landed.
    told = wiki.ok("review", "reject", review, "--yes", "--json").json
    assert (told["decision"], told["dropped"], told["returned"]) == ("rejected", True, [])
    assert branches(wiki) == [] and GREEN not in said(wiki)
    assert wiki.claim("two minutes").successor is None
    assert wiki.run("review", "show").code == 2
    check(wiki)
    assert wiki.run("lint", "--select", "WK0").code == 0


def lines_answer(wiki: Wiki) -> bool:
    """Whether a context of a question has the lines of the source itself that tell of it."""
    return "[[teas-md#L" in wiki.run("context", "Is Gyokuro shaded for weeks?").out


def test_lines_of_a_source_answer_once_all_of_it_was_accepted(wiki: Wiki, review: str) -> None:
    found = ids(wiki, review)
    accept(wiki, review, found[SENCHA])
    assert not lines_answer(wiki)
    assert "  - partial\n" in wiki.read("wiki/sources/teas-md.md")
    accept(wiki, review, found[MATCHA], found[PAPER])
    assert not lines_answer(wiki)
    lint_clean(wiki)
    accept(wiki, review)
    assert lines_answer(wiki) and "partial" not in wiki.read("wiki/sources/teas-md.md")
    wiki.ok("undo")
    assert not lines_answer(wiki)


def test_all_at_once_is_a_merge_of_the_branch(wiki: Wiki, review: str) -> None:
    tip = wiki.git("rev-parse", f"wiki-review/{review}").strip()
    wiki.put("notes.txt", "mine\n")
    wiki.put("wiki/concepts/Matcha2.md", "mine too\n")
    wiki.git("add", "notes.txt")
    before = wiki.status
    accept(wiki, review)
    assert tip in wiki.git("log", "-1", "--format=%P").split()
    assert wiki.status == before
    assert said(wiki) >= set(SAID)
    assert wiki.read("wiki/log.md").count(f" · {review}\n") == 1
    done = wiki.ok("undo")
    assert not said(wiki) & set(SAID[:4])
    (way,) = re.findall("`wiki (undo [0-9a-f]{12})` brings it", done.err)
    wiki.ok(*way.split())
    assert said(wiki) >= set(SAID)


def test_a_page_that_somebody_edits_is_not_written(wiki: Wiki, review: str) -> None:
    wiki.put("wiki/concepts/Green tea.md", wiki.read("wiki/concepts/Green tea.md") + "mine\n")
    refused = wiki.run("review", "accept", review, ids(wiki)[GREEN], "--yes")
    assert refused.code == 3 and "Green tea.md" in refused.err
    accept(wiki, review, ids(wiki)[GYOKURO])
    assert wiki.read("wiki/concepts/Green tea.md").endswith("mine\n")


def test_a_dry_run_and_a_refusal_write_nothing(wiki: Wiki, review: str) -> None:
    before = (wiki.head, wiki.status, wiki.git("for-each-ref"))
    told = wiki.ok("review", "accept", review, "Gyokuro", "--dry-run").out
    assert "would accept 3 items; 7 would be left" in told
    assert wiki.run("review", "accept", review).code == 7
    assert wiki.run("review", "accept", review, "c-0000000000", "--yes").code == 2
    assert wiki.run("review", "accept", "0000", "--yes").code == 2
    assert wiki.run("review", "shwo").code == 2
    assert (wiki.head, wiki.status, wiki.git("for-each-ref")) == before


def test_what_main_decided_meanwhile_stands(wiki: Wiki, review: str) -> None:
    old = wiki.claim("two minutes")
    page = "wiki/concepts/Green tea.md"
    wiki.edit(page, f"- {old.text} ^", f"- ~~{old.text}~~ → gone in 12345678 ^")
    wiki.delete("Oolong is a tea")
    gone = wiki.claim("Matcha is ground")
    wiki.delete("Matcha is ground")
    assert not [item for item in waiting(wiki)["items"] if item["hindrance"]]
    accept(wiki, review)
    assert said(wiki) >= set(SAID) and not branches(wiki)
    assert wiki.claim("two minutes").successor == "gone in 12345678"
    # What another document says since is all that comes back of a claim that was taken out.
    assert [e.source for e in wiki.claims()[gone.id][1].evidence] == ["teas-md"]
    assert "Oolong is a tea." not in said(wiki)


def test_a_claim_that_both_reworded_is_refused(wiki: Wiki) -> None:
    page = "wiki/concepts/Oolong.md"
    old = wiki.claim("Oolong is a tea")
    wiki.git("checkout", "-q", "-b", "wiki-review/by-hand")
    wiki.edit(page, f"- {old.text}", "- Oolong is a dark tea.")
    wiki.git("checkout", "-q", MAIN)
    assert waiting(wiki)["items"][0]["kind"] == "reworded"
    wiki.edit(page, f"- {old.text}", "- Oolong is a half dark tea.")
    refused = wiki.run("review", "accept", "by-hand", old.id, "--yes")
    assert refused.code == 3
    assert "worded otherwise since" in refused.err and "half dark" in refused.err
    # The others land, and what waits is named with its reason.
    wiki.git("checkout", "-q", "wiki-review/by-hand")
    wiki.edit("wiki/concepts/Matcha.md", "Matcha is ground.", "Matcha is finely ground.")
    wiki.git("checkout", "-q", MAIN)
    done = wiki.run("review", "accept", "by-hand", "--yes", "--json")
    assert done.code == 3 and "Matcha is finely ground." in said(wiki)
    assert [each["id"] for each in done.json["waiting"]] == [old.id] and done.json["left"] == 1
    assert "wiki review reject by-hand" in wiki.run("review", "accept", "by-hand", "--yes").err


def test_a_quote_that_the_source_does_not_have_is_refused(wiki: Wiki, review: str) -> None:
    found = ids(wiki)
    wiki.git("checkout", "-q", f"wiki-review/{review}")
    wiki.edit("wiki/concepts/Gyokuro.md", f"“{GYOKURO}”", "“Gyokuro is free for all.”")
    wiki.git("checkout", "-q", MAIN)
    refused = wiki.run("review", "accept", review, "Gyokuro", "--yes")
    assert refused.code == 3
    assert "does not stand in raw/teas.md" in refused.err
    accept(wiki, review, found[SENCHA])


def test_other_bytes_at_the_source_refuse_that_source_only(wiki: Wiki) -> None:
    first = put_up(wiki, "raw/teas.md", TEXT, teas(wiki))
    other = "# Teas\n\nTencha is dried flat.\n"
    told = answer([claim("Tencha", "Tencha is dried flat.", lines=(3, 3))])
    wiki.learn("raw/teas.md", other, told)
    refused = wiki.run("review", "accept", first, ids(wiki)[SENCHA], "--yes")
    assert refused.code == 3
    check(wiki)


def test_what_main_says_in_equal_words_gets_the_evidence(wiki: Wiki, review: str) -> None:
    text = f"# Other\n\n{SENCHA}\n"
    wiki.learn("raw/other.md", text, answer([claim("Sencha", SENCHA, lines=(3, 3))]))
    (stands,) = [ident for ident, (_p, one) in wiki.claims().items() if one.text == SENCHA]
    item = next(i for i in waiting(wiki)["items"] if i["text"] == SENCHA)
    assert (item["id"], item["kind"]) == (stands, "evidence")
    accept(wiki, review, stands)
    assert {e.source for e in wiki.claim("Sencha is a green").evidence} == {"other-md", "teas-md"}
    accept(wiki, review)
    assert len([one for one in said(wiki) if one == SENCHA]) == 1


# --- the branch and its files --------------------------------------------------------------


def test_a_rejected_branch_gives_the_file_back(wiki: Wiki) -> None:
    wiki.put("raw/mate.md", "# Mate\n\nMate is an infusion of a holly.\n")
    done = wiki.ok("ingest", "raw/mate.md", "--review", "--model", "offline")
    assert "raw/mate.md went there; rejecting puts it back" in done.out
    assert "waits for review on wiki-review/" in done.err
    assert not (wiki.root / "raw/mate.md").exists()
    (branch,) = branches(wiki)
    told = wiki.ok("review", "reject", branch, "--yes", "--json").json
    assert told["dropped"] and told["returned"] == ["raw/mate.md"]
    assert branches(wiki) == []
    assert wiki.status == "?? raw/mate.md\n"
    # Nothing of it is known: it can be read again.
    wiki.ok("ingest", "raw/mate.md", "--model", "offline")
    check(wiki)


def test_a_new_version_goes_back_too_and_lands_too(wiki: Wiki) -> None:
    first = "# Mate\n\nMate is an infusion of a holly.\n"
    wiki.put("raw/mate.md", first)
    wiki.ok("ingest", "raw/mate.md", "--model", "offline")
    later = first + "\nMate is drunk hot in the south.\n"
    wiki.put("raw/mate.md", later)
    wiki.ok("ingest", "raw/mate.md", "--review", "--model", "offline")
    assert wiki.read("raw/mate.md") == first
    wiki.ok("review", "reject", branches(wiki)[0], "--yes")
    assert wiki.read("raw/mate.md") == later
    wiki.ok("ingest", "raw/mate.md", "--review", "--model", "offline")
    accept(wiki, branches(wiki)[0].partition("/")[2])
    assert wiki.read("raw/mate.md") == later
    assert wiki.status == ""


def test_a_batch_is_one_branch_with_a_commit_a_source(wiki: Wiki) -> None:
    for name in ("one", "two", "three"):
        wiki.put(f"raw/{name}.md", f"# Kettles\n\nThe kettle number {name} boils water.\n")
    wiki.ok("ingest", "raw/", "--review", "--model", "offline")
    (branch,) = branches(wiki)
    subjects = wiki.git("log", "--format=%s", f"{MAIN}..{branch}").splitlines()
    assert len(subjects) == 3
    assert wiki.ok("review", "list").out.count("\n") == 1
    accept(wiki, branch.partition("/")[2], "raw/one.md", "raw/three.md")
    assert {"The kettle number one boils water.", "The kettle number three boils water."} <= said(
        wiki
    )
    assert "The kettle number two boils water." not in said(wiki)


def test_a_review_of_a_colleague_is_decided_in_another_clone(wiki: Wiki, review: str) -> None:
    two = clones.clone(wiki, wiki.root.parent / "two", driver=True)
    listed = two.ok("review", "list", "--json").json["reviews"]
    assert [each["branch"] for each in listed] == [f"origin/wiki-review/{review}"]
    accept(two, review, ids(two)[SENCHA])
    assert branches(two) == [f"wiki-review/{review}"]
    assert len(ids(two)) == 6
    accept(two, review)
    assert said(two) >= set(SAID)
    assert two.ok("review", "list").out == "Nothing waits for review.\n"


# --- merged by other means -----------------------------------------------------------------

BUTTONS = list(itertools.product(("merge", "squash", "rebase"), ("all", "a part"), (True, False)))
OFTEN = {("merge", "a part", False), ("squash", "a part", True), ("rebase", "all", True)}


@pytest.mark.parametrize("case", seldom(BUTTONS, set(BUTTONS) - OFTEN))
def test_a_forges_button_is_set_right_by_the_next_command(
    wiki: Wiki, review: str, case: tuple[str, str, bool]
) -> None:
    button, before, driver = case
    if not driver:
        wiki.git("config", "--remove-section", "merge.llmwiki")
    found = ids(wiki)
    if before == "a part":
        wiki.ok("review", "accept", review, found[SENCHA], "--yes")
    wiki.ok("remember", "Meanwhile.")
    _press(wiki, button, f"wiki-review/{review}")
    wiki.ok("remember", "After it.")
    check(wiki, squashed=True)
    assert said(wiki) >= set(SAID)
    assert wiki.read("wiki/log.md").count(f" · {review}\n") == 1
    assert waiting_or_nothing(wiki) == []


def waiting_or_nothing(wiki: Wiki) -> list[dict[str, Any]]:
    """The items that are left of all that waits."""
    found = wiki.ok("review", "list", "--json").json["reviews"]
    return [item for each in found for item in waiting(wiki, each["id"])["items"]]


def _press(wiki: Wiki, button: str, branch: str) -> None:
    """What a forge's button does; conflicts are resolved as a person would."""
    if button == "merge":
        wiki.git("merge", "-q", "--no-ff", "-m", f"Merge {branch}", branch, ok=(0, 1))
    elif button == "squash":
        bodies = wiki.git("log", "--reverse", "--format=* %B", f"{MAIN}..{branch}")
        wiki.git("merge", "-q", "--squash", branch, ok=(0, 1))
        _resolve(wiki)
        wiki.git("commit", "-q", "-m", f"On tea (#12)\n\n{bodies}")
        return
    else:
        wiki.git("checkout", "-q", "-b", "side", branch)
        wiki.git("rebase", "-q", MAIN, ok=(0, 1))
        while (wiki.root / ".git/rebase-merge").exists():
            _resolve(wiki)
            wiki.git("-c", "core.editor=true", "rebase", "--continue", ok=(0, 1))
        wiki.git("checkout", "-q", MAIN)
        wiki.git("merge", "-q", "--ff-only", "side")
        return
    if wiki.git("diff", "--name-only", "--diff-filter=U"):
        _resolve(wiki)
        wiki.git("-c", "core.editor=true", "merge", "--continue")


def _resolve(wiki: Wiki) -> None:
    if wiki.git("diff", "--name-only", "--diff-filter=U"):
        wiki.ok("resolve")


# --- a team that reviews everything --------------------------------------------------------


@pytest.fixture
def strict(wiki: Wiki) -> Wiki:
    wiki.put(".llmwiki.toml", 'review = "always"\n' + wiki.read(".llmwiki.toml"))
    wiki.git("commit", "-qam", "All is reviewed")
    return wiki


def test_everything_waits_where_the_team_says_so(strict: Wiki) -> None:
    head = strict.head
    strict.put("raw/mate.md", "# Mate\n\nMate is an infusion of a holly.\n")
    strict.ok("ingest", "raw/mate.md", "--model", "offline")
    strict.put("raw/teas.md", TEXT)
    strict.prepare("raw/teas.md")
    source = {"sha256": sha(TEXT), "segment": [1, 1]}
    applied = strict.apply({**teas(strict), "source": source})
    assert applied.code == 0, applied
    done = strict.ok("remember", "We drink at four.")
    assert "waits for review on wiki-review/ada-notes" in done.err
    strict.ok("remember", "And at five.")
    assert "on branch" not in strict.ok("undo").out
    assert strict.head == head
    assert len(branches(strict)) == 4
    assert strict.git("rev-list", "--count", f"{MAIN}..wiki-review/ada-notes").strip() == "2"
    # An undo of it waits too, and takes claims out once it is accepted by a person's merge.
    listed = strict.ok("review", "list", "--json").json["reviews"]
    held = [waiting(strict, each["id"]) for each in listed]
    (undo,) = [each for each in held if each["operations"][0]["kind"] == "undo"]
    kinds = {item["kind"] for item in undo["items"]}
    assert "taken out" in kinds


def test_nobody_but_a_person_accepts_where_all_is_reviewed(strict: Wiki) -> None:
    strict.ok("remember", "We drink at four.")
    refused = strict.run("review", "accept", "ada-notes", "--yes")
    assert refused.code == 7 and "always" in refused.err
    # Who edits the file in the work tree does not get around it, nor by a variable or a branch.
    strict.put(".llmwiki.toml", strict.read(".llmwiki.toml").replace('review = "always"\n', ""))
    assert strict.run("review", "accept", "ada-notes", "--yes").code == 7
    strict.env["LLMWIKI_REVIEW"] = ""
    assert strict.run("review", "accept", "ada-notes", "--yes").code == 7
    strict.git("checkout", "-q", "-b", "mine")
    strict.git("commit", "-qam", "not for me")
    strict.ok("remember", "On my branch.")
    assert not any(path.startswith("wiki/daily/") for path in strict.files())
    assert strict.run("review", "accept", "ada-notes", "--yes").code == 7


def test_an_undo_under_review_is_accepted_whole(wiki: Wiki) -> None:
    wiki.learn("raw/teas.md", TEXT, teas(wiki))
    review = move_under_review(wiki, "undo")
    refused = wiki.run("review", "accept", review, ids(wiki)[GYOKURO], "--yes")
    assert refused.code == 7 and "as a whole" in refused.err
    accept(wiki, review)
    assert not said(wiki) & {GREEN, SENCHA, GYOKURO, SHADING, OOLONG, PAPER}
    lint_clean(wiki)


def test_the_json_of_a_list_names_what_waits(wiki: Wiki, review: str) -> None:
    (listed,) = wiki.ok("review", "list", "--json").json["reviews"]
    assert listed["id"] == review
    assert (listed["claims"], listed["items"], listed["hindered"]) == (7, 10, 0)
    assert json.dumps(listed["pages"])
    assert listed["title"] == "On tea" and listed["authors"] == ["Ada"]


# --- what the wiki became meanwhile --------------------------------------------------------


def test_a_source_that_was_retracted_since_is_not_accepted(wiki: Wiki) -> None:
    later = BASE + "\nMate is a holly.\n"
    put_up(wiki, "raw/base.md", later, answer([claim("Mate", "Mate is a holly.", lines=(9, 9))]))
    wiki.ok("retract", "raw/base.md")
    before = (wiki.head, wiki.git("for-each-ref"))
    items = waiting(wiki)["items"]
    assert items
    for item in items:
        if item["page"] in ("wiki/sources/base-md.md", "wiki/concepts/Mate.md"):
            refused = wiki.run("review", "accept", branches(wiki)[0], item["id"], "--yes")
            assert refused.code == 3 and "its source was retracted since" in refused.err, item
    assert wiki.run("review", "accept", branches(wiki)[0], "--yes").code == 3
    assert (wiki.head, wiki.git("for-each-ref")) == before


def test_a_retraction_that_waits_leaves_what_another_source_says_since(wiki: Wiki) -> None:
    wiki.env["LLMWIKI_REVIEW"] = "always"
    wiki.ok("retract", "raw/base.md")
    wiki.env.pop("LLMWIKI_REVIEW")
    fact = "Matcha is ground."
    wiki.learn("raw/more.md", f"# More\n\n{fact}\n", answer([claim("Matcha", fact, lines=(3, 3))]))
    wiki.ok("review", "accept", branches(wiki)[0], "--yes")
    assert [each.source for each in wiki.claim(fact).evidence] == ["more-md"]
    assert "base-md" not in wiki.read("wiki/concepts/Matcha.md")
    check(wiki)


def test_a_retraction_that_waits_is_refused_once_more_rests_on_its_source(wiki: Wiki) -> None:
    review = move_under_review(wiki, "retract", "raw/base.md")
    later = BASE + "\nMate is a holly.\n"
    told = answer([claim("Mate", "Mate is a holly.", lines=(9, 9))])
    wiki.learn("raw/base.md", later, told)
    before = wiki.head
    refused = wiki.run("review", "accept", review, "--yes")
    assert refused.code == 3 and "a claim has rested on base-md since" in refused.err
    assert wiki.head == before and "Mate is a holly." in said(wiki)


def oolong_and_mate(wiki: Wiki) -> str:
    """The id of a review of a claim on a page that stands, and of one on a new page."""
    text = "# More\n\nOolong is rolled.\n\nMate is a holly.\n"
    told = [claim("Oolong", "Oolong is rolled.", lines=(3, 3))]
    told += [claim("Mate", "Mate is a holly.", lines=(5, 5))]
    return put_up(wiki, "raw/more.md", text, answer(told))


def test_a_review_follows_claims_to_the_page_that_has_them(wiki: Wiki) -> None:
    old = wiki.claim("Oolong is a tea")
    text = f"# More\n\n{old.text}\n\nOolong is rolled.\n"
    told = [
        claim("Oolong", old.text, lines=(3, 3)),
        claim("Oolong", "Oolong is rolled.", lines=(5, 5)),
    ]
    review = put_up(wiki, "raw/more.md", text, answer(told))
    wiki.ok("merge", "Oolong", "Green tea")
    assert not [item for item in waiting(wiki)["items"] if item["hindrance"]]
    accept(wiki, review)
    homes = {one.text: path for path, one in wiki.claims().values()}
    assert homes[old.text] == homes["Oolong is rolled."] == "wiki/concepts/Green tea.md"
    assert {e.source for e in wiki.claims()[old.id][1].evidence} >= {"more-md"}
    assert len([1 for page in wiki.pages().values() for c in page.claims if c.id == old.id]) == 1
    check(wiki)


@pytest.mark.parametrize("decision", ["whole", "part"])
def test_a_review_follows_a_page_that_was_renamed(wiki: Wiki, decision: str) -> None:
    review = oolong_and_mate(wiki)
    wiki.ok("rename", "Oolong", "Blue tea")
    ident = ids(wiki)["Oolong is rolled."]
    assert not [item for item in waiting(wiki)["items"] if item["hindrance"]]
    if decision == "part":
        accept(wiki, review, ident)
    accept(wiki, review)
    assert "wiki/concepts/Oolong.md" not in wiki.files() and branches(wiki) == []
    kept = {i for i, (path, _c) in wiki.claims().items() if path == "wiki/concepts/Blue tea.md"}
    assert len(kept) == 2 and ident in kept
    assert not any("[[Oolong" in page.text for page in wiki.pages().values())
    check(wiki)
    found = wiki.run("lint", "--json").json["findings"]
    assert not [each for each in found if each["severity"] != "note"], found


def test_a_line_that_leads_to_a_renamed_page_is_reworded_under_its_new_name(wiki: Wiki) -> None:
    page = "wiki/concepts/Green tea.md"
    wiki.edit(page, "## Claims\n", "## Mine\n\nSee [[Oolong]] first.\n\n## Claims\n")
    review = oolong_and_mate(wiki)
    wiki.git("checkout", "-q", *branches(wiki))
    wiki.edit(page, "See [[Oolong]] first.", "See [[Oolong]] last.")
    wiki.git("checkout", "-q", MAIN)
    wiki.ok("rename", "Oolong", "Blue tea")
    accept(wiki, review)
    assert re.findall(r"See \[\[.*", wiki.read(page)) == ["See [[Blue tea|Oolong]] last."]


@pytest.mark.parametrize("kind", ["rename", "merge"])
def test_what_moves_claims_waits_and_is_accepted_whole(wiki: Wiki, kind: str) -> None:
    claim_id = wiki.claim("Oolong is a tea").id
    home, command = {
        "rename": ("Blue tea", ("rename", "Oolong", "Blue tea")),
        "merge": ("Green tea", ("merge", "Oolong", "Green tea")),
    }[kind]
    head = wiki.head
    review = move_under_review(wiki, *command)
    assert wiki.head == head and wiki.status == ""
    # The wiki goes on meanwhile: what it learns on the page of before comes along.
    learn_more(wiki)
    shown = waiting(wiki, review)
    assert shown["whole"]
    kinds = {item["kind"]: item for item in shown["items"]}
    if kind == "rename":
        assert "page renamed" in kinds and "moved" not in kinds
    else:
        assert kinds["moved"]["page_before"] == "wiki/concepts/Oolong.md"
    assert "as a whole" in wiki.run("review", "accept", review, claim_id, "--yes").err
    accept(wiki, review)
    assert wiki.claims()[claim_id][0] == f"wiki/concepts/{home}.md"
    assert wiki.claim("Oolong is rolled").id
    assert "wiki/concepts/Oolong.md" not in wiki.files()
    lint_clean(wiki)
    assert branches(wiki) == []
    wiki.ok("undo")
    assert wiki.claims()[claim_id][0] == "wiki/concepts/Oolong.md"
    check(wiki)
    lint_clean(wiki)


def test_a_move_is_refused_with_the_one_claim_that_conflicts(wiki: Wiki) -> None:
    old = wiki.claim("Oolong is a tea")
    review = move_under_review(wiki, "rename", "Oolong", "Blue tea")
    wiki.git("checkout", "-q", f"wiki-review/{review}")
    wiki.edit("wiki/concepts/Blue tea.md", "- Oolong is a tea.", "- Oolong is a blue tea.")
    wiki.git("checkout", "-q", MAIN)
    wiki.edit("wiki/concepts/Oolong.md", "- Oolong is a tea.", "- Oolong is an old tea.")
    before = (wiki.head, wiki.git("for-each-ref"))
    refused = wiki.run("review", "accept", review, "--yes")
    assert refused.code == 3 and "Oolong is an old tea" in refused.err
    assert refused.err.startswith(f"wiki: {old.id}")
    assert f"wiki review reject {review}" in refused.err
    assert (wiki.head, wiki.git("for-each-ref")) == before


def test_a_retraction_that_waits_is_accepted_whole_and_leaves_no_finding(wiki: Wiki) -> None:
    learn_more(wiki)
    review = move_under_review(wiki, "retract", "raw/base.md")
    # What the wiki says of a claim that goes, it says since.
    text = "# Third\n\nOolong is old.\n"
    link = {"to": wiki.claim("Oolong is a tea").id, "how": "supports"}
    told = {**claim("Oolong", "Oolong is old.", lines=(3, 3)), "links": [link]}
    wiki.learn("raw/third.md", text, answer([told]))
    item = waiting(wiki, review)["items"][0]["id"]
    assert wiki.run("review", "accept", review, item, "--yes").code == 7
    accept(wiki, review)
    assert "Oolong is a tea." not in said(wiki)
    lint_clean(wiki)


@pytest.mark.parametrize("decision", ["accept", "reject"])
def test_a_branch_that_another_work_tree_is_on_is_not_decided(
    wiki: Wiki, review: str, tmp_path: Path, decision: str
) -> None:
    wiki.git("worktree", "add", "-q", str(tmp_path / "other"), f"wiki-review/{review}")
    before = (wiki.head, wiki.status, wiki.git("for-each-ref"))
    refused = wiki.run("review", decision, review, "--yes")
    assert refused.code == 3 and "checked out in" in refused.err
    assert (wiki.head, wiki.status, wiki.git("for-each-ref")) == before


def test_a_branch_that_cannot_be_deleted_is_told_after_the_items_have_landed(
    wiki: Wiki, review: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_args: object) -> None:
        raise StateError("the branch has moved meanwhile", fix="Nothing was changed.")

    monkeypatch.setattr("llmwiki.changes.accept_and_reject.drop_branch", fail)
    done = wiki.ok("review", "accept", review, "--yes")
    assert "was left as it is: the branch has moved" in done.err
    assert "Nothing was changed" not in done.err
    assert said(wiki) >= set(SAID)


def test_a_whole_branch_is_not_rejected_unasked(wiki: Wiki, review: str) -> None:
    refused = wiki.run("review", "reject", review)
    assert refused.code == 7 and "--yes" in refused.err
    assert branches(wiki) == [f"wiki-review/{review}"]
    wiki.ok("review", "reject", review, "--yes")
    assert branches(wiki) == []


def test_a_branch_that_landed_and_was_not_deleted_goes(wiki: Wiki, review: str) -> None:
    accept(wiki, review, ids(wiki)[GREEN])
    tip = wiki.git("rev-parse", f"wiki-review/{review}").strip()
    accept(wiki, review)
    assert not branches(wiki)
    # As if what accepted it had been killed before it deleted the branch.
    wiki.git("branch", f"wiki-review/{review}", tip)
    assert f"wiki-review/{review} has landed" in wiki.ok("review", "list").err
    assert wiki.ok("status", "--json").json["reviews"] == []
    head = wiki.head
    done = wiki.ok("review", "accept", review, "--yes")
    assert f"deleted wiki-review/{review}" in done.out
    assert not branches(wiki) and wiki.head == head
    told = wiki.ok("review", "list")
    assert "Nothing waits" in told.out and not told.err
