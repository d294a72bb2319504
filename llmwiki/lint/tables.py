"""The tables that hold what pages say; `rows` fills them, rules over pages ask them.

Links find a page by its file name (`pages.link_targets`), so names and links stand under folded
file names (`stem`): that of the page, those that its title and aliases would be, those its links
give.
"""

from __future__ import annotations

from llmwiki.index.lint_tables import Tables

TABLES = Tables(
    {
        # One row a page: `kind` as in `kinds`, `deprecated` of one that is kept empty; whether it
        # links to others, or is found without links; how much of each it has; the findings of rules
        # over single pages.
        "head": "stem, kind, is_linking, claims, quotes, sources, found",
        # `which`: file, title or alias; `key` as of a link that gives it; `folded` of subjects.
        "name": "line, which, text, key, stem, folded",
        # `form`: wiki, embed (of a wikilink), file, shown (of a Markdown link), or faint: it makes
        # a page linked, and is nothing to complain of (templates, comments).
        "link": "line, column, form, stem, key, target, heading, block, resolved",
        # `#` and a folded heading, `^` and a block: what links may point to.
        "anchor": "key",
        "spelling": "key, text, kind, is_file",
        # `own`: the page, where it is that of the one document the claim rests on.
        "claim": "line, id, is_struck, successor, digest, own, as_of, until",
        # `of`: what the value is of; `at`: as of when; `beside`: claims it may differ from.
        "slot": "line, claim, of, name, scope, said, value, at, beside",
        "citation": "line, column, claim, role, by, shown",
        "dispute": "line, one, other",
        "evidence": "line, claim, source",
        # `kind`: `at` of a claim that rests on the source of this ledger, `dead` of a tombstone.
        "record": "line, claim, kind",
        # `role`: `own` of a ledger's source, `lists`, or empty of an entry that names none of ours.
        "source": "line, id, resource, sha256, role",
        "resource": "line, resource, sha256",
        "day": "line, id, day",
        "silence": "line, at, column, codes",
        # A page beside the texts it quotes: the sources it names, what their texts were like then,
        # what the rules of sources found, how many quotes could be compared, why not the others.
        "quoted": "refs, texts, found, quotes, lacking",
    },
    (
        *("head (stem)", "name (stem)", "name (key)", "name (folded)", "link (stem)"),
        *("anchor (key)", "spelling (key)", "claim (id)", "claim (successor)", "claim (digest)"),
        *("slot (name, scope)", "citation (claim)", "record (claim)", "evidence (claim)"),
        *("source (id, role)", "resource (resource)"),
    ),
)
