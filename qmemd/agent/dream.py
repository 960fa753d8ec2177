"""Dream: tidies what is remembered, within bounds, and repairs the indexes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from qmemd.agent import measure
from qmemd.agent.duplicates import count_merged, find_duplicates
from qmemd.agent.exposure import blots_for, read_limit
from qmemd.agent.kept import relied_on
from qmemd.agent.listing import list_documents
from qmemd.agent.loop import run_agent
from qmemd.agent.models.base import Conversation, DreamBrief, Model
from qmemd.agent.prompts import dream_messages, new_fence
from qmemd.agent.run import MAX_TURNS, Run
from qmemd.agent.scope import MemoryScope
from qmemd.agent.tools import Tools
from qmemd.agent.view import DraftView
from qmemd.agent.workspace import WorkspaceMemory
from qmemd.kinds import Scope
from qmemd.memory.changes import ChangeSet
from qmemd.memory.meta import update_meta
from qmemd.memory.paths import MemoryPaths
from qmemd.memory.scan import Scan
from qmemd.results import DreamResult
from qmemd.tasks import Dream, iso


def dream(
    request: Dream,
    run: Run,
    model: Model,
    memory: WorkspaceMemory,
    clock: Callable[[], datetime],
) -> dict[str, Any]:
    """The dream result on the wire; nothing to merge is a success with empty lists.

    Raises:
        TaskFailedError: nothing was changed.
    """
    run.check()
    scans = [memory.scan(scope) for scope in Scope]
    draft = memory.draft()
    bounds = MemoryScope(memory.paths, list(Scope))
    blots = blots_for(model, memory.secrets)
    view = DraftView(memory.paths, draft, memory.scan, blots=blots)
    tools = Tools(view, bounds, dreaming=True, read_limit=read_limit(model))
    duplicates = find_duplicates(scans)
    brief = DreamBrief(
        user_root=memory.paths.user.path,
        project_root=memory.paths.project.path,
        duplicates=tuple(map(blots.group, duplicates)),
    )
    if any(scan.documents for scan in scans):
        messages = dream_messages(
            brief, list_documents(scans, blots.document), new_fence(), clock(), MAX_TURNS
        )
        run_agent(model, Conversation(brief, messages, tools.schemas), tools, run)
    changes = draft.changes()
    if changes and request.preview:
        return memory.preview(
            changes,
            run,
            model.name,
            lambda done: _result(memory.paths, done, scans, preview=True),
        )
    if changes:
        wire = memory.commit(
            changes,
            run,
            model.name,
            lambda done: _result(memory.paths, done, scans),
            relied_on(duplicates, changes, draft),
        )
    else:
        summary = memory.leave_as_is(run, _nothing_done(len(duplicates)), preview=request.preview)
        wire = DreamResult(summary).to_wire()
    if not request.preview:
        _note(memory.paths, wire, clock())
    return wire


def _nothing_done(duplicates: int) -> str:
    if not duplicates:
        return "Nothing to merge: no two entries of one scope and type are equal."
    left = measure.count(duplicates, "text is", "texts are")
    return f"Nothing was changed, though {left} there more than once."


def _result(
    paths: MemoryPaths, done: ChangeSet, scans: Sequence[Scan], *, preview: bool = False
) -> dict[str, Any]:
    entries = measure.entry_changes(done.files)
    merged = count_merged(done.files, scans)
    gone = [change for change in done.files if change.after is None]
    changed = [change for change in done.files if change.after is not None]
    done_to = [
        f"{verb} {measure.count(number, noun, nouns)}"
        for verb, number, noun, nouns in (
            ("merged", merged, "duplicate", "duplicates"),
            ("changed", len(changed), "document", "documents"),
            ("removed", len(gone), "document", "documents"),
        )
        if number
    ]
    told = ", ".join(done_to)
    return DreamResult(
        summary=f"To be done: {told}." if preview else f"{told[0].upper()}{told[1:]}.",
        touched_topics=entries.topics,
        deduped_entries=merged,
        touched_scopes=() if preview else measure.scopes(done.files),
        changed_files=tuple(measure.absolute(paths, change.path) for change in changed),
        removed_files=tuple(measure.absolute(paths, change.path) for change in gone),
        change_set_id=done.change_set_id,
    ).to_wire()


def _note(paths: MemoryPaths, wire: dict[str, Any], now: datetime) -> None:
    """Best effort: the dream is over, whatever becomes of this."""
    update_meta(
        paths,
        now,
        lastDreamAt=iso(now),
        lastDreamStatus="updated" if wire["changeSetId"] else "noop",
        lastDreamTouchedTopics=wire["touchedTopics"],
    )
