"""Links in claims and leads say nothing: whatever is linked, the page says what it said."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from longform import examples
from mergekit import merged
from page_strategies import IDS, claims, hostile_words, small_page, with_claim

from llmwiki.core.text import normalise
from llmwiki.index.names_and_words import plain_text
from llmwiki.pages import linked_text, write, write_claims
from llmwiki.pages.difference.row_changes import compare
from llmwiki.pages.escape import escape
from llmwiki.pages.find_links import scan
from llmwiki.pages.linked_text import LinkName
from llmwiki.pages.page import Claim, Evidence, Page, prose_hash

OFTEN = settings(max_examples=examples(300, 5_000), deadline=None)
HOSTILE = (
    "__init__", "List[int]", "*args", "<T>", "x^2", "www.x.org", "a|b", "C#", "AT&T", "snake_case",
    "1. First", "- x", "=", "==", "&amp;", "\\", "!", "Self-attention", "Linear attention",
    "自己注意", "Transformer", "~~x~~", "`code`", "$x$", "%%", "]]", "[[", "e.g.", "C++", "é",
)  # fmt: skip
words = st.one_of(hostile_words, st.sampled_from(HOSTILE), st.sampled_from(("and", "is", "は")))
texts = (
    st.lists(words, min_size=1, max_size=8)
    .map(lambda parts: normalise(" ".join(parts)))
    .filter(lambda text: text != "")
)
names = st.lists(
    st.builds(LinkName, words.map(normalise), st.one_of(words, words.map(normalise))), max_size=6
)
EVIDENCE = Evidence("notes-a-md", "a quote")


def page_with(text: str, claim_id: str = IDS[1]) -> Page:
    return with_claim(small_page(), Claim(claim_id, text, (EVIDENCE,)))


def put_on(page: Page, told: list[LinkName], most: int = linked_text.MOST_IN_CLAIM) -> Page:
    return write_claims.with_links(page, lambda text: linked_text.linked(text, told, most))


@OFTEN
@given(texts, names)
def test_links_change_nothing_that_is_said(text: str, told: list[LinkName]) -> None:
    markdown = escape(text)
    put = linked_text.linked(markdown, told, 3)
    assert linked_text.read(put) == normalise(text)
    assert linked_text.bare(put) == markdown
    assert linked_text.linked(put, told, 3) == put
    assert len(scan(f"- {put}")) <= 3


@OFTEN
@given(texts, names)
def test_a_page_is_the_same_under_any_dress(text: str, told: list[LinkName]) -> None:
    page = page_with(text)
    put = Page.parse(page.path, put_on(page, told).text)
    assert put.claims == page.claims
    assert [n.key for n in put.body] == [n.key for n in page.body]
    assert plain_text(put.text) == plain_text(page.text)
    assert compare({page.path: page}, {page.path: put}) == ()
    struck = write_claims.strike(put, IDS[1], "gone in 9c1e22aa")
    assert write_claims.restore(struck, IDS[1]).text == put.text


@OFTEN
@given(texts, texts, names, names)
def test_links_here_and_words_there_do_not_clash(
    old: str, new: str, mine: list[LinkName], others: list[LinkName]
) -> None:
    base = page_with(old)
    linked = put_on(base, mine)
    reworded = put_on(page_with(new), others)
    page, disputes = merged(base, linked, reworded)
    assert not disputes
    assert page.claims == (reworded if old != new else base).claims


@OFTEN
@given(texts, names, names)
def test_two_sides_that_link_differently_agree(
    text: str, mine: list[LinkName], others: list[LinkName]
) -> None:
    base = page_with(text)
    one, other = put_on(base, mine), put_on(base, others)
    page, disputes = merged(base, one, other)
    assert not disputes
    assert page.text in (one.text, other.text)
    assert not merged(base, small_page(), one).page.claims


@pytest.mark.parametrize(
    ("text", "name", "put"),
    [
        ("A Transformer is one.", "Transformer", "A [[T|Transformer]] is one."),
        ("Transformers are many.", "Transformer", "Transformers are many."),
        ("Our linear attention.", "Linear attention", "Our [[T|linear attention]]."),
        ("A transformer is one.", "Transformer", "A transformer is one."),
        ("It is T.", "T", "It is [[T]]."),
        ("自己注意は、Transformerの要だ。", "Transformer", "自己注意は、[[T|Transformer]]の要だ。"),
        ("これは自己注意です", "自己注意", "これは[[T|自己注意]]です"),
        ("自己注意機構", "自己注意", "自己注意機構"),
        ("人々はデータを使う", "データ", "人々は[[T|データ]]を使う"),
        ("単体テストとE2Eテストのテスト", "テスト", "単体テストとE2Eテストの[[T|テスト]]"),
        ("VueアプリはVueである", "Vue", "[[T|Vue]]アプリはVueである"),
        ("Call __init__ first.", "__init__", r"Call \_\_init\_\_ first."),
        ("A List[int] is one.", "List[int]", r"A List\[int\] is one."),
        ("Pass *args on.", "*args", r"Pass \*args on."),
        ("A <T> is one.", "<T>", r"A \<T> is one."),
        ("It grows by x^2 then.", "x^2", r"It grows by x\^2 then."),
        ("See www.x.org first.", "www.x.org", r"See www\.x.org first."),
        ("C# is one.", "C#", "[[T|C#]] is one."),
        ("Written by AT&T in C.", "AT&T", "Written by [[T|AT&T]] in C."),
        ("Wow!Transformer", "Transformer", "Wow!Transformer"),
        ("Of https://x.org/Transformer", "Transformer", "Of https://x.org/Transformer"),
        ("Node.js, not Node.", "Node", "Node.js, not [[T|Node]]."),
    ],
)  # fmt: skip
def test_what_is_linked(text: str, name: str, put: str) -> None:
    assert linked_text.linked(escape(text), [LinkName(name, "T")]) == put


def test_longest_first_and_no_more_than_there_is_room_for() -> None:
    told = [
        LinkName(word, f"the {word}") for word in ("Alpha", "Beta", "Gamma", "Delta", "Alpha Beta")
    ]
    put = linked_text.linked("Alpha Beta, Gamma, Delta and Beta, Alpha.", told, 3)
    assert put == (
        "[[the Alpha Beta|Alpha Beta]], Gamma, [[the Delta|Delta]] and Beta, [[the Alpha|Alpha]]."
    )
    assert linked_text.linked("[[x|Alpha]] and [[y]] and [[z]], Beta.", told, 3).endswith("Beta.")


@pytest.mark.parametrize(
    ("text", "linked"),
    [
        ("“All about Tea” is a book.", "“All about Tea” is a book."),
        ("“All about Tea” tells of Tea.", "“All about Tea” tells of [[Tea]]."),
        ("What “Tea” means.", "What “[[Tea]]” means."),
    ],
)
def test_no_link_is_put_into_what_is_quoted(text: str, linked: str) -> None:
    assert linked_text.linked(text, [LinkName("Tea", "Tea")]) == linked


@pytest.mark.parametrize("ticks", ["`", "``"])
def test_no_link_stands_in_code(ticks: str) -> None:
    code = f"{ticks}Tea{ticks}"
    linked = linked_text.linked(f"{code} and Tea in {code}.", [LinkName("Tea", "Tea")])
    assert linked == f"{code} and [[Tea]] in {code}."
    assert linked_text.read(linked) == f"{code} and Tea in {code}."


@pytest.mark.parametrize("text", ["[Tea](x) Tea", "$Tea$ Tea", "<b>Tea</b> Tea"])
def test_markup_of_a_person_is_left_alone(text: str) -> None:
    assert linked_text.linked(text, [LinkName("Tea", "Tea")]) == text


@pytest.mark.parametrize(
    ("markdown", "said"),
    [
        ("[[Tea|the *leaf*]]", "the *leaf*"),
        ("[[entities/Tea#Green]]", "Tea"),
        ("[[Tea#^c-9f3a1c22k7|a claim]] ^", "a claim ^"),
        (r"\[\[Tea\]\]", "[[Tea]]"),
        ("![[tea.png]] is text", "![[tea.png]] is text"),
        (r"\\[[Tea]]", "\\Tea"),
        ("[[#Green]]", "Green"),
        ("[[Tea|]]", "Tea"),
    ],
)
def test_reading(markdown: str, said: str) -> None:
    assert linked_text.read(markdown) == said


def test_the_mark_of_a_lead_is_over_what_it_says() -> None:
    page = write.set_lead(small_page(), "It is a [[Layer|layer]].", "llmwiki/0.1.0")
    assert page.marks.prose == prose_hash("It is a layer.")
    taken = Page.parse(page.path, page.text.replace("[[Layer|layer]]", "layer"))
    assert taken.lead_is_tools
    reworded = Page.parse(page.path, page.text.replace("It is", "It was"))
    assert not reworded.lead_is_tools
    both, disputes = merged(page, taken, reworded)
    assert both.lead == reworded.lead and not disputes


@OFTEN
@given(claims, names)
def test_any_claim_reads_back(claim: Claim, told: list[LinkName]) -> None:
    page = with_claim(small_page(), claim)
    assert Page.parse(page.path, put_on(page, told).text).claims == page.claims
