"""What each thread does at this moment, for somebody who wants to know where the daemon is stuck.

Made by a thread of ours that has the interpreter to itself: a handler of faulthandler's own reads
the stacks of threads that are running, and now and then crashes on one.
"""

from __future__ import annotations

import logging
import sys
import threading
import traceback

MAX_FRAMES = 25
"""Of each stack; the innermost stay."""

log = logging.getLogger(__name__)
log.setLevel(logging.WARNING)  # somebody asked, whatever else is to be logged


def log_threads() -> None:
    """One record, at a level that is always shown."""
    log.warning("what each thread does, the innermost call last:\n%s", thread_dump())


def thread_dump() -> str:
    """Stacks of code without values, each with the names of the threads that share it."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    sharing: dict[str, list[str]] = {}
    for ident, frame in sys._current_frames().items():  # noqa: SLF001 - documented, for debuggers
        stack = "".join(traceback.format_stack(frame)[-MAX_FRAMES:])
        sharing.setdefault(stack, []).append(names.get(ident, f"thread {ident}"))
    return "\n".join(f"{', '.join(sorted(who))}:\n{stack}" for stack, who in sharing.items())
