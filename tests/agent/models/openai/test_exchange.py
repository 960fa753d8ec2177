"""The connection: certificates, proxies, sizes."""

from __future__ import annotations

import pytest

from qmemd.agent.models.openai.exchange import MAX_ANSWER
from qmemd.agent.models.openai.stream import MAX_LINE
from qmemd.errors import SettingsError
from qmemd.model_choice import Endpoint as Place
from tests.agent.models.openai.conftest import MakeBench
from tests.fakes.endpoint import CERTIFICATE, Endpoint, Wire, answers, says

PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)


def test_a_certificate_that_nobody_vouches_for_is_refused(at: MakeBench) -> None:
    bench = at(says("Done."), tls=True)
    assert "certificate that is not trusted" in bench.failure()
    assert bench.endpoint.asked == []
    assert bench.pauses == []


def test_a_certificate_that_the_environment_trusts(
    at: MakeBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    assert at(says("Done."), tls=True).respond().text == "Done."


def test_a_proxy_of_the_environment_is_used(at: MakeBench, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = at(says("Done."))
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.endpoint.port}")
    proxy.url = "http://models.invalid/v1"
    assert proxy.respond().text == "Done."
    assert proxy.endpoint.asked[0].target == "http://models.invalid/v1/chat/completions"


def test_a_proxy_that_is_none(at: MakeBench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = at(says("Done."))
    monkeypatch.setenv("HTTP_PROXY", "gopher://127.0.0.1")
    with pytest.raises(SettingsError, match="proxy variable"):
        _ = bench.model


def test_an_address_that_only_looks_like_one(at: MakeBench) -> None:
    bench = at(says("Done."))
    bench.url = "http://1.2.3.999/v1"
    with pytest.raises(SettingsError, match="OPENAI_BASE_URL"):
        _ = bench.model


@pytest.mark.parametrize("host", ["h^", "%zz", "h" * 70, "a..b", "-"])
def test_a_host_that_cannot_be(at: MakeBench, host: str) -> None:
    bench = at(says("Done."))
    bench.url = f"http://{host}.invalid/v1"
    assert "cannot be reached" in bench.failure()


def test_a_redirect_is_not_followed(at: MakeBench) -> None:
    with Endpoint(says("Stolen.")) as other:

        def redirects(wire: Wire) -> None:
            wire.answer(308, b"", Location=f"{other.url}/chat/completions")

        assert "redirects" in at(redirects).failure()
        assert other.asked == []


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
def test_an_answer_without_end_is_cut(at: MakeBench, kind: str) -> None:
    def floods(wire: Wire) -> None:
        wire.send(f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n".encode())
        for _ in range(MAX_ANSWER // 65536 + 16):
            wire.send(b": " + b"x" * 65533 + b"\n")

    bench = at(floods)
    assert f"over {MAX_ANSWER} bytes" in bench.failure()
    assert len(bench.endpoint.asked) == 1


def test_a_line_without_end_is_cut(at: MakeBench) -> None:
    body = b"data: " + b"x" * (MAX_LINE + 1)
    assert f"over {MAX_LINE} bytes" in at(answers(body, "text/event-stream")).failure()
    assert f"over {MAX_LINE} bytes" in at(answers(body + b"\n", "text/event-stream")).failure()


def test_the_body_of_a_refusal_is_not_read_without_end(at: MakeBench) -> None:
    def floods(wire: Wire) -> None:
        wire.send(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        while not wire.closing.is_set():
            wire.send(b"x" * 65536)

    bench = at(floods)
    assert "HTTP 400" in bench.failure()


def test_compressed_answers_are_not_unpacked(at: MakeBench) -> None:
    def packs(wire: Wire) -> None:
        wire.answer(200, b"\x1f\x8b" + b"\0" * 100, Content_Encoding="gzip")

    assert "no chat completion" in at(packs).failure()


@pytest.mark.parametrize("answer", [b"SSH-2.0-x\r\n", b"HTTP/1.1 abc\r\n\r\n", b"\0" * 500])
def test_what_is_no_http(at: MakeBench, answer: bytes) -> None:
    bench = at(lambda wire: wire.send(answer))
    assert "broke the connection off" in bench.failure()


def test_the_key_is_not_shown() -> None:
    place = Place("http://127.0.0.1:1/v1", "m", "the-key")
    assert "the-key" not in repr(place)
