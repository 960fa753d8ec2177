"""Plans a dream run: every duplicate that code has found goes, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qmemd.agent.models.base import Conversation, DreamBrief, Reply
from qmemd.agent.models.offline.steps import Step, Steps
from qmemd.errors import MemoryFilesError
from qmemd.kinds import Scope
from qmemd.memory.documents import parse
from qmemd.memory.entries import Entry, remove_entry
from qmemd.memory.equality import equality_key

_CALLS_A_TURN = 500
_LAST_TURN = 5
"""Turns before the closing one; what is left then waits for the next dream."""
_CUT = "\n[Cut: "

Call = tuple[str, Mapping[str, Any]]


class DreamPlan:
    """The next turn of one dream run."""

    def __init__(self, brief: DreamBrief, conversation: Conversation) -> None:
        self._roots = {Scope.USER: brief.user_root, Scope.PROJECT: brief.project_root}
        self._steps = Steps(conversation)
        self._extra: dict[str, list[tuple[Entry, str]]] = {}
        """Path of a document → its surplus entries, each with the path of the one that stays."""
        for group in brief.duplicates:
            for entry in group.extra:
                pair = (entry, self._path(group.keep))
                self._extra.setdefault(self._path(entry), []).append(pair)

    def reply(self) -> Reply:
        """Calls while a duplicate is left, else the summary."""
        changes = self._steps.of("remove") + self._steps.of("write_file") + self._steps.of("edit")
        if self._steps.turns < _LAST_TURN:
            settled = {step.call.arguments["file_path"] for step in changes}
            reads = self._steps.of("read_file")
            asked = {step.call.arguments["file_path"] for step in reads}
            calls: list[Call] = []
            for read in reads:
                if read.call.arguments["file_path"] not in settled:
                    calls += self._change(read)
            unread = [path for path in self._extra if path not in asked]
            calls += [("read_file", {"file_path": path}) for path in unread[:_CALLS_A_TURN]]
            if calls:
                return self._steps.ask(*calls)
        return Reply(_summary(sum(step.text is not None for step in changes)))

    def _change(self, read: Step) -> list[Call]:
        """The call that takes the surplus entries out of a document that was read."""
        path = str(read.call.arguments["file_path"])
        surplus = self._extra.get(path, [])
        if read.text is None or _was_cut(read.text) or not surplus:
            return []
        before = read.text.encode()
        after = _without(before, [entry for entry, _ in surplus])
        if after == before:
            return []
        document = parse(before)
        if after is None:
            return [("remove", {"file_path": path, "merged_into": surplus[0][1]})]
        if document.name and document.topic:
            return [("write_file", {"file_path": path, "content": after.decode()})]
        # A list without a proper head cannot be written anew; an edit keeps it as it is.
        edit = {"file_path": path, "old_string": read.text, "new_string": after.decode()}
        return [("edit", edit)]

    def _path(self, entry: Entry) -> str:
        return str(self._roots[entry.scope] / entry.path)


def _without(before: bytes, surplus: Sequence[Entry]) -> bytes | None:
    """The document without these entries; None when none is left.

    As it was, when one of them is not there any more.
    """
    if any(entry.number is None for entry in surplus):
        same = equality_key(parse(before).body) == equality_key(surplus[0].text)
        return None if same else before
    after: bytes | None = before
    # From the back, so that the numbers of those before stay right.
    for entry in sorted(surplus, key=lambda one: one.number or 0, reverse=True):
        try:
            after = after and remove_entry(after, entry.number or 0, entry.text)
        except MemoryFilesError:
            return before
    return after or None


def _was_cut(text: str) -> bool:
    """Whether the tool says, in its last line, that there is more."""
    return text.rstrip("\n").rpartition("\n")[2].startswith(_CUT)


def _summary(changed: int) -> str:
    if not changed:
        return "There is nothing to merge."
    return f"Merged duplicates in {changed} document{'s' if changed > 1 else ''}."
