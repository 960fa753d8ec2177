from __future__ import annotations

import resource
import subprocess
import sys
from typing import Any

import pytest

from qmemd.acp.open_files import limit_open_files

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux can do this")


def shell() -> subprocess.Popen[str]:
    """Says its limits, and those of what it starts, once it is asked."""
    command = "read x; ulimit -Sn; ulimit -Hn; sh -c 'ulimit -Hn'"
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.Popen(["/bin/sh", "-c", command], text=True, **pipes)


def test_both_limits_are_lowered_also_for_what_it_starts() -> None:
    with shell() as child:
        limit_open_files(child.pid, 77)
        assert child.communicate("\n")[0].split() == ["77"] * 3


def test_nothing_is_raised() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with shell() as child:
        limit_open_files(child.pid, 10**9)
        said = child.communicate("\n")[0].split()
    if hard != resource.RLIM_INFINITY:
        assert [int(number) for number in said] == [soft, hard, hard]


def test_a_child_that_has_gone_is_no_mistake() -> None:
    with shell() as child:
        child.communicate("\n")
    limit_open_files(child.pid, 77)
