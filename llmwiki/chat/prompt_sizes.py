"""What the next request is made of, and how many tokens each part has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from llmwiki.chat.prompt import SystemPrompt


@dataclass(frozen=True, slots=True)
class PromptPart:
    """One part of a request."""

    name: str
    source: str
    tokens: int


@dataclass(frozen=True, slots=True)
class PromptSizes:
    """The parts of a request."""

    parts: tuple[PromptPart, ...]
    is_counted: bool
    """Whether the server counted the whole, to which the estimates of the parts are scaled."""

    @property
    def total(self) -> int:
        """Tokens of all parts."""
        return sum(part.tokens for part in self.parts)


def prompt_sizes(
    prompt: SystemPrompt, messages: int, tokens: int, counted: int | None
) -> PromptSizes:
    """The parts of a request of that many `messages`, which have so many `tokens` by estimate.

    `counted` are the tokens of the whole as the server counts them; None: it does not.
    """
    parts = [
        PromptPart(each.name, f"{each.source}{', cut' if each.is_cut else ''}", each.tokens)
        for each in prompt.sections
    ]
    parts.append(PromptPart("tools", str(len(prompt.tools)), prompt.tool_tokens))
    parts.append(PromptPart("messages", str(messages), tokens))
    if counted is None:
        return PromptSizes(tuple(parts), False)
    sizes = scaled([part.tokens for part in parts], counted)
    scaled_parts = (
        PromptPart(part.name, part.source, size) for part, size in zip(parts, sizes, strict=True)
    )
    return PromptSizes(tuple(scaled_parts), True)


def scaled(sizes: Sequence[int], total: int) -> list[int]:
    """The sizes in their proportions, so that they add to `total`: what rounding leaves goes to the
    largest remainders, the first ones first."""
    whole = sum(sizes) or 1
    made = [size * total // whole for size in sizes]
    rest = [size * total % whole for size in sizes]
    for place in sorted(range(len(sizes)), key=lambda n: -rest[n])[: total - sum(made)]:
        made[place] += 1
    return made
