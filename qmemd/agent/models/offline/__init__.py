"""The model that needs no network and no key: it works by rules."""

from __future__ import annotations

from qmemd.agent.models.offline.model import OfflineModel

__all__ = ["OfflineModel"]
