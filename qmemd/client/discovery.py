"""Finding the daemon of a workspace on this machine."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from qmemd.announcement import Announcement, announcement_path, read_announcement
from qmemd.client.errors import DaemonNotFoundError
from qmemd.config.state_dir import state_directory
from qmemd.errors import SettingsError


def find_daemon(workspace: str | os.PathLike[str] | None, env: Mapping[str, str]) -> Announcement:
    """The running daemon of a workspace.

    Args:
        workspace: its directory; the one that ``QMEMD_WORKSPACE`` names, or the current one, when
            None.
        env: environment variables, as the daemon reads them.

    Raises:
        DaemonNotFoundError: there is none.
    """
    try:
        directory = Path(workspace or env.get("QMEMD_WORKSPACE") or ".").expanduser().resolve()
        state_dir = state_directory(env)
    except (OSError, RuntimeError, ValueError, SettingsError) as error:
        # A directory that was deleted, a home that nobody knows, a path that is none.
        raise DaemonNotFoundError(
            f"the directory to look in cannot be told: {error}", "daemon_not_found"
        ) from error
    found = read_announcement(announcement_path(state_dir, directory))
    if found is None or found.workspace != str(directory) or not _lives(found.pid):
        raise DaemonNotFoundError(
            f"no daemon serves {directory}; start one there with `qmemd serve`, "
            "or name its base_url and token",
            "daemon_not_found",
        )
    return found


def token_of(env: Mapping[str, str]) -> str | None:
    """The token that the environment names, if it does."""
    for variable in ("QMEMD_TOKEN", "QWEN_SERVER_TOKEN"):
        if token := env.get(variable, "").strip():
            return token
    return None


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, PermissionError):
        return False  # another user's process is not the one that wrote a file of ours
    return True
