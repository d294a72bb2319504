"""Pages as people and the tool make them, and edits of both kinds, for property tests."""

from __future__ import annotations

from collections.abc import Callable

import yaml
from hypothesis import strategies as st

from llmwiki.core.text import normalise
from llmwiki.pages import linked_text, write, write_claims
from llmwiki.pages.claim_head import phrases
from llmwiki.pages.frontmatter import PageError
from llmwiki.pages.page import Claim, Evidence, Page

PATH = "wiki/concepts/Self-attention.md"
IDS = tuple(f"c-{digit * 9}{digit}" for digit in "0123456789abcdef")
SOURCES = ("papers-attention-md", "notes-a-md", "z-last-pdf", "ä-weiß-md")
C = "^c-9f3a1c22k7"

LINES = [
    "",
    "",
    "",
    " ",
    "\t",
    "---",
    "----",
    "***",
    "- - -",
    "===",
    "# Title",
    "## Claims",
    "## Related",
    "## Related ##",
    "##",
    "#",
    "#tag",
    "### Deep",
    "Setext",
    "======",
    "plain prose",
    "  two blanks",
    "    indented code",
    "\ttab code",
    f"    - code {C}",
    f"\t- code {C}",
    f"- A claim. {C}",
    f"* Star claim. {C}",
    f"+ Plus claim. {C}",
    f"-\tTab claim. {C}",
    f"- {C}",
    f"-     code {C}",
    f"- Wrapped claim that\n  goes on. {C}",
    f"- Lazy claim that\ngoes on. {C}",
    f"1. Number. {C}",
    f"> - Quoted. {C}",
    f"- > Quoted. {C}",
    f"- # Heading. {C}",
    f"- - Twice. {C}",
    f"- ``` {C}",
    f"- Other. ^c-{'0' * 10}",
    f"- A note. ^n-{'a' * 10}",
    f"- ~~Old.~~ → [[X#{C}]] ^c-{'1' * 10}",
    f"- ~~Gone.~~ → gone in 9c1e22aa ^c-{'2' * 10}",
    f"Paragraph {C}",
    C,
    f"# Head {C}",
    "  - “a quote” [^notes-a-md]",
    "  - “a quote” [^notes-a-md]",
    "  - “a quote” [^notes-a-md] <!-- asked: how old; since when -->",
    "  - “a quote” [^notes-a-md] <!--asked:What is `that`?-->",
    "  - “a quote” [^notes-a-md] <!-- mine -->",
    '\t- "a quote" - [^notes-a-md]',
    "    * “a quote\n      wrapped” [^z]",
    "   - “x” [^",
    "  - “broken — [^notes-a-md]",
    "  - (as of: 2017-06; n = 3)",
    "  - (stance: measured)",
    "  - (as of: a\\; b; odd)",
    "  - from: [[X#^c-9f3a1c22k7]]; [[Y]]",
    "  - my own remark",
    "  - told by: person; on: 2026-11-20; kind: fact; price = 3 €",
    "  a wrapped line",
    " - one blank",
    "- item",
    "- [ ] task",
    "* other",
    "1. one",
    "10) ten",
    "- ",
    "-",
    "  - nested",
    "      - deep",
    "```",
    "```python",
    "~~~",
    "  ```",
    "    ```",
    "````",
    "``` a `b",
    "- ```",
    "  ~~~",
    "\t```",
    "<!-- comment -->",
    "<!-- open",
    "-->",
    "  <!-- in",
    "<div>",
    "</div>",
    "<script>",
    "</script>",
    "<pre>",
    "</pre>",
    "<?php",
    "?>",
    "<!DOCTYPE x>",
    "<![CDATA[",
    "]]>",
    "<b>",
    "</b> x",
    "<a href='x'>",
    "$$",
    "%%",
    "%% c %%",
    "> quote",
    "> [!warning] Contradiction",
    "> - [[X#^c-9f3a1c22k7]]",
    ">",
    "| a | b |",
    "|---|---|",
    "| 1 | 2 |",
    "[^notes-a-md]: [[sources/notes-a-md|Notes]], raw/notes/a.md",
    "[^z]: other",
    "[^z]: twice",
    "    more of it",
    "[^]: no",
    "[a]: /url",
    "Term\n: definition",
    "- [[Transformer]] — part of [^notes-a-md]",
    "- [[Transformer]] — part of [^a] [^b]",
    "- **Self** is part of [[Transformer]] [^a]",
    "- [[Transformer]] is made of **Self** [^a] [^b]",
    "- **Self** is part of [[Transformer",
    "* [[Transformer|T]] - part of  [^notes-a-md]",
    "- [[X#^c-9f3a1c22k7]]",
    "- [[X#^c-9f3a1c22k7]] why",
    f"- c-{'3' * 10} retracted notes-a-md L12–L14 q-0123456789abcdef",
    "“",
    "”",
    "\ufeff",
    "\x0c",
    "\u2028",
    "a\x85b",
    "\x1c",
    "é",
    "日本",
    "\\",
    "\\\\",
    "type: concept",
    "aliases: [a]",
    "...",
]

FRONT = [
    "type: concept",
    "title: Self-attention",
    'title: "A: b"',
    "title:",
    "description: >\n  long\n  text",
    "description: One sentence.",
    "description: 'it''s'",
    "aliases: [intra-attention]",
    "aliases: []",
    "aliases:\n  - a\n  - b",
    "aliases:\n- a\n# why\n- b c",
    "aliases: one",
    'aliases: ["x, y", z]',
    "aliases:",
    "tags: [deep-learning, a]",
    "tags:\n- x",
    "tags: [a, a]",
    "tags: {a: b}",
    "read:\n  - notes-a-md 00\n  - {id: x}",
    "read:\n- id: notes-a-md\n  sha256: '00'\n  note: mine",
    "read: []",
    "sources: x",
    "generated: {by: llmwiki/0.1.0, prose: p-1f2e9a0c}",
    "cssclasses: [wide]",
    "mine: {a: [1, 2]}",
    "# a comment",
    "",
    "x-y.z: 1",
    '"quoted": 2',
    "when: 2024-01-01",
    "multi: |\n  a\n\n  b",
    "? odd\n: key",
    "author:\n  name: x",
    "title: again",
    "nul: ~",
]
BROKEN = [
    "{a: b}",
    "- a",
    "a: [",
    "&x a: *x",
    "\tt: 1",
    "a: b: c",
    "plain",
    "%YAML 9",
    "'",
    "\x00",
    "@",
]

hostile_words = st.one_of(
    st.sampled_from(LINES),
    st.sampled_from(
        [
            "^c-9f3a1c22k7",
            "~~x~~ → [[A]]",
            "” [^a]",
            "(as of: x)",
            "a; b = c: d",
            "[[A|b]]",
            "snake_case",
            "\\",
            "``",
            "$x$",
            "%%",
            "==h==",
            "GPT-4.1",
            "C#",
            "yes",
            "0x1f",
            "1:30",
            "null",
            "2017-06",
            "- x",
            "#",
            "key: value",
            "[a, b]",
            "{a: b}",
            "'",
            '"',
            "!tag",
            "&a",
            "*a",
            "…",
            "—",
            "a\nb",
            " a ",
            "~",
            "<<",
            "=",
            "e\u0301",
            "日本語",
            "\ufffe",
            "\uffff",
            "\U0001f600",
            "\u200d",
            "1_000",
            "1e3",
            ".5",
            "012",
            "TRUE",
            "a #b",
            "a:",
            "a :b",
            "?",
            "- -",
            "|",
            ">",
            "%a",
            "@a",
            "`a",
        ]
    ),
    st.text(min_size=1, max_size=24),
).filter(lambda text: normalise(text) != "")

fronts = st.lists(st.sampled_from(FRONT), max_size=7, unique_by=lambda t: t.split(":")[0]).map(
    lambda lines: "---\n" + "".join(line + "\n" for line in lines) + "---\n"
)
hostile_fronts = st.lists(st.sampled_from(FRONT + BROKEN), max_size=6).map(
    lambda lines: "---\n" + "".join(line + "\n" for line in lines) + "---\n"
)
bodies = st.lists(
    st.one_of(st.sampled_from(LINES), st.sampled_from(LINES), st.text(max_size=12)), max_size=14
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Any text, biased to Markdown with and without frontmatter."""
    front = draw(st.one_of(st.just(""), fronts, hostile_fronts, st.just("---"), st.just("---\n")))
    text = front + draw(st.sampled_from(["", "\n"])) + "\n".join(draw(bodies))
    text += draw(st.sampled_from(["", "\n", "\n\n", " ", "\n \t"]))
    shape = draw(st.sampled_from(["lf", "lf", "lf", "crlf", "cut", "cr", "bom"]))
    if shape == "crlf":
        return text.replace("\n", "\r\n")
    if shape == "cr":
        return text.replace("\n", "\r", 1)
    if shape == "bom":
        return "\ufeff" + text
    return text[: draw(st.integers(0, len(text)))] if shape == "cut" else text


places = st.one_of(
    st.just(""),
    st.sampled_from(
        ["p. 12", "slide 3 notes", "table 2 row 4", "00:01:23", "conversation 2, message 3"]
    ),
    st.from_regex(r"\Asheet [A-Za-z*_\[\]^$ ,;:“”—L0-9]{0,20}[a-z](?:, row [1-9])?\Z").map(
        normalise
    ),
)
asked = st.lists(
    st.one_of(hostile_words, st.sampled_from(["how old", "since when", "what does it cost"])),
    max_size=4,
).map(lambda words: phrases("; ".join(words)))
evidences = st.builds(
    lambda source, nth, quote, place, asked: Evidence(
        source, normalise(quote), nth, asked, place=place
    ),
    st.sampled_from(SOURCES),
    st.sampled_from([1, 1, 1, 2, 3, 11, 22, 103]),
    hostile_words,
    places,
    asked,
)
slots = hostile_words.filter(
    lambda t: normalise(t).lower() not in {"supports", "updates", "updated by", "from"}
)
attributes = st.lists(
    st.one_of(
        st.tuples(
            st.sampled_from(["as of", "until", "stance", "speaker", "scope"]),
            st.just(":"),
            hostile_words,
        ),
        st.tuples(slots, st.just("="), hostile_words),
        st.just(("supports", ":", "[[Other#^c-9f3a1c22k7]]")),
    ),
    max_size=3,
    unique_by=lambda p: normalise(p[0]),
).map(lambda pairs: tuple((normalise(n), op, normalise(v)) for n, op, v in pairs))
claims = st.builds(
    Claim,
    id=st.sampled_from(IDS),
    text=hostile_words.map(normalise),
    evidence=st.lists(evidences, min_size=1, max_size=3, unique_by=lambda e: e.identity).map(tuple),
    attributes=attributes,
    successor=st.sampled_from([None, None, None, "[[Other#^c-9f3a1c22k7]]", "gone in 9c1e22aa"]),
)

Edit = Callable[[Page], Page]


def cite(page: Page, source: str) -> Page:
    """The page with a source's footnote, as every builder of claims adds it."""
    return write.add_footnote(page, source, f"Title of {source}", f"/raw/{source}")


def with_claim(page: Page, claim: Claim) -> Page:
    """The page with a claim and its sources, unless it has it."""
    if page.claim(claim.id):
        return page
    page = write_claims.add_claims(page, [claim])
    for source in sorted({e.source for e in claim.evidence}):
        page = cite(page, source)
    return page


def _on_claim(act: Callable[[Page, Claim], Page]) -> Callable[[int], Edit]:
    def pick(index: int) -> Edit:
        def edit(page: Page) -> Page:
            return act(page, page.claims[index % len(page.claims)]) if page.claims else page

        return edit

    return pick


indices = st.integers(0, 40)


@st.composite
def tool_edits(draw: st.DrawFn) -> Edit:
    """One step of the tool."""
    which = draw(st.integers(0, 13))
    words = draw(hostile_words)
    index = draw(indices)
    if which <= 3:
        claim = draw(claims)
        return lambda page: with_claim(page, claim)
    if which <= 5:
        evidence = draw(evidences)
        return _on_claim(
            lambda page, c: cite(write_claims.add_evidence(page, c.id, evidence), evidence.source)
        )(index)
    if which == 6:
        return lambda page: write.add_words(page, draw_key(index), [words])
    if which == 7:
        source = SOURCES[index % len(SOURCES)]
        return lambda page: cite(write.add_relation(page, "Transformer", words, source), source)
    if which == 8:
        return lambda page: write.set_lead(page, write.prose(words), "llmwiki/0.1.0")
    if which == 9:
        return lambda page: write.set_value(page, "description", words)
    if which == 10:
        return _on_claim(
            lambda page, c: write_claims.strike(page, c.id, "[[Other#^c-9f3a1c22k7]]")
        )(index)
    if which == 13:
        names = [linked_text.LinkName(normalise(words), "Transformer")]
        return lambda page: write_claims.with_links(
            page, lambda text: linked_text.linked(text, names, 3)
        )
    if which == 11:
        return _on_claim(
            lambda page, c: write_claims.add_attribute(
                page, c.id, "updates", ":", "[[X#^c-9f3a1c22k7]]"
            )
        )(index)
    return lambda page: write.add_item(page, "Open questions", write.escape(words))


def draw_key(index: int) -> str:
    return ("aliases", "tags")[index % 2]


@st.composite
def person_edits(draw: st.DrawFn) -> Edit:
    """One step of a person with an editor: lines come, go, move, are wrapped or rewritten."""
    which = draw(st.integers(0, 10))
    i, j = draw(indices), draw(indices)
    line = draw(st.sampled_from(LINES))

    def edit(page: Page) -> Page:
        lines = page.text.split("\n")
        a, b = i % len(lines), j % len(lines)
        if which <= 2:
            lines[a:a] = ["", line, ""] if which else [line]
        elif which == 3:
            del lines[a]
        elif which == 4:
            lines.insert(b % len(lines), lines.pop(a))
        elif which == 5:
            lines[a:a] = [lines[b]]
        elif which == 6:
            lines[a] = lines[a].replace("the", "a") + " more"
        elif which == 10:
            words = lines[a].split(" ")
            words[b % len(words)] = f"[[{words[b % len(words)]}]]"
            lines[a] = " ".join(words)
        elif which == 7 and " " in lines[a][4:]:
            head, rest = lines[a][:4], lines[a][4:]
            lines[a] = head + rest.replace(" ", "\n  ", 1)
        else:
            return restyled(page, which)
        return Page.parse(page.path, "\n".join(lines))

    return edit


def restyled(page: Page, which: int) -> Page:
    """The page with its frontmatter as another editor would write it, and one unknown key more."""
    try:
        values = page.values
    except PageError:
        return page
    values = dict(values) | {"mine": "kept", **({"tags": ["own"]} if which == 8 else {})}
    dumped = yaml.safe_dump(values, allow_unicode=True, sort_keys=which == 9)
    body = page.text.split("\n---\n", 1)[1] if page.front and "\n---\n" in page.text else ""
    return Page.parse(page.path, f"---\n{dumped}---\n{body}") if body else page


edits = st.lists(st.one_of(tool_edits(), person_edits()), max_size=5)


def run(steps: list[Edit], page: Page) -> Page:
    """The page after those steps; a step that the page's frontmatter refuses is left out."""
    for step in steps:
        try:
            page = step(page)
        except PageError:
            continue
    return Page.parse(page.path, page.text)


def small_page() -> Page:
    """A page as the tool begins one."""
    return write.create(
        PATH,
        "concept",
        "Self-attention",
        "Relates positions.",
        "It is a layer.",
        by="llmwiki/0.1.0",
    )


def known(page: Page) -> set[tuple[str, tuple[str, str]]]:
    """The set of (claim id, identity of evidence) of a page."""
    return {(c.id, e.identity) for c in page.claims for e in c.evidence}


@st.composite
def bases(draw: st.DrawFn) -> Page:
    """A page that has lived: tool and person both wrote on it."""
    kind = draw(st.integers(0, 5))
    if kind == 0:
        return Page.parse(PATH, draw(texts()))
    start = small_page()
    if kind == 1:
        start = Page.parse(PATH, draw(fronts) + "\n# T\n\nProse.\n\n## Own\n\nMine.\n")
    return run(draw(edits), start)
