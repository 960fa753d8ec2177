"""``qmemd config``, and commands that a file tells where to look."""

from __future__ import annotations

import json

from qmemd.announcement import read_announcement
from qmemd.cli.exits import Exit
from qmemd.config.table import OPTIONS
from tests.cli.conftest import Run
from tests.cli.test_serve import serving
from tests.conftest import Home


def write(home: Home, text: str) -> str:
    path = home.root / "user.toml"
    path.write_text(text)
    path.chmod(0o600)
    home.environ["QMEMD_CONFIG"] = str(path)
    return str(path)


def test_everything_in_force_is_shown_with_its_source(run: Run, home: Home) -> None:
    path = write(home, 'idle-timeout = 30\ntoken = "secret-of-mine"')
    shown = json.loads(run("config", "--json", env={"QMEMD_PORT": "0"}).stdout)
    assert list(shown) == [option.name for option in OPTIONS]
    assert shown["idle-timeout"] == {"value": 30.0, "source": path}
    assert shown["port"] == {"value": 0, "source": "variable QMEMD_PORT"}
    assert shown["journal"] == {"value": "sqlite", "source": "default"}
    assert shown["token"] == {"value": "(given)", "source": path}
    for_people = run("config").stdout
    assert "secret-of-mine" not in for_people
    assert f"read {path}\n" in for_people
    for name in shown:
        assert f"\n{name} " in f"\n{for_people}"


def test_a_broken_file_is_said(run: Run, home: Home) -> None:
    path = write(home, "port = ")
    for command in ("config", "doctor"):
        failed = run(command, "--json")
        assert failed.exit_code == Exit.FAILED
        assert path in failed.stdout
    assert path in run("config").stderr
    assert run("list").exit_code == Exit.NO_DAEMON
    assert path in run("list").stderr


def test_a_state_directory_that_a_file_names_is_found(run: Run, home: Home) -> None:
    del home.environ["QMEMD_STATE_DIR"]
    write(home, 'state-dir = "mine"\nlog-level = "error"')
    with serving(home) as served:
        (file,) = (home.root / "mine" / "daemons").glob("*.json")
        assert read_announcement(file) is not None
        assert run("remember", "Builds run on two cores", "--no-start").exit_code == Exit.DONE
        assert served.end()[2] == ""


def test_export_and_import_go_where_a_file_says(run: Run, home: Home) -> None:
    del home.environ["QWEN_CODE_MEMORY_BASE_DIR"]
    write(home, 'base = "theirs"')
    document = home.root / "theirs" / "memories" / "tea.md"
    document.parent.mkdir(parents=True)
    document.write_text("I like tea")
    kept = str(home.root / "kept.jsonl")
    assert run("export", kept).stdout == "1 document exported\n"
    document.unlink()
    assert run("import", kept).exit_code == Exit.DONE
    assert document.read_text() == "I like tea"
