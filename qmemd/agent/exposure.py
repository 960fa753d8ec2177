"""How much of the memory a model is shown, and what is blotted out in it.

A model that does not stay in this process may sit behind a network, costs money, and has room for
so much.
"""

from __future__ import annotations

from qmemd.agent.blots import Blots
from qmemd.agent.models.base import Model
from qmemd.memory.secrets import SecretPolicy

MAX_READ = 512 * 1024
"""Bytes that the tools of one run hand to a model; about 130,000 tokens."""


def read_limit(model: Model) -> int | None:
    """Bytes that the tools of a run may show it; None: any number."""
    return None if model.stays_local else MAX_READ


def blots_for(model: Model, policy: SecretPolicy) -> Blots:
    """What hides the secrets of documents from it, for one run."""
    return Blots(active=not model.stays_local and policy is not SecretPolicy.ALLOW)
