"""What people read about the API names all of it."""

from __future__ import annotations

import re

from qmemd.http.openapi import openapi_document
from scripts.describe import DOCS, document, guide

API = (DOCS / "api.md").read_text()


def test_it_names_every_path_and_parameter() -> None:
    for path, row in openapi_document()["paths"].items():
        written = re.sub(r"memory/(remember|forget|dream|change)/\{", r"memory/<kind>/{", path)
        written = re.sub(r"\{(\w+)\}", r"<\1>", written)
        assert written in API, path
        for operation in row.values():
            for parameter in operation.get("parameters", ()):
                name = parameter["$ref"].rpartition("/")[2]
                where = openapi_document()["components"]["parameters"][name]
                assert where["name"] in API or name == "connectReason", name


def test_what_is_generated_in_it_is_new() -> None:
    assert guide(API) == API, "run scripts/describe.py"
    assert (DOCS / "openapi.json").read_text() == document(), "run scripts/describe.py"
