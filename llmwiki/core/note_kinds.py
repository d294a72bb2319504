"""What a note of the memory may be, and who may have told it."""

from __future__ import annotations

NOTE_KINDS = ("fact", "preference", "decision", "event", "procedure", "task")
"""The kinds of notes."""
SAID = "said"
"""The kind of a note of the day that holds what was said, word for word."""
RULES = ("preference", "procedure")
"""Kinds that say how to act: only what a person typed makes one."""
SPEAKERS = ("person", "agent")
"""Who takes part in a conversation, the person first."""
TELLERS = (*SPEAKERS, "page", "web", "file", "tool")
"""Who may have told a note: a speaker, or a text of others."""
