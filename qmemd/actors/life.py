"""Starting and stopping actors, and threads that nobody waits for."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

import pykka

from qmemd.actors.guarded import tell
from qmemd.messages import Ping

log = logging.getLogger(__name__)

PING_TIMEOUT = 5.0
"""Seconds for an actor to show that it is there."""


def ping(actor: pykka.ActorRef[Any]) -> None:
    """Raises RuntimeError unless the actor is there: Pykka tells nobody of a failing start."""
    reply: Future[None] = Future()
    tell(actor, Ping(reply))
    deadline = time.monotonic() + PING_TIMEOUT
    while not reply.done() and actor.is_alive() and time.monotonic() < deadline:
        with suppress(TimeoutError):
            reply.exception(0.1)
    if not reply.done() or reply.exception() is not None:
        raise RuntimeError(f"{actor} did not start; the log says why")


def stop_actor(actor: pykka.ActorRef[Any], timeout: float) -> None:
    """Stops an actor after what is in its mailbox now; never raises, waits ``timeout`` seconds."""
    try:
        actor.stop(timeout=timeout)
    except pykka.Timeout:
        log.error("%s did not stop in time", actor)  # noqa: TRY400 — the trace says nothing more


def in_background(work: Callable[[], object], name: str) -> None:
    """Runs what nobody waits for on a thread that ends with the process at the latest."""

    def run() -> None:
        try:
            work()
        except BaseException:
            # A host's callback may even exit; that ends its own thread and nothing else.
            log.exception("%s failed", name)

    threading.Thread(target=run, name=name, daemon=True).start()
