"""The model: turns and choices, asked of an endpoint."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from qmemd.agent.limits import Limits
from qmemd.agent.models.base import Choice, Conversation, Reply
from qmemd.agent.models.openai.chat import Chat
from qmemd.agent.models.openai.day_tokens import DayTokens
from qmemd.agent.models.openai.retry import pause
from qmemd.agent.models.openai.selection import select
from qmemd.agent.models.openai.turns import reply_of, request_of
from qmemd.agent.run import Run
from qmemd.memory.entries import Entry
from qmemd.model_choice import Endpoint


class OpenAIModel:
    """Keeps nothing between two turns but what the endpoint does not take."""

    stays_local = False
    """Nor at a loopback address: what listens there may hand on what it gets, as tunnels and
    gateways do, and Ollama with a model of its cloud."""

    def __init__(self, name: str, chat: Chat) -> None:
        self._name = name
        self._chat = chat

    @property
    def name(self) -> str:
        """``openai:`` and what the endpoint calls it."""
        return self._name

    def respond(self, conversation: Conversation, run: Run) -> Reply:
        """The next turn; tool calls are as the model made them, unchecked."""
        request = request_of(conversation)
        return reply_of(self._chat.ask(lambda _: request, run), conversation)

    def choose(self, query: str, candidates: Sequence[Entry], run: Run) -> Choice:
        """The entries that the model picks; the caller bounds what is offered."""
        offered = [(entry.entry_id, _told(entry)) for entry in candidates]
        ids = select(self._chat, offered, query, run)
        if ids:
            return Choice(ids, "The model picked it.")
        return Choice((), "The model found no memory that is meant; nothing was removed.")


def open_model(
    endpoint: Endpoint,
    base: Path,
    limits: Limits,
    *,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    draw: Callable[[], float] = random.random,
    pause: Callable[[Run, float], None] = pause,
) -> OpenAIModel:
    """The model of an endpoint; ``base`` is the home of the memory files. Connects to nothing.

    Raises:
        SettingsError: the environment keeps it from being used.
    """
    day_tokens = DayTokens(base / "qmemd" / "usage.json", clock)
    chat = Chat(endpoint, limits, day_tokens, clock=clock, random=draw, pause=pause)
    return OpenAIModel(f"openai:{endpoint.model}", chat)


def _told(entry: Entry) -> str:
    """An entry of a list shares its document's name with others; only its text tells it apart."""
    if entry.number is not None:
        return entry.text
    return f"{entry.name}: {entry.description}\n{entry.text}"
