"""The document is valid, whole, and says what the app really serves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import falcon.inspect
import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

import qmemd.http
from qmemd.http.app import App, create_app
from qmemd.http.openapi import openapi_document
from qmemd.http.openapi.document import unused_codes
from qmemd.http.ports import Access
from qmemd.http.routing import MethodRouter
from tests.http.fake_door import FakeDoor


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return openapi_document()


def served(app: App) -> set[tuple[str, str]]:
    """Methods and paths of resources; what the router adds to each is not theirs."""
    falcon.inspect.register_router(MethodRouter)(falcon.inspect.inspect_compiled_router)
    added = {"HEAD", "OPTIONS"}
    return {
        (method.method, route.path)
        for route in falcon.inspect.inspect_routes(app)
        for method in route.methods
        if not method.internal and method.method not in added
    }


def in_camel_case(path: str) -> str:
    first, *others = path.split("_")
    return first + "".join(other.capitalize() for other in others)


def test_it_is_valid(document: dict[str, Any]) -> None:
    assert list(OpenAPIV31SpecValidator(document).iter_errors()) == []


def test_every_schema_is_one(document: dict[str, Any]) -> None:
    for schema in document["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


def test_it_tells_of_every_route_and_of_no_other(document: dict[str, Any]) -> None:
    described = {
        (method.upper(), path) for path, row in document["paths"].items() for method in row
    }
    app = create_app(FakeDoor(), Access("token", "127.0.0.1", 4170))
    assert {(method, in_camel_case(path)) for method, path in served(app)} == described


def test_every_code_of_a_refusal_belongs_to_an_operation() -> None:
    assert unused_codes() == set()


def test_bodies_are_described_by_the_schemas_that_check_them(document: dict[str, Any]) -> None:
    for path in (Path(qmemd.http.__file__).parent / "schemas").glob("*.json"):
        checked = json.loads(path.read_bytes())
        del checked["$schema"]
        assert document["components"]["schemas"][f"{path.stem.title()}Body"] == checked
