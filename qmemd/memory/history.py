"""The history of change sets: one JSON file each, ``open/`` until it is settled, then ``closed/``.

A file is named ``<created>.<change set id>.<task id>.json``: a listing alone gives order and owner.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote

from qmemd.errors import MemoryFilesError
from qmemd.kinds import ChangeState
from qmemd.memory import files
from qmemd.memory.changes import ChangeSet
from qmemd.memory.owed import OwedErasures

MAX_AGE = timedelta(days=30)
MAX_BYTES = 200_000_000

_SUFFIX = ".json"
_NAME = re.compile(r"\d{8}T\d{9}Z\.[\w-]+\..+\.json")
_MAX_FILE_BYTES = 1 << 30
_logger = logging.getLogger(__name__)

Step = Callable[[str], None]
"""Told the name of each step just before it is taken. Tests end the run there."""


def no_step(_name: str) -> None:
    """The step hook of everyday."""


class History:
    """Change sets on disk. Whoever writes holds the user root's lock; readers need none.

    What is forgotten by its age goes without a lock, a whole file at a time.
    """

    def __init__(self, directory: Path, *, step: Step = no_step) -> None:
        self._open = directory / "open"
        self._closed = directory / "closed"
        self.owed = OwedErasures(directory / "owed")
        self._step = step
        self._swept = False

    def open(self, change_set: ChangeSet) -> None:
        """Writes a change set durably, before it is applied: from here on it counts."""
        self._step("history: write open")
        files.atomic_write(self._open / _file_name(change_set), change_set.to_json())

    def close(self, change_set: ChangeSet) -> None:
        """Writes the final state; also used to rewrite a change set that is closed already."""
        name = _file_name(change_set)
        self._step("history: write closed")
        files.atomic_write(self._closed / name, change_set.to_json())
        self._step("history: unlink open")
        # Not fsynced: an open one that comes back is ignored beside its closed one.
        (self._open / name).unlink(missing_ok=True)

    def erase(self, texts: Collection[str]) -> None:
        """Takes the texts out of every closed change set; those that held one are erased.

        What cannot be read, and may hold one, is removed.
        """
        for name in _names(self._closed):
            try:
                found = ChangeSet.from_json(
                    files.read_regular(self._closed, name, limit=_MAX_FILE_BYTES)
                )
            except FileNotFoundError:
                continue
            except MemoryFilesError:
                self._step("history: unlink unreadable")
                (self._closed / name).unlink(missing_ok=True)
                continue
            if found.holds(texts):
                self._step("history: erase")
                files.atomic_write(self._closed / name, found.erased(texts).to_json())

    def move(self, change_set_id: str, state: ChangeState) -> None:
        """Gives a closed change set another state; one that is gone by now is ignored."""
        found = self.load(change_set_id)
        if found is not None:
            self.close(replace(found, state=state))

    def has_open(self) -> bool:
        """Whether anything waits to be settled. One look into a directory that is mostly empty."""
        return bool(_names(self._open))

    def open_ids(self) -> frozenset[str]:
        """The ids of the change sets that wait to be settled, the unreadable ones too."""
        return frozenset(map(_id_of, _names(self._open)))

    def sweep(self) -> None:
        """Removes unfinished files of writers that died. The caller holds the user root's lock.

        The closed ones, of which there may be many, are looked through once by each object: a
        process that comes after a dead one has a new object.

        Raises:
            OSError: the system refuses.
            MemoryFilesError: the history lies behind a link.
        """
        often = (self._open, self.owed.directory)
        for directory in often if self._swept else (*often, self._closed):
            with (
                contextlib.suppress(FileNotFoundError),
                files.open_directory(directory) as descriptor,
            ):
                for name in os.listdir(descriptor):  # noqa: PTH208 - of a descriptor
                    if files.is_temporary(name) and name.endswith(files.TEMP_SUFFIX):
                        files.unlink_at(descriptor, name)
        self._swept = True

    def opened(self) -> list[ChangeSet]:
        """The change sets that wait to be settled, oldest first; unreadable ones are left out."""
        waiting = []
        for name in _names(self._open):
            if (self._closed / name).exists():
                (self._open / name).unlink(missing_ok=True)
            elif change_set := _load(self._open / name):
                waiting.append(change_set)
        return waiting

    def find_task(self, task_id: str) -> ChangeSet | None:
        """The change set of a task: the one that counts, if it had several after conflicts."""
        quoted = _quoted(task_id)
        found = [
            change_set
            for directory in (self._closed, self._open)
            for name in _names(directory, f".{quoted}{_SUFFIX}")
            if _task_of(name) == quoted and (change_set := _load(directory / name)) is not None
        ]
        counting = [one for one in found if one.state is not ChangeState.CONFLICT]
        return next(iter(counting or found[-1:]), None)

    def load(self, change_set_id: str) -> ChangeSet | None:
        """A closed change set by its id."""
        part = f".{change_set_id}."
        for name in _names(self._closed, containing=part):
            if _id_of(name) == change_set_id:
                return _load(self._closed / name)
        return None

    def newest_first(self, *, before: str | None = None) -> Iterator[tuple[str, ChangeSet]]:
        """The closed change sets, newest first, each read only when it is asked for.

        With each comes its place, after which a later call goes on with ``before``.
        """
        for name in self.closed_names():
            place = ".".join(name.split(".", 2)[:2])
            if (before is None or place < before) and (change_set := _load(self._closed / name)):
                yield place, change_set

    def closed_names(self) -> list[str]:
        """Names of the closed change sets, newest first, for ``read_closed``."""
        return _names(self._closed)[::-1]

    def read_closed(self, name: str) -> ChangeSet | None:
        """One of them; None when it is gone, or cannot be read."""
        return _load(self._closed / name)

    def prune(
        self,
        now: datetime,
        *,
        max_age: timedelta = MAX_AGE,
        max_bytes: int = MAX_BYTES,
        is_unfinished: Callable[[str, str], bool] = lambda _workspace, _task: False,
    ) -> int:
        """Forgets closed change sets that are too old or, oldest first, too much; counts them.

        Those of unfinished tasks stay whatever their age and size: without them the task would be
        run again. ``is_unfinished`` is asked with the workspace and the id of the task. Behind a
        link nothing is forgotten. Needs no lock: a file goes whole.

        Raises:
            OSError: the system refuses.
        """
        oldest = _stamp(now - max_age)
        used = removed = 0
        with (
            contextlib.suppress(FileNotFoundError, MemoryFilesError),
            files.open_directory(self._closed) as directory,
        ):
            for name in reversed(_names(self._closed)):
                # By its descriptor: there may be tens of thousands.
                with contextlib.suppress(FileNotFoundError):
                    used += os.stat(name, dir_fd=directory, follow_symlinks=False).st_size
                    if name >= oldest and used <= max_bytes:
                        continue
                    found = _load(self._closed / name)
                    if found is None or not is_unfinished(found.workspace, found.task_id):
                        os.unlink(name, dir_fd=directory)
                        removed += 1
        return removed


def _file_name(change_set: ChangeSet) -> str:
    task = _quoted(change_set.task_id)
    return f"{_stamp(change_set.created_at)}.{change_set.change_set_id}.{task}{_SUFFIX}"


def _stamp(moment: datetime) -> str:
    # Milliseconds, as in the JSON: the name must be the same after a reading.
    utc = moment.astimezone(UTC)
    return f"{utc:%Y%m%dT%H%M%S}{utc.microsecond // 1000:03d}Z"


def _quoted(task_id: str) -> str:
    return quote(task_id, safe="")


def _id_of(name: str) -> str:
    return name.split(".", 2)[1]


def _task_of(name: str) -> str:
    return name.split(".", 2)[2].removesuffix(_SUFFIX)


def _names(directory: Path, ending: str = _SUFFIX, *, containing: str = "") -> list[str]:
    try:
        names = os.listdir(directory)  # noqa: PTH208 — there may be very many: no object for each
    except FileNotFoundError:
        return []
    return sorted(
        name
        for name in names
        if name.endswith(ending) and containing in name and _NAME.fullmatch(name)
    )


def _load(path: Path) -> ChangeSet | None:
    try:
        return ChangeSet.from_json(
            files.read_regular(path.parent, path.name, limit=_MAX_FILE_BYTES)
        )
    except FileNotFoundError:
        return None
    except (OSError, MemoryFilesError) as error:
        _logger.warning("a change set in the history cannot be read: %s", error)
        return None
