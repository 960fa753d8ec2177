from __future__ import annotations

from pathlib import Path

import pytest

from qmemd.announcement import announcement_path
from qmemd.client.discovery import find_daemon
from qmemd.client.errors import DaemonNotFoundError


def lost(workspace: str | None, env: dict[str, str]) -> DaemonNotFoundError:
    with pytest.raises(DaemonNotFoundError) as error:
        find_daemon(workspace, env)
    assert error.value.code == "daemon_not_found"
    return error.value


@pytest.mark.parametrize("workspace", ["~no-such-user/x", "x/\0", None])
def test_a_workspace_that_cannot_be_told(
    workspace: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert "cannot be told" in str(lost(workspace, {"QMEMD_STATE_DIR": str(tmp_path)}))


def test_a_state_directory_that_cannot_be_told(tmp_path: Path) -> None:
    assert "cannot be told" in str(lost(str(tmp_path), {"QMEMD_STATE_DIR": "~no-such-user/x"}))


@pytest.mark.parametrize("content", ["", "{", "[]", '{"url": 1}', "\ud800"])
def test_a_file_that_makes_no_sense(content: str, tmp_path: Path) -> None:
    path = announcement_path(tmp_path, tmp_path)
    path.parent.mkdir()
    path.write_bytes(content.encode(errors="surrogatepass"))
    path.chmod(0o600)
    assert "qmemd serve" in str(lost(str(tmp_path), {"QMEMD_STATE_DIR": str(tmp_path)}))
