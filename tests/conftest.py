"""What more than one folder of tests needs: clocks, ids, and a home that is nobody's own."""

from __future__ import annotations

import itertools
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil
import pytest

from qmemd.announcement import read_announcement
from qmemd.settings import Settings

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell ignores it for what it starts in the background; the commands under test would too.
    signal.signal(signal.SIGINT, signal.default_int_handler)


class FakeClock:
    """Stands still until it is told otherwise."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **parts: float) -> None:
        self.now += timedelta(**parts)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def new_id() -> Callable[[], str]:
    numbers = itertools.count(1)
    return lambda: f"00000000-0000-4000-8000-{next(numbers):012d}"


def bytes_below(*directories: Path) -> dict[Path, bytes]:
    """What every file holds. One that goes meanwhile, as a journal's log does, holds nothing."""
    found = {}
    for directory in directories:
        for path in directory.rglob("*"):
            with suppress(FileNotFoundError):
                if path.is_file():
                    found[path] = path.read_bytes()
    return found


@dataclass(frozen=True)
class Home:
    """Directories of one test, and an environment that points nowhere else."""

    root: Path
    workspace: Path
    base: Path
    state: Path
    environ: dict[str, str]

    def settings(self, **given: object) -> Settings:
        return Settings(
            **{  # type: ignore[arg-type]
                "workspace": self.workspace,
                "port": 0,
                "token": "test-token",
                "environ": self.environ,
            }
            | given
        )

    @property
    def memories(self) -> Path:
        return self.base / "memories"

    def documents(self) -> dict[str, str]:
        """Every memory document by its path below the base."""
        return {
            str(path.relative_to(self.base)): path.read_text()
            for path in sorted(self.base.rglob("*.md"))
            if path.name != "MEMORY.md"
        }


@pytest.fixture
def home(tmp_path: Path) -> Home:
    root = tmp_path.resolve()
    workspace, base, state = root / "work", root / "base", root / "state"
    workspace.mkdir()
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(root / "home"),
        "QWEN_CODE_MEMORY_BASE_DIR": str(base),
        "QMEMD_STATE_DIR": str(state),
        "LANG": "C.UTF-8",
    } | {key: os.environ[key] for key in ("PYTHONPATH", "VIRTUAL_ENV") if key in os.environ}
    return Home(root, workspace, base, state, environ)


@pytest.fixture
def started(home: Home) -> Iterator[Home]:
    """Ends whatever daemon the commands of a test have left."""
    yield home
    for file in (home.state / "daemons").glob("*.json"):
        found = read_announcement(file)
        with suppress(psutil.NoSuchProcess):
            if found is not None:
                process = psutil.Process(found.pid)
                process.terminate()
                process.wait(20)
