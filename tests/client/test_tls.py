"""Certificates, with a server whose one nobody vouches for."""

from __future__ import annotations

import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from qmemd.client.errors import UnexpectedAnswerError
from qmemd.client.stream import EventStream
from qmemd.client.transport import Transport
from tests.client.scripted import ScriptedServer, answer, event, stream


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """One that a server at ``localhost`` made for itself, and its key."""
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("openssl makes the certificate; it is not installed")
    made, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    options = [
        *("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
        *("-nodes", "-days", "2"),
    ]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    subprocess.run(
        [program, *options, *names, "-out", str(made), "-keyout", str(key)],
        check=True,
        capture_output=True,
    )
    return made, key


class SecureServer(ScriptedServer):
    def __init__(self, certificate: tuple[Path, Path], *acts: bytes) -> None:
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(*certificate)
        self.end = threading.Event()
        super().__init__(*acts)
        self.url = self.url.replace("http://127.0.0.1", "https://localhost")

    def _run(self) -> None:
        for act in self._acts:
            try:
                plain, _ = self._listener.accept()
            except OSError:
                return
            plain.settimeout(10)
            with (
                suppress(OSError),
                self._context.wrap_socket(
                    plain, server_side=True, suppress_ragged_eofs=True
                ) as connection,
            ):
                self.requests.append(self._request(connection))
                assert isinstance(act, bytes)
                connection.sendall(act)
                if b"event-stream" in act:
                    self.end.wait(10)
            plain.close()


@pytest.fixture
def server(certificate: tuple[Path, Path]) -> Iterator[SecureServer]:
    with SecureServer(certificate, answer(200, {"a": 1}), stream(event(1))) as server:
        yield server
        server.end.set()


def test_nothing_is_sent_to_a_server_that_nobody_vouches_for(server: SecureServer) -> None:
    transport = Transport(server.url, "s3cret", None, 30)
    for ask in (
        lambda: transport.call("GET", "/x"),
        lambda: next(EventStream(transport, "/events")),
    ):
        with pytest.raises(UnexpectedAnswerError) as untrusted:
            ask()
        assert (untrusted.value.code, untrusted.value.status) == ("untrusted_certificate", None)
    assert server.requests == []


def test_a_stream_over_tls_is_closed_while_it_reads(
    certificate: tuple[Path, Path], server: SecureServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    transport = Transport(server.url, "s3cret", None, 10)
    assert transport.call("GET", "/x") == {"a": 1}
    seen: list[int | None] = []
    told = threading.Event()
    events = EventStream(transport, "/events")

    def read() -> None:
        for each in events:
            seen.append(each.event_id)
            told.set()

    reader = threading.Thread(target=read)
    reader.start()
    assert told.wait(10)
    events.close()
    reader.join(5)
    assert not reader.is_alive()
    assert seen == [1]
