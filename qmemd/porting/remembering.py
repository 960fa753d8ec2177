"""Facts come in one by one, each as a remember task: an agent files it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from qmemd.kinds import Scope
from qmemd.memory.secrets import SecretPolicy, find_secret
from qmemd.porting.known import Known
from qmemd.porting.records import ReadFact
from qmemd.porting.report import Item, Report, shown


@dataclass(frozen=True, slots=True)
class Remembered:
    """How a task ended that stored a fact, or found it there."""

    summary: str
    change_set_id: str | None
    """None: nothing was changed."""


class NotRememberedError(Exception):
    """A fact was not stored; the sentence says why."""

    def __init__(self, reason: str, *, others_too: bool = False) -> None:
        super().__init__(reason)
        self.others_too = others_too
        """Whether no other fact would fare better."""


Remember = Callable[[str, Scope | None], Remembered]
"""Runs one task to its end. Raises NotRememberedError."""


class Remembering:
    """Facts that the memory does not hold yet, on their way to the agent."""

    def __init__(
        self,
        known: Known,
        policy: SecretPolicy,
        scope: Scope | None,
        remember: Remember | None,
    ) -> None:
        """Without ``remember`` nothing is stored."""
        self._known = known
        self._policy = policy
        self._scope = scope
        self._remember = remember
        self._stopped: str | None = None

    def take(self, read: ReadFact, report: Report) -> None:
        """Stores one fact, unless it is there, and notes in the report what became of it."""
        kind = find_secret(read.text)
        # Of a text that holds a secret nothing is shown.
        where = read.where if kind else f"{read.where} ({shown(read.text)})"
        if kind and self._policy is SecretPolicy.REFUSE:
            report.skipped.append(Item(where, f"It looks like a {kind}."))
        elif (place := self._known.place(read.text, self._scope)) is not None:
            report.present.append(Item(where, str(place)))
        elif self._stopped is not None:
            report.skipped.append(Item(where, self._stopped))
        elif self._remember is None:
            report.added.append(Item(where, "an agent would file it"))
        else:
            self._run(self._remember, read.text, where, report)

    def _run(self, remember: Remember, text: str, where: str, report: Report) -> None:
        try:
            done = remember(text, self._scope)
        except NotRememberedError as error:
            report.skipped.append(Item(where, str(error)))
            if error.others_too:
                self._stopped = str(error)
            return
        item = Item(where, done.summary)
        if done.change_set_id is None:
            report.present.append(item)
        else:
            report.added.append(item)
            report.change_sets.append(done.change_set_id)
