from __future__ import annotations

from collections.abc import Iterator

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
def server(door: FakeDoor, fields: Fields) -> Iterator[HttpServer]:
    sock = bind("127.0.0.1", 0)
    port = sock.getsockname()[1]
    app = create_app(door, Access(TOKEN, "127.0.0.1", port), fields=fields)
    server = HttpServer(app, sock, threads=4)
    server.start()
    yield server
    door.may_submit.set()
    server.stop(2)
