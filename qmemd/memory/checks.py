"""What must hold of the changes of a run, whatever a model asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from qmemd.errors import MemoryFilesError, TaskFailedError
from qmemd.kinds import Scope, TaskKind
from qmemd.memory.changes import FileChange
from qmemd.memory.document_names import folded_name, is_document_name, is_pinned
from qmemd.memory.documents import parse
from qmemd.memory.losses import check_losses
from qmemd.memory.memorypath import MemoryPath
from qmemd.memory.paths import INDEX_NAME
from qmemd.memory.rewrites import Rewrites
from qmemd.memory.scan import Scan
from qmemd.memory.secrets import SecretPolicy, mask, secrets_in

_MAX_NAME_BYTES = 255


def check_changes(
    changes: Sequence[FileChange], *, kind: TaskKind, scan: Callable[[Scope], Scan]
) -> None:
    """Refuses changes that no run may make. ``scan`` is asked only for what seems to lose text.

    Raises:
        TaskFailedError: ``dream_unsafe`` when a dream would lose too much; else ``<kind>_failed``
            for a path that is not to be written, a document that is too large or cannot be read,
            and a remember that would lose text.
    """
    try:
        _check_paths(changes)
        for change in changes:
            if change.after is not None:
                parse(change.after)
    except MemoryFilesError as error:
        raise TaskFailedError(f"{kind.value}_failed", details=error.message) from error
    if kind is TaskKind.FORGET:
        return
    unsafe = "dream_unsafe" if kind is TaskKind.DREAM else f"{kind.value}_failed"
    rewrites = Rewrites(changes, scan, dreaming=kind is TaskKind.DREAM)
    for change in changes:
        if fault := rewrites.fault(change):
            raise TaskFailedError(unsafe, details=fault)
    if kind is TaskKind.DREAM:
        for scope in sorted({change.path.scope for change in changes}):
            check_losses(changes, scan(scope))


def without_secrets(changes: Sequence[FileChange], policy: SecretPolicy) -> tuple[FileChange, ...]:
    """The changes as the policy lets them be. What a touched document held before may stay.

    Raises:
        TaskFailedError: ``secret_detected`` for a secret in text that was not there before.
    """
    if policy is SecretPolicy.ALLOW:
        return tuple(changes)
    # What moves from one document to another was there before.
    old = "\n".join(_text(change.before) for change in changes)
    lines = set(old.splitlines())
    known = secrets_in(old)
    return tuple(_without_new(change, policy, _Known(old, lines, known)) for change in changes)


def check_restored(changes: Sequence[FileChange]) -> None:
    """Refuses what cannot have been a document, of documents that their owner brings back.

    Raises:
        MemoryFilesError: ``memory_path_refused``, ``memory_document_unreadable``.
    """
    check_places(changes)
    for change in changes:
        _check_sizes(change.path)
        parse(change.after or b"")


def check_places(changes: Sequence[FileChange]) -> None:
    """Refuses places that hold no documents of ours; the one check that nothing is exempt from.

    Raises:
        MemoryFilesError: ``memory_path_refused``.
    """
    if len({change.path for change in changes}) != len(changes):
        raise _refused("one document is changed twice")
    for change in changes:
        if not is_document_name(change.path.relative):
            raise _refused("it is no place for a document")


def _check_paths(changes: Sequence[FileChange]) -> None:
    """Refuses the user's own documents as well, and odd names for new ones."""
    check_places(changes)
    for change in changes:
        if is_pinned(change.path.relative):
            raise _refused("pinned documents are the user's own")
        if change.before is None:
            _check_new_name(change.path)


def _check_new_name(path: MemoryPath) -> None:
    """What is there may have an odd name and is changed all the same; nothing new gets one."""
    names = [folded_name(part) for part in path.parts]  # the file system may know no case
    if not names[-1].endswith(".md") or names[-1] == ".md":
        raise _refused("a document's name ends in .md")
    if INDEX_NAME.casefold() in names:
        raise _refused("the index is not written by hand")
    _check_sizes(path)


def _check_sizes(path: MemoryPath) -> None:
    if any(_size(part) > _MAX_NAME_BYTES for part in path.parts):
        raise _refused("a name is too long")


@dataclass(frozen=True, slots=True)
class _Known:
    """What the touched documents held before."""

    text: str
    lines: set[str]
    secrets: dict[str, str]


def _without_new(change: FileChange, policy: SecretPolicy, known: _Known) -> FileChange:
    if change.after is None:
        return change
    text = _text(change.after)
    added = "\n".join(line for line in text.splitlines() if line not in known.lines)
    found = secrets_in(mask(added, known.secrets))
    # A key over several lines, of which one was touched, is no new one.
    new = {secret: kind for secret, kind in found.items() if secret not in known.text}
    in_name = secrets_in(change.path.relative) if change.before is None else {}
    if in_name or (new and policy is SecretPolicy.REFUSE):
        kind = next(iter((new | in_name).values()))
        raise TaskFailedError("secret_detected", details=f"It looks like a {kind}.")
    return replace(change, after=mask(text, new).encode()) if new else change


def _text(content: bytes | None) -> str:
    return (content or b"").decode(errors="replace")


def _size(name: str) -> int:
    return len(name.encode(errors="surrogatepass"))


def _refused(why: str) -> MemoryFilesError:
    return MemoryFilesError("memory_path_refused", f"A change to the memory was refused: {why}.")
