"""A chat completions endpoint on loopback that does what a test wrote down for it."""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any, Self

CERTIFICATE = Path(__file__).with_name("endpoint.pem")
"""For 127.0.0.1 and localhost, with its key; nobody trusts it by default."""
TIMEOUT = 20.0


@dataclass(frozen=True)
class Asked:
    """A request as it came."""

    target: str
    headers: Mapping[str, str]
    """Names in lower case."""
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw)

    @property
    def text(self) -> str:
        """All that the model is told."""
        return "\n".join(str(message["content"]) for message in self.body["messages"])


@dataclass
class Wire:
    """The connection of one request, for a step to answer on."""

    asked: Asked
    socket: socket.socket
    closing: threading.Event
    streams: bool
    counts: bool

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def answer(
        self, status: int, body: bytes, kind: str = "application/json", **headers: str
    ) -> None:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        names |= {"Content-Type": kind, "Content-Length": str(len(body)), "Connection": "close"}
        head = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n" + "".join(
            f"{name}: {value}\r\n" for name, value in names.items()
        )
        self.send(head.encode() + b"\r\n" + body)

    def open_stream(self) -> None:
        self.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n")
        self.send(b"Connection: close\r\n\r\n: hello\n\n")

    def event(self, **event: Any) -> None:
        self.send(b"data: " + json.dumps(event).encode() + b"\n\n")

    def delta(self, finish: str | None = None, **delta: Any) -> None:
        self.event(choices=[{"index": 0, "delta": delta, "finish_reason": finish}])


Step = Callable[[Wire], None]


class Endpoint:
    """Plays its steps, one a request; the last one stays."""

    def __init__(
        self,
        *steps: Step,
        streams: bool = True,
        counts: bool = True,
        refuses: tuple[str, ...] = (),
        tls: bool = False,
    ) -> None:
        self.asked: list[Asked] = []
        self.refuses = refuses
        """Parameters that are answered with a 400 that names them."""
        self.met = threading.Semaphore(0)
        """Released for each request that arrived."""
        self.connected = threading.Semaphore(0)
        """Released for each connection."""
        self._steps = list(steps)
        self._streams = streams
        self._counts = counts
        self._closing = threading.Event()
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER) if tls else None
        if self._context:
            self._context.load_cert_chain(CERTIFICATE)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self._threads: list[threading.Thread] = []
        self._open: list[socket.socket] = []
        self._accepting = threading.Thread(target=self._accept)

    @property
    def url(self) -> str:
        return f"{'https' if self._context else 'http'}://127.0.0.1:{self.port}/v1"

    def then(self, *steps: Step) -> None:
        """Replaces what is still to be played."""
        self._steps = list(steps)

    def __enter__(self) -> Self:
        self._accepting.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Nobody listens any more, and every connection ends. Idempotent."""
        if self._closing.is_set():
            return
        self._closing.set()
        # Closing alone would not wake the accept.
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        for connection in self._open:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._accepting.join(TIMEOUT)
        for thread in self._threads:
            thread.join(TIMEOUT)
        self._listening.close()

    def _accept(self) -> None:
        while not self._closing.is_set():
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            self._open.append(connection)
            self.connected.release()
            thread = threading.Thread(target=self._serve, args=(connection,))
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            if self._context:
                with self._context.wrap_socket(connection, server_side=True) as wrapped:
                    self._open.append(wrapped)
                    self._play(wrapped)
            else:
                self._play(connection)

    def _play(self, connection: socket.socket) -> None:
        asked = _read_request(connection)
        if asked is None:
            return
        self.asked.append(asked)
        wire = Wire(asked, connection, self._closing, self._streams, self._counts)
        named = next((name for name in self.refuses if name in asked.body), None)
        if named:
            self.met.release()
            reason = {"error": {"message": f"Unsupported parameter: '{named}'", "param": named}}
            wire.answer(400, json.dumps(reason).encode())
            return
        step = self._steps.pop(0) if len(self._steps) > 1 else self._steps[0]
        self.met.release()
        step(wire)


@dataclass(frozen=True)
class Called:
    """A tool call that the endpoint makes."""

    name: str
    arguments: Any
    """A string is sent as it is."""
    call_id: str | None = "call_a"

    def wire(self, number: int) -> dict[str, Any]:
        text = self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)
        named = {} if self.call_id is None else {"id": f"{self.call_id}{number}"}
        return {"type": "function", "function": {"name": self.name, "arguments": text}, **named}


@dataclass(frozen=True)
class Says:
    """A whole answer: streamed when that is asked for and the endpoint can."""

    text: str = ""
    calls: tuple[Called, ...] = ()
    usage: tuple[int, int] = (100, 20)

    def __call__(self, wire: Wire) -> None:
        if wire.streams and wire.asked.body.get("stream"):
            self._stream(wire)
            return
        message: dict[str, Any] = {"role": "assistant", "content": self.text or None}
        if self.calls:
            message["tool_calls"] = [call.wire(n) for n, call in enumerate(self.calls)]
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        body = {"id": "x", "object": "chat.completion", "choices": [choice]}
        wire.answer(200, json.dumps(body | self._usage(wire)).encode())

    def _stream(self, wire: Wire) -> None:
        wire.open_stream()
        wire.delta(role="assistant", content="")
        for start in range(0, len(self.text), 7):
            wire.delta(content=self.text[start : start + 7])
        for number, call in enumerate(self.calls):
            whole = call.wire(number)
            text = whole["function"]["arguments"]
            whole["function"]["arguments"] = ""
            wire.delta(tool_calls=[{"index": number, **whole}])
            for start in range(0, len(text), 11):
                piece = {"arguments": text[start : start + 11]}
                wire.delta(tool_calls=[{"index": number, "function": piece}])
        wire.delta(finish="tool_calls" if self.calls else "stop")
        if wire.asked.body.get("stream_options") and wire.counts:
            wire.event(choices=[], **self._usage(wire))
        wire.send(b"data: [DONE]\n\n")

    def _usage(self, wire: Wire) -> dict[str, Any]:
        if not wire.counts:
            return {}
        given, made = self.usage
        return {"usage": {"prompt_tokens": given, "completion_tokens": made}}


def says(text: str) -> Step:
    return Says(text)


def calls(*made: tuple[str, Any]) -> Step:
    return Says(calls=tuple(Called(name, arguments) for name, arguments in made))


def fails(status: int, reason: Any = "no", **headers: str) -> Step:
    body = json.dumps({"error": reason}).encode()
    return lambda wire: wire.answer(status, body, **headers)


def answers(body: bytes, kind: str = "application/json") -> Step:
    return lambda wire: wire.answer(200, body, kind)


def cuts(text: str) -> Step:
    """Streams some of an answer and is gone."""

    def step(wire: Wire) -> None:
        wire.open_stream()
        wire.delta(content=text)

    return step


def hangs(after: bytes = b"") -> Step:
    """Says this much and then nothing, until the endpoint closes or the client is gone."""

    def step(wire: Wire) -> None:
        wire.send(after)
        while not wire.closing.is_set() and wire.socket.recv(4096):
            pass

    return step


def closes(_wire: Wire) -> None:
    """Hangs up without a word."""


def waits_for(gate: threading.Event, step: Step) -> Step:
    """Slow: answers when the gate is opened."""

    def slow(wire: Wire) -> None:
        gate.wait(TIMEOUT)
        step(wire)

    return slow


def _read_request(connection: socket.socket) -> Asked | None:
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            return None
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    line, *rest = head.decode("latin-1").split("\r\n")
    headers = {
        name.lower(): value.strip() for name, _, value in (each.partition(":") for each in rest)
    }
    while len(body) < int(headers.get("content-length", 0)):
        body += connection.recv(65536)
    return Asked(line.split(" ")[1], headers, body)
