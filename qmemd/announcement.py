"""How clients on this machine find the daemon of a workspace: a file in its state directory."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from qmemd.memory.files import atomic_write

MAX_BYTES = 65_536
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_LARGEST_PID = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Announcement:
    """Where a daemon is, and what opens it. Its file is for its owner alone, as the token's is."""

    url: str
    token: str = field(repr=False)
    pid: int
    workspace: str


def announcement_path(state_dir: Path, workspace: Path) -> Path:
    """The file of a workspace's daemon."""
    name = hashlib.sha256(os.fsencode(workspace)).hexdigest()[:16]
    return state_dir / "daemons" / f"{name}.json"


def announce(path: Path, announcement: Announcement) -> None:
    """Writes the file, in place of an earlier daemon's. Raises OSError, MemoryFilesError."""
    real = Path(os.path.realpath(path.parent)) / path.name
    atomic_write(real, json.dumps(asdict(announcement)).encode(), mode=0o600)


def withdraw(path: Path, pid: int) -> None:
    """Removes the file, unless it is another daemon's by now."""
    found = read_announcement(path)
    if found is not None and found.pid == pid:
        with suppress(OSError):
            path.unlink()


def read_announcement(path: Path) -> Announcement | None:
    """What the file says; None when there is none, or nothing that makes sense.

    A file that somebody else could have written says nothing: clients would send their texts to
    whatever address stands there.
    """
    try:
        wire = json.loads(_private_bytes(path))
        found = Announcement(wire["url"], wire["token"], wire["pid"], wire["workspace"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    texts = (found.url, found.token, found.workspace)
    sound = all(isinstance(text, str) and text for text in texts) and type(found.pid) is int
    return found if sound and 0 < found.pid <= _LARGEST_PID else None


def _private_bytes(path: Path) -> bytes:
    descriptor = os.open(path, _OPEN)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            raise PermissionError(f"{path} is not a file of ours")
        if status.st_mode & 0o077:
            raise PermissionError(f"{path} is open to others")
        return file.read(MAX_BYTES)
