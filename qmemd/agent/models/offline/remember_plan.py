"""Plans a remember run: look for an equal entry, pick a free name, write one document."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from qmemd.agent.models.base import Conversation, RememberBrief, Reply
from qmemd.agent.models.offline.classify import classify
from qmemd.agent.models.offline.describe import description_of, name_of
from qmemd.agent.models.offline.steps import Step, Steps
from qmemd.errors import MemoryFilesError
from qmemd.kinds import ContextMode, Scope
from qmemd.memory.documents import parse, render
from qmemd.memory.entries import entries_of
from qmemd.memory.equality import equality_key
from qmemd.memory.names import file_stem, free_name

_HIT = re.compile(r"^(/.*?\.md):\d+: ")
_CUT = "[Cut: "
_MAX_READS = 50
_MAX_WORDS = 3
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
        if not self._blind and not writes:
            if not self._steps.all:
                return self._look()
            hits = self._hits()
            reads = self._steps.of("read_file")
            if hits and not reads:
                return self._steps.ask(*(("read_file", {"file_path": path}) for path in hits))
            if any(map(self._holds_fact, reads)):
                return Reply("This is remembered already; nothing was changed.")
        return self._write(writes)

    def _look(self) -> Reply:
        searches = (
            ("grep", {"pattern": word, "path": str(self._root)}) for word in _rare_words(self._fact)
        )
        return self._steps.ask(*searches, ("ls", {"path": str(self._directory)}))

    def _hits(self) -> list[str]:
        """Documents that every search found; a search that was cut says little and counts last."""
        found = [step.text for step in self._steps.of("grep") if step.text is not None]
        whole = [text for text in found if _CUT not in text.rsplit("\n", 1)[-1]] or found
        documents = [
            {hit[1] for line in text.splitlines() if (hit := _HIT.match(line))} for text in whole
        ]
        return sorted(set.intersection(*documents))[:_MAX_READS] if documents else []

    def _holds_fact(self, read: Step) -> bool:
        if read.text is None:
            return False
        path = Path(str(read.call.arguments["file_path"])).relative_to(self._root).as_posix()
        key = equality_key(self._fact)
        return any(
            entry.topic is self._topic and equality_key(entry.text) == key
            for entry in entries_of(self._scope, path, parse(read.text.encode()))
        )

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


def _rare_words(fact: str) -> list[str]:
    """The longest words, at most three: most likely to be in few other documents."""
    words = sorted(set(re.findall(r"[^\W_]+", fact)), key=lambda word: (-len(word), word))
    return words[:_MAX_WORDS] or fact.split()[:1]
