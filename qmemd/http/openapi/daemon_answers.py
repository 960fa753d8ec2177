"""How the daemon's words about itself look."""

from __future__ import annotations

from qmemd.http.openapi.schema import TIME, Schema, count, list_of, record, ref, text, words
from qmemd.kinds import TaskKind, TaskStatus

_CHILD = record(
    "The child process that the agent runs in.",
    {
        "phase": text("What it is doing, such as `ready`."),
        "generation": count("How many children there were, this one included."),
        "pid": {"type": ["integer", "null"], "description": "Null while none runs."},
        "availability": text("Whether it can write managed memory, as far as it is known."),
        "failuresInARow": count("Starts that failed since one went well."),
    },
)

DAEMON_ANSWERS: dict[str, Schema] = {
    "Health": record("It is up.", {"status": {"const": "ok"}}),
    "Capabilities": record(
        "What this daemon can do.",
        {
            "v": {"const": 1},
            "protocolVersions": record(
                "Of this API.",
                {"current": {"const": "v1"}, "supported": list_of({"const": "v1"}, "All.")},
            ),
            "mode": {"const": "http-bridge"},
            "features": list_of({"type": "string"}, "What works, by the names clients look for."),
            "featureDetails": {"type": "object", "description": "More about some features."},
            "modelServices": {"type": "array", "maxItems": 0},
            "workspaceCwd": text("The bound workspace."),
            "transports": {"const": ["rest"]},
            "limits": record(
                "What requests are held to.",
                {
                    "maxTextBytes": count("Of a fact or query."),
                    "maxBodyBytes": count("Of a request's body."),
                    "maxPendingTasks": count("Queued and running."),
                    "maxPendingForgetAndDream": count("Of those, with changes."),
                },
            ),
            "qmemdVersion": text("Of the daemon."),
        },
    ),
    "DaemonStatus": record(
        "How the daemon is, at this moment; nothing that anybody typed.",
        {
            "v": {"const": 1},
            "pid": count("The daemon's process."),
            "startedAt": TIME,
            "uptimeSeconds": count("Since then."),
            "qmemdVersion": text("Of the daemon."),
            "pythonVersion": text("It runs on."),
            "workspaceCwd": text("The bound workspace."),
            "model": text("The name of the model setting."),
            "journal": {"enum": ["sqlite", "memory"]},
            "tasks": record(
                "Kept tasks by their state.",
                {status.value: count("Tasks.") for status in TaskStatus},
            ),
            "child": {"anyOf": [{"type": "null"}, _CHILD]},
            "streams": record(
                "Event streams.", {"open": count("Now."), "limit": count("At most.")}
            ),
            "sessions": count("Open now."),
            "usage": ref("Usage"),
            "lastErrors": list_of(
                record(
                    "A task that failed.",
                    {
                        "kind": words(TaskKind),
                        "code": text("Its code."),
                        "at": TIME,
                    },
                ),
                "The newest first.",
            ),
        },
    ),
}
