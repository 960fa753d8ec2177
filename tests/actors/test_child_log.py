from __future__ import annotations

import logging
from pathlib import Path

import pytest

from qmemd.actors.child_events import ChildExited
from qmemd.actors.child_log import BURST, LINES_A_SECOND, MAX_LINE, ChildLog
from tests.actors.test_generation import Listener

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


class Written:
    """A child's log, and what came out in ours."""

    def __init__(self, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.DEBUG, "qmemd.agent")
        self._caplog = caplog
        self.seconds = 0.0
        self.log = ChildLog(lambda: self.seconds)

    @property
    def lines(self) -> list[tuple[str, str]]:
        return [
            (record.levelname, record.getMessage())
            for record in self._caplog.records
            if record.name == "qmemd.agent"
        ]


@pytest.fixture
def written(caplog: pytest.LogCaptureFixture) -> Written:
    return Written(caplog)


SAID = (
    b"chatter of another program\n"
    b"WARNING qmemd.agent.scope: refused a path in a tool call: x\r\n\n"
    b'ERROR qmemd.agent.answers: a dream run failed\n  File "x.py", line 3\n'
    b"INFO qmemd.agent.models.openai.chat: model call 1 of the task: caf\xc3\xa9\nlast"
)


@pytest.mark.parametrize("size", [1, 2, 7, 64, 10_000])
def test_each_line_comes_out_at_its_level_however_it_was_cut(written: Written, size: int) -> None:
    for start in range(0, len(SAID), size):
        written.log.feed(SAID[start : start + size])
    written.log.feed(b"")
    assert written.lines == [
        ("DEBUG", "chatter of another program"),
        ("WARNING", "qmemd.agent.scope: refused a path in a tool call: x"),
        ("ERROR", "qmemd.agent.answers: a dream run failed"),
        ("ERROR", '  File "x.py", line 3'),
        ("INFO", "qmemd.agent.models.openai.chat: model call 1 of the task: caf\u00e9"),
        ("INFO", "last"),
    ]


def test_secrets_and_control_characters_are_blotted_out(written: Written) -> None:
    written.log.feed(f"INFO a: {TOKEN} and \x1b[31mred\u2028x\n".encode())
    written.log.feed(b"INFO b: " + b"x" * (MAX_LINE - 30) + f" {TOKEN}\n".encode())
    text = str(written.lines)
    assert "ghp_" not in text
    assert "a: [redacted] and  [31mred x" in text


def test_a_line_without_end_is_cut(written: Written) -> None:
    for _ in range(100):
        written.log.feed(b"x" * 65_536)
    written.log.feed(b"\nINFO next\n\xff\xfe\n")
    assert [len(text) for _, text in written.lines] == [MAX_LINE, 4, 2]


def test_a_flood_is_bounded_and_what_was_left_out_is_counted(written: Written) -> None:
    written.log.feed(b"INFO again\n" * (BURST + 50))
    assert len(written.lines) == BURST
    written.seconds += 1
    written.log.feed(b"INFO later\n")
    assert written.lines[BURST:] == [
        ("WARNING", "lines of the child's log that were left out: 50"),
        ("INFO", "later"),
    ]
    written.seconds += 1000
    written.log.feed(b"INFO more\n" * (BURST + 1))
    written.log.feed(b"")
    assert written.lines[-1] == ("WARNING", "lines of the child's log that were left out: 1")
    assert LINES_A_SECOND < BURST


def test_lines_below_the_level_of_the_logger_cost_nothing(
    written: Written, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "qmemd.agent")
    written.log.feed(b"INFO again\n" * (BURST * 10))
    written.log.feed(b"WARNING now\n")
    assert written.lines == [("WARNING", "now")]


def test_the_lines_of_a_child_come_out(tmp_path: Path, written: Written) -> None:
    listener = Listener(tmp_path, on={"start": [["stderr", "WARNING qmemd.agent.loop: hello\n"]]})
    listener.generation.start(0)
    listener.next()
    listener.generation.stop(5)
    while not isinstance(listener.next(), ChildExited):
        pass
    assert ("WARNING", "qmemd.agent.loop: hello") in written.lines
