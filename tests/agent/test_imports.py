from __future__ import annotations

import subprocess
import sys

FORBIDDEN = {
    "asyncio",
    "argparse",
    "blinker",
    "click",
    "falcon",
    "httpx2",
    "jsonschema",
    "multiprocessing",
    "psutil",
    "pykka",
    "rich",
    "sqlite3",
    "waitress",
    "yaml",
}


def modules_after(code: str) -> set[str]:
    """Top-level modules that a fresh interpreter has loaded after running ``code``."""
    report = f"{code}\nimport sys; print(*{{name.partition('.')[0] for name in sys.modules}})"
    ran = subprocess.run(
        [sys.executable, "-c", report], check=True, capture_output=True, text=True, timeout=30
    )
    return set(ran.stdout.split())


def test_the_child_loads_nothing_of_the_daemon() -> None:
    code = (
        "import qmemd.agent.main\nfrom qmemd.agent.limits import Limits\n"
        "from qmemd.agent.models import make_model\nmake_model('auto', {}, Limits())"
    )
    assert modules_after(code) & FORBIDDEN == set()


def test_the_start_does_not_wait_for_the_model() -> None:
    assert "snowballstemmer" not in modules_after("import qmemd.agent.main")
