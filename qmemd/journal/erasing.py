"""Taking a text out of records that have ended."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection
from typing import Any

from qmemd.journal.fingerprints import fingerprints_of

ERASED = "[erased]"


def without(texts: Collection[str], value: Any) -> Any:
    """A JSON value in which every string that holds one of the texts says that it was erased."""
    if isinstance(value, str):
        return ERASED if any(text in value for text in texts) else value
    if isinstance(value, list):
        return [without(texts, item) for item in value]
    if isinstance(value, dict):
        return {key: without(texts, item) for key, item in value.items()}
    return value


def erase_texts(database: sqlite3.Connection, texts: Collection[str]) -> None:
    """Rewrites the records that hold them; within the caller's transaction.

    Keys of idempotency go as well where the text is in them, or where their fingerprint would
    let somebody confirm a guess of it.
    """
    texts = [text for text in texts if text]
    for number, outcome in database.execute(
        "SELECT number, outcome FROM tasks WHERE outcome IS NOT NULL"
    ).fetchall():
        cleaned = without(texts, json.loads(outcome))
        written = json.dumps(cleaned, ensure_ascii=False, separators=(",", ":"))
        if written != outcome:
            database.execute("UPDATE tasks SET outcome = ? WHERE number = ?", (written, number))
    telling = fingerprints_of(texts)
    for number, key, fingerprint in database.execute(
        "SELECT number, idempotency_key, fingerprint FROM tasks "
        "WHERE idempotency_key IS NOT NULL AND ended IS NOT NULL"
    ).fetchall():
        if fingerprint in telling or any(text in key for text in texts):
            database.execute(
                "UPDATE tasks SET idempotency_key = NULL, fingerprint = NULL WHERE number = ?",
                (number,),
            )
