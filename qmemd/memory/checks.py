"""What must hold of the changes of a run, whatever a model asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from qmemd.errors import MemoryFilesError, TaskFailedError
from qmemd.kinds import Scope, TaskKind
from qmemd.memory.changes import FileChange
from qmemd.memory.documents import parse
from qmemd.memory.losses import check_losses
from qmemd.memory.paths import INDEX_NAME, OWN_PREFIX, PINNED_NAME
from qmemd.memory.scan import Scan
from qmemd.memory.secrets import find_secret

_MAX_NAME_BYTES = 255


def check_changes(
    changes: Sequence[FileChange], *, kind: TaskKind, scan: Callable[[Scope], Scan]
) -> None:
    """Refuses changes that no run may make. ``scan`` is asked only for a dream.

    Raises:
        TaskFailedError: ``secret_detected`` for a secret in text that was not there before;
            ``dream_unsafe`` when a dream would lose too much; else ``<kind>_failed`` for a path
            that is not to be written, a document that is too large or cannot be read.
    """
    try:
        check_paths(changes)
        for change in changes:
            if change.after is not None:
                parse(change.after)
    except MemoryFilesError as error:
        raise TaskFailedError(f"{kind.value}_failed", details=error.message) from error
    _check_secrets(changes)
    if kind is TaskKind.DREAM:
        for scope in sorted({change.path.scope for change in changes}):
            check_losses(changes, scan(scope))


def check_paths(changes: Sequence[FileChange]) -> None:
    """Refuses places that hold no documents of ours; the one check that nothing is exempt from.

    Raises:
        MemoryFilesError: ``memory_path_refused``.
    """
    if len({change.path for change in changes}) != len(changes):
        raise _refused("one document is changed twice")
    for change in changes:
        # Without regard to case: the file system may have none.
        names = [part.casefold() for part in change.path.parts]
        if not names[-1].endswith(".md") or names[-1] == ".md":
            raise _refused("a document's name ends in .md")
        if INDEX_NAME.casefold() in names:
            raise _refused("the index is not written by hand")
        if names[0] == PINNED_NAME.casefold():
            raise _refused("pinned documents are the user's own")
        if any(name.startswith(OWN_PREFIX) for name in names):
            raise _refused("the name is reserved")
        if any(_size(part) > _MAX_NAME_BYTES for part in change.path.parts):
            raise _refused("a name is too long")


def _check_secrets(changes: Iterable[FileChange]) -> None:
    # What moves from one document to another was there before.
    old = {line for change in changes for line in _lines(change.before)}
    for change in changes:
        added = [line for line in _lines(change.after) if line not in old]
        if change.before is None:
            added.append(change.path.relative)
        if secret := find_secret("\n".join(added)):
            raise TaskFailedError("secret_detected", details=f"It looks like a {secret}.")


def _lines(content: bytes | None) -> list[str]:
    return (content or b"").decode(errors="replace").splitlines()


def _size(name: str) -> int:
    return len(name.encode(errors="surrogatepass"))


def _refused(why: str) -> MemoryFilesError:
    return MemoryFilesError("memory_path_refused", f"A change to the memory was refused: {why}.")
