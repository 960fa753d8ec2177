"""What is erased here leaves the journals of other workspaces as well."""

from __future__ import annotations

from qmemd.actors.life import in_background
from qmemd.memory.owed import OwedErasures
from qmemd.workspace.journals import JournalFiles


class Erasing:
    """Pays what a workspace's own journal is rid of already."""

    def __init__(self, workspace: str, journals: JournalFiles, owed: OwedErasures) -> None:
        self._workspace = workspace
        self._journals = journals
        self._owed = owed

    def elsewhere(self, texts: tuple[str, ...]) -> None:
        """Returns at once: there may be many journals."""
        if self._journals.others(self._workspace):
            in_background(lambda: self._erase(texts), "qmemd-erase")
        else:
            self._owed.paid(self._workspace, texts)

    def _erase(self, texts: tuple[str, ...]) -> None:
        from qmemd.journal.elsewhere import erase_in  # noqa: PLC0415 — few ever erase

        done = [erase_in(path, texts) for path in self._journals.others(self._workspace)]
        if all(done):
            self._owed.paid(self._workspace, texts)
