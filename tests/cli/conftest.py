"""Commands in this process against a daemon in this process, and commands on a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from click.testing import CliRunner, Result

from qmemd import Daemon
from qmemd.cli import main
from tests.conftest import Home

Run = Callable[..., Result]


@pytest.fixture
def run(home: Home) -> Run:
    """Runs a command as somebody in the workspace would whose output goes to a pipe."""

    def run(
        *argv: str, given: str | bytes | None = None, env: dict[str, str] | None = None
    ) -> Result:
        quiet = dict.fromkeys(os.environ.keys() - home.environ.keys())
        where = {"QMEMD_WORKSPACE": str(home.workspace)}
        return CliRunner().invoke(
            main, argv, input=given, env=quiet | home.environ | where | (env or {})
        )

    return run


@pytest.fixture
def daemon(home: Home) -> Iterator[Daemon]:
    """The one that the commands find."""
    with Daemon(home.settings()) as daemon:
        yield daemon


class Terminal:
    """A command whose streams are a terminal, and somebody who sits there."""

    def __init__(self, home: Home, *argv: str) -> None:
        ours, theirs = pty.openpty()
        self._ours = ours
        self.process = subprocess.Popen(
            [sys.executable, "-m", "qmemd", *argv],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=home.workspace,
            env=home.environ | {"TERM": "xterm"},
            start_new_session=True,
        )
        os.close(theirs)
        self.shown = ""

    def until(self, text: str) -> None:
        """Reads on until this was shown. Fails at the end."""
        while text not in self.shown:
            more = self._read()
            assert more, f"{text!r} does not come in {self.shown!r}"

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def end(self) -> tuple[int, str]:
        while self._read():
            pass
        os.close(self._ours)
        return self.process.wait(10), self.shown

    def _read(self) -> bool:
        data = b""
        with suppress(OSError):  # EIO: nobody has the other end any more
            data = os.read(self._ours, 4096)
        self.shown += data.decode(errors="replace")
        return bool(data)


@pytest.fixture
def terminal(home: Home) -> Iterator[Callable[..., Terminal]]:
    """Starts commands on terminals."""
    started: list[Terminal] = []

    def start(*argv: str) -> Terminal:
        started.append(Terminal(home, *argv))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait()
