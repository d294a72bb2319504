"""llmwiki: a git-backed wiki that a language model maintains.

`Wiki.open(path)` gives a wiki; its methods are the use cases of the command line, as values. Every
name is imported when it is first asked for.
"""

from typing import TYPE_CHECKING

from llmwiki.version import __version__

if TYPE_CHECKING:
    from llmwiki.app.callbacks import Callbacks
    from llmwiki.app.types import *
    from llmwiki.app.wiki import Wiki
    from llmwiki.core.errors import *

__all__ = [
    "AcceptedAnswer",
    "AgentAnswer",
    "ApplyOptions",
    "ApplyReport",
    "BuiltGraph",
    "Callbacks",
    "ChangedSkill",
    "CheckedAnswer",
    "CheckedItem",
    "CheckedSkill",
    "CheckedStatement",
    "CitedPassage",
    "Claim",
    "Commit",
    "Config",
    "Context",
    "ContextResult",
    "CostReport",
    "EdgesRead",
    "Entry",
    "Estimate",
    "EventLine",
    "Evidence",
    "ExportOptions",
    "ExportResult",
    "Finding",
    "FixResult",
    "ForgetReport",
    "FoundSkill",
    "GraphEdge",
    "GraphOptions",
    "GraphSurvey",
    "ImportOptions",
    "ImportResult",
    "ImportedPage",
    "IndexReport",
    "IngestEstimate",
    "IngestOptions",
    "IngestReport",
    "InitResult",
    "InputError",
    "InternalError",
    "JudgementForecast",
    "JudgementJobs",
    "JudgementOptions",
    "JudgementResult",
    "Landed",
    "LearnJob",
    "LearnReport",
    "LearnedTurn",
    "LintOptions",
    "LintReport",
    "LintResult",
    "LockTimeout",
    "MemoryDiff",
    "MemoryEvent",
    "MemoryNote",
    "MemoryStatus",
    "ModelCost",
    "ModelOutputError",
    "Neighbourhood",
    "NoteResult",
    "NoteStory",
    "OmittedFile",
    "OperationLog",
    "OperationOutcome",
    "OperationReport",
    "Page",
    "PageListing",
    "PageMoveResult",
    "PagePath",
    "PageStep",
    "PendingItem",
    "PolicyError",
    "PreparedJob",
    "PromotionReport",
    "ProviderError",
    "QueryEvent",
    "QueryOptions",
    "QueryResult",
    "Ranking",
    "ReaderClaim",
    "ReaderPage",
    "ReaderSource",
    "ReaderText",
    "Recall",
    "RecallRecord",
    "Recovery",
    "ResolveResult",
    "RetractResult",
    "Review",
    "ReviewItem",
    "ReviewOutcome",
    "SearchHit",
    "SearchResult",
    "SearchRow",
    "ShownPage",
    "ShownSkill",
    "SkillEdit",
    "SourceEstimate",
    "SourceQuote",
    "SourceStream",
    "StateError",
    "StoryStep",
    "SupersedeResult",
    "SweepReport",
    "TaintReport",
    "TidiedMemory",
    "TidyJobs",
    "TidyOptions",
    "TidyReport",
    "TidyResult",
    "TracedClaim",
    "TrialJob",
    "TrialOptions",
    "TrialReport",
    "UndoResult",
    "WhyResult",
    "Wiki",
    "WikiError",
    "WikiFront",
    "WikiGraph",
    "WikiMemory",
    "WikiStatus",
    "__version__",
]


def __getattr__(name: str) -> object:
    """A public name, imported now (PEP 562)."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from llmwiki.app import wiki
    from llmwiki.core import errors

    for module in (wiki, errors):
        if hasattr(module, name):
            return getattr(module, name)
    from llmwiki.app import types

    return getattr(types, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
