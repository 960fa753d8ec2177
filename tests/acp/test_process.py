from __future__ import annotations

import contextlib
import os
import queue
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from qmemd.acp import pump
from qmemd.acp.framing import encode
from qmemd.acp.messages import Message, Notification, Request, Response
from qmemd.acp.process import ChildProcess, ExitInfo, SpawnConfig
from qmemd.acp.process_group import signal_group
from tests.fakes import child_command

LIMIT = 10.0


class Owner:
    """Spawns a child and waits for its exit, each on the thread that the real owner would use."""

    def __init__(self, directory: Path, **script: Any) -> None:
        config = script.pop("config", {})
        command = script.pop("command", None) or child_command(**script)
        self.messages: queue.Queue[Message] = queue.Queue()
        self.exits: queue.Queue[ExitInfo] = queue.Queue()
        self.process = ChildProcess(
            SpawnConfig(command, {"PATH": os.environ["PATH"]}, str(directory), **config),
            self.messages.put,
        )
        self.process.spawn()
        self._thread = threading.Thread(target=lambda: self.exits.put(self.process.wait()))
        self._thread.start()

    def ask(self, method: str = "remember", params: Any = None) -> None:
        assert self.process.send(encode(Request(1, method, params)))

    def message(self) -> Message:
        return self.messages.get(timeout=LIMIT)

    def exit(self) -> ExitInfo:
        info = self.exits.get(timeout=LIMIT)
        self._thread.join(LIMIT)
        return info

    def close(self) -> None:
        self.process.kill()
        self._thread.join(LIMIT)


@pytest.fixture
def owners(tmp_path: Path) -> Iterator[Any]:
    made: list[Owner] = []

    def make(**script: Any) -> Owner:
        made.append(Owner(tmp_path, **script))
        return made[-1]

    yield make
    for owner in made:
        owner.close()


def gone(pid: int) -> bool:
    with contextlib.suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    return True


def count_descriptors() -> int:
    return sum(1 for _ in Path("/dev/fd").iterdir())


def await_gone(pid: int) -> None:
    deadline = time.monotonic() + LIMIT
    while not gone(pid):
        assert time.monotonic() < deadline, "the process lives on"
        time.sleep(0.005)


def test_a_call_and_its_answer(owners: Any) -> None:
    owner = owners()
    owner.ask()
    assert isinstance(owner.message(), Response)
    owner.process.stop(LIMIT)
    assert owner.exit() == ExitInfo(0, "", None)
    assert owner.process.pid is None


def test_a_child_has_a_session_and_group_of_its_own(owners: Any) -> None:
    owner = owners()
    pid = owner.process.pid
    assert os.getpgid(pid) == os.getsid(pid) == pid != os.getpgrp()


def test_an_exit_is_known_at_once_with_its_code_and_log(owners: Any) -> None:
    owner = owners(on={"remember": [["flood_stderr", 10], ["exit", 3]]})
    started = time.monotonic()
    owner.ask()
    info = owner.exit()
    assert time.monotonic() - started < 1
    assert (info.returncode, info.stderr_tail, info.sentence) == (3, "e" * 10, "exit code 3")


def test_a_signal_is_named(owners: Any) -> None:
    owner = owners(on={"remember": ["kill_itself"]})
    owner.ask()
    assert owner.exit().sentence == "ended by SIGKILL"


@pytest.mark.parametrize("eat", ["eat", "eat_in_another"])
def test_over_its_memory_the_whole_group_ends_and_it_is_said_why(owners: Any, eat: str) -> None:
    owner = owners(config={"memory": 100 * 2**20}, on={"remember": ["reply", [eat, 200], "hang"]})
    owner.ask()
    owner.message()
    info = owner.exit()
    assert info.returncode == -signal.SIGKILL
    assert info.sentence.startswith("ended by SIGKILL: it used ")
    assert info.sentence.endswith(" MiB of memory, and its limit is 100 MiB")


def test_within_its_memory_nothing_is_said(owners: Any) -> None:
    owner = owners(config={"memory": 100 * 2**20, "open_files": 50})
    owner.ask()
    assert isinstance(owner.message(), Response)
    owner.process.stop(LIMIT)
    assert owner.exit() == ExitInfo(0, "", None)


def test_a_flood_on_stderr_blocks_nothing_and_its_end_is_kept(owners: Any) -> None:
    owner = owners(on={"remember": [["flood_stderr", 1_000_000], "reply"]})
    owner.ask()
    assert isinstance(owner.message(), Response)
    owner.process.stop(LIMIT)
    assert owner.exit().stderr_tail == "e" * pump.STDERR_TAIL_BYTES


def test_a_program_that_cannot_be_run(tmp_path: Path) -> None:
    missing = SpawnConfig((str(tmp_path / "missing"),), {}, str(tmp_path))
    process = ChildProcess(missing, print)
    with pytest.raises(FileNotFoundError):
        process.spawn()
    assert process.pid is None
    assert not process.send(b"x\n")
    process.stop(0)
    process.kill()


def test_an_answer_without_a_line_end(owners: Any) -> None:
    owner = owners(on={"remember": ["reply_unterminated"]})
    owner.ask()
    assert isinstance(owner.message(), Response)


def test_an_answer_right_before_the_exit_is_delivered_first(owners: Any) -> None:
    owner = owners(on={"remember": [["reply_summary", ["é", 300_000]], ["exit", 0]]})
    owner.ask()
    owner.exit()
    answer = owner.messages.get_nowait()
    assert isinstance(answer, Response)
    assert answer.result["summary"] == "é" * 300_000


def test_an_endless_line_ends_the_child(owners: Any) -> None:
    owner = owners(on={"remember": [["huge", 40 * 1024 * 1024], "hang"]})
    owner.ask()
    info = owner.exit()
    assert info.returncode == -signal.SIGKILL
    assert info.failure
    assert "16777216" in info.failure


def test_endless_noise_ends_the_child(owners: Any) -> None:
    owner = owners(on={"remember": [["raw", "noise\n" * 1_001], "hang"]})
    owner.ask()
    assert owner.exit().failure


def test_a_child_that_reads_nothing_stalls_nobody(owners: Any) -> None:
    owner = owners(on={"start": ["hang"]})
    line = encode(Notification("n", "x" * 1_000_000))
    started = time.monotonic()
    sent = 0
    while owner.process.send(line):
        sent += 1
    assert 3 <= sent <= 6
    assert time.monotonic() - started < 1
    assert owner.exit().failure == "the child does not read its stdin"


def test_a_line_longer_than_the_pipe_arrives_whole(owners: Any, tmp_path: Path) -> None:
    owner = owners(log=tmp_path / "log")
    owner.ask("remember", {"content": "x" * 3_000_000})
    owner.message()
    assert (tmp_path / "log").read_bytes() == encode(
        Request(1, "remember", {"content": "x" * 3_000_000})
    )


@pytest.mark.slow
@pytest.mark.parametrize("action", ["close_stdout", "close_stdin"])
def test_a_child_that_gave_up_a_pipe_is_ended(owners: Any, action: str) -> None:
    owner = owners(on={"remember": [action, "hang"]})
    owner.ask()
    assert "closed its stdin or stdout" in str(owner.exit().failure)


@pytest.mark.parametrize("detached", [False, True])
def test_a_grandchild_that_holds_the_pipes_delays_the_exit_shortly(
    owners: Any, tmp_path: Path, detached: bool
) -> None:
    pid_file = tmp_path / "pid"
    owner = owners(
        on={"remember": [["grandchild", [str(pid_file), detached]], "reply", ["exit", 0]]}
    )
    owner.ask()
    started = time.monotonic()
    assert owner.exit().returncode == 0
    assert time.monotonic() - started < 2
    assert isinstance(owner.messages.get_nowait(), Response)
    grandchild = int(pid_file.read_text())
    if detached:  # out of our reach, and rightly so
        os.kill(grandchild, signal.SIGKILL)
    await_gone(grandchild)


def test_stages_end_in_a_kill_of_the_whole_group(owners: Any, tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    owner = owners(
        ignore=["TERM", "EOF"], on={"remember": [["grandchild", [str(pid_file), False]], "reply"]}
    )
    owner.ask()
    owner.message()
    started = time.monotonic()
    owner.process.stop(0.05)
    assert time.monotonic() - started < 0.05
    assert owner.exit().returncode == -signal.SIGKILL
    await_gone(int(pid_file.read_text()))


def test_the_second_stage_is_a_polite_signal(owners: Any) -> None:
    owner = owners(ignore=["EOF"])
    owner.ask()
    owner.message()
    owner.process.stop(0.05)
    assert owner.exit().returncode == -signal.SIGTERM


def test_ending_twice_is_harmless(owners: Any) -> None:
    owner = owners()
    owner.process.kill()
    owner.process.kill()
    assert owner.exit().returncode == -signal.SIGKILL
    owner.process.kill()
    owner.process.stop(0)


def test_our_own_group_is_never_signalled(caplog: pytest.LogCaptureFixture) -> None:
    for group in (os.getpgrp(), 0, 1, -1):
        signal_group(group, signal.SIGKILL)
    assert len(caplog.records) == 4


def test_a_group_that_is_gone_counts_as_signalled(owners: Any) -> None:
    owner = owners()
    pid = owner.process.pid
    owner.process.kill()
    owner.exit()
    signal_group(pid, signal.SIGKILL)


def test_who_starts_it_learns_pid_and_start(owners: Any) -> None:
    spawned: list[tuple[int, float]] = []
    owner = owners(config={"on_spawn": lambda *who: spawned.append(who)})
    assert spawned == [(owner.process.pid, psutil.Process(owner.process.pid).create_time())]


def test_a_failing_announcement_is_only_logged(
    owners: Any, caplog: pytest.LogCaptureFixture
) -> None:
    owner = owners(config={"on_spawn": lambda *_: {}["missing"]})
    owner.ask()
    assert isinstance(owner.message(), Response)
    assert "could not be announced" in caplog.text


def test_a_descriptor_is_handed_on_for_the_life_of_the_child(owners: Any) -> None:
    reader, writer = os.pipe()
    owner = owners(config={"pass_fds": (writer,)})
    os.close(writer)
    os.set_blocking(reader, False)
    with pytest.raises(BlockingIOError):
        os.read(reader, 1)
    os.set_blocking(reader, True)
    owner.close()
    assert os.read(reader, 1) == b""
    os.close(reader)


def test_nothing_is_left_open(owners: Any) -> None:
    owners().close()
    before = count_descriptors()
    for _ in range(5):
        owners().close()
    assert count_descriptors() == before
    assert not [thread for thread in threading.enumerate() if "qmemd-child" in thread.name]
