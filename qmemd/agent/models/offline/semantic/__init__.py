"""Which memory is nearest in meaning: needs the extra ``semantic``, and says nothing without it."""

from qmemd.agent.models.offline.semantic.nearest import Nearest, nearest

__all__ = ["Nearest", "nearest"]
