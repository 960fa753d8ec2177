"""Where sessions survive, in memory; its disk can be full."""

from __future__ import annotations

from collections.abc import Sequence

from qmemd.journal.session_store import SessionRecord


class FakeSessionStore:
    survives = True

    def __init__(self, *records: SessionRecord) -> None:
        self.records = {record.session_id: record for record in records}
        self.full = False

    def load(self, workspace: str) -> tuple[SessionRecord, ...]:  # noqa: ARG002 — the interface
        return tuple(self.records.values())

    def save(self, workspace: str, record: SessionRecord) -> None:  # noqa: ARG002 — the interface
        self._write()
        self.records[record.session_id] = record

    def forget(self, session_ids: Sequence[str]) -> None:
        self._write()
        for session_id in session_ids:
            self.records.pop(session_id, None)

    def _write(self) -> None:
        if self.full:
            raise OSError("no space left")
