from __future__ import annotations

import json
import subprocess
import sys
import threading
import unicodedata
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from qmemd.errors import RequestError
from qmemd.http.fields import Fields
from qmemd.kinds import ContextMode, Scope
from qmemd.tasks import (
    MAX_TEXT_BYTES,
    Dream,
    Forget,
    Remember,
)
from qmemd.texts import BLANKS

FIELDS = Fields()


def code_of(call: Any, body: dict[str, Any]) -> str:
    with pytest.raises(RequestError) as refused:
        call(body)
    return refused.value.code


def test_remember() -> None:
    assert FIELDS.remember({"content": " a fact\n"}) == Remember("a fact")
    full = {"content": "x", "contextMode": "clean", "scope": "user", "unknown": [1]}
    assert FIELDS.remember(full) == Remember("x", ContextMode.CLEAN, Scope.USER)
    assert FIELDS.remember({"content": "x", "contextMode": None}) == Remember("x")


def test_forget_and_dream() -> None:
    assert FIELDS.forget({"query": "\u00a0tabs\ufeff"}) == Forget("tabs")
    assert FIELDS.forget({"query": "*", "scope": "project"}) == Forget("*", Scope.PROJECT)
    assert FIELDS.dream({"anything": 1}) == Dream()


NOT_TEXTS = [None, 5, True, ["x"], {}, "", "   ", "\u2003\ufeff\n", "\ud800 x", "x\udfff"]


@pytest.mark.parametrize("value", NOT_TEXTS)
def test_what_is_no_text(value: Any) -> None:
    assert code_of(FIELDS.remember, {"content": value}) == "invalid_content"
    assert code_of(FIELDS.forget, {"query": value}) == "invalid_query"


def test_texts_must_be_there() -> None:
    assert code_of(FIELDS.remember, {}) == "invalid_content"
    assert code_of(FIELDS.forget, {"content": "x"}) == "invalid_query"


@pytest.mark.parametrize("value", ["", "Clean", "both", 1, False, ["clean"], "\ud800"])
def test_context_modes_that_are_none(value: Any) -> None:
    assert code_of(FIELDS.remember, {"content": "x", "contextMode": value}) == (
        "invalid_context_mode"
    )


@pytest.mark.parametrize("value", [None, "", "USER ", "user\n", "global", 0, ["user"], "\ud800"])
def test_scopes_that_are_none(value: Any) -> None:
    assert code_of(FIELDS.remember, {"content": "x", "scope": value}) == "invalid_scope"
    assert code_of(FIELDS.forget, {"query": "x", "scope": value}) == "invalid_scope"


def test_the_first_wrong_field_is_named() -> None:
    wrong = {"content": "\ud800", "contextMode": 1, "scope": 1}
    assert code_of(FIELDS.remember, wrong) == "invalid_content"
    assert code_of(FIELDS.remember, wrong | {"content": "x"}) == "invalid_context_mode"
    assert code_of(FIELDS.remember, {"content": "x", "scope": 1}) == "invalid_scope"
    assert code_of(FIELDS.forget, {"query": " ", "scope": 1}) == "invalid_query"


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("x" * MAX_TEXT_BYTES, True),
        ("x" * (MAX_TEXT_BYTES + 1), False),
        (" " + "x" * MAX_TEXT_BYTES + "\n", True),
        ("🚀" * (MAX_TEXT_BYTES // 4), True),
        ("🚀" * 30_000, False),
    ],
)
def test_texts_are_measured_in_bytes_once_trimmed(text: str, fits: bool) -> None:
    if fits:
        assert FIELDS.forget({"query": text}).query == text.strip()
    else:
        assert code_of(FIELDS.forget, {"query": text}) == "invalid_query"


def test_blanks_are_those_of_javascript() -> None:
    spaces = {chr(code) for code in range(0x10000) if unicodedata.category(chr(code)) == "Zs"}
    assert set(BLANKS) == spaces | set("\t\n\v\f\r\u2028\u2029\ufeff")


@pytest.mark.parametrize("kept", ["\x1c", "\x1f", "\x85", "\u200b", "\u180e"])
def test_other_invisible_characters_are_kept(kept: str) -> None:
    assert FIELDS.remember({"content": f" {kept}x{kept} "}).content == f"{kept}x{kept}"


@settings(deadline=None)  # the first example builds the validators
@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_trimming_removes_blanks_and_nothing_else(text: str) -> None:
    padded = BLANKS + "|" + text + "|" + BLANKS
    assert FIELDS.remember({"content": padded}).content == f"|{text}|"


def test_session() -> None:
    assert FIELDS.session({}) == (None, "single")
    assert FIELDS.session({"cwd": "/w", "sessionScope": "thread"}) == ("/w", "thread")
    assert FIELDS.session({"cwd": "/" + "x" * 4095})[0]


@pytest.mark.parametrize(
    "cwd", [None, "", "w", "~/w", 5, ["/w"], "/" + "x" * 4096, "/a\x00b", "/\ud800", "C:\\w"]
)
def test_what_is_no_cwd(cwd: Any) -> None:
    assert code_of(FIELDS.session, {"cwd": cwd, "sessionScope": 1}) == "invalid_cwd"


@pytest.mark.parametrize("scope", [None, "", "Single", "user", 1, ["single"]])
def test_what_is_no_session_scope(scope: Any) -> None:
    assert code_of(FIELDS.session, {"cwd": "/w", "sessionScope": scope}) == (
        "invalid_session_scope"
    )


def test_the_schemas_are_valid_schemas() -> None:
    folder = files("qmemd.http") / "schemas"
    schemas = [path for path in folder.iterdir() if path.name.endswith(".json")]
    assert len(schemas) == 6
    for path in schemas:
        Draft202012Validator.check_schema(json.loads(path.read_text()))


def test_validators_are_built_once_by_whoever_comes_first() -> None:
    fields = Fields()
    seen: list[int] = []

    def first_use() -> None:
        fields.forget({"query": "x"})
        seen.append(id(fields._validators))

    threads = [threading.Thread(target=first_use) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    fields.warm_up()
    seen.append(id(fields._validators))
    assert len(seen) == 9
    assert len(set(seen)) == 1


def test_importing_the_room_leaves_the_heavy_parts_alone() -> None:
    code = (
        "import sys, qmemd.http.app, qmemd.http.fields;"
        "print([name for name in ('jsonschema', 'waitress', 'pykka') if name in sys.modules]);"
        "import qmemd.http.server; print('jsonschema' in sys.modules);"
        "f = qmemd.http.fields.Fields(); f.warm_up(); print('jsonschema' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:3] == ["[]", "False", "True"]
