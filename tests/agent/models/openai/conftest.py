from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from qmemd.agent.limits import Limits
from qmemd.agent.models.base import Conversation, Message, RememberBrief, Reply, ToolSchema
from qmemd.agent.models.openai import OpenAIModel, open_model
from qmemd.agent.run import Run
from qmemd.errors import TaskFailedError
from qmemd.kinds import ContextMode
from qmemd.model_choice import Endpoint as Place
from tests.agent.runs import make_run
from tests.fakes.endpoint import Endpoint, Step

KEY = "key-of-the-test-0123456789"
TOOL = ToolSchema("ls", "Lists.", {"type": "object", "properties": {"path": {"type": "string"}}})
SECRET_FACT = "The user is afraid of geese"


def conversation(*more: Message) -> Conversation:
    brief = RememberBrief(SECRET_FACT, None, ContextMode.WORKSPACE, Path("/u"), Path("/p"))
    opening = (Message("system", "Keep facts."), Message("user", SECRET_FACT))
    return Conversation(brief, (*opening, *more), (TOOL,))


class Bench:
    """A model at an endpoint, on a clock that only its own pauses move."""

    def __init__(self, endpoint: Endpoint, base: Path) -> None:
        self.endpoint = endpoint
        self.base = base
        self.now = datetime(2026, 3, 1, 12, tzinfo=UTC)
        self.seconds = 0.0
        self.pauses: list[float] = []
        self.limits = Limits()
        self.url = endpoint.url
        self.key: str | None = KEY
        self.name = "scripted"
        self._model: OpenAIModel | None = None

    @property
    def model(self) -> OpenAIModel:
        if self._model is None:
            self._model = open_model(
                Place(self.url, self.name, self.key),
                self.base,
                self.limits,
                clock=lambda: self.now,
                draw=lambda: 0.5,
                pause=self._pause,
            )
        return self._model

    def run(self, seconds: float = 60.0) -> Run:
        return make_run(seconds=seconds, clock=lambda: self.seconds)

    def respond(self, *more: Message, run: Run | None = None) -> Reply:
        return self.model.respond(conversation(*more), run or self.run())

    def failure(self, run: Run | None = None) -> str:
        """The details with which a turn fails."""
        with pytest.raises(TaskFailedError) as caught:
            self.respond(run=run)
        assert caught.value.code == "remember_failed"
        details = caught.value.details
        assert details
        assert KEY not in details
        assert SECRET_FACT not in details
        return details

    @property
    def bodies(self) -> list[Any]:
        return [asked.body for asked in self.endpoint.asked]

    def _pause(self, run: Run, seconds: float) -> None:
        self.pauses.append(seconds)
        self.seconds += seconds
        self.now += timedelta(seconds=seconds)
        run.check()


MakeBench = Callable[..., Bench]


@pytest.fixture
def at(tmp_path: Path) -> Iterator[MakeBench]:
    """Opens endpoints: ``at(*steps, streams=…)``."""
    with ExitStack() as stack:

        def make(*steps: Step, **given: Any) -> Bench:
            endpoint = stack.enter_context(Endpoint(*steps, **given))
            return Bench(endpoint, tmp_path)

        yield make
