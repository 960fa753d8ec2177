"""The tools as a model is told about them."""

from __future__ import annotations

from typing import Any

from qmemd.agent.models.base import ToolSchema


def _arguments(required: str, optional: str = "", **descriptions: str) -> dict[str, Any]:
    names = (required + " " + optional).split()
    return {
        "type": "object",
        "properties": {
            name: {
                "type": "integer" if name == "offset" else "string",
                "description": descriptions[name],
            }
            for name in names
        },
        "required": required.split(),
        "additionalProperties": False,
    }


_FILE_PATH = "Absolute path of a file in a memory directory."

FILE_TOOLS: tuple[ToolSchema, ...] = (
    ToolSchema(
        "read_file",
        "Reads a memory document; at most 64 KiB a call.",
        _arguments(
            "file_path",
            "offset",
            file_path=_FILE_PATH,
            offset="Byte to start at, for a file that was cut. Default 0.",
        ),
    ),
    ToolSchema(
        "ls",
        "Lists the names in a memory directory; directories end with '/'.",
        _arguments("path", path="Absolute path of a directory of the memory."),
    ),
    ToolSchema(
        "grep",
        "Finds lines that hold a text, in any case, in a memory document or all below a directory.",
        _arguments(
            "pattern path",
            pattern="The text, taken literally.",
            path="Absolute path of a document or a directory of the memory.",
        ),
    ),
    ToolSchema(
        "write_file",
        "Writes a whole memory document. A file that exists has to be read first.",
        _arguments(
            "file_path content",
            file_path=_FILE_PATH + " Its name ends in .md.",
            content="The whole document: head, blank line, text.",
        ),
    ),
    ToolSchema(
        "edit",
        "Replaces a text that occurs exactly once in a memory document that was read before.",
        _arguments(
            "file_path old_string new_string",
            file_path=_FILE_PATH,
            old_string="The text to replace, exactly as it stands in the file.",
            new_string="The text to put there.",
        ),
    ),
)

REMOVE = ToolSchema(
    "remove",
    "Removes a memory document: one that was read before, or is merged into another one.",
    _arguments(
        "file_path",
        "merged_into",
        file_path=_FILE_PATH,
        merged_into="Absolute path of the document that now holds what this one said.",
    ),
)
