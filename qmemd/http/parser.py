"""From bytes to requests: Waitress's parser, stricter where two readers could disagree."""

from __future__ import annotations

import re
from typing import Any

from waitress.adjustments import Adjustments
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.utilities import Error, RequestHeaderFieldsTooLarge

from qmemd.http.chunked import ChunkedBody
from qmemd.http.intake import MAX_UNASKED_BODY, Intake
from qmemd.http.replies import Reply

MAX_FIELDS = 256
"""Header fields of one request. Each costs the I/O thread some microseconds."""

_VERSIONS = frozenset({"1.0", "1.1"})
_FIRST_LINE = re.compile(rb"[^\x00-\x20\x7f]+ [^\x00-\x20\x7f]+ HTTP/[0-9]\.[0-9] *")
_NO_TEXT = re.compile(rb"^[ \t]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", re.MULTILINE)
"""Lines that go on the one before, which RFC 9112 lets a server refuse, and control characters."""
_BLANKS = re.compile(rb"^([^:\r\n]*:)[ \t]+", re.MULTILINE)
"""Before a value, where they mean nothing."""
_TRANSFER_ENCODING = re.compile(rb"^transfer-encoding:(.*)$", re.IGNORECASE | re.MULTILINE)


class RefusedError(Error):  # type: ignore[misc]
    """A refusal whose answer is made already."""

    def __init__(self, reply: Reply) -> None:
        super().__init__("")
        self.code = reply.status
        self.reply = reply


class RequestParser(HTTPRequestParser):  # type: ignore[misc]
    """Collects one request; a refused one is complete at once and swallows what follows it."""

    command = ""
    path = ""
    """Waitress logs it when a client leaves, even of a request that it could not parse."""
    error: Error | None
    completed: bool
    body_rcv: Any

    def __init__(self, adj: Adjustments, intake: Intake) -> None:
        super().__init__(adj)
        self._intake = intake
        self._held = 0
        self._asked_with: bool | None = None
        self._too_many_fields = False

    def received(self, data: bytes) -> int:
        consumed: int = super().received(data)
        if self._too_many_fields:
            self.error = RequestHeaderFieldsTooLarge(f"more than {MAX_FIELDS} fields")
        if self.body_rcv is not None and not self.error:
            reply = self._refuse_head() or self._hold_body()
            if reply is not None:
                self.error = RefusedError(reply)
                self.completed = True
        if self.completed:
            # A 100 now would take the request for unfinished, and the next one for its rest.
            self.expect_continue = False
        if self.error:
            self.close()
            return len(data)  # where the next request begins is not known
        return consumed

    def close(self) -> None:
        """Lets go of the body. Idempotent."""
        super().close()
        if self._held:
            self._intake.give_back(self._held)
            self._held = 0

    def parse_header(self, header_plus: bytes) -> None:
        if header_plus.count(b"\n") > MAX_FIELDS:
            self._too_many_fields = True
            raise ParsingError("there are too many fields")
        try:
            super().parse_header(_plain(header_plus))
        except ValueError as error:  # of an address such as "http://[", or a length of 5,000 digits
            raise ParsingError(str(error)) from error
        if self.version not in _VERSIONS:
            raise ParsingError("HTTP version is missing or not supported")
        codings = _TRANSFER_ENCODING.findall(header_plus)
        if codings:
            self._frame_by_chunks(codings)

    def _frame_by_chunks(self, codings: list[bytes]) -> None:
        # Waitress refuses codings that it does not know; here are those that it lets through.
        if [coding.strip(b" \t\r").lower() for coding in codings] != [b"chunked"]:
            raise ParsingError("Transfer-Encoding is not just chunked")
        if self.version != "1.1":
            raise ParsingError("Transfer-Encoding needs HTTP/1.1")
        if "CONTENT_LENGTH" in self.headers:
            raise ParsingError("Content-Length and Transfer-Encoding exclude each other")
        self.body_rcv = ChunkedBody(self.body_rcv.getbuf())

    def _refuse_head(self) -> Reply | None:
        large = max(self.content_length, self.body_bytes_received) > MAX_UNASKED_BODY
        if self.completed or self._asked_with in (large, True):
            return None
        if not (large or self.expect_continue):
            return None
        self._asked_with = large
        return self._intake.refuse_head(self, large)

    def _hold_body(self) -> Reply | None:
        more = self.body_bytes_received - self._held
        reply = self._intake.take(more) if more else None
        if reply is None:
            self._held += more
        return reply


def _plain(head: bytes) -> bytes:
    """The head as far as Waitress can read it in time that follows from its length.

    Its patterns try every split of a long address or of many blanks, which takes hours. It also
    drops some control characters, at which other readers may see the end of a line.

    Raises:
        ParsingError: the head is not valid.
    """
    first_line, end, fields = head.partition(b"\r\n")
    if not _FIRST_LINE.fullmatch(first_line):
        raise ParsingError("the first line is not valid")
    if _NO_TEXT.search(fields):
        raise ParsingError("a field is folded or holds a control character")
    return first_line + end + _BLANKS.sub(rb"\1", fields)
