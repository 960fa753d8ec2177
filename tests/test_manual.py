"""The manual: its links lead somewhere, what it quotes is said, and its commands run."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from qmemd.errors import ERRORS
from tests.conftest import Home

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
BIN = Path(sys.executable).parent

ELSEWHERE = {
    "README.md: scripts/serve --token secret": "tests/test_readme.py::test_the_walk_with_curl",
    "README.md: scripts/test": ".ci/run",
    "README.md: daemon=http://127.0.0.1:4170": "tests/test_readme.py::test_the_walk_with_curl",
    "api.md: daemon=http://127.0.0.1:4170": "tests/test_readme.py::test_the_example_of_the_guide",
    "cli.md: qmemd remember": "tests/cli/test_guide.py::test_the_examples_run",
    "cli.md: git log": "tests/cli/test_guide.py::test_the_examples_run",
    "cli.md: eval": "tests/cli/test_guide.py::test_the_examples_run",
    "embedding.md: gunicorn app:app": "tests/test_embedding.py::test_",
    "operations.md: pip install": "tests/test_packaging.py::test_every_extra",
    "operations.md: systemctl": "tests/cli/test_service.py::test_systemd_finds_nothing",
    "operations.md: launchctl": "tests/cli/test_service.py::test_a_plist_is_one",
    "operations.md: docker": "tests/test_packaging.py::test_the_containers_settings",
    "porting.md: qmemd export": "tests/porting/test_guide.py::test_the_examples_run",
    "start.md: python3 -m venv": "tests/test_packaging.py::test_what_is_installed_works",
}
"""Blocks that another test runs: the page and how the block begins."""


def blocks() -> list[tuple[str, str]]:
    """Each block of shell commands, with its page."""
    return [
        (page.name, block)
        for page in PAGES
        for block in re.findall(r"^```sh\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)
    ]


def elsewhere(page: str, block: str) -> str | None:
    for begins, test in ELSEWHERE.items():
        if f"{page}: {block}".startswith(begins):
            return test
    return None


def anchors(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", page.read_text()):
        name, _, anchor = target.partition("#")
        there = (page.parent / name).resolve() if name else page
        assert there.exists(), target
        assert not anchor or anchor in anchors(there), target


def test_every_page_is_in_the_table_of_contents() -> None:
    contents = (ROOT / "docs" / "README.md").read_text()
    for page in (ROOT / "docs").glob("*.md"):
        assert page.name == "README.md" or f"({page.name})" in contents, page.name


def test_what_the_troubles_say_is_what_is_said() -> None:
    text = (ROOT / "docs" / "troubleshooting.md").read_text()
    sources = "\n".join(path.read_text() for path in (ROOT / "qmemd").rglob("*.py"))
    starts = text.split("## It does not start")[1].split("\n## ")[0]
    for quoted in re.findall(r"^\| `([^`]+)`", starts, re.MULTILINE):
        pattern = re.sub(r"4170|127\\\.0\\\.0\\\.1", r"\\{\\w+\\}", re.escape(quoted))
        assert re.search(pattern, sources), quoted
    for code in re.findall(
        r"^\| `([a-z_]+)`", text.split("## It does not answer")[1], re.MULTILINE
    ):
        assert code in ERRORS or f'"{code}"' in sources, code


def test_each_block_that_is_run_elsewhere_is() -> None:
    for begins, test in ELSEWHERE.items():
        assert any(f"{page}: {block}".startswith(begins) for page, block in blocks()), begins
        path, _, name = test.partition("::")
        assert f"def {name}" in (ROOT / path).read_text() if name else (ROOT / path).exists(), test


SERVING = [one for one in blocks() if "scripts/serve" in one[1] and not elsewhere(*one)]


@pytest.mark.parametrize(("page", "block"), SERVING)
def test_what_serves_is_served(page: str, block: str, home: Home) -> None:
    assert page
    command = block.replace("scripts/serve", "exec qmemd serve --port 0").replace("=…", "=key")
    process = subprocess.Popen(
        ["bash", "-euc", command],  # noqa: S607 — whichever bash there is
        cwd=home.workspace,
        env=home.environ | {"PATH": f"{BIN}:{home.environ['PATH']}", "BROWSER": "true"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    line = process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    _, complaints = process.communicate(timeout=20)
    assert line.startswith("qmemd listening on "), complaints
    assert process.returncode == 0


RUNNABLE = sorted({page for page, block in blocks() if not elsewhere(page, block)})


@pytest.mark.slow
@pytest.mark.parametrize("page", RUNNABLE)
def test_the_commands_of_a_page_run_in_their_order(page: str, started: Home) -> None:
    given = [block for name, block in blocks() if name == page]
    mine = [one for one in given if not elsewhere(page, one) and "scripts/serve" not in one]
    # The pages say where the memory is by default.
    environ = {k: v for k, v in started.environ.items() if k != "QWEN_CODE_MEMORY_BASE_DIR"}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(["qmemd list", *mine])],  # noqa: S607
        cwd=started.workspace,
        env=environ | {"PATH": f"{BIN}:{environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=50,
    )
    assert done.returncode == 0, done.stdout + done.stderr
