"""Forget: the model names entries, code takes exactly those out."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

from qmemd.agent import measure
from qmemd.agent.models.base import Choice, Model
from qmemd.agent.run import Run
from qmemd.agent.workspace import WorkspaceMemory
from qmemd.errors import MemoryFilesError
from qmemd.kinds import Scope
from qmemd.memory.changes import ChangeSet
from qmemd.memory.draft import Draft
from qmemd.memory.entries import Entry, remove_entry
from qmemd.memory.memorypath import MemoryPath
from qmemd.results import ForgetResult
from qmemd.tasks import Forget

_log = logging.getLogger(__name__)

MAX_REMOVED = 50
"""Entries that one forget may take out, whatever the model says."""


def forget(request: Forget, run: Run, model: Model, memory: WorkspaceMemory) -> dict[str, Any]:
    """The forget result on the wire; nothing found is a success with empty lists.

    Raises:
        TaskFailedError: nothing was removed.
    """
    run.check()
    offered = _candidates(memory, [request.scope] if request.scope else list(Scope))
    choice = model.choose(request.query, offered)
    run.check()
    draft = memory.draft()
    for entry in _last_first(_chosen(choice, offered)):
        _take_out(entry, draft)
    changes = draft.changes()
    if changes:
        return memory.commit(changes, run, model.name, lambda done: _result(memory, done))
    summary = choice.reason or "Nothing in the memory matches this."
    return ForgetResult(memory.leave_as_is(run, summary)).to_wire()


def _candidates(memory: WorkspaceMemory, scopes: Iterable[Scope]) -> list[Entry]:
    return [
        entry
        for scope in scopes
        for found in memory.scan(scope).documents
        if not found.pinned
        for entry in found.entries
    ]


def _chosen(choice: Choice, offered: Iterable[Entry]) -> list[Entry]:
    """The entries behind the ids, each once; ids that were never offered are dropped."""
    by_id = {entry.entry_id: entry for entry in offered}
    ids = list(dict.fromkeys(choice.ids))
    chosen = [by_id[entry_id] for entry_id in ids if entry_id in by_id]
    dropped = len(choice.ids) - len(chosen)
    if dropped:
        _log.warning("dropped %d ids of entries that were not offered, or repeated", dropped)
    if len(chosen) > MAX_REMOVED:
        _log.warning("a forget named %d entries; only %d are removed", len(chosen), MAX_REMOVED)
    return chosen[:MAX_REMOVED]


def _last_first(entries: Iterable[Entry]) -> list[Entry]:
    """From the end of each document, so that the numbers of those above stay true."""
    return sorted(entries, key=lambda entry: (entry.scope, entry.path, -(entry.number or 0)))


def _take_out(entry: Entry, draft: Draft) -> None:
    path = MemoryPath(entry.scope, entry.path)
    try:
        data = draft.read(path)
        if data is None:
            return
        if entry.number is not None:
            rest = remove_entry(data, entry.number, entry.text)
        elif [present.text for present in measure.entries_in(path, data)] == [entry.text]:
            rest = None
        else:
            _log.warning("an entry was changed meanwhile and stays")
            return
    except (MemoryFilesError, OSError) as error:
        _log.warning("an entry could not be taken out and stays: %s", type(error).__name__)
        return
    if rest is None:
        draft.remove(path)
    else:
        draft.write(path, rest)


def _result(memory: WorkspaceMemory, done: ChangeSet) -> dict[str, Any]:
    removed = measure.entry_changes(done.files).removed
    return ForgetResult(
        summary=f"Forgot {measure.count(len(removed), 'entry', 'entries')}.",
        removed_entries=tuple(measure.removed_entry(memory.paths, entry) for entry in removed),
        touched_topics=tuple(sorted({entry.topic for entry in removed})),
        touched_scopes=measure.scopes(done.files),
        change_set_id=done.change_set_id,
    ).to_wire()
