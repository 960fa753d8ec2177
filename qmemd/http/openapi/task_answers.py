"""How tasks and their results look in answers."""

from __future__ import annotations

from collections.abc import Mapping

from qmemd.errors import ERRORS
from qmemd.http.openapi.schema import (
    PATHS,
    SCOPES,
    TIME,
    Schema,
    count,
    list_of,
    record,
    ref,
    text,
    words,
)
from qmemd.kinds import ChangeState, ContextMode, Scope, TaskKind, TaskStatus, Topic

_ID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_FORMS = ("Pending", "Completed", "Failed")

_TOPICS = list_of(words(Topic), "Sorted and unique.")
_CHANGE_SET_ID: Schema = {
    "type": ["string", "null"],
    "description": "The change set of the run; null when nothing changed.",
}

_USAGE = record(
    "What the run cost at a real model.",
    {
        "modelCalls": count("Answered requests."),
        "inputTokens": count("As the endpoint counts them."),
        "outputTokens": count("As the endpoint counts them."),
    },
)

_NEVER: Schema = {"not": {}}
_SUMMARY = text("One or a few sentences for people.")


def _result(description: str, properties: Schema) -> Schema:
    return record(
        description,
        {"summary": _SUMMARY, **properties, "changeSetId": _CHANGE_SET_ID, "usage": ref("Usage")},
        optional=("usage",),
    )


_RESULTS: Mapping[TaskKind, Schema] = {
    TaskKind.REMEMBER: _result(
        "What a remember did.", {"filesTouched": PATHS, "touchedScopes": SCOPES}
    ),
    TaskKind.FORGET: _result(
        "What a forget removed, or would remove.",
        {
            "removedEntries": list_of(
                ref("RemovedEntry"), "One for each entry that left the disk."
            ),
            "touchedTopics": _TOPICS,
            "touchedScopes": SCOPES,
        },
    ),
    TaskKind.DREAM: _result(
        "What a dream changed, or would change.",
        {
            "touchedTopics": _TOPICS,
            "dedupedEntries": count("Entries removed because an equal one stays."),
            "touchedScopes": SCOPES,
            "changedFiles": PATHS,
            "removedFiles": PATHS,
        },
    ),
    TaskKind.CHANGE: record(
        "What became of a change set.",
        {
            "summary": _SUMMARY,
            "changeSetId": text("The change set that was asked for."),
            "state": words(ChangeState, without=(ChangeState.OPEN,)),
            "changedFiles": PATHS,
            "removedFiles": PATHS,
            "touchedScopes": SCOPES,
        },
    ),
}


def _task(kind: TaskKind, description: str, status: Schema, **more: Schema) -> Schema:
    remember: dict[str, Schema] = (
        {"contextMode": words(ContextMode)} if kind is TaskKind.REMEMBER else {}
    )
    scoped: dict[str, Schema] = (
        {"scope": words(Scope)} if kind in (TaskKind.REMEMBER, TaskKind.FORGET) else {}
    )
    properties = {
        "taskId": text("Names the task in other requests.", pattern=f"^{kind}-{_ID}$"),
        "status": status,
        "createdAt": TIME,
        "updatedAt": TIME,
        **remember,
        **scoped,
        **more,
    }
    absent = tuple(name for name, schema in more.items() if schema is _NEVER)
    return record(description, properties, optional=("scope", *absent))


def _tasks(kind: TaskKind) -> dict[str, Schema]:
    """How a task of one kind looks: at its acceptance, on its way, completed, failed."""
    name = kind.title()
    nothing: Schema = {"type": "null"}
    queued: Schema = {"const": TaskStatus.QUEUED.value}
    return {
        f"{name}Result": _RESULTS[kind],
        f"{name}Accepted": _task(kind, "A new task.", queued, result=_NEVER, error=_NEVER),
        f"{name}Pending": _task(
            kind,
            "A task that has not ended.",
            {"enum": [TaskStatus.QUEUED.value, TaskStatus.RUNNING.value]},
            result=nothing,
            error=nothing,
        ),
        f"{name}Completed": _task(
            kind,
            "A task that did what was asked.",
            {"const": TaskStatus.COMPLETED.value},
            result=ref(f"{name}Result"),
            error=_NEVER,
        ),
        f"{name}Failed": _task(
            kind,
            "A task that did not; nothing was changed.",
            {"const": TaskStatus.FAILED.value},
            error=ref("TaskError"),
            result=_NEVER,
        ),
        f"{name}Task": {
            "description": "The task as it is now.",
            "oneOf": [ref(f"{name}{form}") for form in _FORMS],
        },
        f"{name}Receipt": {
            "description": "The new task, or the one that an equal Idempotency-Key made.",
            "oneOf": [ref(f"{name}Accepted"), *(ref(f"{name}{form}") for form in _FORMS)],
        },
    }


def task_schemas() -> dict[str, Schema]:
    """The named schemas of tasks."""
    fails_tasks = [
        *(code for code, entry in ERRORS.items() if entry.fails_tasks_only),
        "managed_memory_unavailable",
        *(f"{kind}_failed" for kind in TaskKind),
    ]
    schemas: dict[str, Schema] = {
        "Usage": _USAGE,
        "TaskError": record(
            "Why a task failed.",
            {
                "code": {"enum": sorted(fails_tasks)},
                "message": text("The fixed sentence of the code."),
                "details": text("More about this one case, redacted.", maxLength=500),
            },
            optional=("details",),
        ),
        "RemovedEntry": record(
            "One entry that left the disk.",
            {
                "topic": words(Topic),
                "summary": text("One line that says what it was; `[erased]` after an erase."),
                "filePath": text("Absolute path of the document that held it."),
            },
        ),
    }
    for kind in TaskKind:
        schemas |= _tasks(kind)
    return schemas | {
        "Task": {"oneOf": [ref(f"{kind.title()}{form}") for kind in TaskKind for form in _FORMS]},
        "TaskList": record("Tasks, the newest first.", {"tasks": list_of(ref("Task"), "Bodies.")}),
    }
