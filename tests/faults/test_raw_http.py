"""Bytes that are hardly HTTP, against a real daemon: it answers or closes, and goes on."""

from __future__ import annotations

import contextlib
import http.client
import os
import random
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import psutil
import pytest

from qmemd.errors import ERRORS
from tests.faults import raw_requests
from tests.faults.http_readings import Answered, Asked, End, read_answers, read_requests
from tests.faults.victim import Victim

pytestmark = [pytest.mark.slow, pytest.mark.timeout(60 * 30)]

CASES = int(os.environ.get("QMEMD_FUZZ_CASES", "400"))
"""Connections of the run; a long run sets more."""
SEED = int(os.environ.get("QMEMD_FUZZ_SEED", "1"))
"""Another one makes other cases."""
HALVES = 60
"""Clients that never finish what they began: more than the daemon has workers."""
PATIENCE = 20.0
"""Seconds until a connection that nobody ends counts as held."""


class Observer:
    """Looks at the daemon from outside: by an honest connection, and by its process."""

    def __init__(self, victim: Victim) -> None:
        assert victim.process
        self._victim = victim
        self._process = psutil.Process(victim.process.pid)
        self._connection = http.client.HTTPConnection("127.0.0.1", victim.port, timeout=10)

    def close(self) -> None:
        self._connection.close()

    def is_well(self) -> None:
        """It also means that the daemon's loop has turned, and read what was sent before."""
        self._connection.request("GET", "/health")
        answer = self._connection.getresponse()
        assert (answer.status, answer.read()) == (200, b'{"status":"ok"}')

    def status(self) -> dict[str, int]:
        """What may be held: by the daemon's word, and by the system's."""
        status, told = self._victim.call("GET", "/daemon/status")
        assert status == 200
        return {
            "threads": self._process.num_threads(),
            "descriptors": self._process.num_fds(),
            "streams": told["streams"]["open"],
            "tasks": told["tasks"]["queued"] + told["tasks"]["running"],
        }

    def settles(self, most: dict[str, int]) -> None:
        """Nothing more is held than that."""
        deadline = time.monotonic() + PATIENCE
        now = self.status()
        while any(now[name] > most[name] for name in most):
            assert time.monotonic() < deadline, (now, most)
            now = self.status()


class Client:
    """One connection that sends anything."""

    def __init__(self, port: int) -> None:
        self._sock = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self._sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, data: bytes) -> None:
        with contextlib.suppress(ConnectionError):  # it was refused already
            self._sock.sendall(data)

    def everything(self) -> bytes:
        """Sends no more; what came until the daemon closed, which it has to."""
        received = b""
        with contextlib.closing(self._sock), contextlib.suppress(ConnectionError):
            with contextlib.suppress(OSError):
                self._sock.shutdown(socket.SHUT_WR)
            while data := self._sock.recv(65536):
                received += data
        return received

    def leave(self) -> None:
        self._sock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.leave()


@pytest.fixture
def victim(tmp_path: Path) -> Iterator[Victim]:
    victim = Victim(tmp_path.resolve())
    victim.start()
    yield victim
    if victim.process is not None:
        victim.kill("both")


@pytest.fixture
def observer(victim: Victim) -> Iterator[Observer]:
    """After everything was used once, so that what it holds for good is there."""
    with contextlib.closing(Observer(victim)) as observer:
        observer.is_well()
        for whole in (*raw_requests.VALID, *raw_requests.LAST):
            exchange(victim, whole)
        status, task = victim.call("POST", "/workspace/memory/dream", Idempotency_Key="one")
        assert status in (200, 202)
        victim.ended(task["taskId"])
        yield observer


def judge(data: bytes, received: bytes) -> list[Answered]:
    """Compares the answers with what a strict reader finds in the bytes that were sent."""
    asked, end = read_requests(data)
    # Whether the daemon knows the method of what it refuses depends on where the fault is.
    unread = "HEAD" if b"HEAD" in data else ""
    answers = read_answers(received, [*(one.method for one in asked), unread])
    for answer in answers:
        assert answer.status < 500 or answer.status == 501, answer
        assert not answer.code or ERRORS[answer.code].status == answer.status, answer
    for place, (one, answer) in enumerate(zip(asked, answers, strict=False), 1):
        assert answer.code != raw_requests.SMUGGLED_CODE or "/forget/" in one.target, one
        if answer.last:
            assert place == len(answers), "answers after the last one"
            reason = one.last or is_stream(one) or answer.status == 204 or answer.status >= 400
            assert reason, "closed for no reason"
            return answers
    refusals = answers[len(asked) :]
    assert len(answers) >= len(asked), "requests without an answer"
    assert all(refusal.last and refusal.status >= 400 for refusal in refusals), refusals
    assert len(refusals) <= {End.NOTHING: 0, End.BEGINNING: 1, End.FAULT: 1}[end], refusals
    assert refusals or end is not End.FAULT, "a fault was not refused"
    return answers


def is_stream(asked: Asked) -> bool:
    return asked.method == "GET" and "/events" in asked.target


def ends_by_itself(data: bytes) -> bool:
    """Whether no stream is followed by anything, for which it would not end."""
    asked, end = read_requests(data)
    return end is End.NOTHING and not any(is_stream(one) for one in asked[:-1])


def case(number: int) -> tuple[random.Random, bytes]:
    chance = random.Random(f"{SEED} {number}")  # noqa: S311 — the same cases each time
    family = raw_requests.FAMILIES[number % len(raw_requests.FAMILIES)]
    while True:
        data = family(chance)
        if b"/events" not in data or ends_by_itself(data):
            return chance, data


def test_no_bytes_break_the_daemon(victim: Victim, observer: Observer) -> None:
    before = observer.status()
    slow: list[Slow] = []
    with contextlib.ExitStack() as stack:
        for number in range(CASES):
            chance, data = case(number)
            client = stack.enter_context(Client(victim.port))
            way = chance.choice(["whole", "whole", "whole", "pieces", "slow", "leaves"])
            if way == "slow":
                slow.append(Slow(number, client, data, raw_requests.pieces(chance, data)))
            elif way == "leaves":
                client.send(data[: chance.randint(0, len(data))])
                client.leave()
            else:
                for piece in raw_requests.pieces(chance, data) if way == "pieces" else [data]:
                    client.send(piece)
                    observer.is_well()
                check(number, data, client.everything())
            observer.is_well()
            slow = [one for one in slow if one.goes_on()]
        while slow:
            slow = [one for one in slow if one.goes_on()]
    observer.settles(before)
    assert victim.stop() == 0
    assert "Traceback" not in victim.log


def test_whatever_is_pipelined_is_answered_in_order(victim: Victim, observer: Observer) -> None:
    before = observer.status()
    alone = {
        whole: [answer.status for answer in exchange(victim, whole)]
        for whole in (*raw_requests.VALID, *raw_requests.LAST)
    }
    assert all(len(statuses) == 1 for statuses in alone.values())
    for number in range(CASES // 20):
        chance = random.Random(f"{SEED} pipeline {number}")  # noqa: S311
        wholes = raw_requests.pipeline(chance)
        answers = exchange(victim, b"".join(wholes))
        assert [[answer.status] for answer in answers] == [alone[whole] for whole in wholes]
    observer.settles(before)


def test_who_never_finishes_holds_no_worker(victim: Victim, observer: Observer) -> None:
    before = observer.status()
    chance = random.Random(SEED)  # noqa: S311
    with contextlib.ExitStack() as stack:
        for _ in range(HALVES):
            client = stack.enter_context(Client(victim.port))
            client.send(raw_requests.beginning(chance))
            observer.is_well()
        for whole in (*raw_requests.VALID, *raw_requests.LAST):
            assert len(exchange(victim, whole)) == 1
        held = observer.status()
        # Some of the connections of before may just have been closed.
        assert held["descriptors"] > before["descriptors"] + HALVES // 2
        observer.settles(before | {"descriptors": held["descriptors"]})
    observer.settles(before)


class Slow:
    """A client that sends a piece whenever another one has had its turn."""

    def __init__(self, number: int, client: Client, data: bytes, rest: list[bytes]) -> None:
        self._number = number
        self._client = client
        self._data = data
        self._rest = rest

    def goes_on(self) -> bool:
        """Sends the next piece; False once all is sent, and answered as it should be."""
        if self._rest:
            self._client.send(self._rest.pop(0))
            return True
        check(self._number, self._data, self._client.everything())
        return False


def exchange(victim: Victim, data: bytes) -> list[Answered]:
    with Client(victim.port) as client:
        client.send(data)
        return judge(data, client.everything())


def check(number: int, data: bytes, received: bytes) -> None:
    try:
        judge(data, received)
    except (AssertionError, KeyError, ValueError) as error:
        shown = data if len(data) < 2000 else data[:1000] + b" ... " + data[-500:]
        raise AssertionError(
            f"seed {SEED}, case {number}: {error!r}\n{shown!r}\nwas answered\n{received[:3000]!r}"
        ) from error
