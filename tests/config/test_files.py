"""What a settings file may say, and who may have written it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from qmemd.config.files import MAX_BYTES, user_file, user_path, workspace_file
from qmemd.config.table import OPTIONS
from qmemd.errors import SettingsError

HARMLESS = {"port", "idle-timeout", "task-timeout", "project-scope"}


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}


def write(env: dict[str, str], text: str, mode: int = 0o600) -> Path:
    path = user_path(env)
    assert path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def refused(env: dict[str, str]) -> str:
    with pytest.raises(SettingsError) as refusal:
        user_file(env)
    return refusal.value.message


def test_without_a_file_nothing_is_said(env: dict[str, str], tmp_path: Path) -> None:
    assert user_file(env) is None
    assert workspace_file(tmp_path) is None
    assert workspace_file(tmp_path / "none") is None


def test_the_users_file_may_say_everything_but_the_workspace(env: dict[str, str]) -> None:
    path = write(env, 'model = "offline"\nport = 0\nallow-origin = ["*"]\nidle-timeout = 1.5\n')
    found = user_file(env)
    assert found is not None
    assert (found.path, dict(found.values)) == (
        path,
        {"model": "offline", "port": 0, "allow-origin": ["*"], "idle-timeout": 1.5},
    )
    write(env, 'workspace = "/tmp"')
    assert "'workspace'" in refused(env)


def test_paths_are_relative_to_the_file(env: dict[str, str]) -> None:
    path = write(env, 'state-dir = "here"\nbase = "~/there"\ntoken-file = "/abs"')
    found = user_file(env)
    assert found is not None
    assert found.values["state-dir"] == str(path.parent / "here")
    assert found.values["base"] == str(Path("~/there").expanduser())
    assert found.values["token-file"] == "/abs"


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_a_projects_file_may_say_little(tmp_path: Path, option: object) -> None:
    name = option.name  # type: ignore[attr-defined]
    examples = {"port": "0", "idle-timeout": "1", "task-timeout": "1.5", "project-scope": '"x"'}
    (tmp_path / "qmemd.toml").write_text(f"{name} = {examples.get(name, '1')}")
    if name in HARMLESS:
        found = workspace_file(tmp_path)
        assert found is not None
        assert list(found.values) == [name]
    else:
        with pytest.raises(SettingsError, match=f"'{name}'"):
            workspace_file(tmp_path)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("port = ", "is not TOML"),
        ("a" * (MAX_BYTES + 1), f"is over {MAX_BYTES} bytes"),
        ("[[[[" * 5000, "is not TOML"),
        ("colour = 1", "there is no setting 'colour'"),
        ("idle_timeout = 1", "there is no setting 'idle_timeout'"),
        ('port = "4170"', "'port' must be a whole number"),
        ("port = true", "'port' must be a whole number"),
        ("port = 1.5", "'port' must be a whole number"),
        ("idle-timeout = false", "'idle-timeout' must be a number"),
        ("rate-limit = 1", "'rate-limit' must be true or false"),
        ('allow-origin = "*"', "'allow-origin' must be a list of texts"),
        ("allow-origin = [1]", "'allow-origin' must be a list of texts"),
        ("model = []", "'model' must be a text"),
        ("[model]", "'model' must be a text"),
        ("log-level = 2024-01-01", "'log-level' must be a text"),
    ],
)
def test_what_is_unsound_is_named(env: dict[str, str], text: str, says: str) -> None:
    path = write(env, text)
    assert refused(env).startswith(str(path))
    assert says in refused(env)


def test_what_cannot_be_read_is_named(env: dict[str, str]) -> None:
    path = write(env, "")
    path.write_bytes(b"\xff")
    assert "is not UTF-8" in refused(env)
    path.unlink()
    path.mkdir()
    assert "is not a regular file" in refused(env)
    path.rmdir()
    os.mkfifo(path)
    assert "is not a regular file" in refused(env)
    path.unlink()
    path.symlink_to(path)
    assert "cannot be read" in refused(env)


def test_a_link_is_followed_since_people_keep_their_files_elsewhere(
    env: dict[str, str], tmp_path: Path
) -> None:
    path = write(env, "")
    path.unlink()
    (tmp_path / "dotfiles").write_text("port = 0")
    path.symlink_to(tmp_path / "dotfiles")
    found = user_file(env)
    assert found is not None
    assert found.values == {"port": 0}


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_what_others_can_write_is_not_the_users(env: dict[str, str], mode: int) -> None:
    write(env, "port = 0", mode)
    assert "chmod go-w" in refused(env)


def test_a_token_is_for_its_owner_alone(env: dict[str, str]) -> None:
    write(env, 'token = "secret-of-mine"', 0o644)
    assert "chmod 600" in refused(env)
    assert "secret-of-mine" not in refused(env)
    write(env, 'token = "secret-of-mine"', 0o600)
    assert user_file(env) is not None


def test_another_file_can_be_named_or_none(env: dict[str, str], tmp_path: Path) -> None:
    write(env, "port = 1")
    other = tmp_path / "other.toml"
    other.write_text("port = 2")
    other.chmod(0o600)
    found = user_file(env | {"QMEMD_CONFIG": str(other)})
    assert found is not None
    assert found.values == {"port": 2}
    assert user_file(env | {"QMEMD_CONFIG": " "}) is None
    assert "is not there" in refused(env | {"QMEMD_CONFIG": str(tmp_path / "none")})
