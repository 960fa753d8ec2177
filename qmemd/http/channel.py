"""What Waitress itself answers, in our form: its errors come before any app is asked."""

from __future__ import annotations

from http import HTTPStatus

from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.task import ErrorTask

from qmemd.http.error_handlers import code_of_status
from qmemd.http.replies import error_reply


class RequestParser(HTTPRequestParser):  # type: ignore[misc]
    """Waitress's parser, with a 400 for the requests on which it would only hang up."""

    def parse_header(self, header_plus: bytes) -> None:
        try:
            super().parse_header(header_plus)
        except ValueError as error:  # of an address such as "http://[", or a length of 5,000 digits
            raise ParsingError(str(error)) from error


class JsonErrorTask(ErrorTask):  # type: ignore[misc]
    """Answers a request that was refused below the app."""

    def execute(self) -> None:
        reply = error_reply(code_of_status(self.request.error.code))
        self.status = f"{reply.status} {HTTPStatus(reply.status).phrase}"
        self.response_headers.extend(reply.headers)
        self.set_close_on_finish()
        self.content_length = len(reply.body)
        self.write(reply.body)


class Channel(HTTPChannel):  # type: ignore[misc]
    """One connection."""

    parser_class = RequestParser
    error_task_class = JsonErrorTask

    @property
    def idle(self) -> bool:
        """Whether nothing is being done or sent for the client."""
        # In this order: a request leaves the list only after its answer is in the buffers.
        return not self.requests and not self.total_outbufs_len
