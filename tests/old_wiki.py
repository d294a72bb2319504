"""A wiki as format 1 wrote it: pages whose text that version of the program made."""

from __future__ import annotations

from llmwiki.core.text import digest32, fold, sha256_hex

TEA = "# Tea notes\n\nTea is an infusion of leaves.\nGreen tea is steeped at 80 degrees.\n"
CUP = "# Cup notes\n\nA cup holds tea.\nTea is an infusion of leaves.\n"
OPEN = "Is white tea steeped cooler?"


def ident(source: str, quote: str, text: str) -> str:
    """The id that the program gives a claim."""
    return "c-" + digest32((source, fold(quote), fold(text)), 10)


INFUSION = ident("tea-md", "Tea is an infusion of leaves.", "Tea is an infusion of leaves.")
GREEN = ident("tea-md", "Green tea is steeped at 80 degrees.", "Green tea is steeped at 80 °C.")
HOLDS = ident("cup-md", "A cup holds tea.", "A cup holds tea.")
BURIED = "c-zzzzzzzzzz"


def entry(source: str) -> str:
    """A source as format 1 listed it on each page."""
    data = {"tea-md": TEA, "cup-md": CUP}[source]
    path = source.replace("-md", ".md")
    return f"  - {{id: {source}, resource: /raw/{path}, sha256: {sha256_hex(data.encode())}}}\n"


def front(kind: str, title: str, sources: str, more: str = "") -> str:
    """The top of a page."""
    marks = "prose: p-00000000, about: p-11111111"
    return (
        f"---\ntype: {kind}\ntitle: {title}\ndescription: About it.\n{more}sources:\n{sources}"
        f"generated: {{by: llmwiki/0.1.0, {marks}}}\n---\n\n# {title}\n\nA lead.\n\n"
    )


def foot(source: str) -> str:
    """The footnote of a source."""
    name = source.removesuffix("-md")
    return f"[^{source}]: [[sources/{source}|{name.title()} notes]], raw/{name}.md\n"


TEA_PAGE = (
    front("concept", "Tea", entry("tea-md"), "aliases: [chai, cha]\ntags: [drink]\n")
    + f"## Claims\n\n- Tea is an infusion of leaves. ^{INFUSION}\n"
    + "  - “Tea is an infusion of leaves.” — [^tea-md] L3\n"
    + f"- Green tea is steeped at 80 °C. ^{GREEN}\n"
    + "  - “Green tea is steeped at 80 degrees.” — [^tea-md] L4\n"
    + f"  - (as of: 2020-05; supports: [[Tea#^{INFUSION}]])\n\n"
    + "## Related\n\n- [[Leaf]] — is made of [^tea-md]\n\n"
    + foot("tea-md")
)
LEAF_PAGE = (
    front("concept", "Leaf", entry("tea-md"))
    + f"## Seen in\n\n- [[Tea#^{INFUSION}]]\n\nMine own words, with [[Tea]].\n"
).replace("sources:\n" + entry("tea-md"), "")
TEA_LEDGER = (
    front("source", "Tea notes", entry("tea-md"))
    + "## Document\n\n- authors: Ann, Bob\n- date: 2020-05\n\n"
    + f"## Claims\n\n- [[Tea#^{INFUSION}]]\n- [[Tea#^{GREEN}]]\n\n"
    + f"## Open questions\n\n- {OPEN} (L4)\n\n"
    + f"## Retracted\n\n- {BURIED} retracted person L4 q-0123456789abcdef\n"
)
PAGES = {
    "wiki/concepts/Tea.md": TEA_PAGE,
    "wiki/concepts/Leaf.md": LEAF_PAGE,
    "wiki/sources/tea-md.md": TEA_LEDGER,
    "raw/tea.md": TEA,
}

_RELATED = "- [[Leaf]] — is made of [^tea-md]\n"
LATER = {
    "wiki/concepts/Tea.md": TEA_PAGE.replace(
        "sources:\n" + entry("tea-md"), "sources:\n" + entry("cup-md") + entry("tea-md")
    )
    .replace("L3\n", "L3\n  - “Tea is an infusion of leaves.” — [^cup-md] L4\n", 1)
    .replace(_RELATED, _RELATED.replace(" [^tea-md]", " [^cup-md] [^tea-md]"))
    .replace(foot("tea-md"), foot("cup-md") + foot("tea-md")),
    "wiki/concepts/Cup.md": front("concept", "Cup", entry("cup-md"))
    + f"## Claims\n\n- A cup holds tea. ^{HOLDS}\n  - “A cup holds tea.” — [^cup-md] L3\n\n"
    + foot("cup-md"),
    "wiki/sources/cup-md.md": front("source", "Cup notes", entry("cup-md"))
    + f"## Claims\n\n- [[Cup#^{HOLDS}]]\n- [[Tea#^{INFUSION}]]\n",
    "raw/cup.md": CUP,
}
"""What a later ingest of that version wrote."""
