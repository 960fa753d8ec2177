"""Taking a text out of records that have ended."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Collection

from qmemd.erasure import holds, without
from qmemd.journal.fingerprints import fingerprints_of
from qmemd.journal.schema import RECOUNT

log = logging.getLogger(__name__)


def erase_texts(database: sqlite3.Connection, texts: Collection[str]) -> tuple[str, ...]:
    """Rewrites the records that hold them; within the caller's transaction. Their task ids.

    Keys of idempotency go as well where the text is in them, or where their fingerprint would
    let somebody confirm a guess of it.
    """
    texts = [text for text in texts if text]
    if not texts:
        return ()
    rewritten = []
    for number, task_id, outcome in database.execute(
        "SELECT number, task_id, outcome FROM tasks WHERE outcome IS NOT NULL"
    ).fetchall():
        try:
            cleaned = without(texts, json.loads(outcome))
        except ValueError:
            log.error("a broken record of the journal is dropped: it may hold an erased text")  # noqa: TRY400 — no fault of ours
            database.execute("DELETE FROM tasks WHERE number = ?", (number,))
            continue
        written = json.dumps(cleaned, ensure_ascii=False, separators=(",", ":"))
        if written != outcome:
            database.execute("UPDATE tasks SET outcome = ? WHERE number = ?", (written, number))
            rewritten.append(task_id)
    telling = fingerprints_of(texts)
    for number, key, fingerprint in database.execute(
        "SELECT number, idempotency_key, fingerprint FROM tasks "
        "WHERE idempotency_key IS NOT NULL AND ended IS NOT NULL"
    ).fetchall():
        if fingerprint in telling or holds(key, texts):
            database.execute(
                "UPDATE tasks SET idempotency_key = NULL, fingerprint = NULL WHERE number = ?",
                (number,),
            )
    for statement in RECOUNT:
        database.execute(statement)
    return tuple(rewritten)
