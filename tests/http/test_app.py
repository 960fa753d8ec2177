from __future__ import annotations

import threading
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from falcon import testing

from qmemd.http.app import create_app
from qmemd.http.fields import Fields
from qmemd.http.ports import Access
from tests.http import raw
from tests.http.fake_door import FakeDoor


class QuietHandler(WSGIRequestHandler):
    def log_message(self, *_args: object) -> None:
        pass


def test_another_server_can_carry_the_app(door: FakeDoor, fields: Fields) -> None:
    with WSGIServer(("127.0.0.1", 0), QuietHandler) as server:
        port = server.server_port
        server.set_app(create_app(door, Access("s3cret", "127.0.0.1", port), fields=fields))
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            assert raw.exchange(port, raw.get("/health")).json == {"status": "ok"}
            posted = raw.post(port, "/workspace/memory/remember", b'{"content":"x"}')
            assert posted.status == 202
            poll = raw.get(f"/workspace/memory/remember/{posted.json['taskId']}")
            assert raw.exchange(port, poll).json["status"] == "queued"
        finally:
            server.shutdown()
            thread.join(5)


def test_two_apps_share_nothing(fields: Fields) -> None:
    first, second = FakeDoor(), FakeDoor()
    clients = [
        testing.TestClient(create_app(door, Access(token, "localhost", 4170), fields=fields))
        for door, token in ((first, "one"), (second, "two"))
    ]
    headers = {"Host": "localhost", "Authorization": "Bearer one"}
    assert clients[0].simulate_post("/workspace/memory/dream", headers=headers).status_code == 202
    assert clients[1].simulate_post("/workspace/memory/dream", headers=headers).status_code == 401
    assert (len(first.submitted), len(second.submitted)) == (1, 0)
