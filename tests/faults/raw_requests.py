"""What nobody should send: requests that are almost right, by chance but the same each time."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.faults.victim import MEMORY, TOKEN

SMUGGLED = f"{MEMORY}/forget/smuggled"
"""What is asked for by the requests that stand inside of other ones."""
SMUGGLED_CODE = "forget_task_not_found"
"""How the daemon answers when it takes one of them for a request of its own."""
REMEMBER = f"{MEMORY}/remember"

_JSON = b"Content-Type: application/json"
_CHUNKED = b"Transfer-Encoding: chunked"


def request(
    method: str, target: str, *fields: bytes, body: bytes = b"", version: str = "1.1"
) -> bytes:
    """One that is allowed in, with these fields besides."""
    lines = [
        f"{method} {target} HTTP/{version}".encode(),
        b"Host: localhost",
        f"Authorization: Bearer {TOKEN}".encode(),
        *fields,
    ]
    return b"\r\n".join([*lines, b"", b""]) + body


def post(body: bytes, *fields: bytes, target: str = REMEMBER, version: str = "1.1") -> bytes:
    """One with whatever framing the fields say."""
    return request("POST", target, _JSON, *fields, body=body, version=version)


def chunks(body: bytes, size: int = 7) -> bytes:
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def length(body: bytes) -> bytes:
    return b"Content-Length: %d" % len(body)


HIDDEN = request("GET", SMUGGLED)
BODY = b'{"content":""}'
"""Is refused, so that nothing is started."""
BODY_AROUND_HIDDEN = b'{"content":7,"x":"' + HIDDEN + b'"}'
EVENTS = request("GET", "/workspace/events?snapshot=1&maxQueued=16", b"Last-Event-ID: 3")
"""Ends once its client sends no more, so it has to be the last of its connection."""
VALID = (
    post(BODY, length(BODY)),
    post(BODY_AROUND_HIDDEN, length(BODY_AROUND_HIDDEN)),
    post(chunks(BODY), _CHUNKED),
    post(chunks(BODY_AROUND_HIDDEN), _CHUNKED),
    post(BODY, length(BODY), b"Expect: 100-continue"),
    post(b'{"cwd":7}', b"Content-Length: 9", target="/session"),
    post(b'{"scope":7}', b"Content-Length: 11", target=MEMORY),
    request("GET", "/health"),
    request("HEAD", "/health"),
    request("GET", "/health", b"Expect: 100-continue"),
    request("GET", "/health", b"Connection: keep-alive", version="1.0"),
    request("GET", "/capabilities", b"X-Blank: ", b"X-Latin: \xe9"),
    request("GET", f"{MEMORY}/dream/none?wait=2"),
    request("GET", f"{MEMORY}/tasks?kind=dream&status=failed&limit=7"),
    request("GET", f"{MEMORY}/changes?limit=3"),
    request("GET", f"{MEMORY}/changes/none"),
    request("GET", "/file?path=QWEN.md&maxBytes=9&line=1"),
    request("GET", f"{MEMORY}/", b"X-Qwen-Client-Id: none"),
    request("DELETE", f"{MEMORY}/dream/none", b"Idempotency-Key: k"),
    request("POST", "/session/none/heartbeat"),
    request("GET", "/session/none/events"),
    request("POST", f"{MEMORY}/dream", b"Idempotency-Key: one"),
    request("PROPFIND", "/nowhere"),
)
"""Each is answered, and leaves its connection open."""
LAST = (
    request("OPTIONS", "/health"),  # Waitress closes behind an answer without a length
    EVENTS,
    request("GET", "/health", version="1.0"),
    request("GET", "/capabilities", b"Connection: close"),
    request("GET", "/workspace/events", version="1.0"),
)
"""Each is answered, and ends its connection."""

_CODINGS = (
    b"Transfer-Encoding: chunked",
    b"transfer-encoding:chunked",
    b"Transfer-Encoding: \tCHUNKED ",
    b"Transfer-Encoding: chunked, chunked",
    b"Transfer-Encoding: chunked,",
    b"Transfer-Encoding: ,chunked",
    b"Transfer-Encoding: gzip, chunked",
    b"Transfer-Encoding: chunked, identity",
    b"Transfer-Encoding: xchunked",
    b"Transfer-Encoding: \x0bchunked",
    b"Transfer-Encoding: chunked\x00",
    b"Transfer-Encoding : chunked",
    b"Transfer-Encoding:\r\n chunked",
    b"Transfer-Encoding: chunked\r\n ",
    b" Transfer-Encoding: chunked",
    b"X: x\nTransfer-Encoding: chunked",
    b"X: x\rTransfer-Encoding: chunked",
    b"Transfer_Encoding: chunked",
    b"Transfer-Encoding:",
    b"",
)
_LENGTHS = (
    b"Content-Length: %d",
    b"Content-Length: 0",
    b"Content-Length: 3",
    b"Content-Length: +%d",
    b"Content-Length: -%d",
    b"Content-Length: 0x%x",
    b"Content-Length: %d, %d",
    b"Content-Length: %d\r\nContent-Length: %d",
    b"Content-Length: %d\r\nContent-Length: 0",
    b"Content-Length: 0%d",
    b"Content-Length: \xb2",
    b"Content-Length: %d.0",
    b"Content-Length: %d_0",
    b"Content-Length:\r\n %d",
    b"Content-Length : %d",
    b"Content_Length: %d",
    b"Content-Length: 99999999999999999999999999",
    b"Content-Length:",
    b"",
)
_CHUNK_LINES = (
    b"%x\r\n",
    b"%X;a=b\r\n",
    b'%x;a="b;c"\r\n',
    b"%x;\r\n",
    b"%x;a=\x00\r\n",
    b"%x \r\n",
    b" %x\r\n",
    b"0x%x\r\n",
    b"+%x\r\n",
    b"-%x\r\n",
    b"000%x\r\n",
    b"%x\n",
    b"%x\r",
    b"%x\r\r\n",
    b"%x\n\r\n",
    b"\r\n%x\r\n",
    b"ffffffffffffffff%x\r\n",
    b"fffffffffffffff%x\r\n",
    b"g%x\r\n",
)
_CHUNK_ENDS = (b"\r\n", b"\r\n", b"\r\n", b"\n", b"\r", b"", b"\r\r\n", b"x\r\n")
_TRAILERS = (
    b"\r\n",
    b"\r\n",
    b"A: b\r\n\r\n",
    b"A: b\n\r\n",
    b"A: b\r\r\n\r\n",
    b"A: b\n\n",
    b"A: \x00\r\n\r\n",
    b"no field\r\n\r\n",
    b" A: b\r\n\r\n",
    b"Content-Length: 3\r\n\r\n",
    b"\n",
    b"\r",
    b"",
)
_BREAKS = (
    b"\n",
    b"\r",
    b"\r\r\n",
    b"\n\r",
    b"\r\n\r",
    b"\r\n ",
    b"\x0b",
    b"\x0c",
    b"\x85",
    b"\0\r\n",
)
_ODD = (
    *(b"\0", b"\x01", b"\t", b" ", b"\x7f", b"\x80", b"\xff", b"\xc3\xa9", b"\xed\xa0\x80"),
    *("\u2028".encode(), b"%00", b"%ff", b"%0d%0a", b"%2e%2e%2f", b"%ed%a0%80", b"%", b"\\", b'"'),
)
_TARGETS = (
    "/",
    "*",
    "//",
    "//health",
    "health",
    "http://localhost/health",
    "http://[",
    "http://[::1",
    "/health?" + "a=b&" * 200,
    "/health#part",
    "/%00",
    "/..;/health",
    "/" + "x" * 9000,
    "/workspace/memory/changes/..%2f..%2fx",
    "/workspace/memory/changes/%00",
    "/workspace/memory/changes/" + "x" * 300,
    "/workspace/memory/changes?cursor=%00",
    "/workspace/memory/remember/%ed%a0%80",
    "/workspace/memory/tasks?limit=%d9%a3",
    "/workspace/memory/tasks?limit=" + "9" * 5000,
    "/workspace/memory/dream/x?wait=nan",
    "/file?path=" + "x" * 5000,
    "/file?path=%ff%fe",
    "/file?path=%ed%a0%80",
    "/file?path=QWEN.md%00",
    "/file?path=/dev/zero",
    "/file?path=" + "../" * 500,
    "/file?path=QWEN.md&line=" + "9" * 9,
    "/session/%00/events",
    "/session/" + "x" * 5000 + "/detach",
)
_METHODS = (
    "GET",
    "HEAD",
    "POST",
    "PUT",
    "DELETE",
    "OPTIONS",
    "TRACE",
    "CONNECT",
    "WEBSOCKET",
    "M-X!",
)


def smuggling(chance: random.Random) -> bytes:
    """Two ways to say where the body ends."""
    body = chance.choice([BODY, BODY_AROUND_HIDDEN, HIDDEN, b"0\r\n\r\n" + HIDDEN])
    size = chance.choice(_LENGTHS)
    size = size.replace(b"%x", b"%x" % len(body)).replace(b"%d", b"%d" % len(body))
    fields = [field for field in (size, chance.choice(_CODINGS)) if field]
    chance.shuffle(fields)
    sent = chance.choice([body, chunks(body), chunks(body, len(body))])
    return post(sent, *fields, version=chance.choice(["1.1", "1.1", "1.1", "1.0"])) + HIDDEN


def bad_chunks(chance: random.Random) -> bytes:
    """Chunks of which one line or another is not as it should be."""
    sent = b""
    for _ in range(chance.randint(0, 4)):
        piece = chance.choice([b"x", b"0\r\n\r\n", HIDDEN, b"y" * 300])
        good = chance.random() < 0.6
        line = b"%x\r\n" if good else chance.choice(_CHUNK_LINES)
        said = len(piece) if chance.random() < 0.9 else chance.randint(1, 400)
        sent += line.replace(b"%x", b"%x" % said).replace(b"%X", b"%X" % said) + piece
        sent += b"\r\n" if good else chance.choice(_CHUNK_ENDS)
    last = chance.choice([b"0\r\n", b"0\r\n", b"0\n", b"00;a\r\n", b"0\r\r\n", b""])
    return post(sent + last + chance.choice(_TRAILERS), _CHUNKED) + HIDDEN


def half(chance: random.Random) -> bytes:
    """A request, or some, that end before they are whole."""
    whole = b"".join(chance.choices(VALID, k=chance.randint(1, 3)))
    if chance.random() < 0.3:
        whole = post(
            BODY_AROUND_HIDDEN, b"Content-Length: %d" % chance.choice([999, 99_999, 10**8])
        )
    return whole[: chance.randint(1, len(whole) - 1)]


def flood(chance: random.Random) -> bytes:
    """More head than anybody needs; every other one is over the limit."""
    size = chance.choice([20_000, 100_000, 262_000, 300_000])
    name = chance.choice([b"X: y", b"X-%d: y", b"Cookie: a=b", b"Host: localhost", b"X:"])
    kind = chance.randrange(4)
    if kind == 0:
        lines = [name.replace(b"%d", b"%d" % at) for at in range(size // 12)]
    elif kind == 1:
        lines = [b"X: " + b"y" * size]
    elif kind == 2:
        lines = [b"X:" + b" " * size + b"y"]
    else:
        return request("GET", "a://" + "1" * size + " x") + HIDDEN
    flooded = request("GET", "/health", *lines)
    return flooded + HIDDEN if chance.random() < 0.8 else flooded[:-2]


def breaks(chance: random.Random) -> bytes:
    """Line ends that some readers take for one, and others do not."""
    whole = chance.choice(VALID)
    ends = [at for at in range(len(whole)) if whole.startswith(b"\r\n", at)]
    for at in sorted(chance.sample(ends, min(len(ends), chance.randint(1, 2))), reverse=True):
        whole = whole[:at] + chance.choice(_BREAKS) + whole[at + 2 :]
    return chance.choice([b"", b"\r\n", b"\n", b"\r\n\r\n", b" "]) + whole + HIDDEN


def odd_bytes(chance: random.Random) -> bytes:
    """Bytes that are no text where text should be."""
    whole = chance.choice(VALID)
    for _ in range(chance.randint(1, 3)):
        at = chance.randint(0, len(whole))
        whole = whole[:at] + chance.choice(_ODD) + whole[at:]
    return whole + HIDDEN


def targets(chance: random.Random) -> bytes:
    """Odd targets and methods in requests that are framed well."""
    return b"".join(
        request(chance.choice(_METHODS), chance.choice(_TARGETS), b"Last-Event-ID: " + b"9" * 20)
        for _ in range(chance.randint(1, 4))
    )


def mutations(chance: random.Random) -> bytes:
    """Requests to which anything may have happened."""
    whole = b"".join(chance.choices([*VALID, *LAST], k=chance.randint(1, 3)))
    for _ in range(chance.randint(1, 6)):
        whole = _mutated(chance, whole)
    return whole


FAMILIES: tuple[Callable[[random.Random], bytes], ...] = (
    *(smuggling, bad_chunks, half, flood, breaks, odd_bytes, targets),
    *(mutations, mutations, mutations),
)


def pipeline(chance: random.Random) -> list[bytes]:
    """Requests that are all answered on one connection."""
    return [*chance.choices(VALID, k=chance.randint(1, 25)), chance.choice(LAST)]


def beginning(chance: random.Random) -> bytes:
    """Half a request that its client never finishes: of the head, of a body, or of a chunk."""
    wholes = (
        request("GET", "/health"),
        post(BODY, length(BODY)),
        post(chunks(BODY), _CHUNKED),
        post(BODY, length(BODY), b"Expect: 100-continue"),
        post(b"[" * 100_000, b"Content-Length: 1000000"),
    )
    whole = chance.choice(wholes)
    return whole[: chance.randint(20, len(whole) - 1)]


def pieces(chance: random.Random, data: bytes) -> list[bytes]:
    """The same bytes, cut anywhere."""
    cuts = sorted(chance.randint(0, len(data)) for _ in range(chance.randint(1, 6)))
    return [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True) if a < b]


def _mutated(chance: random.Random, data: bytes) -> bytes:
    at = chance.randint(0, len(data))
    upto = min(len(data), at + chance.choice([1, 1, 2, 10, 100]))
    kind = chance.randrange(7)
    put = (
        bytes([chance.randrange(256)]),
        b"",
        data[at:upto] * 2,
        data[at:upto].swapcase(),
        b"%d" % chance.choice([0, 1, 2, 9, 10**9, 2**64]),
        chance.choice([*_BREAKS, *_ODD, b":", b"0\r\n\r\n", b"\r\n\r\n"]) + data[at:upto],
        chance.choice([*_CODINGS, *_LENGTHS, b"Expect: 100-continue"]) + b"\r\n" + data[at:upto],
    )[kind]
    if kind == 6:  # a field has to stand on a line of its own
        at = upto = data.find(b"\r\n", at) + 2
    return data[:at] + put + data[upto:]
