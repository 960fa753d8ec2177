"""The file tools of a run. They work on its draft: nothing here touches the disk for writing.

A call that cannot be carried out raises :class:`ToolRefusedError`; the loop hands its sentence to
the model, which may try something else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from qmemd.agent.models.base import ToolCall, ToolSchema
from qmemd.agent.reading import READ_LIMIT, ReadingTools
from qmemd.agent.scope import MemoryScope, ToolRefusedError
from qmemd.agent.tool_arguments import Arguments
from qmemd.agent.tool_schemas import FILE_TOOLS, REMOVE
from qmemd.agent.view import DraftView
from qmemd.agent.writing import WritingTools
from qmemd.errors import MemoryFilesError

__all__ = ["READ_LIMIT", "Tools"]


class Tools:
    """What a model may call in one run."""

    def __init__(
        self,
        view: DraftView,
        scope: MemoryScope,
        *,
        dreaming: bool = False,
        read_limit: int | None = None,
    ) -> None:
        """``read_limit`` is how many bytes the run may look at; None: any number."""
        reading = ReadingTools(view, scope, read_limit)
        writing = WritingTools(view, scope, dreaming=dreaming)
        self.schemas: tuple[ToolSchema, ...] = FILE_TOOLS + ((REMOVE,) if dreaming else ())
        self._tools: dict[str, Callable[[Arguments], str]] = {
            "read_file": reading.read_file,
            "ls": reading.list_directory,
            "grep": reading.grep,
            "write_file": writing.write_file,
            "edit": writing.edit,
        }
        if dreaming:
            self._tools["remove"] = writing.remove

    def call(self, call: ToolCall) -> str:
        """Carries the call out and says what happened, or what was found.

        Raises:
            ToolRefusedError: nothing was done; the sentence says why.
        """
        tool = self._tools.get(call.name)
        if tool is None:
            raise ToolRefusedError(f"There is no such tool; use one of: {', '.join(self._tools)}.")
        # A model's arguments are whatever it made up.
        if not isinstance(call.arguments, Mapping):
            raise ToolRefusedError("The arguments must be one object.")
        try:
            return tool(call.arguments)
        except MemoryFilesError as error:
            raise ToolRefusedError(f"Failed: {error.message}") from error
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise ToolRefusedError(f"Failed: {reason}.") from error
