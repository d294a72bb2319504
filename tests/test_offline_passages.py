"""The embedded extractor: what a claim holds, so that it can be understood where it stands."""

from __future__ import annotations

import re

import pytest
from test_offline_extractor import assert_honest, read, subject

from llmwiki.extraction.embedded import extract
from llmwiki.extraction.embedded.inline import strip_markup
from llmwiki.extraction.schema import Extraction


def taken(text: str, path: str = "raw/boats.md") -> Extraction:
    document = read(text, path)
    extraction = extract(document)
    assert_honest(extraction, document)
    return extraction


def texts(text: str, path: str = "raw/boats.md") -> list[str]:
    return [one.text for one in taken(text, path).claims]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The lock keeps all boats level.", "However, it leaks at every spring tide."),
        ("Three boats are moored at the mole.", "These boats must leave before the storm."),
        ("灯台は夜どおし船を導きます。", "しかし、霧の夜には見えません。"),
    ],
)
def test_a_sentence_keeps_what_leans_on_it(first: str, second: str) -> None:
    found = taken(f"# Harbour\n\n{first} {second}\n")
    assert [one.text for one in found.claims] == [f"{first} {second}"]
    assert found.claims[0].evidence[0].quote == f"{first} {second}"


def test_a_sentence_goes_where_its_turn_does_not_fit() -> None:
    many = "and the keeper of the northern lamp writes it into the book of the harbour " * 4
    text = f"# Lamps\n\nA lamp must burn all night on the mole. However, {many}on no Sunday.\n"
    assert texts(text) == []
    assert texts(text.replace("However, ", "In winter "))[0].startswith("A lamp must burn")


@pytest.mark.parametrize(
    "second",
    ["Rejecting them avoids 20 fires.", "If not, it must be mended.", "Only that lamp was bought."],
)
def test_objects_and_conditions_lean_too(second: str) -> None:
    first = "Old lamps must be tried before they are hung."
    assert texts(f"# Lamps\n\n{first} {second}\n") == [f"{first} {second}"]


def test_a_pronoun_may_stand_for_words_of_its_own_sentence() -> None:
    text = "灯台のランプと霧笛を使う場合は、それらを毎日点検しなければならない。"
    assert texts(f"# 灯台\n\n船は夜に港へ入る。{text}\n")[-1] == text


@pytest.mark.parametrize(
    ("start", "count"),
    [("It is important to", 1), ("This policy asks you to", 1), ("This document tells how to", 0)],
)
def test_a_pronoun_that_stands_for_nothing_leans_on_nothing(start: str, count: int) -> None:
    text = f"# Hulls\n\n{start} paint a wooden hull each year before it is wet.\n"
    assert len(texts(text)) == count


def test_a_short_list_is_one_claim_with_its_introduction() -> None:
    text = "# Hulls\n\nA hull has these steps:\n\n- lay the keel\n- set the ribs\n- plank it\n"
    found = taken(text).claims
    assert [one.text for one in found] == [
        "A hull has these steps: lay the keel; set the ribs; plank it"
    ]
    assert [one.lines for one in found[0].evidence] == [[3, 3], [5, 7]]


def test_names_below_a_heading_that_turns_them_have_it_once() -> None:
    text = "# Hulls\n\nA hull must be dry.\n\n## Rejected woods\n\n- Balsa\n- Willow\n- Poplar\n"
    assert texts(text)[-1] == "Rejected woods: Balsa; Willow; Poplar"


def test_an_item_that_ends_in_a_colon_introduces_only_what_stands_in_it() -> None:
    items = "- The owner must pay for:\n{}- The hull must be dry before winter comes\n"
    assert texts("# Hulls\n\n" + items.format("")) == ["The hull must be dry before winter comes"]
    within = items.format("  - the keel of the boat\n  - the ribs of the boat\n")
    assert texts(f"# Hulls\n\n{within}")[0].startswith("The owner must pay for: the keel")


@pytest.mark.parametrize(
    ("lead", "kept"),
    [("To reach this goal, the board has rules:", True), ("This is not good, for reasons:", False)],
)
def test_an_introduction_that_leans_is_dropped(lead: str, kept: bool) -> None:
    item = "A boat of more than ten metres must carry two lamps at night."
    found = texts(f"# Lamps\n\n{lead}\n\n- {item}\n- burning\n")
    assert found == ([item] if kept else [])


def test_lines_of_a_changelog_are_no_claims() -> None:
    parts = "".join(
        f"## v1.{n}.0\n\n- Add `--lamp` {n} for boats, see #4{n} (@maren)\n\n" for n in (3, 2, 1)
    )
    found = texts(f"# Changes\n\n- Lamps must burn all night on the mole\n\n{parts}")
    assert found == ["Lamps must burn all night on the mole"]


def test_an_item_that_heads_others_is_no_claim() -> None:
    text = (
        "# Care\n\n## Wooden boats\n\n- Problem 1: Rust\n"
        "  - Iron nails must be replaced by copper ones because the oak eats them\n"
    )
    assert texts(text) == [
        "Wooden boats: Problem 1: Rust: "
        "Iron nails must be replaced by copper ones because the oak eats them"
    ]


def test_code_is_code_in_a_claim_and_not_in_a_name() -> None:
    text = "`tarpot` is a tool that heats tar with `--heat 90`. Tar must be as hot as fire."
    found = taken(f"# Tar\n\n{text}\n", "raw/tar.md")
    said = "`tarpot` is a tool that heats tar with `--heat 90`."
    assert [one.text for one in found.claims] == [said, "Tar must be as hot as fire."]
    assert found.document.summary.startswith(said)
    told = taken("# Fires\n\n- `tarpot`: `tarpot --heat` must be used by day.\n" * 2)
    assert {one.name for one in told.subjects} <= {"tarpot"}


def test_advantages_name_what_they_are_of() -> None:
    text = (
        "# Hulls\n\n## Steel hull\n\nA steel hull must be painted each year.\n\n"
        "**Advantages**\n\n- Yards of all coasts can mend it in a day\n"
    )
    assert texts(text)[-1] == "Steel hull: Advantages: Yards of all coasts can mend it in a day"


@pytest.mark.parametrize(
    "said",
    [
        "Related rules: Rest, Food, Calm",
        "We will see how the lamps of the mole are lit.",
        "For example, the lamp of the mole must burn all night.",
        "The lamp below must burn all night because of the boats.",
        "Another lamp must burn on that mole all night.",
        "There are many lamps on the mole.",
        "Must the lamp of the mole burn all night?",
        "- People telling you, often at night...",
        "| Lamp | Oil |\n|---|---|\n| North | 12 l |\n| South | 14 l |",
    ],
)
def test_what_leans_or_announces_or_only_names_is_no_claim(said: str) -> None:
    whole = "Each boat must carry two lamps."
    assert texts(f"# Lamps\n\n{whole}\n\n{said}\n") == [whole]


def test_the_best_of_a_long_text_are_taken() -> None:
    plain = " ".join(f"The sea of bay {n} looks blue from the mole of the town." for n in range(60))
    text = f"# Lamps\n\n{plain}\n\n## Rules\n\nBoats must carry 2 lamps at night.\n"
    found = texts(text)
    assert "Boats must carry 2 lamps at night." in found
    assert len(found) < 25


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("Pumps without a filter wear out after one winter in the harbour.", ""),
        ("A lamp is oil behind glass that burns on the mole all night", ""),
        ("## Hemp rope\n\nA rope of plant fibres that swells in water.", "Hemp rope: {}"),
        ("## Ropes\n\n- hemp\n- flax and nettle\n", "Ropes: hemp; flax and nettle"),
        (
            "## Links\n\n- [Tarpot](https://example.org/t) - Counts the boats of each harbour.\n",
            "Tarpot - Counts the boats of each harbour.",
        ),
    ],
)
def test_a_sentence_is_told_by_its_shape_and_stands_below_its_heading(
    text: str, claim: str
) -> None:
    said = text.rpartition("\n")[2] or text
    assert texts(f"# Boats\n\n{text}\n") == [claim.format(said) or said]


def test_notes_of_a_meeting_are_told_with_their_topics() -> None:
    text = (
        "# Meeting of the board\n\n## Present\n\n- Maren\n\n## Agenda\n\n"
        "- New lamp\n  - No update\n  - Agreed to buy it\n  - The old one burns 12 l a night\n"
    )
    assert texts(text) == ["New lamp: Agreed to buy it", "New lamp: The old one burns 12 l a night"]


def test_notes_of_a_meeting_give_decisions_and_actions_and_no_chat() -> None:
    text = (
        "# Meeting of the board\n\n## Other attendees\n\n- Maren keeps the lamps of the mole\n\n"
        "## Dredging the basin\n\n**Tomas:** I like the idea. It would be grand.\n\n"
        "**Resolution:** We've agreed to close these gates until autumn. We'll open them then\n\n"
        "- [ ] @maren to write to the yard\n- New mooring fees #14\n- Tomas will buy the lamps\n"
    )
    assert texts(text) == [
        "Dredging the basin: Resolution: We've agreed to close these gates until autumn. "
        "We'll open them then",
        "Dredging the basin: @maren to write to the yard",
        "Dredging the basin: Tomas will buy the lamps",
    ]


def test_what_stands_below_rejected_ideas_says_so() -> None:
    found = texts("# Lamps\n\n## Rejected ideas\n\nEach boat could carry three lamps at night.\n")
    assert found == ["Rejected ideas: Each boat could carry three lamps at night."]


MINUTES = """# Minutes of the harbour board

- **Where**: the old mill
- **When**: December 11 2025, 17:00 UTC
- **Contact**:
  - Name: Maren Oduya

## Registration

The meeting is open to members only. Send a letter to the chair to sign up.

## Attendees

- Maren Oduya
- Tomas Wedell

The yard has finished the new slip for boats of 12 metres.

## Dredging

MO: The dredger costs 400 euros a day, so we should use it in May only.
TW: Why so late?

MO: We agreed to close the inner basin while it works.

TW: yes

MO: I know.

TW: Good.

#### Conclusion/resolution

- lower lamps at the mole
- Tomas to write a letter
"""


def test_minutes_give_what_was_said_and_not_how_to_come() -> None:
    found = taken(MINUTES, "raw/board.md")
    assert found.document.date == "2025-12-11"
    told = " ".join(one.text for one in found.claims)
    assert not any(word in told for word in ("mill", "members only", "chair", "Name", "sign up"))
    assert "The yard has finished the new slip" in told
    assert "MO: We agreed to close the inner basin while it works." in told
    assert "yes" not in told and "Good" not in told
    assert "Dredging: Conclusion/resolution: Tomas to write a letter" in told


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ("Painted with Tar_ since 1900.", "Painted with Tar since 1900."),
        ("See :RFC:`8` and :pep:`9`.", "See RFC 8 and PEP 9."),
        ("Paint it twice ^keel_end", "Paint it twice"),
        ("Fixed in [[Leak #12]](https://example.org/12) today", "Fixed in [Leak #12] today"),
        ("Tar lasts{% assign x = 1 %} ten years", "Tar lasts ten years"),
        ("Tar is black<sup>[2](#fn2)</sup>.", "Tar is black."),
        ("Mending[^1]: by hand", "Mending: by hand"),
        ("call `__init__` and snake_case_", "call __init__ and snake_case_"),
    ],
)
def test_markup_leaves_the_words(raw: str, words: str) -> None:
    assert strip_markup(raw) == words


def test_admonitions_are_text_and_highlighted_code_is_not() -> None:
    text = (
        '# Tar\n\n!!! warning "Heat"\n    Tar must never be heated above 90 degrees.\n\n'
        "{% highlight ruby %}\nboil do |tar| heat(tar, 200) end\n{% endhighlight %}\n"
    )
    assert texts(text) == ["Tar must never be heated above 90 degrees."]


@pytest.mark.parametrize(
    ("path", "head", "date"),
    [
        ("raw/a.md", "- Start Date: 2018-10-25\n- RFC PR: 12\n", "2018-10-25"),
        ("raw/a.md", "---\ncreated: 1655632795290\n---\n", "2022-06-19"),
        ("raw/board-2022-08-18.md", "", "2022-08-18"),
    ],
)
def test_dates_of_headers_and_names(path: str, head: str, date: str) -> None:
    body = "A lamp must burn all night on the mole.\n"
    assert taken(f"{head}\n{body}", path).document.date == date


def test_a_status_in_bold_is_its_words() -> None:
    text = '---\nstatus: "**Completed**"\n---\n\n# Tar\n\nTar must be hot.\n'
    assert taken(text).document.status == "Completed"


def test_a_home_page_is_named_after_what_it_defines() -> None:
    text = "---\ntitle: Home\n---\n\nTarpot is a program that counts the boats of a harbour.\n"
    found = taken(text, "raw/index.md")
    assert found.document.title == "Tarpot"


def test_the_opener_of_a_chatbot_says_nothing() -> None:
    text = "# Tar\n\nSure! Here is what you must know.\n\nTar keeps the oak dry for ten years.\n"
    found = taken(text)
    assert [one.text for one in found.claims] == ["Tar keeps the oak dry for ten years."]
    assert found.document.summary == "Tar keeps the oak dry for ten years."


def test_letters_and_numbers_before_an_item_are_marks_like_a_bullet() -> None:
    text = (
        "# Yard charter\n\n## 2. Berths.\n\n(a) Owners of a berth shall be entitled to:\n\n"
        "- i. Moor one (1) hull beside the north pier in each season.\n"
        "- ii. Vote for the master of the harbour once a year.\n"
        "- iii. Store two masts in the long shed.\n\n"
        "(c) 2024 The yard council keeps all rights to these rules.\n"
    )
    told = texts(text)
    assert all(any(word in one for one in told) for word in ("Moor one (1)", "master", "masts"))
    assert not [one for one in told if re.search(r"\(a\)|\bi+\. |Berths\.:", one)], told


def test_this_thing_is_the_document_where_its_title_says_so() -> None:
    text = "# Harbour watch\n\nThis watch must report to the board {} of the year.\n"
    assert len(texts(text.format("in each month"))) == 1
    assert texts(text.replace("This watch", "This boat").format("in each month")) == []


def test_of_a_list_all_items_are_taken_or_none() -> None:
    items = [
        "Boats of members must carry two lamps at night because the mole is dark.",
        "Nets are dried on the north side of the shed.",
        "Guests are led to the outer ring by the keeper.",
    ]
    listed = "\n".join(f"- {one}" for one in items)
    plain = "\n\n".join(f"The sea of bay {n} looks blue from the mole." for n in range(60))
    found = texts(f"# Harbour\n\n## Moorings\n\n{listed}\n\n## Bays\n\n{plain}\n")
    assert set(items) <= {one.removeprefix("Moorings: ") for one in found}
    assert 10 < len(found) < 40


def test_steps_are_told_together() -> None:
    steps = "1. Lay the keel on two beams.\n2. Set the ribs.\n{}3. Plank the hull with oak.\n"
    told = "Build a boat: Lay the keel on two beams; Set the ribs; Plank the hull with oak"
    for between in ("", "   - copper nails only\n"):
        text = f"# Yard\n\n## Build a boat\n\n{steps.format(between)}"
        assert texts(text) == [told]
    japanese = (
        "# 船\n\n## 船の造り方\n\n1. 竜骨を台に据えます\n2. 肋骨を立てます\n3. 外板を張ります\n"
    )
    assert texts(japanese) == ["船の造り方: 竜骨を台に据えます; 肋骨を立てます; 外板を張ります"]


def test_a_line_of_code_is_told_with_the_sentence_before_it() -> None:
    text = "# Tarpot\n\nTo heat the tar at night, run this:\n\n```sh\n$ tarpot --heat 90\n```\n"
    found = taken(text).claims
    assert [one.text for one in found] == ["To heat the tar at night, run this: `tarpot --heat 90`"]
    assert [one.lines for one in found[0].evidence] == [[3, 3], [6, 6]]
    long = text.replace("$ tarpot", "$ oil\n$ wipe\n$ tarpot")
    assert texts(long) == []


def test_a_paragraph_goes_on_with_the_one_before() -> None:
    text = "# Tar\n\nTarpot is a kettle for tar.\n\nIt must stand on iron.\n\n{}\n"
    joined = "Tarpot is a kettle for tar. It must stand on iron."
    assert joined in texts(text.format("Tar must be as hot as fire."))
    assert joined in texts(text.format("## Care\n\nIt must be wiped by hand each day."))


def test_the_title_of_a_callout_heads_what_it_holds_and_no_more() -> None:
    text = (
        "# Boats\n\n## Sails\n\n> [!tip] Wet canvas\n> Must be dried by night.\n\n"
        "> [!tip]\n> Ropes of hemp must be dry.\n\nMust be mended by autumn.\n"
    )
    assert texts(text) == [
        "Wet canvas: Must be dried by night.",
        "Sails: Ropes of hemp must be dry.",
        "Sails: Must be mended by autumn.",
    ]


def test_what_leans_on_its_heading_or_the_item_above_stands_below_it() -> None:
    text = (
        "# Tarpot\n\nTarpot heats tar.\n\n## Heat errors\n\nThis error goes away after an hour.\n\n"
        "## Settings\n\n- `TAR_HEAT`\n  - By default, this is set to 90 degrees.\n"
    )
    found = texts(text)
    assert "Heat errors: This error goes away after an hour." in found
    assert "`TAR_HEAT`: By default, this is set to 90 degrees." in [
        one.removeprefix("Settings: ") for one in found
    ]


def test_names_that_a_list_explains_get_pages() -> None:
    text = (
        "# Mooring\n\n- **Bow line**: the bow line keeps the head of the boat at the mole.\n"
        "- **Spring**: a rope.\n\nThe bow line must be wet before a storm. "
        "A bow line of hemp lasts two years.\n\n"
        "Tarpot is a tool that counts bow lines. Tarpot needs one lamp.\n\n"
        "Tarpot must be wound up each day.\n"
    )
    found = taken(text)
    assert subject(found, "Bow line").kind == "concept"
    assert subject(found, "Tarpot")


def test_a_sentence_that_goes_on_from_item_to_item_is_one_claim() -> None:
    text = (
        "# Yard gate\n\nThe gate opens for a hull if:\n\n"
        "- the keeper of the yard has signed the card that its owner carries,\n"
        "- the owner has paid the fee of the season before, and\n"
        "- no other hull waits between the gate and the slip.\n"
    )
    (told,) = texts(text)
    assert told.startswith("The gate opens for a hull if: the keeper") and "; and no other" in told
    assert not told.endswith((",", "and", "."))


def test_a_header_of_toml_and_a_label_before_a_title_are_read() -> None:
    body = "Tar keeps the oak of a hull dry for ten years.\n"
    header = '+++\ntitle = "Tar and oak"\nauthors = ["Maren Holt"]\n+++\n\n'
    found = taken(header + body).document
    assert (found.title, found.authors) == ("Tar and oak", ["Maren Holt"])
    assert taken(f"# Title: Tar and oak\n\n{body}").document.title == "Tar and oak"
