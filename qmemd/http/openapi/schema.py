"""Building blocks of the JSON Schemas that describe answers."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from qmemd.kinds import Scope

Schema = Mapping[str, Any]


def text(description: str, **more: Any) -> Schema:
    return {"type": "string", "description": description, **more}


def count(description: str) -> Schema:
    return {"type": "integer", "minimum": 0, "description": description}


def flag(description: str) -> Schema:
    return {"type": "boolean", "description": description}


def words(members: type[StrEnum], *, without: tuple[StrEnum, ...] = ()) -> Schema:
    return {"enum": [member.value for member in members if member not in without]}


def list_of(items: Schema, description: str) -> Schema:
    return {"type": "array", "items": items, "description": description}


def record(description: str, properties: Schema, *, optional: tuple[str, ...] = ()) -> Schema:
    return {
        "type": "object",
        "description": description,
        "required": [name for name in properties if name not in optional],
        "properties": properties,
    }


def ref(name: str) -> Schema:
    """Points at a named schema of the document."""
    return {"$ref": f"#/components/schemas/{name}"}


TIME = text("UTC, ISO 8601 with milliseconds.", pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
PATHS = list_of({"type": "string"}, "Absolute paths.")
SCOPES = list_of(words(Scope), "Sorted and unique.")
