from __future__ import annotations

import os

import pytest

from qmemd import Daemon
from qmemd._version import __version__
from tests.conftest import Home


def test_a_daemon_says_how_it_is(home: Home) -> None:
    with Daemon(home.settings(http=False)) as daemon:
        daemon.remember("I prefer tabs").result(30)
        told = daemon.status()
    assert (told["pid"], told["qmemdVersion"]) == (os.getpid(), __version__)
    assert told["workspaceCwd"] == str(home.workspace)
    assert told["tasks"] == {"queued": 0, "running": 0, "completed": 1, "failed": 0}
    assert told["child"]["phase"] == "live"
    assert told["child"]["generation"] == 1
    assert told["streams"] == {"open": 0, "limit": 256}
    assert told["sessions"] == 0
    assert told["lastErrors"] == []
    assert told["usage"] == {"modelCalls": 0, "inputTokens": 0, "outputTokens": 0}
    assert told["uptimeSeconds"] >= 0


@pytest.mark.slow
def test_errors_are_named_by_their_code_alone(home: Home) -> None:
    with Daemon(home.settings(http=False)) as daemon:
        daemon.remember("the token is ghp_" + "a1B2" * 9).result(30)
        told = daemon.status()
    [error] = told["lastErrors"]
    assert (error["kind"], error["code"]) == ("remember", "secret_detected")
    assert set(error) == {"kind", "code", "at"}
    assert "ghp_" not in repr(told)
