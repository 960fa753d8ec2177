"""Signals as messages: a thread reads their numbers from a socket.

Python runs a signal's handler on the main thread alone, and only once that thread wakes up; a
signal that another thread of the process took wakes nobody. The interpreter's wake-up descriptor
is written to whichever thread it was, so reading from it misses nothing.
"""

from __future__ import annotations

import contextlib
import signal
import socket
import threading
from collections.abc import Callable, Iterator

from qmemd.cli.thread_dump import log_threads

STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
SHOWING = signal.SIGUSR1
"""Has every thread's stack logged."""


@contextlib.contextmanager
def on_signals(first: Callable[[], object], second: Callable[[int], object]) -> Iterator[None]:
    """Calls ``first`` on the first stopping signal and ``second``, with its number, on the next.

    On ``SHOWING`` what each thread does is logged, and nothing else happens.

    To be entered on the main thread; what was set before is set again at the end.
    """
    reading, writing = socket.socketpair()
    writing.setblocking(False)
    with reading, writing:
        before = {number: signal.signal(number, _nothing) for number in (*STOPPING, SHOWING)}
        descriptor = signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
        reader = threading.Thread(
            target=_read, args=(reading, first, second), name="qmemd-signals", daemon=True
        )
        reader.start()
        try:
            yield
        finally:
            signal.set_wakeup_fd(descriptor)
            for number, handler in before.items():
                signal.signal(number, handler)
            reading.shutdown(socket.SHUT_RD)
            reader.join(1)


def _read(
    reading: socket.socket, first: Callable[[], object], second: Callable[[int], object]
) -> None:
    seen = False
    while numbers := reading.recv(64):
        for number in numbers:
            if number == SHOWING:
                log_threads()
            if number not in STOPPING:
                continue
            if seen:
                second(number)
            seen = True
            first()


def _nothing(*_: object) -> None:
    """A handler of its own, so that the default action does not happen."""
