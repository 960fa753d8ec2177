"""What of a request an endpoint takes. Many take less than they are said to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from qmemd.agent.models.openai.failures import AskError


@dataclass(frozen=True, slots=True)
class Features:
    """Each is used until the endpoint refuses it."""

    stream: bool = True
    stream_options: bool = True
    temperature: bool = True
    response_format: bool = True

    def without(self, names: Iterable[str]) -> Features:
        """The same with these left out."""
        return replace(self, **dict.fromkeys(names, False))

    def after(self, error: AskError, sent: frozenset[str]) -> Features | None:
        """What to try next with an endpoint that refused a request; None: nothing is left to try.

        An endpoint that does not name what it refused gets a plainer request in two steps.
        """
        if error.feature in sent:
            return self.without([error.feature])
        for step in (("response_format",), ("stream", "stream_options", "temperature")):
            if sent.intersection(step):
                return self.without(step)
        return None
