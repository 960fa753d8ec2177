"""A child process that speaks over its stdin and stdout: its start, its end, what lies between."""

from __future__ import annotations

import logging
import math
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from qmemd.acp.memory_watch import MemoryWatch
from qmemd.acp.messages import Message
from qmemd.acp.open_files import limit_open_files
from qmemd.acp.process_group import await_exit, has_exited, signal_group
from qmemd.acp.pump import PipePump

log = logging.getLogger(__name__)

DRAIN_GRACE = 0.25
"""Seconds for reading what a child left, while others may still hold its pipes open."""


@dataclass(frozen=True, slots=True)
class SpawnConfig:
    """How to start a child."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(repr=False)
    """The whole environment of the child."""
    cwd: str
    pass_fds: tuple[int, ...] = ()
    """Descriptors that the child inherits under the same numbers, e.g. one that holds a lock."""
    on_spawn: Callable[[int, float], None] | None = None
    """Called with the process id and its start (seconds since the epoch, as psutil has it)."""
    memory: int | None = None
    """Bytes that its process group may use; None: as much as there is."""
    open_files: int | None = None
    """How many files it may have open; None: as many as we."""


@dataclass(frozen=True, slots=True)
class ExitInfo:
    """How a child ended."""

    returncode: int | None
    """Negative for a signal; None when it was never started."""
    stderr_tail: str = field(repr=False)
    """The last 8 KiB of its log text. Not redacted."""
    failure: str | None
    """Why it could not be started, or why we killed it: a limit, or a failed channel."""

    @property
    def sentence(self) -> str:
        """What happened, in a few words."""
        if self.returncode is None:
            ending = "not started"
        elif self.returncode < 0:
            ending = f"ended by {_signal_name(-self.returncode)}"
        else:
            ending = f"exit code {self.returncode}"
        return f"{ending}: {self.failure}" if self.failure else ending


class ChildProcess:
    """One child in a session and process group of its own.

    Nothing here waits but `spawn`, for as long as the operating system needs, and `wait`. Every
    message of the child is given to ``on_message`` on the pipe thread, before `wait` returns, and
    its log text in pieces to ``on_log``.
    """

    def __init__(
        self,
        config: SpawnConfig,
        on_message: Callable[[Message], None],
        on_log: Callable[[bytes], None] = lambda _chunk: None,
    ) -> None:
        self._config = config
        self._on_message = on_message
        self._on_log = on_log
        self._lock = threading.Lock()
        """Held while signalling, so that the group's id cannot be given away meanwhile."""
        self._process: subprocess.Popen[bytes] | None = None
        self._pump: PipePump | None = None
        self._pump_thread: threading.Thread | None = None
        self._memory: MemoryWatch | None = None
        self._exited = threading.Event()
        self._grace = math.inf
        """Seconds between the stages of ending; infinite while nobody wants an end."""

    @property
    def pid(self) -> int | None:
        """None before `spawn` and once the child is gone."""
        process = self._process
        return None if process is None or self._exited.is_set() else process.pid

    @property
    def stderr_tail_bytes(self) -> int:
        return len(self._pump.stderr_tail) if self._pump else 0

    def spawn(self) -> None:
        """Starts the child. Called once.

        Raises:
            OSError: the program cannot be run.
            ValueError: the configuration is no valid command.
        """
        process = subprocess.Popen(
            self._config.argv,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(self._config.env),
            cwd=self._config.cwd,
            pass_fds=self._config.pass_fds,
            start_new_session=True,
        )
        try:
            self._serve(process)
        except BaseException:
            signal_group(process.pid, signal.SIGKILL)
            process.communicate()
            raise
        with self._lock:
            self._process = process
        self._limit(process.pid)
        self._announce(process.pid)

    def send(self, line: bytes) -> bool:
        """Hands a line to the child; never waits. False when it cannot be reached.

        A child that has just died is noticed here, before the thread that waits for its exit is.
        """
        process, pump = self._process, self._pump
        if process is None or pump is None or self._exited.is_set() or has_exited(process):
            return False
        return pump.send(line)

    def stop(self, grace: float) -> None:
        """Ends the child in stages, and returns at once.

        Its stdin is closed; ``grace`` seconds later the group gets SIGTERM, and after as long
        again SIGKILL. A later call counts only when it leaves less time.
        """
        with self._lock:
            if self._process is None or self._pump is None or self._grace <= grace:
                return
            self._grace = grace
        self._pump.close_stdin()
        try:
            threading.Thread(
                target=self._stop_in_stages, args=(grace,), name="qmemd-child-stop", daemon=True
            ).start()
        except RuntimeError:  # no more threads, or the interpreter is shutting down
            self.kill()

    def kill(self) -> None:
        """SIGKILL to the whole group, at once."""
        self._signal(signal.SIGKILL)

    def wait(self) -> ExitInfo:
        """Blocks until the child is gone and all it said was delivered.

        Whatever is left of its group is killed. Called once, by the thread that spawned.
        """
        process, pump, thread = self._process, self._pump, self._pump_thread
        if process is None or pump is None or thread is None:
            raise RuntimeError("the child was not started")
        await_exit(process)
        self._exited.set()
        if self._memory is not None:
            self._memory.stop()  # before the group's id may be somebody else's
        with self._lock:
            signal_group(process.pid, signal.SIGKILL)
            returncode = process.wait()
            self._process = None
        pump.finish(DRAIN_GRACE)
        thread.join()
        failure = (self._memory and self._memory.failure) or pump.failure
        return ExitInfo(returncode, pump.stderr_tail.decode(errors="replace"), failure)

    def _serve(self, process: subprocess.Popen[bytes]) -> None:
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise RuntimeError("the child has no pipes")
        self._pump = PipePump(
            process.stdin,
            process.stdout,
            process.stderr,
            on_message=self._on_message,
            on_failure=self._channel_failed,
            on_log=self._on_log,
        )
        self._pump_thread = threading.Thread(
            target=self._pump.run, name=f"qmemd-child-{process.pid}-pipes", daemon=True
        )
        self._pump_thread.start()

    def _limit(self, pid: int) -> None:
        if self._config.open_files is not None:
            limit_open_files(pid, self._config.open_files)
        if self._config.memory is not None:
            self._memory = MemoryWatch(pid, self._config.memory, self.kill)
            self._memory.start()

    def _announce(self, pid: int) -> None:
        if self._config.on_spawn is None:
            return
        try:
            import psutil  # noqa: PLC0415 — the child side imports this package without it

            self._config.on_spawn(pid, psutil.Process(pid).create_time())
        except Exception:
            log.exception("the start of child %d could not be announced", pid)

    def _channel_failed(self, reason: str) -> None:
        log.warning("the channel to the child failed: %s", reason)
        self.kill()

    def _stop_in_stages(self, grace: float) -> None:
        if not self._exited.wait(grace):
            self._signal(signal.SIGTERM)
            if not self._exited.wait(grace):
                self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        with self._lock:
            if self._process is not None:
                signal_group(self._process.pid, number)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
