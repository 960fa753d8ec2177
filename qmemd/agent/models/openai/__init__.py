"""A language model behind an OpenAI-compatible endpoint.

Nothing outside this package knows its HTTP library, which is loaded when the model is made.
"""

from __future__ import annotations

from qmemd.agent.models.openai.model import OpenAIModel, open_model

__all__ = ["OpenAIModel", "open_model"]
