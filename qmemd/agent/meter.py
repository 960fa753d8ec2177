"""What a run costs at a real model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from qmemd.results import Usage


@dataclass(slots=True)
class UsageMeter:
    """Counts for one task, all its attempts together. Used by the run's thread alone."""

    model_calls: int = 0
    """Requests to the model, whatever became of them."""
    input_tokens: int = 0
    output_tokens: int = 0

    def add_tokens(self, given: int, made: int) -> None:
        """Tokens that one answer took in and gave out."""
        self.input_tokens += given
        self.output_tokens += made

    def noted_in(self, wire: Mapping[str, Any]) -> dict[str, Any]:
        """A task's result on the wire, with its usage if a real model was asked."""
        if not self.model_calls:
            return dict(wire)
        usage = Usage(self.model_calls, self.input_tokens, self.output_tokens)
        return {**wire, "usage": usage.to_wire()}
