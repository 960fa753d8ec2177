"""The state directory, for those who look for a daemon that somebody else has started."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from qmemd.config.files import user_file
from qmemd.setting_values import absolute, default_state_dir


def state_directory(env: Mapping[str, str]) -> Path:
    """As a daemon finds it that has no flag. Raises SettingsError: the user's file is unsound."""
    if named := env.get("QMEMD_STATE_DIR"):
        return absolute(named)
    file = user_file(env)
    said = None if file is None else file.values.get("state-dir")
    return absolute(said or default_state_dir(env))
