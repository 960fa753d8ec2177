"""The shell that every actor of ours wears.

A raise under ``tell`` would kill a Pykka actor, and SystemExit in a handler would stop every actor
of the process, the host's own included. So nothing that a handler raises gets past this class.
"""

from __future__ import annotations

import logging
from concurrent.futures import Future
from typing import Any

import pykka

from qmemd.errors import QmemdError, RequestError
from qmemd.logs.fields import fields, task_fields
from qmemd.messages import Ping
from qmemd.tasks import Task

log = logging.getLogger(__name__)


class GuardedActor(pykka.ThreadingActor):
    """Routes each message to ``handle`` and survives whatever that raises."""

    use_daemon_thread = True
    """A host must be able to exit even when it forgot to stop us."""

    def on_receive(self, message: Any) -> None:
        try:
            if isinstance(message, Ping):
                answer(message.reply, None)
            else:
                self.handle(message)
        except BaseException as error:
            actor, kind = type(self).__name__, type(message).__name__
            log.exception("%s failed on %s", actor, kind, extra=_fields(message))
            self._recover(message, error)

    def on_start(self) -> None:
        # Pykka calls no other hook after a failing one, and tells nobody.
        try:
            self.begin()
        except BaseException:
            log.exception("%s could not start", type(self).__name__)
            self.release()
            raise

    def on_stop(self) -> None:
        self._refuse_waiting()
        self.release()

    def on_failure(self, *_: object) -> None:
        self._refuse_waiting()
        self.release()

    def begin(self) -> None:
        """Takes what the actor needs, on its own thread, before the first message."""

    def handle(self, message: Any) -> None:
        """One message. May raise: what it was about fails, the actor goes on."""
        raise NotImplementedError

    def failed(self, message: Any) -> None:
        """A handler raised. Settles what the message was about, beyond its ``reply``."""

    def release(self) -> None:
        """Frees what the actor holds; called once it stops, for whatever reason. Idempotent."""

    def _refuse_waiting(self) -> None:
        """Answers whoever came behind the stop: Pykka answers only those that used its ``ask``."""
        envelopes = []
        while not self.actor_inbox.empty():
            envelope = self.actor_inbox.get()
            reply = getattr(envelope.message, "reply", None)
            if isinstance(reply, Future):
                refuse(reply, RequestError("daemon_stopping"))
            envelopes.append(envelope)
        for envelope in envelopes:
            self.actor_inbox.put(envelope)

    def _recover(self, message: Any, error: BaseException) -> None:
        reply = getattr(message, "reply", None)
        if isinstance(reply, Future):
            refuse(
                reply, error if isinstance(error, QmemdError) else RequestError("internal_error")
            )
        try:
            self.failed(message)
        except BaseException:
            log.exception("%s could not tidy up", type(self).__name__)


def _fields(message: Any) -> dict[str, Any]:
    """Which task a message is about, and who asked, where it says so."""
    task = getattr(message, "task", None)
    if isinstance(task, Task):
        return task_fields(task)
    task_id, client_id = (getattr(message, name, None) for name in ("task_id", "client_id"))
    return fields(task_id, client_id=client_id)


def answer(reply: Future[Any], value: Any) -> None:
    """Answers, unless an answer was given or given up already."""
    if not reply.done() and (reply.running() or reply.set_running_or_notify_cancel()):
        reply.set_result(value)


def refuse(reply: Future[Any], error: BaseException) -> None:
    """Answers with an error, unless an answer was given or given up already."""
    if not reply.done() and (reply.running() or reply.set_running_or_notify_cancel()):
        reply.set_exception(error)


def tell(actor: pykka.ActorRef[Any], message: Any) -> None:
    """Tells an actor; when it has stopped, whoever waits for an answer gets ``daemon_stopping``."""
    try:
        actor.tell(message)
    except pykka.ActorDeadError:
        log.debug("%s has stopped; dropped a %s", actor, type(message).__name__)
        reply = getattr(message, "reply", None)
        if isinstance(reply, Future):
            refuse(reply, RequestError("daemon_stopping"))
