"""Forget: the model names entries, code takes exactly those out."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from qmemd.agent import measure
from qmemd.agent.exposure import blots_for
from qmemd.agent.models.base import Model
from qmemd.agent.retelling import renamed, retold
from qmemd.agent.run import Run
from qmemd.agent.selection import Selection, select
from qmemd.agent.workspace import WorkspaceMemory
from qmemd.erasure import ERASED, without
from qmemd.errors import MemoryFilesError
from qmemd.kinds import Scope
from qmemd.memory.changes import ChangeSet, FileChange
from qmemd.memory.draft import Draft
from qmemd.memory.entries import Entry, remove_entry
from qmemd.memory.memorypath import MemoryPath
from qmemd.memory.names import free_name, tells
from qmemd.results import ERASED_TEXTS, ForgetResult
from qmemd.tasks import Forget

_log = logging.getLogger(__name__)


def forget(request: Forget, run: Run, model: Model, memory: WorkspaceMemory) -> dict[str, Any]:
    """The forget result on the wire; nothing found is a success with empty lists.

    Raises:
        TaskFailedError: nothing was removed.
    """
    run.check()
    candidates = _candidates(memory, [request.scope] if request.scope else list(Scope))
    selection = select(request.query, candidates, model, run, blots_for(model, memory.secrets))
    draft = memory.draft()
    for entry in _last_first(selection.entries):
        _take_out(entry, draft)
    _retell(selection.entries, draft)
    changes = draft.changes()
    if changes and request.preview:
        return memory.preview(
            changes, run, model.name, lambda done: _result(memory, done, selection, preview=True)
        )
    if changes:
        texts = _texts(changes) if request.erase else ()
        wire = memory.commit(
            changes,
            run,
            model.name,
            lambda done: _erased(texts, _result(memory, done, selection, preview=False)),
            erases=texts,
        )
        return wire | ({ERASED_TEXTS: list(texts)} if texts else {})
    if selection.entries:
        summary = "What matched was changed meanwhile; nothing was removed."
    else:
        summary = selection.reason
    summary = " ".join(filter(None, (summary, selection.note)))
    return ForgetResult(memory.leave_as_is(run, summary, preview=request.preview)).to_wire()


def _candidates(memory: WorkspaceMemory, scopes: Iterable[Scope]) -> list[Entry]:
    return [
        entry
        for scope in scopes
        for found in memory.scan(scope).documents
        if not found.pinned
        for entry in found.entries
    ]


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


def _retell(entries: Iterable[Entry], draft: Draft) -> None:
    """Takes what left a list out of its name, its description, and the name of its file."""
    of_lists: dict[MemoryPath, list[str]] = {}
    for entry in entries:
        if entry.number is not None:
            of_lists.setdefault(MemoryPath(entry.scope, entry.path), []).append(entry.text)
    for path, removed in of_lists.items():
        try:
            rest = draft.read(path)
            if rest is None or rest == draft.before(path):
                continue
            draft.write(path, retold(rest, removed))
            if stem := renamed(path.name.removesuffix(".md"), rest, removed):
                _move(path, stem, draft)
        except (MemoryFilesError, OSError) as error:
            _log.warning("a list keeps its head: %s", type(error).__name__)


def _move(path: MemoryPath, stem: str, draft: Draft) -> None:
    directory = path.relative.rpartition("/")[0]
    taken = {name.casefold() for name in draft.list_directory(path.scope, directory)}
    name = free_name(stem, taken)
    target = MemoryPath(path.scope, f"{directory}/{name}" if directory else name)
    content = draft.read(path)
    if content is not None:
        draft.write(target, content)
        draft.remove(path, merged_into=target)


def _removed(changes: Sequence[FileChange]) -> tuple[Entry, ...]:
    """The entries that are gone; what moved along with its file is not."""
    found = measure.entry_changes(changes)
    moved = Counter((entry.scope, entry.topic, entry.text) for entry in found.added)
    gone = []
    for entry in found.removed:
        key = (entry.scope, entry.topic, entry.text)
        if moved[key]:
            moved[key] -= 1
        else:
            gone.append(entry)
    return tuple(gone)


def _texts(changes: Sequence[FileChange]) -> tuple[str, ...]:
    """What is to be gone for good: the removed entries, what they are called, and names of files.

    A file is named after what it says; where the name tells, it goes like the text.
    """
    removed = _removed(changes)
    texts = [text for entry in removed for text in (entry.text, entry.name, entry.description)]
    gone = {change.path.relative for change in changes if change.after is None}
    for entry in removed:
        name = entry.path.rpartition("/")[2]
        told = f"{entry.text}\n{entry.name}\n{entry.description}"
        if entry.path in gone and tells(name.removesuffix(".md"), told):
            texts.append(f"/{name}")
    return tuple(dict.fromkeys(text.strip() for text in texts if text and text.strip()))


def _erased(texts: tuple[str, ...], wire: dict[str, Any]) -> dict[str, Any]:
    """The result without the texts: even a summary of one tells too much."""
    if not texts:
        return wire
    removed = [entry | {"summary": ERASED} for entry in wire["removedEntries"]]
    cleaned: dict[str, Any] = without(texts, wire | {"removedEntries": removed})
    return cleaned


def _result(
    memory: WorkspaceMemory, done: ChangeSet, selection: Selection, *, preview: bool
) -> dict[str, Any]:
    removed = _removed(done.files)
    verb = "Would forget" if preview else "Forgot"
    summary = f"{verb} {measure.count(len(removed), 'entry', 'entries')}."
    return ForgetResult(
        summary=" ".join(filter(None, (summary, selection.note))),
        removed_entries=tuple(measure.removed_entry(memory.paths, entry) for entry in removed),
        touched_topics=tuple(sorted({entry.topic for entry in removed})),
        touched_scopes=() if preview else measure.scopes(done.files),
        change_set_id=done.change_set_id,
    ).to_wire()
