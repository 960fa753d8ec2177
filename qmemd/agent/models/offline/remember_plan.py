"""Plans a remember run: pick a free name, write one document.

Whether the fact is there already is not asked here: code drops what only repeats an entry.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from qmemd.agent.models.base import Conversation, RememberBrief, Reply
from qmemd.agent.models.offline.classify import classify
from qmemd.agent.models.offline.describe import description_of, name_of
from qmemd.agent.models.offline.steps import Step, Steps
from qmemd.errors import MemoryFilesError
from qmemd.kinds import ContextMode, Scope
from qmemd.memory.documents import render
from qmemd.memory.names import file_stem, free_name

_MAX_WRITES = 4
"""After so many refused names, something else must be wrong."""


class RememberPlan:
    """The next turn of one remember run, from its brief and what the tools have said."""

    def __init__(
        self, brief: RememberBrief, conversation: Conversation, new_id: Callable[[], str]
    ) -> None:
        topic, scope = classify(brief.fact)
        self._fact = brief.fact
        self._topic = topic
        self._scope = brief.scope or scope
        self._blind = brief.mode is ContextMode.CLEAN
        self._root = brief.user_root if self._scope is Scope.USER else brief.project_root
        self._directory = self._root / topic.value
        self._name = name_of(brief.fact)
        self._steps = Steps(conversation)
        self._new_id = new_id

    def reply(self) -> Reply:
        """Calls while something is left to do, else the summary."""
        writes = self._steps.of("write_file")
        if any(step.text is not None for step in writes):
            return Reply(f"Remembered as {self._topic.value} memory: {self._name}.")
        if len(writes) >= _MAX_WRITES:
            return Reply("Nothing was remembered: the document could not be written.")
        if not self._blind and not self._steps.all:
            return self._steps.ask(("ls", {"path": str(self._directory)}))
        return self._write(writes)

    def _write(self, refused: list[Step]) -> Reply:
        try:
            content = render(self._name, description_of(self._fact), self._topic, self._fact)
        except MemoryFilesError as error:
            return Reply(f"Nothing was remembered. {error.message}")
        path = self._directory / self._file_name(refused)
        return self._steps.ask(
            ("write_file", {"file_path": str(path), "content": content.decode()})
        )

    def _file_name(self, refused: list[Step]) -> str:
        """A free name; when even the second was refused, one that nobody else thinks of."""
        listed = [step.text or "" for step in self._steps.of("ls")]
        taken = {name.casefold() for text in listed for name in text.splitlines()}
        taken |= {Path(str(step.call.arguments["file_path"])).name.casefold() for step in refused}
        stem = file_stem(self._name)
        if len(refused) > 1:
            stem = file_stem(f"{self._topic.value} {self._new_id()[:12]}")
        return free_name(stem, taken)
