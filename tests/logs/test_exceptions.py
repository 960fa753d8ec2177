from __future__ import annotations

import sqlite3
from collections.abc import Callable

import pytest

from qmemd.errors import RequestError
from qmemd.logs.exceptions import MAX_CHAIN, MAX_TEXT, exception_text


def raised(act: Callable[[], object]) -> BaseException:
    try:
        act()
    except Exception as error:  # noqa: BLE001 - whichever it is
        return error
    raise AssertionError("nothing was raised")


def raise_it(error: BaseException) -> None:
    raise error


class HostError(RuntimeError):
    """Somebody else's; its message may say anything."""


@pytest.mark.parametrize(
    "act",
    [
        lambda: {}["what I typed"],
        lambda: int("what I typed"),
        lambda: open("/nowhere/what I typed"),  # noqa: PTH123, SIM115
        lambda: raise_it(HostError("what I typed")),
        lambda: raise_it(OSError("what I typed")),
        "\udc80".encode,
        lambda: sqlite3.connect(":memory:").execute("SELECT 'what I typed' FROM nothing"),
    ],
)
def test_a_message_that_may_quote_somebody_is_left_out(act: Callable[[], object]) -> None:
    text = exception_text(raised(act))
    last = text.splitlines()[-1]
    assert "what I typed" not in last
    assert "udc80" not in last
    assert text.startswith("Traceback (most recent call last):\n")
    assert "test_exceptions.py" in text


@pytest.mark.parametrize(
    ("error", "last"),
    [
        (RuntimeError("can't start new thread"), "RuntimeError: can't start new thread"),
        (OSError(28, "No space left", "/m/dark-mode.md"), "OSError: [Errno 28] No space left"),
        (RequestError("not_found"), "RequestError: not_found: There is nothing at this path."),
        (SystemExit(3), "SystemExit"),
    ],
)
def test_what_says_only_how_the_program_is_stays(error: BaseException, last: str) -> None:
    assert exception_text(error) == last


def test_sqlite_is_told_by_its_own_word() -> None:
    database = sqlite3.connect(":memory:")
    error = raised(lambda: database.execute("SELECT 1 FROM nothing"))
    assert exception_text(error).endswith("\nOperationalError: SQLITE_ERROR")


def test_causes_come_first() -> None:
    def act() -> None:
        try:
            raise_it(KeyError("typed"))
        except KeyError as error:
            raise RuntimeError("later") from error

    text = exception_text(raised(act))
    assert text.index("KeyError") < text.index("it was the direct cause of") < text.index("later")
    assert "KeyError('typed')" not in text


def test_a_long_or_circular_story_is_bounded() -> None:
    def deep(depth: int) -> None:
        if depth:
            deep(depth - 1)
        raise RuntimeError("deep" * MAX_TEXT)

    text = exception_text(raised(lambda: deep(200)))
    assert len(text) == MAX_TEXT
    first = RuntimeError("0")
    chain = [first]
    for number in range(1, 20):
        chain.append(RuntimeError(str(number)))
        chain[-1].__cause__ = chain[-2]
    assert exception_text(chain[-1]).count("RuntimeError") == MAX_CHAIN
    first.__cause__ = chain[1]
    assert exception_text(chain[1]).count("RuntimeError") == 2
