"""Temporary files of runs that died: found by the scanner, removed by whoever has the lock next."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from dataclasses import replace

from qmemd.kinds import ChangeState
from qmemd.memory import files
from qmemd.memory.changes import ChangeSet, KeptText
from qmemd.memory.history import History
from qmemd.memory.paths import Root
from qmemd.memory.replacement import KEPT_LIMIT, Replacement

_OF_CHANGE = re.compile(r"\.qmemd-([A-Za-z0-9_-]{1,100})-(\d{1,9})-(?:old|new)\.tmp")
_ASIDE = f"-old{files.TEMP_SUFFIX}"


def sweep(root: Root, leftovers: Iterable[str], history: History) -> None:
    """Removes what dead runs left below a root. The caller holds the root's lock.

    What belongs to an open change set stays for whoever settles it. A document that lies aside
    for a closed one is compared with it first, and kept in the history when it says something
    else; when nobody knows what it should hold, it stays.

    Raises:
        OSError: the system refuses.
        MemoryFilesError: the way leads through a link by now.
    """
    waiting: frozenset[str] | None = None
    for relative in leftovers:
        path = root.path / relative
        change = _OF_CHANGE.fullmatch(path.name)
        if change:
            waiting = history.open_ids() if waiting is None else waiting
            if change[1] in waiting:
                continue
        if not path.name.endswith(_ASIDE):
            with files.open_directory(path.parent) as directory:
                files.unlink_at(directory, path.name)
        elif change and _is_small(root, relative):
            _settle_aside(root, relative, change[1], int(change[2]), history)


def _settle_aside(root: Root, relative: str, owner: str, number: int, history: History) -> None:
    change_set = history.load(owner)
    if change_set is None or number >= len(change_set.files):
        return
    change = change_set.files[number]
    place = relative.rpartition("/")[0]
    if change.path.scope is not root.scope or change.path.relative.rpartition("/")[0] != place:
        return
    foreign: list[KeptText] = []
    tag = f"{owner}-{number}"

    def keep(text: KeptText) -> None:
        foreign.append(text)
        _note(change_set, foreign, history)

    one = Replacement(root.path, change, tag, keep=keep, step=lambda _name: None)
    if change_set.state is ChangeState.CONFLICT:
        one.reclaim()
    else:
        one.tidy()


def _note(change_set: ChangeSet, foreign: list[KeptText], history: History) -> None:
    new = tuple(text for text in foreign if text not in change_set.kept)
    history.close(replace(change_set, kept=(*change_set.kept, *new)))


def _is_small(root: Root, relative: str) -> bool:
    path = root.path / relative
    with files.open_directory(path.parent) as directory:
        try:
            status = os.stat(path.name, dir_fd=directory, follow_symlinks=False)
        except FileNotFoundError:
            return False
    return not stat.S_ISDIR(status.st_mode) and status.st_size <= KEPT_LIMIT
