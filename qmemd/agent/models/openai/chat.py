"""Asking the endpoint until it answers: retries, plainer requests, and what it all costs."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Callable, Mapping
from datetime import datetime
from itertools import count
from typing import Any

from qmemd.agent.limits import Limits
from qmemd.agent.models.openai.completion import Completion, read_completion
from qmemd.agent.models.openai.day_tokens import DayTokens
from qmemd.agent.models.openai.exchange import Exchange, Incoming
from qmemd.agent.models.openai.failures import RETRIED, AskError, refusal
from qmemd.agent.models.openai.features import Features
from qmemd.agent.models.openai.retry import MAX_RETRIES, backoff, pause, retry_after
from qmemd.agent.models.openai.stream import StreamReader
from qmemd.agent.run import Run
from qmemd.errors import TaskFailedError
from qmemd.memory.secrets import redact
from qmemd.model_choice import Endpoint

_log = logging.getLogger(__name__)

_OK = 200
_MAX_REASON = 64 * 1024
"""Bytes of an error's body that are looked at."""
_LETTERS_A_TOKEN = 4
"""For an estimate where the endpoint does not count."""

Request = Mapping[str, Any]


class Chat:
    """One endpoint with one model. Remembers what the endpoint does not take."""

    def __init__(
        self,
        endpoint: Endpoint,
        limits: Limits,
        day_tokens: DayTokens,
        *,
        clock: Callable[[], datetime],
        random: Callable[[], float],
        pause: Callable[[Run, float], None] = pause,
    ) -> None:
        self._model = endpoint.model
        self._exchange = Exchange(endpoint)
        self._limits = limits
        self._day_tokens = day_tokens
        self._clock = clock
        self._random = random
        self._pause = pause
        self.features = Features()

    def ask(self, build: Callable[[Features], Request], run: Run) -> Completion:
        """The answer to the request that ``build`` makes of what the endpoint takes.

        ``model``, ``temperature`` and what belongs to streaming are added here.

        Raises:
            TaskFailedError: there is none, or the run has to stop.
        """
        known = self.features
        retries = count()
        while True:
            self._check_limits(run)
            request = self._complete(build(self.features))
            try:
                return self._ask_once(request, run)
            except AskError as error:
                plainer = self.features.after(error, frozenset(request)) if error.rejected else None
                if plainer is not None:
                    _log.info("the endpoint refused a request; it gets a plainer one")
                    self.features = plainer
                    continue
                if error.rejected:
                    # It was something else that it did not like.
                    self.features = known
                self._wait_or_fail(error, next(retries), run)

    def _ask_once(self, request: Request, run: Run) -> Completion:
        body = json.dumps(request).encode()
        answered = False

        def read(incoming: Incoming) -> Completion:
            nonlocal answered
            if incoming.status != _OK:
                raise self._refusal(incoming)
            answered = True
            run.usage.model_calls += 1
            kind = incoming.headers.get("content-type", "").lower()
            if "event-stream" in kind or (request.get("stream") and "json" not in kind):
                return StreamReader(self._model).read(incoming.chunks)
            return read_completion(b"".join(incoming.chunks), self._model)

        started = run.clock()
        try:
            completion = self._exchange.post(body, run, read)
        except (AskError, TaskFailedError):
            if answered:
                self._note_usage(None, body, "", run, started)
            raise
        made = completion.text + "".join(f"{call.arguments}" for call in completion.calls)
        self._note_usage(completion.tokens, body, made, run, started)
        return completion

    def _complete(self, request: Request) -> Request:
        features = self.features
        complete = {"model": self._model, **request}
        if features.temperature:
            complete["temperature"] = 0
        if features.stream:
            complete["stream"] = True
            if features.stream_options:
                complete["stream_options"] = {"include_usage": True}
        return complete

    def _refusal(self, incoming: Incoming) -> AskError:
        reason = b""
        for chunk in incoming.chunks:
            reason += chunk
            if len(reason) > _MAX_REASON:
                break
        wait = retry_after(incoming.headers, self._clock()) if incoming.status in RETRIED else None
        return refusal(incoming.status, reason, self._model, wait)

    def _wait_or_fail(self, error: AskError, retry: int, run: Run) -> None:
        wait = max(backoff(retry, self._random()), error.retry_after or 0.0)
        if not error.retry or retry >= MAX_RETRIES or wait >= run.remaining():
            raise run.failed(redact(error.details)) from None
        _log.info("the model is asked again in %.1f s: %s", wait, redact(error.details))
        self._pause(run, wait)

    def _check_limits(self, run: Run) -> None:
        limits = self._limits
        if run.usage.model_calls >= limits.model_calls:
            raise run.failed(
                f"The task used up its {limits.model_calls} model calls (--max-model-calls)."
            )
        most = limits.tokens_a_day
        if most is not None and self._day_tokens.spent() >= most:
            raise run.failed(
                f"The {most} tokens of this day (UTC) are used up (--max-tokens-per-day)."
            )

    def _note_usage(
        self, told: tuple[int, int] | None, asked: bytes, made: str, run: Run, started: float
    ) -> None:
        given, got = told or (_estimate(len(asked)), _estimate(len(made)))
        run.usage.add_tokens(given, got)
        self._day_tokens.add(given, got)
        _log.info(
            "model call %d of the task: %d tokens in, %d out%s, %.1f s",
            *(run.usage.model_calls, given, got, "" if told else " (estimated)"),
            run.clock() - started,
        )


def _estimate(letters: int) -> int:
    return math.ceil(letters / _LETTERS_A_TOKEN)
