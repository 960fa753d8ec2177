"""What an agent may use, against a whole daemon: one that eats memory, and one in Node."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import psutil
import pytest

from tests.contract.conftest import MakeApi
from tests.fakes import child_command

NODE = shutil.which("node")
NODE_AGENT = """
const reserved = new WebAssembly.Memory({initial: 1, maximum: 65536});
const nothing = {summary: "done", filesTouched: [], touchedScopes: []};
const results = {
  initialize: {protocolVersion: 1}, availability: {available: true}, remember: nothing,
};
require("readline").createInterface({input: process.stdin}).on("line", (line) => {
  const {id, method} = JSON.parse(line);
  if (id === undefined) return;
  const result = results[method.split("/").pop()];
  process.stdout.write(JSON.stringify({jsonrpc: "2.0", id, result}) + "\\n");
});
"""


def test_an_agent_over_its_memory_fails_its_task_and_no_other(
    make_api: MakeApi, tmp_path: Path
) -> None:
    hungry = {"on": {"remember": [["eat", 300], "silent"]}}
    command = child_command(starts=tmp_path / "starts", per_start=[hungry, {"on": {}}])
    api = make_api(agent_command=command, child_memory=150)
    failed = api.run("remember", {"content": "x"})
    assert failed["error"]["code"] == "agent_crashed"
    assert failed["error"]["details"].endswith("and its limit is 150 MiB")
    assert api.run("remember", {"content": "y"})["status"] == "completed"
    child = api.get("/daemon/status").body["child"]
    assert (child["generation"], child["failuresInARow"]) == (2, 0)


def count_watches() -> int:
    return sum(thread.name.endswith("-memory") for thread in threading.enumerate())


def test_without_a_limit_nobody_looks(make_api: MakeApi) -> None:
    watches = count_watches()
    api = make_api(child_memory=0)
    assert api.run("remember", {"content": "x"})["status"] == "completed"
    assert count_watches() == watches


@pytest.mark.skipif(not hasattr(psutil.Process, "rlimit"), reason="only Linux can do this")
def test_our_own_agent_works_within_the_least_limit_and_with_few_files(make_api: MakeApi) -> None:
    watches = count_watches()
    api = make_api(child_memory=64)
    assert api.run("remember", {"content": "We deploy on Fridays"})["status"] == "completed"
    assert count_watches() == watches + 1
    pid = api.get("/daemon/status").body["child"]["pid"]
    assert max(psutil.Process(pid).rlimit(psutil.RLIMIT_NOFILE)) <= 4096


@pytest.mark.skipif(NODE is None, reason="needs Node")
def test_an_agent_in_node_works_within_the_usual_limits(make_api: MakeApi, tmp_path: Path) -> None:
    program = tmp_path / "agent.cjs"
    program.write_text(NODE_AGENT)
    api = make_api(agent_command=(str(NODE), str(program)))
    for _ in range(2):
        assert api.run("remember", {"content": "x"})["status"] == "completed"
    assert api.get("/daemon/status").body["child"]["generation"] == 1
