"""How much of a model's window a conversation fills, and what makes room in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from llmwiki.chat import condense, history
from llmwiki.chat.window import (
    WindowRules,
    habit_of,
    is_long_talk,
    must_shrink,
    prune_action,
    summary_parts,
    threshold,
    tokens_in,
    turn_limit,
)
from llmwiki.core.errors import ModelOutputError, PolicyError
from llmwiki.core.secrets import redacted
from llmwiki.models.messages import Reply, TextBlock, Turn
from llmwiki.models.usage import CostError

if TYPE_CHECKING:
    from llmwiki.chat.entries import Message
    from llmwiki.chat.prompt import SystemPrompt
    from llmwiki.chat.transcript import SessionFile
    from llmwiki.models.client import Client


@dataclass
class ConversationWindow:
    """The window of the model that a conversation is held with."""

    file: SessionFile
    client: Client | None
    size: int = 200_000
    """Tokens."""
    rules: WindowRules = field(default_factory=WindowRules)
    counted: int = 0
    """Tokens of the last request and its answer, as the provider counted them; 0: something was
    hidden since."""

    @property
    def shown(self) -> history.Messages:
        """The messages that the model is shown."""
        return history.effective(self.file.messages)

    def tokens(self, prompt: SystemPrompt) -> int:
        """Tokens of the next request: an estimate, or as counted last where that is more."""
        guessed = tokens_in([prompt.text], self.rules.tokens) + prompt.tool_tokens
        return max(guessed + self.talk_tokens, self.counted)

    @property
    def talk_tokens(self) -> int:
        """Tokens of the messages that are shown: an estimate."""
        texts = [block.text for message in self.shown for block in message.blocks]
        return tokens_in(texts, self.rules.tokens)

    @property
    def keep(self) -> int:
        """Messages that stay when the talk shrinks."""
        habit = habit_of(self.client.settings.model).keep if self.client else history.KEEP
        return self.rules.keep or habit

    def hide(self, make: Callable[[str], history.HiddenMessages | None]) -> str:
        """Writes an act that hides messages; its id, or "" where there is nothing to hide."""
        self.counted = 0
        return self.file.act(make)

    def drop(self) -> bool:
        """Hides the oldest messages at once; whether there were any."""
        percent = self.rules.dropped
        return bool(self.hide(lambda act: history.emergency_drop(self.file.messages, act, percent)))

    def shrunk(self, prompt: SystemPrompt, *, is_tainted: bool) -> str:
        """Makes room before a request, where it needs some; what was done, in one line."""
        assert self.client is not None
        settings, rules = self.client.settings, self.rules
        limit = turn_limit(rules, settings.model)
        if limit and len(self.shown) > 2 * limit:
            self._pruned(2 * limit, "")
        tokens = self.tokens(prompt)
        action = prune_action(tokens, self.size, rules)
        if action != "none":
            told = self.shown[: -self.keep] if action == "soft" else ()
            act = self._pruned(self.keep, self._summary(told) if told else "")
            return f"the oldest messages are hidden; /restore {act} brings them back" if act else ""
        reserve = min(settings.max_output_tokens, self.size // 4)
        percent = threshold(rules.threshold, habit_of(settings.model).threshold)
        is_long = is_long_talk(len(self.shown), self.talk_tokens, self.size, rules)
        is_full = must_shrink(tokens, self.size, reserve, percent, condenses=rules.condenses)
        if not is_full and not is_long:
            return ""
        said = self.condense(is_tainted=is_tainted)
        return said if len(self.shown) > 1 else ""

    def _pruned(self, keep: int, summary: str) -> str:
        """Hides all but the last messages; those of the turn that runs stay."""
        running = sum(message.turn == self.file.turn for message in self.shown)
        most = max(keep, running)
        return self.hide(
            lambda act: history.pruned(self.file.messages, act, keep=most, summary=summary)
        )

    def condense(self, *, is_tainted: bool) -> str:
        """Puts a summary in the place of the older messages, or hides them where there is no
        summary; what was done, in one line."""
        keep, rules = self.keep, self.rules
        with suppress(history.CondenseRefused):
            told = history.to_condense(self.file.messages, keep, keep_first=rules.keep_first)
            parts = summary_parts(len(told), rules.halves)
            cuts = [sum(parts[:n]) for n in range(len(parts) + 1)]
            summaries = [self._summary(told[a:b]) for a, b in pairwise(cuts)]
            summary = "\n\n".join(summaries) if all(summaries) else ""
            if summary:
                words: list[condense.KeptWords] = []

                def make(ident: str) -> history.HiddenMessages:
                    made, kept = condense.with_words(
                        self.file.messages,
                        ident,
                        summary,
                        keep=keep,
                        window=self.size,
                        is_tainted=is_tainted,
                        keep_first=rules.keep_first,
                        keep_words=rules.keep_words,
                    )
                    words.append(kept)
                    return made

                before = len(self.shown)
                act = self.hide(make)
                return (
                    f"condensed {before} messages to {len(self.shown)}: {words[0].kept} of yours"
                    f" are kept word for word, {words[0].named} are named; /restore {act} brings"
                    " all back"
                )
        act = self.hide(lambda ident: history.truncated(self.file.messages, 0.5, ident))
        if not act:
            return "there is nothing to condense yet"
        return f"the older half is hidden; /restore {act} brings it back"

    def _summary(self, told: Sequence[Message]) -> str:
        """The model's summary; empty where there is none or it is no shorter."""
        if self.client is None:
            return ""
        turn = Turn("user", (TextBlock(condense.told_text(told)),))
        try:
            *_, last = self.client.text([TextBlock(condense.CONDENSE_RULES)], [turn])
        except (ModelOutputError, PolicyError) as failure:
            if isinstance(failure, CostError):
                raise
            return ""
        assert isinstance(last, Reply)
        share = habit_of(self.client.settings.model).compression
        text = redacted(last.text.strip())
        return text if condense.is_shorter(text, told, share) else ""
