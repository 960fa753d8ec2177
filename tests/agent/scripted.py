"""A model that says what a test wrote down for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from qmemd.agent.models.base import Choice, Conversation, Reply, ToolCall
from qmemd.agent.run import Run
from qmemd.kinds import Topic
from qmemd.memory.documents import render
from qmemd.memory.entries import Entry

Turn = Reply | Callable[[Conversation], Reply]


class ScriptedModel:
    """Plays its turns; after the last one it only says "Saved."."""

    name = "scripted"
    stays_local = False

    def __init__(
        self,
        turns: Iterable[Turn] = (),
        choose: Callable[[str, Sequence[Entry]], Choice] | None = None,
    ) -> None:
        self._turns = list(turns)
        self._choose = choose
        self.heard: list[Conversation] = []
        self.offered: list[str] = []

    def respond(self, conversation: Conversation, _run: Run) -> Reply:
        self.heard.append(conversation)
        if not self._turns:
            return Reply("Saved.")
        turn = self._turns.pop(0)
        return turn if isinstance(turn, Reply) else turn(conversation)

    def choose(self, query: str, candidates: Sequence[Entry], _run: Run) -> Choice:
        self.offered = [entry.entry_id for entry in candidates]
        assert self._choose is not None
        return self._choose(query, candidates)

    @property
    def answers(self) -> list[str]:
        """What the tools said, in order."""
        return [message.text for message in self.heard[-1].messages if message.role == "tool"]


def calls(*made: tuple[str, Mapping[str, object]]) -> Reply:
    return Reply(
        "", tuple(ToolCall(f"call-{n}", name, given) for n, (name, given) in enumerate(made))
    )


def write(path: object, body: str = "A fact.", topic: Topic = Topic.USER) -> Reply:
    content = render("A name", "A description", topic, body).decode()
    return calls(("write_file", {"file_path": str(path), "content": content}))


def read(*paths: object) -> Reply:
    return calls(*(("read_file", {"file_path": str(path)}) for path in paths))
