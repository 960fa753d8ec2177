from __future__ import annotations

from datetime import timedelta

from qmemd.journal import Capacity, IdempotencyKey, Journal
from qmemd.results import RememberResult, TaskResult
from qmemd.tasks import Remember, Task, TaskFailure, TaskRequest
from tests.conftest import FakeClock

W = "/work"
LEASE = timedelta(seconds=60)
ROOMY = Capacity(total=100_000, compacting=100_000)
DONE = RememberResult("done")


class Desk:
    """A journal with a shorthand for putting tasks in."""

    def __init__(self, clock: FakeClock, journal: Journal) -> None:
        self.clock = clock
        self.journal = journal
        self._count = 0

    def put(
        self,
        request: TaskRequest | None = None,
        *,
        capacity: Capacity = ROOMY,
        key: str | None = None,
        fields: str = "f",
        workspace: str = W,
        client_id: str | None = None,
    ) -> Task:
        self._count += 1
        request = request or Remember("x")
        task = Task.queued(f"{request.kind}-{self._count}", request, client_id, self.clock())
        idempotency = IdempotencyKey(key, fields) if key else None
        return self.journal.accept(workspace, task, capacity, idempotency).task

    def run(self, outcome: TaskResult | TaskFailure = DONE) -> Task:
        claim = self.journal.claim(W, "me", LEASE)
        assert claim is not None
        self.journal.start(claim)
        return self.journal.finish(claim.task.task_id, outcome, claim)
