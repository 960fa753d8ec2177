"""Whatever its document allows, and much that it does not, is asked of a real daemon."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.victim import TOKEN, Victim

pytestmark = [pytest.mark.slow, pytest.mark.timeout(60 * 60)]

EXAMPLES = os.environ.get("QMEMD_FUZZ_EXAMPLES", "20")
"""Examples of each operation and phase; a long run sets more."""


@pytest.fixture
def victim(tmp_path: Path) -> Iterator[Victim]:
    victim = Victim(tmp_path.resolve())
    victim.start()
    yield victim
    if victim.process is not None:
        victim.kill("both")


def test_a_fuzzer_finds_nothing_that_the_document_does_not_tell(victim: Victim) -> None:
    fuzzer = subprocess.run(
        [
            *(str(Path(sys.executable).parent / "schemathesis"), "run"),
            f"http://127.0.0.1:{victim.port}/openapi.json",
            *("--header", f"Authorization: Bearer {TOKEN}"),
            *("--exclude-tag", "events"),  # which never end; tests/contract reads them
            *("--checks", "all", "--seed", "1", "--max-examples", EXAMPLES),
            # Whether an id or key will do depends on what was asked before; a cancelled task stays.
            *("--exclude-checks", "positive_data_acceptance,use_after_free"),
            *("--request-timeout", "40", "--warnings", "off", "--no-color"),
        ],
        cwd=victim.root,
        env=victim.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert fuzzer.returncode == 0, fuzzer.stdout[-20_000:] + fuzzer.stderr
    assert victim.call("GET", "/health")[0] == 200
    assert "Traceback" not in victim.log
    assert victim.stop() == 0
    victim.check_files()
    victim.check_processes()
