"""A SKILL.md as the Agent Skills standard has it, with the keys that coding agents read. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from llmwiki.core.text import normalise
from llmwiki.pages.frontmatter import load_yaml
from llmwiki.pages.markdown_blocks import body_start

MOST_DESCRIPTION = 1_536
"""Characters of a description, with what says when to use it, that an agent is shown."""
SKILL_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
"""A name, of 64 characters at most."""
MOST_NAME = 64
_PLACEHOLDER = re.compile(
    r"\$(?:ARGUMENTS(?:\[(\d{1,3})\])?|(\d{1,3})|([A-Za-z_][\w-]{0,60}))(?!\w)"
)
_PLACES = re.compile(r"\$\{CLAUDE_(SESSION_ID|SKILL_DIR)\}")


@dataclass(frozen=True, slots=True)
class SkillFile:
    """What a SKILL.md says."""

    values: Mapping[str, object]
    """The frontmatter; each scalar is a string."""
    body: str
    """What an agent reads when it uses the skill."""

    @property
    def name(self) -> str:
        """As the frontmatter has it; empty where it has none."""
        return self._word("name")

    @property
    def description(self) -> str:
        """What it does and when to use it."""
        told = " ".join(filter(None, (self._word("description"), self._word("when_to_use"))))
        return told[:MOST_DESCRIPTION]

    @property
    def model_may(self) -> bool:
        """Whether an agent may use it unasked."""
        return self._word("disable-model-invocation").lower() not in ("true", "yes", "on")

    @property
    def user_may(self) -> bool:
        """Whether a person may call it by its name."""
        return self._word("user-invocable").lower() not in ("false", "no", "off")

    @property
    def argument_hint(self) -> str:
        """What stands behind its name where a person calls it, such as `[FILE]`."""
        return self._word("argument-hint")

    @property
    def paths(self) -> tuple[str, ...]:
        """Patterns of the files that it is for; none: it is for all."""
        return _words(self.values.get("paths"), ",")

    @property
    def tools(self) -> tuple[str, ...]:
        """Tools that it names as allowed. They are told, and allow nothing."""
        return _words(self.values.get("allowed-tools"), " ")

    @property
    def refused_tools(self) -> tuple[str, ...]:
        """Tools that may not be used in a turn in which a person calls it."""
        return _words(self.values.get("disallowed-tools"), " ")

    def is_for(self, path: str) -> bool:
        """Whether a file is one that it is for."""
        return any(matches(pattern, path) for pattern in self.paths)

    def filled(self, arguments: str, *, session: str = "", folder: str = "") -> str:
        """The body with what a person typed behind the name in its place.

        `$ARGUMENTS` is all of it as typed, `$ARGUMENTS[0]` and `$0` its first word, and so on, and
        `$NAME` the word of that place in the key `arguments`; a word that is not there leaves its
        mark as it is. Where the body has no mark, the arguments stand at its end. Commands in the
        body are never run.
        """
        words, names = _split(arguments), _words(self.values.get("arguments"), " ")
        found = False

        def put(match: re.Match[str]) -> str:
            nonlocal found
            if match[3] and match[3] not in names:
                return match[0]
            found = True
            if match[0] == "$ARGUMENTS":
                return arguments
            place = names.index(match[3]) if match[3] else int(match[1] or match[2] or 0)
            return words[place] if place < len(words) else match[0]

        text = _PLACEHOLDER.sub(put, self.body)
        places = {"SESSION_ID": session, "SKILL_DIR": folder}
        text = _PLACES.sub(lambda match: places[match[1]], text)
        if arguments.strip() and not found:
            text = f"{text.rstrip()}\n\nARGUMENTS: {arguments}\n"
        return text

    def _word(self, key: str) -> str:
        held = self.values.get(key)
        return "" if held is None or isinstance(held, list | dict) else normalise(str(held))


def read_skill(text: str) -> SkillFile:
    """The parts of a SKILL.md; a text without frontmatter has no values.

    Raises PageError where the frontmatter cannot be read.
    """
    text = text.replace("\r\n", "\n")
    start = body_start(text)
    front = text[:start].strip("\ufeff\n ").split("\n")[1:-1]
    return SkillFile(load_yaml("\n".join(front)) if start else {}, text[start:].strip("\n") + "\n")


def matches(pattern: str, path: str) -> bool:
    """Whether a path is one of a pattern: `*` within a name, `**` for any number of folders."""
    return _matches(tuple(pattern.split("/")), tuple(path.split("/")))


def _matches(pattern: Sequence[str], path: Sequence[str]) -> bool:
    # The places of the pattern that are reached after each name: linear in their product.
    reached = _behind_stars(pattern, {0})
    for name in path:
        following = set()
        for at in reached:
            if at < len(pattern) and pattern[at] == "**":
                following.add(at)
            elif at < len(pattern) and fnmatchcase(name, pattern[at]):
                following.add(at + 1)
        reached = _behind_stars(pattern, following)
    return len(pattern) in reached


def _behind_stars(pattern: Sequence[str], reached: set[int]) -> set[int]:
    for at in range(len(pattern)):
        if at in reached and pattern[at] == "**":
            reached.add(at + 1)
    return reached


def _words(value: object, separator: str) -> tuple[str, ...]:
    """The words of a list, or of a text that holds several; parentheses keep one together."""
    if isinstance(value, list):
        return tuple(normalise(str(each)) for each in value if normalise(str(each)))
    if not isinstance(value, str):
        return ()
    found, depth = [""], 0
    for char in value:
        depth = max(depth + (char == "(") - (char == ")"), 0)
        if char in (separator, ",", "\n") and not depth:
            found.append("")
        else:
            found[-1] += char
    return tuple(word.strip() for word in found if word.strip())


def _split(arguments: str) -> list[str]:
    import shlex

    try:
        return shlex.split(arguments)
    except ValueError:
        # A quote that nobody closed.
        return arguments.split()
