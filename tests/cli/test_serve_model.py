"""``qmemd serve`` with a language model, as people start it."""

from __future__ import annotations

import time

from tests.cli.test_serve import Served, refused
from tests.conftest import Home
from tests.fakes.endpoint import Endpoint, says

KEY = "the-key-of-the-command-0123456789"


def test_a_model_without_key_and_address_is_refused(home: Home) -> None:
    line = refused(home, "--model", "openai:m")
    assert "needs OPENAI_API_KEY, or OPENAI_BASE_URL" in line
    key = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "nowhere"}
    line = refused(home, "--model", "openai:m", environ=key)
    assert "OPENAI_BASE_URL must be an address" in line
    assert KEY not in line
    assert "number of model calls" in refused(home, "--max-model-calls", "0")


def test_the_key_is_in_no_command_line_and_no_log(home: Home) -> None:
    with Endpoint(says("Nothing to remember.")) as endpoint:
        environ = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": endpoint.url}
        flags = ("--model", "openai:m", "--max-model-calls", "3", "--max-tokens-per-day", "9000")
        served = Served(home, *flags, "--log-level", "debug", environ=environ)
        try:
            content = "The user is afraid of geese"
            _, task = served.call("POST", "/workspace/memory/remember", {"content": content})
            path = f"/workspace/memory/remember/{task['taskId']}"
            deadline = time.monotonic() + 20
            while (ended := served.call("GET", path)[1])["status"] != "failed":
                assert time.monotonic() < deadline, ended
            lines = [" ".join(process.cmdline()) for process in served.family()]
            assert endpoint.asked[0].headers["authorization"] == f"Bearer {KEY}"
        finally:
            _, out, err = served.end()
        assert ended["error"]["code"] == "remember_no_update"
        agent = next(line for line in lines if "qmemd.agent" in line)
        assert "--model openai:m" in agent
        assert "--max-model-calls 3 --max-tokens-per-day 9000" in agent
        for hidden in (KEY, content):
            assert hidden not in " ".join((*lines, out, err))
