"""Holds answers to the OpenAPI document: status, code, headers and body."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from jsonschema import Draft202012Validator

from qmemd.http.openapi import openapi_document


def closed(schema: Any) -> Any:
    """The schema with every object that lists its keys held to them.

    The document leaves answers open, so that they may grow; a test has to see that they did.
    """
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {name: closed(value) for name, value in schema.items()}
    if "properties" in inner and inner.get("type") == "object":
        inner["additionalProperties"] = False
    return inner


class Description:
    """The document, as something that answers can be compared with."""

    def __init__(self) -> None:
        document = openapi_document()
        self._components = closed(document["components"])
        self._operations = [
            (method.upper(), _pattern(path), operation)
            for path, row in document["paths"].items()
            for method, operation in row.items()
        ]
        self.seen: set[tuple[str, int]] = set()
        """Operations and the statuses that were looked at."""

    def check(
        self, method: str, url: str, status: int, headers: Mapping[str, str], raw: bytes
    ) -> None:
        """Fails unless the answer is described. What no operation is for is let pass."""
        path = unquote(urlsplit(url).path)
        path = path.removesuffix("/")
        for described, pattern, operation in self._operations:
            if method == described and pattern.fullmatch(path):
                self._check(operation, status, headers, raw)

    def _check(
        self, operation: dict[str, Any], status: int, headers: Mapping[str, str], raw: bytes
    ) -> None:
        name = operation["operationId"]
        assert str(status) in operation["responses"], f"{name} does not tell of {status}"
        self.seen.add((name, status))
        answer = operation["responses"][str(status)]
        if "$ref" in answer:
            answer = self._components["responses"][answer["$ref"].rpartition("/")[2]]
        for header, described in answer.get("headers", {}).items():
            assert not described["required"] or header.lower() in headers, (name, status, header)
        if "content" not in answer:
            assert raw == b"", (name, status)
            return
        media_type = headers["content-type"].partition(";")[0]
        assert media_type in answer["content"], (name, status)
        content = answer["content"][media_type]
        if media_type == "application/json":
            schema = {**content["schema"], "components": self._components}
            errors = list(Draft202012Validator(schema).iter_errors(json.loads(raw)))
            assert not errors, f"{name} {status}: {errors[0]}"


def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(path)))
