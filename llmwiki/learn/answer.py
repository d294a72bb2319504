"""What a model or an agent answers of a conversation. Every string in it is untrusted."""

from __future__ import annotations

from pydantic import BaseModel, Field

from llmwiki.learn.item import LearnedItem, LearnedQuote


class AnswerQuote(BaseModel, extra="forbid", frozen=True):
    """Words that were said."""

    turn: int = Field(ge=1, description="The number of the turn, copied")
    words: str = Field(description="Contiguous words of that turn, copied exactly")


class AnswerItem(BaseModel, extra="forbid", frozen=True):
    """One thing to be kept."""

    text: str = Field(description="One sentence understood by somebody who was not there")
    kind: str = Field(description="fact, preference, decision, event, procedure or task")
    quotes: list[AnswerQuote] = Field(description="1 to 4: the words that say it")
    key: str = Field(default="", description="What it is about, where a later value may follow")
    value: str = Field(default="", description="Its value, as the quotes have it")
    replaces: str = Field(default="", description="The id of the note (n-…) that it corrects")

    @property
    def item(self) -> LearnedItem:
        """As memory takes it."""
        quotes = tuple(LearnedQuote(each.turn, each.words) for each in self.quotes)
        replaces = self.replaces.rpartition("^")[2].removesuffix("]]")
        return LearnedItem(self.text, self.kind, quotes, self.key, self.value, replaces)


class LearnedAnswer(BaseModel, extra="forbid", frozen=True):
    """The whole answer."""

    items: list[AnswerItem] = Field(description="Empty where there is nothing to save")
