from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from falcon import testing

from qmemd.http.app import create_app
from qmemd.http.fields import Fields
from qmemd.http.ports import Access
from qmemd.http.server import HttpServer, bind
from tests.http.fake_door import FakeDoor

TOKEN = "s3cret"


@pytest.fixture(scope="session")
def fields() -> Fields:
    return Fields()


@pytest.fixture
def door() -> FakeDoor:
    return FakeDoor()


@pytest.fixture
def access() -> Access:
    return Access(token=TOKEN, hostname="127.0.0.1", port=4170)


@pytest.fixture
def client(door: FakeDoor, access: Access, fields: Fields) -> testing.TestClient:
    """Sends what an honest client sends; a header set to None in a test is left out."""
    app = create_app(door, access, fields=fields)
    return testing.TestClient(
        app, headers={"Host": "127.0.0.1:4170", "Authorization": f"Bearer {TOKEN}"}
    )


@pytest.fixture
def serve(door: FakeDoor, fields: Fields) -> Iterator[Callable[..., HttpServer]]:
    """Starts servers of the app, or of another one, with the options of ``HttpServer``."""
    servers: list[HttpServer] = []

    def start(app: Any = None, **options: Any) -> HttpServer:
        sock = bind("127.0.0.1", 0)
        access = Access(TOKEN, "127.0.0.1", sock.getsockname()[1])
        app = app or create_app(door, access, fields=fields)
        servers.append(HttpServer(app, sock, **{"threads": 4} | options))
        servers[-1].start()
        return servers[-1]

    yield start
    door.may_submit.set()
    for server in servers:
        server.stop(2)


@pytest.fixture
def server(serve: Callable[..., HttpServer]) -> HttpServer:
    return serve()
