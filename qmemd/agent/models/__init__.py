"""The models that can drive the agent."""

from __future__ import annotations

from collections.abc import Mapping

from qmemd.agent.models.base import Model
from qmemd.errors import SettingsError

__all__ = ["Model", "make_model"]


def make_model(name: str, environ: Mapping[str, str]) -> Model:  # noqa: ARG001 - a networked model reads its key there
    """The model of this name: ``auto`` or ``offline``.

    Raises:
        SettingsError: this build has no such model.
    """
    if name in ("auto", "offline"):
        # Imported late: a wrong name is told without loading a stemmer.
        from qmemd.agent.models.offline import OfflineModel  # noqa: PLC0415

        return OfflineModel()
    raise SettingsError(
        f"The model {name!r} is not part of this build; use 'offline' ('auto' means the same)."
    )
