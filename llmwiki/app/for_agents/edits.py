"""What an agent writes itself, held against lint's rules of safety before it lands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from llmwiki.changes import edit_and_supersede
from llmwiki.core.errors import PolicyError

if TYPE_CHECKING:
    from llmwiki.changes.change_skills import ChangedSkill, SkillEdit
    from llmwiki.changes.edit_and_supersede import EditedPage
    from llmwiki.landing.open_wiki import OpenWiki


def edit_page(
    wiki: OpenWiki,
    name: str,
    change: Callable[[str], str],
    *,
    session: str = "",
    turn: int = 0,
    dry_run: bool = False,
    allow_detached: bool = False,
) -> EditedPage:
    """Rewrites the prose of a page, in one commit; with `dry_run` nothing is written.

    `change` takes the whole text of the page and gives the new one; it may be called again.
    Raises InputError for no such page, PolicyError where more than prose would change or where
    there would be a secret or another error of safety (WK601 to WK611) that was not there
    before, and what `change` raises.
    """
    from llmwiki.lint.rules.safety import demand_no_new_error

    return edit_and_supersede.edit_page(
        wiki.state,
        name,
        change,
        session=session,
        turn=turn,
        dry_run=dry_run,
        terms=wiki.landing(allow_detached),
        demand_safe=demand_no_new_error,
    )


def change_skill(
    wiki: OpenWiki, edit: SkillEdit, *, dry_run: bool = False, allow_detached: bool = False
) -> ChangedSkill:
    """Makes, changes or deletes a skill of the agent, in one commit; with `dry_run` nothing is
    written.

    Raises InputError for what it may not hold, PolicyError for a skill of people, a secret, or
    words by which texts take over the models that read them.
    """
    from llmwiki.changes.change_skills import change_skill

    return change_skill(
        wiki.state,
        edit,
        demand_safe,
        dry_run=dry_run,
        terms=wiki.landing(allow_detached),
    )


def demand_safe(folder: str, texts: Mapping[str, str]) -> None:
    """Raises PolicyError for a skill that agents would refuse, or that addresses a model as texts
    do that take it over, hides text, holds a secret or runs something."""
    files = {name: text.encode("utf-8", "replace") for name, text in texts.items()}
    from llmwiki.lint.rules.skills import check_skill, is_refused

    wrong = [each for each in check_skill(folder, files) if is_refused(each)]
    if wrong:
        first = wrong[0]
        raise PolicyError(
            f"this skill is not taken: {first.message} ({first.code})",
            where=f"{first.path}:{first.line}" if first.line else first.path,
            fix=first.mend or f"`wiki lint --explain {first.code}` says why.",
        )
