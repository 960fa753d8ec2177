from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import qmemd
from qmemd.kinds import Scope, Topic
from qmemd.memory.documents import render
from qmemd.memory.paths import MemoryPaths, resolve_paths
from tests.agent.child import Child
from tests.agent.workbench import Workbench

ROOT = Path(qmemd.__file__).parents[1]

Put = Callable[..., Path]
Start = Callable[..., Child]


@pytest.fixture
def paths(tmp_path: Path) -> MemoryPaths:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    return resolve_paths(tmp_path / "base", workspace)


@pytest.fixture
def put(paths: MemoryPaths) -> Put:
    """Makes a document: ``put(scope, relative, body, topic=…, name=…)``."""

    def make(
        scope: Scope,
        relative: str,
        body: str,
        topic: Topic | None = None,
        name: str | None = None,
    ) -> Path:
        path = paths.root(scope).path / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        topic = topic or (Topic.USER if scope is Scope.USER else Topic.PROJECT)
        path.write_bytes(render(name or relative, body.partition("\n")[0][:80], topic, body))
        return path

    return make


@pytest.fixture
def bench(paths: MemoryPaths) -> Workbench:
    return Workbench(paths)


@pytest.fixture
def start(paths: MemoryPaths, tmp_path: Path) -> Iterator[Start]:
    """Starts children: ``start(*arguments, module=…, **environment)``."""
    children: list[Child] = []

    def make(*arguments: str, module: str = "tests.agent.driver", **environment: str) -> Child:
        environ = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(tmp_path),
            "PYTHONPATH": str(ROOT),
            "QWEN_CODE_MEMORY_BASE_DIR": str(paths.base),
        }
        argv = ["-m", module, "--workspace", str(paths.workspace), *arguments]
        child = Child(argv, environ | environment, tmp_path)
        children.append(child)
        return child

    yield make
    for child in children:
        child.close()
