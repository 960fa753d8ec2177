"""How everything but tasks looks in answers."""

from __future__ import annotations

from qmemd.context.records import ContextScope, WriteMode
from qmemd.http.openapi.schema import (
    SCOPES,
    TIME,
    Schema,
    count,
    flag,
    list_of,
    record,
    ref,
    text,
    words,
)
from qmemd.kinds import ChangeState, Scope, TaskKind, Topic

_CHANGE_SET: dict[str, Schema] = {
    "changeSetId": text("Names the change set in other requests."),
    "taskId": text("The task that made it."),
    "kind": words(TaskKind),
    "createdAt": TIME,
    "state": words(ChangeState, without=(ChangeState.OPEN,)),
    "touchedScopes": SCOPES,
}
_CHANGED_FILE: dict[str, Schema] = {
    "path": text("Absolute."),
    "change": {"enum": ["added", "changed", "removed"]},
}


_ENTRY: dict[str, Schema] = {
    "id": text("Names the entry until its document is renamed, or its place in a list moves."),
    "scope": words(Scope),
    "type": words(Topic),
    "name": text("Of the document."),
    "description": text("One line."),
    "path": text("Absolute path of the document."),
    "modified": TIME,
    "pinned": flag("Whether the user keeps it where no agent may change it."),
    "lastChange": {
        "anyOf": [
            {"type": "null"},
            record(
                "The task that changed the document last, as far as the history knows.",
                {
                    "taskId": {
                        "type": ["string", "null"],
                        "description": "Null for a task of another client.",
                    },
                    "kind": words(TaskKind),
                    "at": TIME,
                },
            ),
        ]
    },
}

ANSWERS: dict[str, Schema] = {
    "ChangedFile": record("A document that a change set touches.", _CHANGED_FILE),
    "ChangedFileDiff": record(
        "A document that a change set touches, with what changes.",
        _CHANGED_FILE | {"diff": text("A unified diff; empty once it was erased.")},
    ),
    "ChangeSet": record(
        "What one run does to the documents.",
        _CHANGE_SET | {"files": list_of(ref("ChangedFile"), "In the order of their paths.")},
    ),
    "ChangeSetDetail": record(
        "A change set with its diffs.",
        _CHANGE_SET | {"files": list_of(ref("ChangedFileDiff"), "In the order of their paths.")},
    ),
    "ChangeList": record(
        "Change sets, the newest first.",
        {
            "changes": list_of(ref("ChangeSet"), "Without their diffs."),
            "nextCursor": text("Names what follows; absent at the end."),
        },
        optional=("nextCursor",),
    ),
    "Entry": record("One fact that is remembered.", _ENTRY),
    "EntryDetail": record(
        "One fact with its text.",
        {
            **_ENTRY,
            "text": text("The fact alone."),
            "headings": list_of({"type": "string"}, "Those that it stands below, in a list."),
            "document": text("The whole document, its head included."),
        },
    ),
    "EntryList": record(
        "What is remembered.",
        {
            "entries": list_of(ref("Entry"), "One page."),
            "total": count("Of all pages."),
            "nextCursor": text("Names what follows; absent at the end."),
        },
        optional=("nextCursor",),
    ),
    "Session": record(
        "A session as the client that opened it sees it.",
        {
            "sessionId": text("A UUID."),
            "workspaceCwd": text("The bound workspace."),
            "attached": flag("False when this request made the session."),
            "clientId": text("Send it as X-Qwen-Client-Id."),
            "createdAt": TIME,
        },
    ),
    "Heartbeat": record(
        "A sign of life, noted.",
        {
            "sessionId": text("The session."),
            "clientId": text("Whose sign it was; absent for an anonymous one."),
            "lastSeenAt": count("Milliseconds since the epoch."),
        },
        optional=("clientId",),
    ),
    "ContextFile": record(
        "A context file that is there.",
        {
            "kind": {"const": "memory_file"},
            "path": text("Absolute."),
            "scope": words(ContextScope),
            "bytes": count("Its size."),
        },
    ),
    "ContextFileTrouble": record(
        "A context file that cannot be looked at.",
        {
            "kind": {"const": "memory_file"},
            "status": {"const": "error"},
            "error": text("What is wrong."),
            "errorKind": {"enum": ["stat_failed", "symlink_escape"]},
            "hint": text("Its path."),
        },
    ),
    "ContextFileList": record(
        "The context files of the workspace and the user.",
        {
            "v": {"const": 1},
            "workspaceCwd": text("The bound workspace."),
            "initialized": flag("Whether there is any."),
            "files": list_of(ref("ContextFile"), "Those that are there."),
            "totalBytes": count("Of all of them."),
            "fileCount": count("How many."),
            "ruleCount": {"const": 0},
            "errors": list_of(ref("ContextFileTrouble"), "Absent when there is none."),
        },
        optional=("errors",),
    ),
    "ContextFileWritten": record(
        "What a write did.",
        {
            "ok": {"const": True},
            "filePath": text("Absolute."),
            "bytesWritten": count(
                "Of the content when it replaced all, of the new file when it was appended."
            ),
            "mode": words(WriteMode),
            "changed": flag("False when the file had the content already."),
        },
    ),
    "FileContent": record(
        "The text of a context file, or a part of it.",
        {
            "kind": {"const": "file"},
            "path": text("Absolute."),
            "content": text("Without a byte order mark."),
            "encoding": {"const": "utf-8"},
            "bom": flag("Whether the file begins with a byte order mark."),
            "lineEnding": {"enum": ["lf", "crlf"]},
            "sizeBytes": count("Of the whole file."),
            "returnedBytes": count("Of `content` in UTF-8."),
            "truncated": flag("Whether `content` was cut at `maxBytes`."),
            "hash": text("SHA-256 of the whole file.", pattern="^[0-9a-f]{64}$"),
            "matchedIgnore": {"type": "null"},
            "originalLineCount": count("Of the whole file."),
            "nextCursor": {"type": "null"},
            "hasMore": flag("Whether the file goes on after `content`."),
        },
    ),
}
