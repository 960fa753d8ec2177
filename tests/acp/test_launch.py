from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from qmemd.acp.launch import child_argv, child_environment, task_limit


@pytest.mark.parametrize(("timeout", "limit"), [(300, 295), (60, 55), (50, 45), (10, 9), (1, 0.9)])
def test_the_child_gives_up_before_the_daemon(timeout: float, limit: float) -> None:
    assert task_limit(timeout) == pytest.approx(limit)


def test_the_command_of_our_agent() -> None:
    argv = child_argv(None, workspace="/w", model="offline", task_timeout=300)
    assert argv[0] == sys.executable
    assert argv[argv.index("-m") + 1 :] == [
        "qmemd.agent",
        "--workspace",
        "/w",
        "--model",
        "offline",
        "--task-limit",
        "295",
    ]


def test_limits_are_told_where_there_are_any() -> None:
    argv = child_argv(
        None,
        workspace="/w",
        model="openai:m",
        task_timeout=300,
        max_model_calls=3,
        max_tokens_per_day=1000,
    )
    assert argv[-4:] == ["--max-model-calls", "3", "--max-tokens-per-day", "1000"]


def test_a_command_of_the_user_is_left_alone() -> None:
    command = ("qwen", "--acp")
    assert child_argv(command, workspace="/w", model="m", task_timeout=1) == ["qwen", "--acp"]


def test_the_environment_keeps_all_but_the_tokens_of_the_daemon() -> None:
    environ = {"PATH": "/bin", "QMEMD_TOKEN": "a", "QWEN_SERVER_TOKEN": "b", "OPENAI_API_KEY": "k"}
    result = child_environment(environ, {"QWEN_CODE_MEMORY_BASE_DIR": "/m", "QMEMD_TOKEN": "c"})
    assert "QMEMD_TOKEN" not in result
    assert "QWEN_SERVER_TOKEN" not in result
    assert result["OPENAI_API_KEY"] == "k"
    assert result["QWEN_CODE_MEMORY_BASE_DIR"] == "/m"
    assert environ["QMEMD_TOKEN"] == "a"


def test_the_child_imports_our_package_and_nothing_from_the_workspace(tmp_path: Path) -> None:
    for name in ("json.py", "qmemd.py"):
        (tmp_path / name).write_text("raise SystemExit('from the workspace')")
    code = "import qmemd, json, sys; print(json.dumps([qmemd.__file__, sys.path]))"
    argv = child_argv(None, workspace=str(tmp_path), model="offline", task_timeout=300)
    interpreter = argv[: argv.index("-m")]
    done = subprocess.run(
        [*interpreter, "-c", code],
        cwd=tmp_path,
        env=child_environment({"PATH": "/bin"}, {}),
        capture_output=True,
        text=True,
        check=True,
    )
    found, path = json.loads(done.stdout)
    assert Path(found).parent == Path(__file__).parents[2] / "qmemd"
    assert str(tmp_path) not in path
