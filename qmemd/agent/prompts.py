"""What a language model is told. What users typed or stored goes between random delimiters."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from qmemd.agent.models.base import DreamBrief, DuplicateGroup, Message, RememberBrief
from qmemd.agent.prompt_texts import DATA, DREAM, FORMAT, KNOWN, NOTHING_KNOWN, REMEMBER
from qmemd.kinds import Scope
from qmemd.memory.entries import Entry

_MAX_GROUPS = 50
"""Groups of equal entries that are listed."""


def new_fence() -> str:
    """A delimiter that nobody who wrote the text could have guessed."""
    return f"=====data-{secrets.token_hex(16)}====="


def remember_messages(
    brief: RememberBrief, indexes: Iterable[tuple[Scope, str]], fence: str, now: datetime
) -> tuple[Message, ...]:
    """The opening of a remember run; ``indexes`` is empty when earlier memory is not shown."""
    shown = list(indexes)
    system = REMEMBER.format(
        today=_day(now),
        known=KNOWN if shown else NOTHING_KNOWN,
        user_root=brief.user_root,
        project_root=brief.project_root,
        where=_where(brief.scope),
        format=FORMAT,
        data=DATA.format(fence=fence),
    )
    parts = [f"Index of {scope.value} memory:\n{_fenced(text, fence)}" for scope, text in shown]
    parts.append(f"The fact to remember:\n{_fenced(brief.fact, fence)}")
    return Message("system", system), Message("user", "\n\n".join(parts))


def dream_messages(
    brief: DreamBrief, listing: str, fence: str, now: datetime, turns: int
) -> tuple[Message, ...]:
    """The opening of a dream run; ``listing`` is what `list_documents` makes."""
    system = DREAM.format(
        today=_day(now),
        turns=turns,
        user_root=brief.user_root,
        project_root=brief.project_root,
        format=FORMAT,
        data=DATA.format(fence=fence),
    )
    groups = "\n\n".join(_group(group, brief) for group in brief.duplicates[:_MAX_GROUPS])
    more = len(brief.duplicates) - _MAX_GROUPS
    rest = f"\n{more} more groups are left for the next run." if more > 0 else ""
    text = (
        f"The documents:\n{_fenced(listing or '(none)', fence)}\n\n"
        f"Groups of equal entries:\n{_fenced(groups or '(none)', fence)}{rest}"
    )
    return Message("system", system), Message("user", text)


def _day(now: datetime) -> str:
    return f"{now.astimezone(UTC):%A, %Y-%m-%d}"


def _where(scope: Scope | None) -> str:
    if scope is None:
        return (
            "`user` goes to user memory; `feedback` too, unless it is plainly a rule for everyone\n"
            "on the project; `project` goes to project memory; `reference` too, unless the thing\n"
            "is the user's own."
        )
    return f"Write to {scope.value} memory only, whatever the type."


def _fenced(text: str, fence: str) -> str:
    return f"{fence}\n{text}\n{fence}"


def _group(group: DuplicateGroup, brief: DreamBrief) -> str:
    return "\n".join(
        [f"keep {_place(group.keep, brief)}"]
        + [f"take out {_place(entry, brief)}" for entry in group.extra]
    )


def _place(entry: Entry, brief: DreamBrief) -> str:
    root: Path = brief.user_root if entry.scope is Scope.USER else brief.project_root
    which = "" if entry.number is None else f" (entry {entry.number} of the list, from 0)"
    return f"{root / entry.path}{which}: {' '.join(entry.text.split())[:200]}"
