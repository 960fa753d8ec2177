"""How clients on this machine find the daemon of a workspace: a file in its state directory."""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from qmemd.memory.files import atomic_write


@dataclass(frozen=True, slots=True)
class Announcement:
    """Where a daemon is, and what opens it. Its file is for its owner alone, as the token's is."""

    url: str
    token: str = field(repr=False)
    pid: int
    workspace: str


def announcement_path(state_dir: Path, workspace: Path) -> Path:
    """The file of a workspace's daemon."""
    name = hashlib.sha256(str(workspace).encode()).hexdigest()[:16]
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
    """What the file says; None when there is none, or nothing that makes sense."""
    try:
        wire = json.loads(path.read_bytes())
        found = Announcement(wire["url"], wire["token"], wire["pid"], wire["workspace"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    texts = (found.url, found.token, found.workspace)
    sound = all(isinstance(text, str) and text for text in texts) and type(found.pid) is int
    return found if sound and found.pid > 0 else None
