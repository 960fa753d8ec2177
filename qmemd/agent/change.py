"""Change: does a kept change set, undoes it, or drops it. No model is asked."""

from __future__ import annotations

from typing import Any

from qmemd.agent import measure
from qmemd.agent.run import Run
from qmemd.agent.workspace import WorkspaceMemory
from qmemd.kinds import ChangeState
from qmemd.memory.changes import ChangeSet
from qmemd.memory.paths import MemoryPaths
from qmemd.results import ChangeResult
from qmemd.tasks import Change

_VERBS = {
    ChangeState.APPLIED: "Applied",
    ChangeState.REVERTED: "Reverted",
    ChangeState.DISCARDED: "Discarded",
}


def change(request: Change, run: Run, memory: WorkspaceMemory) -> dict[str, Any]:
    """The result on the wire.

    Raises:
        TaskFailedError: nothing was changed.
    """
    run.check()
    return memory.move(
        request.change_set_id,
        request.action,
        run,
        lambda done, state: _result(memory.paths, request.change_set_id, done, state),
    )


def _result(
    paths: MemoryPaths, change_set_id: str, done: ChangeSet, state: ChangeState
) -> dict[str, Any]:
    gone = [each for each in done.files if each.after is None]
    left = [each for each in done.files if each.after is not None]
    parts = [
        f"{measure.count(len(found), 'document', 'documents')} {what}"
        for found, what in ((left, "written"), (gone, "removed"))
        if found
    ]
    told = f": {', '.join(parts)}" if parts else ""
    return ChangeResult(
        summary=f"{_VERBS[state]}{told}.",
        change_set_id=change_set_id,
        state=state,
        changed_files=tuple(measure.absolute(paths, each.path) for each in left),
        removed_files=tuple(measure.absolute(paths, each.path) for each in gone),
        touched_scopes=measure.scopes(done.files),
    ).to_wire()
