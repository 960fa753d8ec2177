"""Who may import whom, and how much each process loads. The map is docs/architecture.md's."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import qmemd

PACKAGE = Path(qmemd.__file__).parent

RECORDS = {"events", "kinds", "results", "streams", "tasks"}
"""What is only data, and may be used everywhere."""

ALLOWED: dict[str, set[str]] = {
    "_version": set(),
    "entry_keys": set(),
    "erasure": set(),
    "errors": set(),
    "events": {"kinds", "results"},
    "streams": {"events"},
    "kinds": set(),
    "model_choice": {"errors"},
    "results": {"errors", "kinds"},
    "tasks": {"errors", *RECORDS},
    "texts": {"errors", *RECORDS},
    "logs": {"errors", *RECORDS},
    "messages": RECORDS,
    "metrics": {"errors", *RECORDS},
    "acp": {"errors"},
    "memory": {"erasure", "errors", *RECORDS},
    "search": set(),
    "catalog": {"entry_keys", "errors", "memory", "search", *RECORDS},
    "porting": {"errors", "memory", *RECORDS},
    "agent": {
        *("acp", "erasure", "memory", "search", "texts", "errors", "model_choice", "_version"),
        *RECORDS,
    },
    "access_token": {"errors"},
    "setting_values": {"access_token", "errors", "model_choice"},
    "settings": {"errors", "memory", "setting_values"},
    "config": {"errors", "setting_values", "settings"},
    "context": {"errors", "memory"},
    "announcement": {"memory"},
    "client": {"announcement", "config", "errors", *RECORDS, "texts"},
    "journal": {"erasure", "errors", "texts", *RECORDS},
    "http": {"catalog", "context", "errors", *RECORDS, "texts", "_version"},
    "actors": {
        "acp",
        "catalog",
        "context",
        "memory",
        "journal",
        "logs",
        "messages",
        *RECORDS,
        "errors",
        "_version",
    },
    "status": {"_version", "messages", "settings", "workspace", *RECORDS},
    "workspace": {
        "acp",
        "actors",
        "catalog",
        "memory",
        "journal",
        "messages",
        "settings",
        *RECORDS,
        "errors",
    },
    "host_requests": {"catalog", "errors", "texts", *RECORDS},
    "serving": {
        *("access_token", "actors", "announcement", "errors", "http"),
        *("setting_values", "settings"),
        *RECORDS,
    },
    "daemon": {
        *("actors", "context", "errors", "host_requests", "journal"),
        *("memory", "metrics", "serving", "settings", "status", "texts", "workspace"),
        *RECORDS,
    },
    "cli": {
        *("access_token", "acp", "client", "config", "daemon", "entry_keys", "errors"),
        *("logs", "memory", "model_choice", "porting", "settings", "workspace"),
        *("_version", *RECORDS),
    },
    "__main__": {"cli"},
    "__init__": {"_version", "actors", "daemon", "errors", "settings", *RECORDS},
}
"""Room or module → what of the package it may import, besides itself."""


def imports_of(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are written in full"
            found.add(node.module or "")
    return {name for name in found if name.split(".")[0] == "qmemd"}


def room_of(module: str) -> str:
    return [*module.split("."), "__init__"][1]


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.name))
def test_each_module_imports_only_what_its_room_may(path: Path) -> None:
    room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    foreign = {name for name in imports_of(path) if room_of(name) != room}
    assert {room_of(name) for name in foreign} <= ALLOWED[room]


def test_the_map_allows_nothing_that_is_not_used() -> None:
    used: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        used.setdefault(room, set()).update(room_of(name) for name in imports_of(path))
    for room, imported in used.items():
        assert imported - {room} >= ALLOWED[room] - RECORDS - {"errors"}, room


def loaded_by(statement: str) -> set[str]:
    listing = subprocess.run(
        [sys.executable, "-c", f"{statement}\nimport sys\nprint(*sys.modules)"],
        check=True,
        capture_output=True,
        text=True,
    )
    return {name.split(".")[0] for name in listing.stdout.split()}


def test_the_child_loads_nothing_of_the_daemon() -> None:
    loaded = loaded_by("import qmemd.agent.main")
    heavy = {"pykka", "falcon", "waitress", "jsonschema", "blinker", "click", "asyncio", "psutil"}
    assert not loaded & heavy
    assert "snowballstemmer" not in loaded
    assert "yaml" not in loaded


def test_importing_the_package_is_cheap_and_the_daemon_waits_with_what_is_heavy() -> None:
    assert not loaded_by("import qmemd") & {"pykka", "falcon", "psutil", "yaml"}
    assert not loaded_by("import qmemd.daemon") & {"falcon", "waitress", "jsonschema", "yaml"}
    loaded = loaded_by("import qmemd.daemon, qmemd.http.app, qmemd.http.server")
    assert not loaded & {"jsonschema", "prometheus_client"}


def test_what_the_package_exports_is_there() -> None:
    for name in qmemd.__all__:
        assert getattr(qmemd, name) is not None
    with pytest.raises(AttributeError, match="no attribute"):
        _ = qmemd.Nothing
