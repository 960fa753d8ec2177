"""The models that can drive the agent."""

from __future__ import annotations

from collections.abc import Mapping

from qmemd.agent.limits import Limits
from qmemd.agent.models.base import Model
from qmemd.memory.paths import base_dir
from qmemd.model_choice import endpoint_of

__all__ = ["Model", "make_model"]


def make_model(name: str, environ: Mapping[str, str], limits: Limits) -> Model:
    """The model of this name: ``auto``, ``offline`` or ``openai:NAME``.

    Raises:
        SettingsError: there is no such model, or the environment lacks what it needs.
    """
    endpoint = endpoint_of(name, environ)
    # Imported late: a wrong name is told without a stemmer, and an HTTP library is loaded only
    # by who uses it.
    if endpoint is None:
        from qmemd.agent.models.offline import OfflineModel  # noqa: PLC0415

        return OfflineModel()
    from qmemd.agent.models.openai import open_model  # noqa: PLC0415

    return open_model(endpoint, base_dir(environ), limits)
