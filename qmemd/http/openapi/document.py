"""The document itself."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Any

from qmemd._version import __version__
from qmemd.errors import ERRORS
from qmemd.http.openapi.answers import ANSWERS
from qmemd.http.openapi.daemon_answers import DAEMON_ANSWERS
from qmemd.http.openapi.errors import (
    EVERY_BODY,
    EVERY_REQUEST,
    error_answers,
    error_schemas,
    shared_answers,
)
from qmemd.http.openapi.operations import EMPTY, SSE, Operation, operations
from qmemd.http.openapi.parameters import CLIENT_ID, PARAMETERS
from qmemd.http.openapi.schema import Schema, ref, text
from qmemd.http.openapi.task_answers import task_schemas
from qmemd.http.rate_tiers import tier_of

_DESCRIPTION = """\
A session-less API for the managed memory of coding agents: a task is posted, answered with 202 at \
once, and runs when those before it have. Every error is `{"error", "code"}` with a stable code. \
HEAD works wherever GET does, except on streams; OPTIONS answers `Allow`. Unknown keys of a body \
are ignored. With `--rate-limit`, each counted answer carries `X-RateLimit-Limit`, `-Remaining` \
and `-Reset` (seconds since the epoch)."""

_STREAM_HEADERS = {
    "X-Qwen-Event-Epoch": "Event ids are from this epoch.",
    "X-Qwen-SSE-Stream-Id": "Names the stream in the daemon's log.",
}


def openapi_document() -> dict[str, Any]:
    """OpenAPI 3.1, ready to be rendered as JSON."""
    rows = {operation.name: operation for operation in operations()}
    schemas = _schemas(rows.values())
    described: dict[str, dict[str, Any]] = {}
    for row in rows.values():
        described.setdefault(row.path, {})[row.method] = _operation(row, rows, schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "qmemd",
            "version": __version__,
            "description": _DESCRIPTION,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "tags": [{"name": tag} for tag in dict.fromkeys(row.tag for row in rows.values())],
        "paths": described,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "parameters": PARAMETERS,
            "responses": shared_answers(),
            "schemas": schemas,
        },
    }


def _schemas(rows: Iterable[Operation]) -> dict[str, Schema]:
    return {
        **_bodies({row.body for row in rows if row.body} - {EMPTY}),
        _body_name(EMPTY): {"type": "object", "description": "It is not looked at."},
        **task_schemas(),
        **ANSWERS,
        **DAEMON_ANSWERS,
        **error_schemas(),
        "Page": text("HTML."),
        "PageFile": text("What its type says."),
        "EventStream": text("Frames of `id`, `event` and `data`, which is a line of JSON."),
        "MetricsText": text("Families of metrics in the text format of Prometheus."),
        "OpenapiDocument": {"type": "object", "description": "OpenAPI 3.1."},
    }


def _operation(
    operation: Operation, rows: Mapping[str, Operation], schemas: Mapping[str, Schema]
) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": operation.name,
        "tags": [operation.tag],
        "summary": operation.summary,
    }
    if operation.description:
        described["description"] = operation.description
    if operation.open:
        described["security"] = [{}, {"token": []}]
    if operation.parameters:
        described["parameters"] = [
            {"$ref": f"#/components/parameters/{name}"} for name in operation.parameters
        ]
    if operation.body:
        described["requestBody"] = {
            "required": not operation.body_optional,
            "content": {"application/json": {"schema": ref(_body_name(operation.body))}},
        }
    success = {str(operation.status): _success(operation, rows, schemas)}
    if operation.unchanged:
        success["304"] = {"description": "It is what `If-None-Match` names."}
    return described | {"responses": success | error_answers(_codes(operation))}


def _success(
    operation: Operation, rows: Mapping[str, Operation], schemas: Mapping[str, Schema]
) -> dict[str, Any]:
    described: dict[str, Any] = {"description": "Done."}
    if operation.answer:
        described["description"] = schemas[operation.answer]["description"]
        described["content"] = {
            media_type: {"schema": ref(operation.answer)} for media_type in operation.media_types
        }
    if SSE in operation.media_types:
        described["headers"] = {
            name: {"description": told, "required": True, "schema": {"type": "string"}}
            for name, told in _STREAM_HEADERS.items()
        }
    if operation.links:
        described["links"] = {name: _link(operation, rows[name]) for name in operation.links}
    return described


def _link(source: Operation, target: Operation) -> dict[str, Any]:
    return {
        "operationId": target.name,
        "parameters": {
            PARAMETERS[part]["name"]: f"$response.body#/{part}"
            for part in source.names
            if part in target.parameters
        },
    }


def _codes(operation: Operation) -> list[str]:
    """Codes that may refuse it."""
    codes = [*EVERY_REQUEST, *operation.codes]
    if operation.stops:
        codes.append("daemon_stopping")
    if tier_of(operation.method.upper(), operation.path) is not None:
        codes.append("rate_limit_exceeded")
    if "{" in operation.path:
        codes.append("not_found")
    if CLIENT_ID in operation.parameters:
        codes.append("invalid_client_id")
    if operation.body:
        codes += EVERY_BODY
    return codes


def _bodies(names: Iterable[str]) -> dict[str, Any]:
    """The schemas that requests are checked with."""
    folder = files("qmemd.http") / "schemas"
    read = {name: json.loads((folder / f"{name}.json").read_bytes()) for name in sorted(names)}
    for schema in read.values():
        del schema["$schema"]  # OpenAPI 3.1 means the same one
    return {_body_name(name): schema for name, schema in read.items()}


def _body_name(schema: str) -> str:
    return f"{schema.title()}Body"


def unused_codes() -> set[str]:
    """Codes of refusals that no operation names."""
    named = {code for operation in operations() for code in _codes(operation)}
    return {code for code, entry in ERRORS.items() if entry.status is not None} - named
