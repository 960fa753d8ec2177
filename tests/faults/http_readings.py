"""A second reader of HTTP/1.1, to the letter of RFC 9112, that the daemon's is compared with."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import Enum
from typing import Any

LARGEST_HEAD = 262_144
"""Bytes, Waitress's limit: a head of this size is refused."""
_BLANKS = b" \t\r\n\v\f"
"""What may stand before a request: the RFC says an empty line, Waitress is kinder."""
_TOKEN = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_REQUEST_LINE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Z-]+) ([\x21-\x7e]+) HTTP/(1\.[01]) *")
_FIELD = re.compile(rb"(" + _TOKEN + rb"):([\t \x21-\x7e\x80-\xff]*)")
_QUOTED = rb'"(?:[\t !#-\[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*"'
_SIZE = re.compile(
    rb"([0-9A-Fa-f]{1,16})(?:;" + _TOKEN + rb"(?:=(?:" + _TOKEN + rb"|" + _QUOTED + rb"))?)*"
)
_STATUS_LINE = re.compile(rb"HTTP/1\.[01] ([1-5][0-9]{2}) [ -~]+")
_ANSWER_FIELD = re.compile(rb"([A-Za-z-]+): ([ -~]*)")
_CONTINUE = 100
_BODILESS = 204
_LEAST_ERROR = 400


class End(Enum):
    """What stands behind the last whole request."""

    NOTHING = 0
    BEGINNING = 1
    """Of a request that may still become whole."""
    FAULT = 2
    """Something that is no request, or could be read as more than one."""


@dataclass(frozen=True)
class Asked:
    """One whole request."""

    method: str
    target: str
    last: bool
    """Whether the client wants no further answer on this connection."""


@dataclass(frozen=True)
class Answered:
    """One whole answer."""

    status: int
    last: bool
    """Whether the server said that it closes the connection."""
    body: bytes

    @property
    def code(self) -> str:
        """Of an error; empty for any other answer."""
        if self.status < _LEAST_ERROR or not self.body:
            return ""
        error: dict[str, Any] = json.loads(self.body)
        assert isinstance(error["error"], str), error
        assert error["error"], error
        assert isinstance(error["code"], str), error
        return error["code"]


class _FaultError(Exception):
    """No reader that goes by the RFC may go on here."""


class _UnfinishedError(Exception):
    """More has to come before anybody can tell."""


def read_requests(data: bytes) -> tuple[list[Asked], End]:
    """What a client has asked for with these bytes, and what they end in."""
    asked: list[Asked] = []
    while data := data.lstrip(_BLANKS):
        try:
            one, data = _request(data)
        except _UnfinishedError:
            return asked, End.BEGINNING
        except _FaultError:
            return asked, End.FAULT
        asked.append(one)
    return asked, End.NOTHING


def read_answers(data: bytes, methods: list[str]) -> list[Answered]:
    """The answers to requests with these methods, as far as they are known; 100s are left out.

    Raises:
        AssertionError: the bytes are not whole answers to the letter.
    """
    answers: list[Answered] = []
    while data:
        method = methods[len(answers)] if len(answers) < len(methods) else ""
        status, fields, data = _answer_head(data)
        if status == _CONTINUE:
            assert not fields, fields
            continue
        last = fields.get("connection", "").lower() == "close"
        body, data = _answer_body(method, status, fields, data)
        assert last or "content-length" in fields or status == _BODILESS, fields
        if status >= _LEAST_ERROR:
            assert fields["content-type"] == "application/json", fields
        answers.append(Answered(status, last, body))
    return answers


def _request(data: bytes) -> tuple[Asked, bytes]:
    head, end, rest = data.partition(b"\r\n\r\n")
    if len(head) + len(end) >= LARGEST_HEAD:
        raise _FaultError
    if not end:
        raise _UnfinishedError
    line, *lines = head.split(b"\r\n")
    found = _REQUEST_LINE.fullmatch(line)
    if not found:
        raise _FaultError
    method, target, version = (part.decode() for part in found.groups())
    fields = _fields(lines)
    rest = _behind_body(version, fields, rest)
    wish = b", ".join(fields.get(b"connection", [])).lower()
    last = wish == b"close" if version == "1.1" else wish != b"keep-alive"
    return Asked(method, target, last), rest


def _fields(lines: list[bytes]) -> dict[bytes, list[bytes]]:
    fields: dict[bytes, list[bytes]] = {}
    for line in lines:
        found = _FIELD.fullmatch(line)
        if not found:
            raise _FaultError
        if b"_" not in found[1]:  # in a WSGI environment it would pass for a dash
            fields.setdefault(found[1].lower(), []).append(found[2].strip(b" \t"))
    return fields


def _behind_body(version: str, fields: dict[bytes, list[bytes]], data: bytes) -> bytes:
    codings, lengths = fields.get(b"transfer-encoding", []), fields.get(b"content-length", [])
    if codings:
        if [coding.lower() for coding in codings] != [b"chunked"] or lengths or version != "1.1":
            raise _FaultError
        return _behind_chunks(data)
    if not lengths:
        return data
    if len(lengths) > 1 or not re.fullmatch(rb"[0-9]{1,4000}", lengths[0]):
        raise _FaultError
    length = int(lengths[0])
    if len(data) < length:
        raise _UnfinishedError
    return data[length:]


def _behind_chunks(data: bytes) -> bytes:
    while True:
        line, data = _line(data)
        found = _SIZE.fullmatch(line)
        if not found:
            raise _FaultError
        size = int(found[1], 16)
        if not size:
            break
        if not b"\r\n".startswith(data[size : size + 2]):
            raise _FaultError
        if len(data) < size + 2:
            raise _UnfinishedError
        data = data[size + 2 :]
    while True:
        line, data = _line(data)
        if not line:
            return data
        if not _FIELD.fullmatch(line):
            raise _FaultError


def _line(data: bytes) -> tuple[bytes, bytes]:
    line, end, rest = data.partition(b"\n")
    if not end:
        raise _UnfinishedError
    if not line.endswith(b"\r"):
        raise _FaultError
    return line[:-1], rest


def _answer_head(data: bytes) -> tuple[int, dict[str, str], bytes]:
    head, end, rest = data.partition(b"\r\n\r\n")
    assert end, data
    line, *lines = head.split(b"\r\n")
    found = _STATUS_LINE.fullmatch(line)
    assert found, line
    fields: dict[str, str] = {}
    for line in lines:
        field = _ANSWER_FIELD.fullmatch(line)
        assert field, line
        name = field[1].decode().lower()
        assert name not in fields, head
        fields[name] = field[2].decode()
    return int(found[1]), fields, rest


def _answer_body(
    method: str, status: int, fields: dict[str, str], data: bytes
) -> tuple[bytes, bytes]:
    # Of a request that it could not read the server may not know that it was a HEAD.
    if status == _BODILESS or (method == "HEAD" and not data.startswith(b"{")):
        return b"", data
    if fields.get("transfer-encoding") == "chunked":
        return _chunked_answer(data)
    if "content-length" not in fields:
        return data, b""
    length = int(fields["content-length"])
    assert len(data) >= length, data
    return data[:length], data[length:]


def _chunked_answer(data: bytes) -> tuple[bytes, bytes]:
    body = b""
    while True:
        line, end, data = data.partition(b"\r\n")
        assert end, line
        size = int(line, 16)
        assert data[size : size + 2] == b"\r\n", data
        body += data[:size]
        data = data[size + 2 :]
        if not size:
            return body, data
