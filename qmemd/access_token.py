"""The bearer token: checked when given, read from a file that only its owner can read, or made."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path

from qmemd.errors import SettingsError

MAX_BYTES = 4_096


def clean_token(text: str, source: str) -> str:
    """The token without surrounding blanks.

    Raises:
        SettingsError: blank, or with letters that no header can carry. ``source`` names where it
            came from; the token itself is never shown.
    """
    token = text.strip()
    if not token:
        raise SettingsError(f"the token in {source} is blank; give one or leave it out")
    if any(letter.isspace() or ord(letter) < 0x21 or ord(letter) == 0x7F for letter in token):  # noqa: PLR2004 — blanks and controls
        raise SettingsError(f"the token in {source} holds blanks or control letters")
    return token


def read_token(path: Path) -> str:
    """The token in a file that nobody else can read or have written.

    Raises:
        SettingsError: the file is missing, a link, somebody else's, or open to others.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        reason = "is a link" if path.is_symlink() else (error.strerror or "cannot be read")
        raise SettingsError(f"the token file {path}: {reason}") from None
    try:
        _require_private(path, os.fstat(descriptor))
        data = os.read(descriptor, MAX_BYTES + 1)
    finally:
        os.close(descriptor)
    if len(data) > MAX_BYTES:
        raise SettingsError(f"the token file {path} is over {MAX_BYTES} bytes")
    try:
        return clean_token(data.decode(), str(path))
    except UnicodeDecodeError:
        raise SettingsError(f"the token file {path} is not UTF-8") from None


def kept_token(path: Path) -> str:
    """The token kept in ``path``; 256 random bits are put there the first time.

    Two daemons that start at once end up with the same token: the file is linked into place
    whole, and whoever comes second reads the first one's.
    """
    if not os.path.lexists(path):
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise SettingsError(
                f"the state directory {path.parent} cannot be used: {error.strerror}"
            ) from error
        draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(descriptor, "w") as file:
                file.write(secrets.token_urlsafe(32) + "\n")
                file.flush()
                os.fsync(descriptor)
            with contextlib.suppress(FileExistsError):
                os.link(draft, path)
        finally:
            draft.unlink()
    return read_token(path)


def _require_private(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise SettingsError(f"the token file {path} is not a regular file")
    if status.st_uid != os.geteuid():
        raise SettingsError(f"the token file {path} belongs to another user")
    if status.st_mode & 0o077:
        raise SettingsError(f"the token file {path} is open to other users; run: chmod 600 {path}")
