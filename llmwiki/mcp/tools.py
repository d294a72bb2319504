"""The tools: their schemas, what each does to the world, and how a call is run.

A further tool is a row in TOOLS, and a function in `reading` or `writing` that makes one call of
`Wiki`. All schemas together stay below 1,500 tokens (a test).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from llmwiki.core.errors import WikiError
from llmwiki.core.tool_arguments import checked_arguments, input_schema
from llmwiki.mcp import reading, writing
from llmwiki.mcp.answers import BUDGET, LEAST_BUDGET, MOST_BUDGET, ToolAnswer
from llmwiki.mcp.wire import INVALID_PARAMS, RpcError

if TYPE_CHECKING:
    from llmwiki.app.wiki import Wiki

MOST_INPUT = 2_000_000
"""Characters of the arguments of one call."""
Reading = Callable[["Wiki", Mapping[str, Any]], ToolAnswer]
Writing = Callable[["Wiki", Mapping[str, Any], str], ToolAnswer]


@dataclass(frozen=True, slots=True)
class McpTool:
    """One tool."""

    name: str
    title: str
    description: str
    parameters: Mapping[str, Mapping[str, Any]]
    """By name: JSON schemas of type string, integer, boolean or array."""
    required: tuple[str, ...]
    reads: Reading | None = None
    writes: Writing | None = None
    """One of the two is given."""
    is_open_world: bool = False
    """Whether it may reach beyond the repository: a model is asked."""

    def as_listed(self) -> dict[str, Any]:
        """The tool as `tools/list` tells it."""
        hints: dict[str, Any] = {"readOnlyHint": self.writes is None}
        if self.writes is not None:
            # What was there stays; the same input again changes nothing.
            hints |= {"destructiveHint": False, "idempotentHint": True}
        hints["openWorldHint"] = self.is_open_world
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": input_schema(self.parameters, self.required),
            "annotations": hints,
        }


def _string(description: str, **more: object) -> dict[str, Any]:
    return {"type": "string", "description": description, **more}


_BUDGET: Mapping[str, Any] = {
    "type": "integer",
    "minimum": LEAST_BUDGET,
    "maximum": MOST_BUDGET,
    "default": BUDGET,
    "description": "Most tokens of the answer.",
}

TOOLS: tuple[McpTool, ...] = (
    McpTool(
        "wiki_search",
        "Search the wiki",
        "Find pages by words, names or a question; best first, one line each. To answer a"
        " question use wiki_context.",
        {
            "words": _string("Words, names or a question."),
            "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": reading.ROWS},
            "budget": _BUDGET,
        },
        ("words",),
        reads=reading.search,
    ),
    McpTool(
        "wiki_context",
        "Passages for a question",
        "The passages that answer a question, each with the handle to cite: claims with checked"
        " sources, notes, lines of sources. Ask first here; for a comparison ask for each side.",
        {
            "question": _string("One question, in the wiki's own terms where known."),
            "also": _string(
                "4 to 10 other words that a text which answers may use: synonyms, the technical"
                " term, the noun for a verb. Words are matched, not meanings: this finds far more."
            ),
            "budget": _BUDGET,
            "quotes": {"type": "boolean", "description": "Show each claim's verbatim quotes."},
            "without": {
                "type": "array",
                "items": {"type": "string"},
                "description": "Handles seen before, to leave out.",
            },
        },
        ("question",),
        reads=reading.context,
    ),
    McpTool(
        "wiki_read",
        "Read a page, claim or source",
        "One page whole; one claim (c-…) with its quotes and the source lines around them; or"
        " numbered lines of a source.",
        {
            "name": _string("Page title, alias or path; claim id; SOURCE#L12-L20; raw/FILE."),
            "start": {
                "type": "integer",
                "minimum": 1,
                "maximum": 1_000_000,
                "default": 1,
                "description": "First line to show of a long page.",
            },
            "budget": _BUDGET,
        },
        ("name",),
        reads=reading.read,
    ),
    McpTool(
        "wiki_why",
        "Why the wiki says it",
        "The quotes, lines and bytes under a claim, and every commit that brought or changed it.",
        {
            "what": _string("Claim id (c-…), page, or eight words of a claim or quote."),
            "budget": _BUDGET,
        },
        ("what",),
        reads=reading.why,
    ),
    McpTool(
        "wiki_remember",
        "Remember one thing",
        "Note one fact, decision or preference that a person wants kept; one commit. Not for"
        " documents: those are ingested.",
        {
            "text": _string("One or two sentences, understood without this conversation."),
            "kind": {
                "type": "string",
                "enum": ["fact", "preference", "decision", "event", "procedure"],
                "default": "fact",
            },
        },
        ("text",),
        writes=writing.remember,
    ),
    McpTool(
        "wiki_ingest",
        "Read a source in",
        "Read one document into the wiki as claims with checked quotes; one commit. Give `path`,"
        " or `text` with `name`. May take minutes and call the configured model.",
        {
            "path": _string("A file below raw/, such as raw/paper.pdf."),
            "text": _string("The document itself."),
            "name": _string("File name for `text`, such as notes.md."),
        },
        (),
        writes=writing.ingest,
        is_open_world=True,
    ),
)
BY_NAME = {tool.name: tool for tool in TOOLS}


def writes(params: Mapping[str, Any]) -> bool:
    """Whether a `tools/call` with these parameters may write."""
    tool = BY_NAME.get(str(params.get("name")))
    return tool is not None and tool.writes is not None


def offered(limit: str) -> list[dict[str, Any]]:
    """The tools as they are listed; without those that write where `limit` is `off`."""
    return [tool.as_listed() for tool in TOOLS if tool.writes is None or limit != "off"]


def call(open_wiki: Callable[[], Wiki], params: Mapping[str, Any], limit: str) -> Mapping[str, Any]:
    """The result of `tools/call`: what cannot be done is told to the model, in words.

    Raises RpcError for a tool that there is not.
    """
    tool = BY_NAME.get(str(params.get("name")))
    if tool is None or (tool.writes is not None and limit == "off"):
        raise RpcError(INVALID_PARAMS, f"Unknown tool: {str(params.get('name'))[:80]}")
    given = params.get("arguments") or {}
    if not isinstance(given, dict):
        raise RpcError(INVALID_PARAMS, "Invalid params: `arguments` must be an object")
    try:
        checked = checked_arguments(
            tool.name, tool.parameters, tool.required, given, most=MOST_INPUT
        )
        return _run(tool, open_wiki(), checked, limit).as_result()
    except WikiError as error:
        return ToolAnswer(str(error), is_error=True).as_result()


def _run(tool: McpTool, wiki: Wiki, given: Mapping[str, Any], limit: str) -> ToolAnswer:
    if tool.writes is not None:
        return tool.writes(wiki, given, limit)
    assert tool.reads is not None
    return tool.reads(wiki, given)
