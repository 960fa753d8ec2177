"""How much of the memory a model is shown.

Anything but the offline model may sit behind a network, costs money, and has room for so much. The
offline one reads in this process.
"""

from __future__ import annotations

from qmemd.agent.models.base import Model

MAX_READ = 512 * 1024
"""Bytes that the tools of one run hand to a model; about 130,000 tokens."""

_OFFLINE = "offline"


def reads_freely(model: Model) -> bool:
    """Whether it may see all there is."""
    return model.name == _OFFLINE


def read_limit(model: Model) -> int | None:
    """Bytes that the tools of a run may show it; None: any number."""
    return None if reads_freely(model) else MAX_READ
