"""The examples of docs/client.md, in their order, against one daemon."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from qmemd import Daemon
from tests.conftest import Home

TEXT = (Path(__file__).parents[2] / "docs" / "client.md").read_text()
BLOCKS: list[str] = re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)
PRINTED = (
    r"completed \('.*\.md',\)\n",
    r"\['.*Fridays.*'\]\nforget completed\nremember completed\n",
    r"\['.*wiki.*'\]\ndiscarded\n",
    r"workspace_memory_remember \('user',\)\n",
    r"completed\n1 0\n",
)


@pytest.mark.slow
def test_the_examples_print_what_they_should(home: Home) -> None:
    assert len(BLOCKS) == len(PRINTED)
    with Daemon(home.settings()):
        for code, printed in zip(BLOCKS, PRINTED, strict=True):
            done = subprocess.run(
                [sys.executable, "-W", "error", "-c", code],
                cwd=home.workspace,
                env=home.environ,
                capture_output=True,
                text=True,
                timeout=30,
                check=False,
            )
            assert done.stderr == ""
            assert re.fullmatch(printed, done.stdout), done.stdout
