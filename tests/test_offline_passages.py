"""The embedded extractor: what a claim holds, so that it can be understood where it stands."""

from __future__ import annotations

import pytest
from test_offline_extractor import assert_honest, claim, read, subject

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


@pytest.mark.parametrize("start", ["It is important to", "This document tells how to"])
def test_a_pronoun_that_stands_for_nothing_leans_on_nothing(start: str) -> None:
    assert len(texts(f"# Hulls\n\n{start} paint a wooden hull each year before it is wet.\n")) == 1


def test_a_short_list_is_one_claim_with_its_introduction() -> None:
    text = "# Hulls\n\nA hull has these steps:\n\n- lay the keel\n- set the ribs\n- plank it\n"
    found = taken(text).claims
    assert [one.text for one in found] == [
        "A hull has these steps: lay the keel; set the ribs; plank it"
    ]
    assert [one.lines for one in found[0].evidence] == [[3, 3], [5, 7]]


def test_items_beside_the_one_that_introduces_them_are_its_list() -> None:
    items = "- We build a hull. Its steps are:\n- lay the keel\n- set the ribs\n"
    found = texts(f"# Hulls\n\n{items}")
    assert any(one.endswith("Its steps are: lay the keel; set the ribs") for one in found)


def test_an_item_that_heads_others_is_no_claim() -> None:
    text = (
        "# Care\n\n## Wooden boats\n\n- Problem 1: Rust\n"
        "  - Iron nails must be replaced by copper ones because the oak eats them\n"
    )
    assert texts(text) == [
        "Wooden boats: Problem 1: Rust: "
        "Iron nails must be replaced by copper ones because the oak eats them"
    ]


def test_advantages_name_what_they_are_of() -> None:
    text = (
        "# Hulls\n\n## Steel hull\n\nA steel hull must be painted each year.\n\n"
        "**Advantages**\n\n- Yards of all coasts can mend it in a day\n"
    )
    assert texts(text)[-1] == "Steel hull: Advantages: Yards of all coasts can mend it in a day"


def test_a_field_below_a_principle_names_it() -> None:
    items = "- Two must be on deck at night\n\nRelated rules: Rest, Food, Calm"
    found = texts(f"# Crew\n\n## Share the watch\n\n{items}\n")
    assert found[-1] == "Share the watch: Related rules: Rest, Food, Calm"


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
"""


def test_minutes_give_what_was_said_and_not_how_to_come() -> None:
    found = taken(MINUTES, "raw/board.md")
    assert found.document.date == "2025-12-11"
    told = " ".join(one.text for one in found.claims)
    assert not any(word in told for word in ("mill", "members only", "chair", "Name", "sign up"))
    assert "The yard has finished the new slip" in told
    agreed = claim(found, "close the inner basin")
    assert agreed.speaker == "MO"
    assert agreed.text == "Dredging: We agreed to close the inner basin while it works."
    assert "yes" not in told and "Good" not in told


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


def test_names_that_a_list_explains_get_pages_and_programs_are_entities() -> None:
    text = (
        "# Mooring\n\n- **Bow line**: the bow line keeps the head of the boat at the mole.\n"
        "- **Spring**: a rope.\n\nThe bow line must be wet before a storm. "
        "A bow line of hemp lasts two years.\n\n"
        "Tarpot is a tool that counts bow lines. Tarpot needs one lamp.\n\n"
        "Tarpot must be wound up each day.\n"
    )
    found = taken(text)
    assert subject(found, "Bow line").kind == "concept"
    assert subject(found, "Tarpot").kind == "entity"
