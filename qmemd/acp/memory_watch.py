"""How much memory a child may use, and that it ends when it uses more."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from contextlib import suppress

log = logging.getLogger(__name__)

BETWEEN_LOOKS = 0.25
"""Seconds. What the fastest child eats meanwhile it may have beyond its limit: about half a
gibibyte. A look takes a fraction of a millisecond."""
_MIB = 1024 * 1024


def resident_memory(group: int) -> int:
    """Bytes of memory that a process group has in use; pages that they share count for each."""
    import psutil  # noqa: PLC0415 — the child side imports this package without it

    used = 0
    for pid in psutil.pids():
        with suppress(OSError, psutil.Error):  # it has just ended, or is not ours to ask about
            if os.getpgid(pid) == group:
                used += psutil.Process(pid).memory_info().rss
    return used


class MemoryWatch:
    """A thread that looks at one child's process group, and has it ended over its limit.

    The kernel's own limits do not do what is wanted here. Address space (RLIMIT_AS) says nothing
    of use: Node reserves ten gibibytes for a WebAssembly memory, so that ``fetch`` fails below
    that, and malloc reserves 64 MiB for each thread, of which onnxruntime has one a core. Private
    writable memory (RLIMIT_DATA) counts whole stacks and what engines map ahead without touching
    it, and does not bind mmap on macOS. Either is per process, so that a child may have as much
    as it likes in several, and makes an allocation fail somewhere in it: one crashes, one reports
    anything, one goes on. Resident memory (RLIMIT_RSS) is heeded by no kernel of today, and
    cgroups are not ours to make.

    What is looked at from here is what a child really uses, whatever program it is, together with
    the processes that are killed with it, and it ends with a sentence that names the limit. The
    price is what it eats between two looks.
    """

    def __init__(
        self,
        group: int,
        limit: int,
        on_exceeded: Callable[[], None],
        *,
        measure: Callable[[int], int] = resident_memory,
        between_looks: float = BETWEEN_LOOKS,
    ) -> None:
        """Does nothing yet.

        Args:
            group: of processes, with an id that stays theirs until `stop` returns.
            limit: bytes.
            on_exceeded: called on the thread of the watch, again and again until it is stopped.
            measure: bytes that a group uses.
            between_looks: seconds.
        """
        self._group = group
        self._limit = limit
        self._on_exceeded = on_exceeded
        self._measure = measure
        self._between_looks = between_looks
        self._over = threading.Event()
        self._thread = threading.Thread(
            target=self._run, name=f"qmemd-child-{group}-memory", daemon=True
        )
        self.failure: str | None = None
        """What was exceeded; None as long as nothing was."""

    def start(self) -> None:
        """Begins to look. Without a thread for that, the child is not left unwatched."""
        try:
            self._thread.start()
        except RuntimeError:  # no more threads, or the interpreter is shutting down
            self.failure = "its memory could not be watched"
            self._on_exceeded()

    def stop(self) -> None:
        """Returns when nothing is looked at any more. Not for the thread of the watch."""
        self._over.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(self._between_looks):
            try:
                used = self._measure(self._group)
            except Exception:
                log.exception("the memory of child %d cannot be watched", self._group)
                return
            if used > self._limit:
                self.failure = self.failure or (
                    f"it used {used // _MIB} MiB of memory, and its limit is "
                    f"{self._limit // _MIB} MiB"
                )
                self._on_exceeded()
