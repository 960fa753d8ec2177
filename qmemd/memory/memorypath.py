"""Where a document lives: a scope and a path below that scope's root."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from qmemd.errors import MemoryFilesError
from qmemd.kinds import Scope


@dataclass(frozen=True, slots=True, order=True)
class MemoryPath:
    """One place in the memory. It says nothing about what is there.

    Raises:
        MemoryFilesError: ``memory_path_refused`` when ``relative`` is not normalised.
    """

    scope: Scope
    relative: str
    """POSIX path below the root: not empty, no leading slash, no ``.``, ``..`` or empty part."""

    def __post_init__(self) -> None:
        parts = self.relative.split("/")
        if any(part in ("", ".", "..") for part in parts) or "\0" in self.relative:
            raise MemoryFilesError(
                "memory_path_refused", "A memory path must be relative and normalised."
            )

    @property
    def parts(self) -> tuple[str, ...]:
        return PurePosixPath(self.relative).parts

    @property
    def name(self) -> str:
        return self.parts[-1]

    def __str__(self) -> str:
        return f"{self.scope.value}:{self.relative}"
