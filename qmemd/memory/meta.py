"""``meta.json`` of a project: small facts about its memory that others write too.

Writing it is best effort: a failure is logged and fails nothing.
"""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qmemd.errors import QmemdError
from qmemd.tasks import iso

if TYPE_CHECKING:
    from qmemd.memory.paths import MemoryPaths

META_NAME = "meta.json"
_MAX_BYTES = 1 << 20

logger = logging.getLogger(__name__)


def read_meta(directory: Path) -> dict[str, Any]:
    """What ``meta.json`` in ``directory`` says; empty when there is none or it is junk."""
    try:
        with (directory / META_NAME).open("rb") as file:
            value = json.loads(file.read(_MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def update_meta(paths: MemoryPaths, now: datetime | None = None, **changes: Any) -> bool:
    """Sets the given keys in the project's ``meta.json`` and keeps all others.

    Args:
        paths: Whose project state it is.
        now: Becomes ``updatedAt``, and ``createdAt`` of a new file; None for the present.
        changes: Keys as they stand in the file; datetimes are written as text.

    Returns:
        False when the file could not be written.
    """
    # Imported late: reading paths must not pull in the writing half.
    from qmemd.memory.files import atomic_write  # noqa: PLC0415

    stamp = iso(now or datetime.now(UTC))
    values = {
        key: iso(value) if isinstance(value, datetime) else value for key, value in changes.items()
    }
    present = read_meta(paths.project_state)
    meta = {"version": 1, "createdAt": stamp} | present | {"updatedAt": stamp} | values
    try:
        data = json.dumps(meta, ensure_ascii=False, indent=2).encode() + b"\n"
        atomic_write(paths.project_state / META_NAME, data)
    except (OSError, ValueError, TypeError, QmemdError) as error:
        logger.warning("meta.json could not be written: %s", error.__class__.__name__)
        return False
    return True
