"""What this daemon can do, as clients ask for it before they ask for anything else."""

from __future__ import annotations

from typing import Any

from qmemd._version import __version__
from qmemd.http.body import MAX_BODY_BYTES
from qmemd.kinds import ContextMode
from qmemd.tasks import MAX_COMPACTING, MAX_PENDING, MAX_TEXT_BYTES

FEATURES = (
    "health",
    "capabilities",
    "daemon_status",
    "session_create",
    "session_scope_override",
    "session_events",
    "session_close",
    "client_identity",
    "client_heartbeat",
    "slow_client_warning",
    "typed_event_schema",
    "workspace_memory",
    "workspace_memory_remember",
    "workspace_memory_remember_project_scope",
    "workspace_memory_remember_user_scope",
    "workspace_memory_forget",
    "workspace_memory_forget_scope",
    "workspace_memory_dream",
    "workspace_memory_tasks",
    "workspace_memory_changes",
    "workspace_memory_entries",
    "workspace_events",
)
"""What always works, by the names that clients look for."""


def capabilities(workspace: str, *, rate_limit: bool = False) -> dict[str, Any]:
    """The body of ``GET /capabilities`` for the daemon of this workspace.

    Args:
        workspace: as it is named on the wire.
        rate_limit: whether requests are counted.
    """
    active = {"rate_limit": rate_limit}
    modes = [mode.value for mode in ContextMode]
    return {
        "v": 1,
        "protocolVersions": {"current": "v1", "supported": ["v1"]},
        "mode": "http-bridge",
        "features": [*FEATURES, *(name for name, is_on in active.items() if is_on)],
        "featureDetails": {"workspace_memory_remember": {"modes": modes}},
        "modelServices": [],
        "workspaceCwd": workspace,
        "transports": ["rest"],
        "limits": {
            "maxTextBytes": MAX_TEXT_BYTES,
            "maxBodyBytes": MAX_BODY_BYTES,
            "maxPendingTasks": MAX_PENDING,
            "maxPendingForgetAndDream": MAX_COMPACTING,
        },
        "qmemdVersion": __version__,
    }
