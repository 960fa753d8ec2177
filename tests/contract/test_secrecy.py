"""The token is nowhere but in the request that carries it and in files of its owner."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import psutil
import pytest

from tests.conftest import bytes_below
from tests.contract.conftest import MEMORY, TOKEN, MakeApi

STRANGE = [
    f"Bearer {TOKEN}x",
    f"Basic {TOKEN}",
    f"Bearer\t{TOKEN}",
    TOKEN,
    f"Bearer {TOKEN} {TOKEN}",
]


def test_it_is_in_no_answer_log_or_argument(
    make_api: MakeApi, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    api = make_api()
    answers = [api.get("/capabilities", Authorization=value).raw for value in STRANGE]
    answers.append(api.get(f"/nowhere/{TOKEN}?token={TOKEN}").raw)
    answers.append(api.post(f"{MEMORY}/remember", {"content": 1}).raw)
    answers.append(json.dumps(api.run("remember", {"content": "I prefer tabs"})).encode())
    answers.append(api.get("/daemon/status").raw)
    arguments = [child.cmdline() for child in psutil.Process().children(recursive=True)]
    api.daemon.stop()
    assert all(TOKEN.encode() not in answer for answer in answers)
    assert TOKEN not in caplog.text
    assert any("qmemd.agent" in words for words in arguments)
    assert TOKEN not in json.dumps(arguments)


def test_it_is_in_no_file_that_others_may_read(make_api: MakeApi, tmp_path: Path) -> None:
    api = make_api()
    api.run("remember", {"content": "I prefer tabs"})
    holding = [path for path, content in bytes_below(tmp_path).items() if TOKEN.encode() in content]
    assert holding, "clients find it in the announcement"
    assert all(path.stat().st_mode & 0o077 == 0 for path in holding)


def test_who_can_be_reached_from_elsewhere_says_so(
    make_api: MakeApi, caplog: pytest.LogCaptureFixture
) -> None:
    api = make_api(hostname="127.1")  # a name that has to be looked up, for all that it is
    assert "other machines may reach http://127.1:" in caplog.text
    assert "docs/proxy.md" in caplog.text
    assert TOKEN not in caplog.text
    assert api.get("/health", Authorization=None).code == "unauthorized"


def test_who_cannot_says_nothing(make_api: MakeApi, caplog: pytest.LogCaptureFixture) -> None:
    make_api()
    assert "other machines" not in caplog.text
