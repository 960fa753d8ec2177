"""Which places below a memory root hold documents: one rule for scanning, writing and removing."""

from __future__ import annotations

import os
import unicodedata

from qmemd.memory.paths import INDEX_NAME, OWN_PREFIX, PINNED_NAME

DOCUMENT_SUFFIX = ".md"


def is_document_name(relative: str) -> bool:
    """Whether a regular file at this place is a document, and so is scanned and may be removed.

    That is every name that ends in ``.md``, in whatever directory, but for the index of the root,
    for what is ours, and for names that are not UTF-8. A disk that knows no case may show the
    index under another spelling: see `is_index`.
    """
    return (
        relative.endswith(DOCUMENT_SUFFIX)
        and relative != INDEX_NAME
        and not any(is_own_name(part) for part in relative.split("/"))
        and is_utf8(relative)
    )


def is_pinned(relative: str) -> bool:
    """Whether a place lies in the user's own directory, however that is spelled: never written."""
    directory, slash, _ = relative.partition("/")
    return bool(slash) and folded_name(directory) == PINNED_NAME


def is_index(root: int, relative: str) -> bool:
    """Whether a place is the index, be it under a name that only this disk takes for the same.

    Args:
        root: A descriptor of the open root.
        relative: The place below it.

    Raises:
        OSError: the system refuses to say.
    """
    if relative == INDEX_NAME:
        return True
    if "/" in relative or folded_name(relative) != folded_name(INDEX_NAME):
        return False
    try:
        there = os.stat(relative, dir_fd=root, follow_symlinks=False)
        index = os.stat(INDEX_NAME, dir_fd=root, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return os.path.samestat(there, index)


def is_own_name(name: str) -> bool:
    """Whether a name is kept for files and directories of ours that hold no memory."""
    return name.casefold().startswith(OWN_PREFIX)


def is_utf8(relative: str) -> bool:
    """Whether a name on disk can be told to a model or a client."""
    try:
        relative.encode()
    except UnicodeEncodeError:
        return False
    return True


def folded_name(name: str) -> str:
    """The name as a file system may see it that knows no case, or no letters without a shape."""
    shown = (letter for letter in name if unicodedata.category(letter) != "Cf")
    return unicodedata.normalize("NFKC", "".join(shown)).casefold().rstrip(". ")
