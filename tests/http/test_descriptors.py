"""A small limit of open files: fewer connections, and neither a spin nor a flood of log lines."""

from __future__ import annotations

import contextlib
import json
import resource
import subprocess
import sys

import pytest

from qmemd.http.descriptors import connection_limit
from tests.http import raw

SERVER = """
import json, logging, resource, socket, sys, time
logging.basicConfig(level=logging.INFO)
from qmemd.http.server import HttpServer, bind
def app(environ, start):
    start("200 OK", [("Content-Length", "0")])
    return []
sock = bind("127.0.0.1", 0)
used = resource.getrlimit(resource.RLIMIT_NOFILE)
files, when = int(sys.argv[1]), sys.argv[2]
if when == "before":
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, used[1]))
server = HttpServer(app, sock, threads=1)
server.start()
if when == "after":
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, used[1]))
print(server.port, flush=True)
sys.stdin.readline()
began = time.process_time()
sys.stdin.readline()
print(json.dumps({"cpu": time.process_time() - began}), flush=True)
if when == "after":
    resource.setrlimit(resource.RLIMIT_NOFILE, used)
print(flush=True)
sys.stdin.readline()
server.stop(2)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "when", "complaint"),
    [
        (20, "after", "connections have to wait"),
        (40, "before", "all 8 connections are in use"),
    ],
)
def test_too_many_connections_wait(files: int, when: str, complaint: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, str(files), when],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        port = int(process.stdout.readline())
        with contextlib.ExitStack() as stack:
            waiting = [stack.enter_context(raw.Connection(port)) for _ in range(40)]
            waiting[0].send(raw.get("/health"))
            assert waiting[0].read().status == 200  # while others cannot be accepted
            print(file=process.stdin, flush=True)
            waiting[0].send(raw.get("/health"))
            assert waiting[0].read().status == 200
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(2.5)
            print(file=process.stdin, flush=True)
            assert json.loads(process.stdout.readline())["cpu"] < 0.5
            process.stdout.readline()
            if when == "before":
                for sock in waiting[:-1]:
                    sock.close()
            waiting[-1].send(raw.get("/health"))  # accepted now that there is room again
            assert waiting[-1].read().status == 200
        print(file=process.stdin, flush=True)
        log = process.stderr.read()
    assert log.count(complaint) == 1
    assert log.count("\n") == 1
    assert "Traceback" not in log


def limited(files: int) -> str:
    program = (
        "import resource; from qmemd.errors import SettingsError\n"
        "from qmemd.http.binding import bind\n"
        "from qmemd.http.descriptors import connection_limit\n"
        f"resource.setrlimit(resource.RLIMIT_NOFILE, ({files}, {files}))\n"
        "try:\n"
        "    bind('127.0.0.1', 0).close(); print(connection_limit())\n"
        "except SettingsError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("files", "connections"), [(33, "1"), (40, "8"), (128, "96"), (256, "192"), (1024, "768")]
)
def test_connections_leave_descriptors_to_the_rest(files: int, connections: str) -> None:
    assert limited(files) == connections


def test_no_room_for_any_connection_is_said_at_once() -> None:
    assert "limit of 32 open files" in limited(32)
    assert "ulimit -n" in limited(32)


def test_there_is_a_limit_here() -> None:
    open_files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert 0 < connection_limit() <= 1100
    assert open_files == resource.RLIM_INFINITY or connection_limit() < open_files
