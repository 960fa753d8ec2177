"""One open change set on its way to the files: forward as a whole, or back as a whole."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from qmemd.errors import MemoryFilesError
from qmemd.kinds import ChangeState
from qmemd.memory import files
from qmemd.memory.changes import ChangeSet, FileChange, KeptText
from qmemd.memory.history import History, Step
from qmemd.memory.late_writes import LateWrites
from qmemd.memory.leftovers import sweep
from qmemd.memory.paths import Root
from qmemd.memory.rebuild import rebuild_index
from qmemd.memory.replacement import ChangedMeanwhileError, Image, Replacement
from qmemd.memory.scan import Scan, Scanner

_logger = logging.getLogger(__name__)


class Application:
    """Settles one change set that is open in the history. The caller holds the locks.

    The rule: when every file has its before- or its after-image, go forward; otherwise put back
    those that are at their after-image and leave the rest.
    """

    def __init__(
        self,
        change_set: ChangeSet,
        base: Path,
        history: History,
        scanner: Scanner,
        step: Step,
        late: LateWrites | None = None,
    ) -> None:
        self._change_set = change_set
        self._base = base
        self._history = history
        self._scanner = scanner
        self._step = step
        self._late = late
        roots = {scope: base / change_set.roots[scope] for scope in change_set.touched_scopes}
        self._roots = [Root(scope=scope, path=path) for scope, path in roots.items()]
        self._replacements = [
            Replacement(
                roots[change.path.scope],
                change,
                f"{change_set.change_set_id}-{number}",
                keep=self._keep,
                step=step,
                watch=self._watch if late else None,
            )
            for number, change in enumerate(change_set.files)
        ]
        self.error: OSError | MemoryFilesError | None = None
        """Why the way forward was left, when it was not for another program's change."""

    def conflicts(self) -> list[str]:
        """Paths of the files that do not hold their before-image."""
        return [
            str(one.change.path) for one in self._replacements if one.image() is not Image.BEFORE
        ]

    def settle(self) -> ChangeSet:
        """Goes forward or back; returns the closed change set: applied or conflict.

        Raises:
            OSError: not even the way back could be finished; the change set stays open.
            MemoryFilesError: the same.
        """
        if self._change_set.state is ChangeState.CONFLICT:
            return self._back()
        try:
            self._go_forward()
        except ChangedMeanwhileError:
            return self._back()
        except (OSError, MemoryFilesError) as error:
            self.error = error
            return self._back()
        return self._finish()

    def _go_forward(self) -> None:
        for one in self._replacements:
            one.reclaim()
        images = [one.image() for one in self._replacements]
        if Image.OTHER in images:
            raise ChangedMeanwhileError
        pairs = zip(self._replacements, images, strict=True)
        # Removals come last, so that a text that moves is never missing.
        for one, image in sorted(pairs, key=lambda pair: pair[0].change.after is None):
            if image is Image.BEFORE:
                one.forward()
        self._sync(self._replacements)

    def _finish(self) -> ChangeSet:
        """Nothing from here on can fail the run: what it asked for is on the disk."""
        warnings = [warning for root in self._roots for warning in self._rebuild(root)]
        try:
            # As late as can be: an editor may still write into a file that lies aside.
            for one in self._replacements:
                one.tidy()
            self._sync(one for one in self._replacements if one.change.before is not None)
        except (OSError, MemoryFilesError):
            _logger.exception("a replaced memory file could not be removed")
        if self._change_set.kept:
            warnings.append("A text that another program wrote meanwhile is kept in the history.")
        result = dict(self._change_set.result)
        if warnings:
            result["summary"] = " ".join([str(result.get("summary", "")), *warnings]).strip()
        self._change_set = replace(self._change_set, state=ChangeState.APPLIED, result=result)
        try:
            if (moves := self._change_set.moves) is not None:
                self._history.move(moves.change_set_id, moves.state)
            if self._change_set.erases:
                self._step("history: note what journals owe")
                self._history.owed.note(self._change_set)
                self._history.erase(self._change_set.erases)
            self._history.close(_done(self._change_set))
        except (OSError, MemoryFilesError):
            # The next settling finds every file at its after-image.
            _logger.exception("an applied change set could not be closed")
        if self._late:
            self._step("look again")
            self._late.look(self._history)
        return self._change_set

    def _back(self) -> ChangeSet:
        self._change_set = replace(self._change_set, state=ChangeState.CONFLICT)
        try:
            # Whoever goes on after a crash must go back too, even if all images fit again.
            self._history.open(self._change_set)
        except (OSError, MemoryFilesError):
            _logger.exception("a conflict could not be noted in the history")
        failure: OSError | MemoryFilesError | None = None
        for one in reversed(self._replacements):
            try:
                one.reclaim()
                if one.image() is Image.AFTER:
                    self._put_back(one)
            except (OSError, MemoryFilesError) as error:
                failure = failure or error
        if failure:
            raise failure
        self._sync(self._replacements)
        self._remove_made_directories()
        for root in self._roots:
            if root.path.is_dir():
                self._rebuild(root)
        self._history.close(self._change_set)
        return self._change_set

    def _put_back(self, one: Replacement) -> None:
        try:
            one.backward()
        except ChangedMeanwhileError:
            one.reclaim()
        else:
            one.tidy()

    def _remove_made_directories(self) -> None:
        for made in reversed(self._change_set.made_directories):
            path = self._base / made
            self._step("remove directory")
            # Not empty: others use it now, and it stays.
            with (
                contextlib.suppress(OSError, MemoryFilesError),
                files.open_directory(path.parent) as parent,
            ):
                os.rmdir(path.name, dir_fd=parent)
                os.fsync(parent)

    def _rebuild(self, root: Root) -> tuple[str, ...]:
        return rebuild(self._scanner, root, self._history, self._step)

    def _sync(self, replacements: Iterable[Replacement]) -> None:
        self._step("sync directories")
        for directory in sorted({one.directory for one in replacements}):
            with contextlib.suppress(FileNotFoundError):
                files.fsync_dir(directory)

    def _watch(self, change: FileChange, descriptor: int, content: bytes) -> None:
        if self._late:
            self._late.watch(self._change_set.change_set_id, change, descriptor, content)

    def _keep(self, kept: KeptText) -> None:
        if kept not in self._change_set.kept:
            self._change_set = replace(self._change_set, kept=(*self._change_set.kept, kept))
            self._history.open(self._change_set)


def rebuild(scanner: Scanner, root: Root, history: History, step: Step) -> tuple[str, ...]:
    """Rebuilds a root's index and sweeps what dead runs left there. The caller holds its lock.

    Returns:
        Sentences for the summary: that it failed, which fails nothing else, or that files could
        not be read.
    """
    try:
        step(f"rebuild {root.scope.value} index")
        scan = rebuild_index(scanner, root, step).scan
    except Exception:
        # The documents are saved; no fault here may undo that.
        _logger.warning("the index of the %s memory was not rebuilt", root.scope, exc_info=True)
        return (not_rebuilt(root),)
    try:
        sweep(root, scan.leftovers, history)
    except (OSError, MemoryFilesError):
        _logger.warning("temporary files stay in the %s memory", root.scope, exc_info=True)
    return _left_out(scan)


def _done(change_set: ChangeSet) -> ChangeSet:
    """As the history keeps it: what did another one's changes need not hold the texts as well."""
    if change_set.erases:
        return change_set.erased(change_set.erases)
    return change_set if change_set.moves is None else replace(change_set, files=(), kept=())


def not_rebuilt(root: Root) -> str:
    """The sentence for a summary."""
    return f"The index of the {root.scope.value} memory could not be rebuilt."


def _left_out(scan: Scan) -> tuple[str, ...]:
    count = len(scan.problems)
    if not count:
        return ()
    files_are = "1 file" if count == 1 else f"{count} files"
    verb = "is" if count == 1 else "are"
    memory = f"the {scan.root.scope.value} memory"
    return (f"{files_are} of {memory} could not be read and {verb} left out of the index.",)
