"""The offline model: plans the same tool calls as a language model, by rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from uuid import uuid4

from qmemd.agent.models.base import Choice, Conversation, RememberBrief, Reply
from qmemd.agent.models.offline.dream_plan import DreamPlan
from qmemd.agent.models.offline.remember_plan import RememberPlan
from qmemd.agent.models.offline.semantic.embedder import Embedder, shared_embedder
from qmemd.agent.run import Run
from qmemd.memory.entries import Entry


def _random_id() -> str:
    return uuid4().hex


class OfflineModel:
    """Needs no network and keeps nothing between two turns."""

    name = "offline"
    stays_local = True

    def __init__(
        self,
        new_id: Callable[[], str] = _random_id,
        embedder: Callable[[], Embedder | None] = shared_embedder,
    ) -> None:
        self._new_id = new_id
        """For file names when the plain ones are taken by files that must not be seen."""
        self._embedder = embedder
        """Asked for when a query is not decided by its words."""

    def respond(self, conversation: Conversation, run: Run) -> Reply:  # noqa: ARG002 - takes no time worth interrupting
        """The next turn; of what was typed only the words count, never what they ask for."""
        brief = conversation.brief
        if isinstance(brief, RememberBrief):
            return RememberPlan(brief, conversation, self._new_id).reply()
        return DreamPlan(brief, conversation).reply()

    def choose(self, query: str, candidates: Sequence[Entry], run: Run) -> Choice:
        """The entries that the query names beyond doubt."""
        # Imported late: only forget needs it.
        from qmemd.agent.models.offline.forgetting import choose_entries  # noqa: PLC0415

        return choose_entries(query, candidates, self._embedder, run.check)
