"""Remember: the agent files one fact."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any

from qmemd.agent import measure
from qmemd.agent.exposure import blots_for, read_limit
from qmemd.agent.known import KnownTexts
from qmemd.agent.loop import run_agent
from qmemd.agent.models.base import Conversation, Model, RememberBrief
from qmemd.agent.prompts import new_fence, remember_messages
from qmemd.agent.run import Run
from qmemd.agent.scope import MemoryScope
from qmemd.agent.tools import Tools
from qmemd.agent.view import DraftView
from qmemd.agent.workspace import WorkspaceMemory
from qmemd.errors import TaskFailedError
from qmemd.kinds import ContextMode, Scope
from qmemd.memory.changes import ChangeSet, FileChange
from qmemd.memory.index import render_index
from qmemd.memory.memorypath import MemoryPath
from qmemd.memory.secrets import SecretPolicy, find_secret, mask
from qmemd.results import RememberResult
from qmemd.tasks import Remember


def remember(
    request: Remember,
    run: Run,
    model: Model,
    memory: WorkspaceMemory,
    clock: Callable[[], datetime],
) -> dict[str, Any]:
    """The remember result on the wire.

    Raises:
        TaskFailedError: nothing was stored.
    """
    request = replace(request, content=_cleared(request.content, memory.secrets))
    if not any(letter.isprintable() and not letter.isspace() for letter in request.content):
        raise TaskFailedError("remember_failed", details="The fact holds no visible letter.")
    clean = request.context_mode is ContextMode.CLEAN
    scans = {} if clean else {scope: memory.scan(scope) for scope in sorted(Scope, reverse=True)}
    writable = [request.scope] if request.scope else list(Scope)
    bounds = MemoryScope(memory.paths, writable)
    draft = memory.draft()
    blots = blots_for(model, memory.secrets)
    view = DraftView(memory.paths, draft, memory.scan, blind=clean, blots=blots)
    tools = Tools(view, bounds, read_limit=read_limit(model))
    indexes = [
        (scope, render_index(scan.documents, blots.document).decode())
        for scope, scan in scans.items()
    ]
    run_agent(model, _conversation(request, memory, indexes, tools, clock()), tools, run)

    known = KnownTexts(scans.values())
    changes, repeated = _without_repeats(draft.changes(), known)
    if changes:
        return memory.commit(changes, run, model.name, lambda done: _result(memory, done))
    place = repeated or known.find(request.content, writable)
    if place is None or (not repeated and (bounds.escapes or bounds.mismatches)):
        raise TaskFailedError(_reason(bounds))
    summary = memory.leave_as_is(run, f"Already remembered in {measure.spoken(place)}.")
    return RememberResult(summary).to_wire()


def _cleared(text: str, policy: SecretPolicy) -> str:
    """The text as the model may get it."""
    if policy is SecretPolicy.MASK:
        return mask(text)
    kind = find_secret(text) if policy is SecretPolicy.REFUSE else None
    if kind:
        raise TaskFailedError("secret_detected", details=f"It looks like a {kind}.")
    return text


def _conversation(
    request: Remember,
    memory: WorkspaceMemory,
    indexes: Iterable[tuple[Scope, str]],
    tools: Tools,
    now: datetime,
) -> Conversation:
    brief = RememberBrief(
        fact=request.content,
        scope=request.scope,
        mode=request.context_mode,
        user_root=memory.paths.user.path,
        project_root=memory.paths.project.path,
    )
    return Conversation(brief, remember_messages(brief, indexes, new_fence(), now), tools.schemas)


def _without_repeats(
    changes: Iterable[FileChange], known: KnownTexts
) -> tuple[list[FileChange], MemoryPath | None]:
    """The changes less new documents that only say what is there, and where the last of it is."""
    kept: list[FileChange] = []
    repeated: MemoryPath | None = None
    for change in changes:
        place = known.place_of_all(change) if change.before is None else None
        if place is None:
            kept.append(change)
        else:
            repeated = place
    return kept, repeated


def _result(memory: WorkspaceMemory, done: ChangeSet) -> dict[str, Any]:
    verbs = {"added": "Remembered in", "changed": "Updated", "removed": "Removed"}
    said = [f"{verbs[change.change]} {measure.spoken(change.path)}." for change in done.files]
    return RememberResult(
        summary=" ".join(said),
        files_touched=tuple(measure.absolute(memory.paths, change.path) for change in done.files),
        touched_scopes=measure.scopes(done.files),
        change_set_id=done.change_set_id,
    ).to_wire()


def _reason(bounds: MemoryScope) -> str:
    if bounds.escapes:
        return "remember_path_escape"
    return "remember_scope_mismatch" if bounds.mismatches else "remember_no_update"
