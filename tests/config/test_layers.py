"""Which layer wins, and that it is known."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

from qmemd.cli.serve import serve
from qmemd.config.layers import Layers, layered
from qmemd.config.state_dir import state_directory
from qmemd.config.table import OF_SERVE, OPTIONS
from qmemd.errors import SettingsError
from qmemd.settings import Settings
from tests.conftest import Home


@pytest.fixture
def user(home: Home) -> Path:
    """The path of the user's file."""
    path = home.root / "user.toml"
    home.environ["QMEMD_CONFIG"] = str(path)
    say(path, "")
    return path


def say(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o600)


def layers(home: Home, **flags: Any) -> Layers:
    return layered({"workspace": home.workspace, **flags}, home.environ)


def test_the_table_knows_every_setting_and_flag() -> None:
    arguments = {option.argument for option in OPTIONS if option.name not in OF_SERVE}
    assert arguments == inspect.signature(Settings).parameters.keys() - {"http", "environ"}
    flags = {param.name for param in serve.params} - {"open_page"}
    without_a_flag = {"base", "project_scope", "memory_local"}
    assert flags == {option.argument for option in OPTIONS} - without_a_flag
    for param in serve.params:
        names = {option.name for option in OPTIONS if option.argument == param.name}
        assert names <= {opt.removeprefix("--") for opt in param.opts}


def test_flag_over_variable_over_project_over_user_over_default(home: Home, user: Path) -> None:
    project = home.workspace / "qmemd.toml"

    def timeout(**flags: Any) -> tuple[float, str]:
        found = layers(home, **flags)
        return found.settings().idle_timeout, found.sources["idle-timeout"]

    assert timeout() == (600, "default")
    say(user, "idle-timeout = 1")
    assert timeout() == (1, str(user))
    say(project, "idle-timeout = 2")
    assert timeout() == (2, str(project))
    home.environ["QMEMD_IDLE_TIMEOUT"] = "3"
    assert timeout() == (3, "variable QMEMD_IDLE_TIMEOUT")
    assert timeout(idle_timeout=4.0) == (4, "flag")


def test_every_setting_of_a_file_arrives(home: Home, user: Path) -> None:
    del home.environ["QMEMD_STATE_DIR"], home.environ["QWEN_CODE_MEMORY_BASE_DIR"]
    say(
        user,
        """
        hostname = "localhost"
        port = 0
        token = "of-the-file"
        state-dir = "state"
        agent-command = "python3 -m agent"
        child-memory = 100
        model = "offline"
        max-model-calls = 3
        max-tokens-per-day = 1000
        secrets = "mask"
        idle-timeout = 5
        task-timeout = 6
        allow-origin = ["https://shell.example"]
        require-auth = true
        journal = "memory"
        max-streams = 7
        rate-limit = true
        rate-limit-mutations = 8
        rate-limit-reads = 9
        base = "memory"
        project-scope = "git-root"
        memory-local = true
        log-level = "debug"
        log-format = "json"
        """,
    )
    found = layers(home)
    settings = found.settings()
    assert (settings.hostname, settings.port, settings.token) == ("localhost", 0, "of-the-file")
    assert settings.state_dir == home.root / "state" == state_directory(home.environ)
    assert settings.base == home.root / "memory"
    assert settings.agent_command == ("python3", "-m", "agent")
    assert settings.allow_origins == ("https://shell.example",)
    assert (settings.require_auth, settings.rate_limit, settings.memory_local) == (True,) * 3
    assert found.given["log_format"] == "json"
    told = {name for name, source in found.sources.items() if source == str(user)}
    assert told == {option.name for option in OPTIONS} - {"workspace", "token-file"}
    # A child is told nothing that it was not told before.
    assert settings.environ == home.environ


@pytest.mark.parametrize("file", ['token = "of-the-file"', 'token-file = "kept"'])
def test_a_token_from_nearer_wins_whole(home: Home, user: Path, file: str) -> None:
    say(user, file)
    assert layers(home, token="of-the-flag").settings().token == "of-the-flag"
    settings = layers(home, token_file="mine").settings()
    assert (settings.token, settings.token_file) == (None, Path("mine").absolute())
    home.environ["QMEMD_TOKEN"] = "of-the-variable"
    assert layers(home).settings().token == "of-the-variable"


def test_a_wrong_value_names_the_files(home: Home, user: Path) -> None:
    say(user, "port = 70000")
    with pytest.raises(SettingsError) as refusal:
        layers(home).settings()
    assert refusal.value.message.startswith("the port must be between 0 and 65535, not 70000")
    assert str(user) in refusal.value.message
    say(user, "")
    with pytest.raises(SettingsError) as refusal:
        layers(home, port=70000).settings()
    assert str(user) not in refusal.value.message
