"""What a question asks for, and whether a text has one."""

from __future__ import annotations

import pytest

from llmwiki.query.answer_kinds import AnswerKind

GIVEN = [
    ("How many members does the council have?", "The council has seven members."),
    ("How many pull requests came in 2023?", "In 2023 came 576 pull requests."),
    ("What does a ticket cost?", "A ticket is 12 € at the door."),
    ("When does the board meet?", "The board meets on Monday."),
    ("Who wrote the diary?", "The diary was written by the gardener."),
    ("Who wrote the proposal?", "The proposal is by Ada Lovelace."),
    ("What is a kettle?", "A kettle boils water."),
    ("会員は何人ですか？", "会員は300人です。"),
    ("How many percent agreed?", "Of those asked 75% agreed."),
    ("How many are on the three panels?", "Each panel has three, all of them 9."),
    ("いくら集まりましたか？", "百万ドルが集まりました。"),
]
LACKING = [
    ("How many members does the council have?", "The council elects its members [3]."),
    ("How many members does the council have?", "2. The council elects its members."),
    ("How many pull requests came in 2023?", "Many pull requests came in 2023."),
    ("What does a ticket cost?", "Tickets are at the door, 12 of them."),
    ("When does the board meet?", "The board meets in the hall."),
    ("Who wrote the proposal?", "The proposal motivates this."),
    ("会員は何人ですか？", "会員は多いです。"),
    ("いくら集まりましたか？", "3年前に集まりました。"),
]


@pytest.mark.parametrize(("question", "text"), GIVEN)
def test_what_is_asked_for_stands_there(question: str, text: str) -> None:
    assert AnswerKind(question).stands_in(text)


@pytest.mark.parametrize(("question", "text"), LACKING)
def test_what_is_asked_for_is_missing(question: str, text: str) -> None:
    assert not AnswerKind(question).stands_in(text)
