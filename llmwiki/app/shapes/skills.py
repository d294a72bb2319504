"""The shapes of what `wiki skills` prints."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict


class SkillRowJson(TypedDict):
    """One skill."""

    name: str
    origin: Literal["person", "agent", "project", "built-in"]
    """Of raw/skills/, wiki/skills/, .agents/skills/ or .claude/skills/, of the program."""
    folder: str
    """Below the wiki's root; empty where it comes with the program and lies nowhere."""
    description: str
    is_used: bool
    """Whether it is the one of its name that counts, and can be read."""
    hidden_by: NotRequired[str]
    """The folder of the skill of this name that counts in its place."""
    wrong: NotRequired[str]
    """Why it cannot be used."""
    model_may: bool
    """Whether an agent may use it unasked."""
    user_may: bool
    """Whether a person may call it by its name."""
    argument_hint: NotRequired[str]
    paths: NotRequired[list[str]]
    """Patterns of the files that it is for."""
    tools: NotRequired[list[str]]
    """Tools that it names as allowed; it is given none by that."""
    tokens: int
    """Of its SKILL.md behind the frontmatter: an estimate."""


class SkillsJson(TypedDict):
    """The skills of a repository."""

    schema: Literal["llmwiki.skills/1"]
    exit_code: int
    skills: list[SkillRowJson]


class SkillJson(TypedDict):
    """One skill, with its text."""

    schema: Literal["llmwiki.skill/1"]
    exit_code: int
    skill: SkillRowJson
    files: list[str]
    """The files beside its SKILL.md, below its folder."""
    file: NotRequired[str]
    """The one of them that was asked for."""
    text: str
    """Of SKILL.md, or of that file."""


class SkillFindingJson(TypedDict):
    """One thing that is wrong with a skill."""

    code: str
    severity: str
    """`note`, `warning` or `error`."""
    path: str
    line: int
    """From 1; 0: the file as a whole."""
    message: str
    mend: NotRequired[str]


class CheckedSkillJson(TypedDict):
    """What is wrong with one skill."""

    name: str
    folder: str
    findings: list[SkillFindingJson]


class SkillCheckJson(TypedDict):
    """What is wrong with skills."""

    schema: Literal["llmwiki.skill-check/1"]
    exit_code: int
    skills: list[CheckedSkillJson]


class TrialTaskJson(TypedDict):
    """One task that readers do as a skill says."""

    kind: Literal["typical", "edge"]
    task: str
    requirements: list[str]
    """What the result must meet; those without which it is a failure begin with `[critical]`."""


class UnclearJson(TypedDict):
    """What a reader did not understand, or found missing."""

    words: str
    """Of the skill; empty where it says nothing."""
    problem: str


class ReaderReportJson(TypedDict):
    """What one reader made of one task."""

    requirements: list[Literal["yes", "partly", "no"]]
    """Whether each is met, in their order."""
    unclear: list[UnclearJson]
    assumed: list[str]
    retries: int
    steps: int


class SkillPatchJson(TypedDict):
    """A change of SKILL.md that is proposed."""

    old: str
    new: str
    why: str
    outcome: str
    """`tried`, `taken back`, `landed`, or why it does not count; empty: nobody has tried it."""


class TrialRoundJson(TypedDict):
    """One round of readers."""

    accuracy: float
    """Percent of the requirements that are met."""
    has_passed: bool
    """Whether every critical one is."""
    unclear: int
    """Points that no earlier round has told."""
    steps: int
    ms: int
    """Milliseconds; 0: not known."""
    reports: list[ReaderReportJson]
    """One a task, in their order."""
    patch: NotRequired[SkillPatchJson]


class SkillDoctorJson(TypedDict):
    """What the trial of a skill has shown."""

    schema: Literal["llmwiki.skill-doctor/1"]
    exit_code: int
    name: str
    folder: str
    tasks: NotRequired[list[TrialTaskJson]]
    gaps: NotRequired[list[str]]
    """Where description and body tell different things."""
    rounds: NotRequired[list[TrialRoundJson]]
    is_over: NotRequired[bool]
    """Whether two rounds in a row have brought nothing new."""
    diff: NotRequired[str]
    """The patches of this run that readers have tried."""
    commit: NotRequired[str | None]
    model: NotRequired[str]
    tokens: NotRequired[int]
    cost_usd: NotRequired[float | None]
    round: NotRequired[int]
    """With --prepare: the round that the job is for."""
    file: NotRequired[str]
    """With --prepare: the job, absolute."""
