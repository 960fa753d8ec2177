"""One HTTP request to the endpoint, bounded in time and size."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

import httpx2

from qmemd._version import __version__
from qmemd.agent.models.openai.failures import AskError
from qmemd.agent.models.openai.plug import Plug
from qmemd.agent.run import Run
from qmemd.errors import SettingsError
from qmemd.model_choice import Endpoint

CONNECT_TIMEOUT = 10.0
"""Seconds."""
MAX_ANSWER = 8 * 1024 * 1024
"""Bytes of an answer's body."""

_LONGEST_READ = 86_400.0
"""Seconds; a day is more than any task gets."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Incoming:
    """An answer whose body is still to be read."""

    status: int
    headers: Mapping[str, str]
    """Found by name in any case."""
    chunks: Iterator[bytes]
    """The body as it comes, ``MAX_ANSWER`` bytes at most."""


class Exchange:
    """Posts to the endpoint's chat completions.

    Proxies come from the environment; certificates are checked; redirects are not followed. Each
    request has a connection of its own: a model thinks for longer than it takes to connect.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        """Connects to nothing yet.

        Raises:
            SettingsError: the address, or a proxy variable of the environment, is of no use.
        """
        self._endpoint = endpoint
        try:
            self._url = httpx2.URL(f"{endpoint.base_url}/chat/completions")
        except httpx2.InvalidURL:
            raise SettingsError("OPENAI_BASE_URL is no address that can be connected to") from None
        self._client = _client(secure=self._url.scheme == "https")
        self._headers = {
            "Accept": "application/json, text/event-stream",
            # What is bounded must be what came over the wire.
            "Accept-Encoding": "identity",
            "Connection": "close",
            "Content-Type": "application/json",
            "User-Agent": f"qmemd/{__version__}",
        }
        if endpoint.key:
            self._headers["Authorization"] = f"Bearer {endpoint.key}"

    def post(self, body: bytes, run: Run, read: Callable[[Incoming], _T]) -> _T:
        """What ``read`` makes of the answer.

        Raises:
            AskError: there was no whole answer.
            TaskFailedError: the run has to stop; the connection is shut down at once.
        """
        run.check()
        plug = Plug()
        try:
            with run.interrupt(plug.pull):
                found = self._post(body, min(run.remaining(), _LONGEST_READ), plug, read)
        except (httpx2.HTTPError, OSError, UnicodeError, AskError) as error:
            # An answer that we cut ourselves is no failure of the endpoint.
            run.check()
            if isinstance(error, AskError):
                raise
            raise self._unreachable(error) from None
        finally:
            plug.close()
        run.check()
        return found

    def _post(self, body: bytes, seconds: float, plug: Plug, read: Callable[[Incoming], _T]) -> _T:
        # The limit of the run is kept by the plug; that of a single read only must not be shorter.
        timeout = httpx2.Timeout(seconds + 1.0, connect=min(CONNECT_TIMEOUT, seconds + 0.1))
        with self._client.stream(
            "POST",
            self._url,
            content=body,
            headers=self._headers,
            timeout=timeout,
            extensions={"trace": plug.trace},
        ) as answer:
            chunks = _bounded(answer.iter_raw())
            return read(Incoming(answer.status_code, answer.headers, chunks))

    def _unreachable(self, error: Exception) -> AskError:
        place = f"The model endpoint at {self._endpoint.base_url}"
        if _has_cause(error, ssl.SSLCertVerificationError):
            return AskError(f"{place} has a certificate that is not trusted.")
        # A UnicodeError is how the resolver refuses a name.
        if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout | UnicodeError):
            return AskError(f"{place} cannot be reached.", retry=True)
        if isinstance(error, httpx2.ProxyError):
            return AskError(f"{place} cannot be reached through the proxy.", retry=True)
        return AskError(f"{place} broke the connection off.", retry=True)


def _client(*, secure: bool) -> httpx2.Client:
    # Where no certificate can come none is trusted: reading the system's takes a tenth of a second.
    verify = True if secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        limits = httpx2.Limits(max_keepalive_connections=0)
        return httpx2.Client(verify=verify, follow_redirects=False, limits=limits)
    except (ValueError, ImportError, httpx2.InvalidURL):
        raise SettingsError("a proxy variable of the environment cannot be used") from None


def _bounded(chunks: Iterator[bytes]) -> Iterator[bytes]:
    left = MAX_ANSWER
    for chunk in chunks:
        left -= len(chunk)
        if left < 0:
            raise AskError(f"The answer of the model endpoint is over {MAX_ANSWER} bytes.")
        yield chunk


def _has_cause(error: BaseException | None, kind: type[BaseException]) -> bool:
    while error is not None:
        if isinstance(error, kind):
            return True
        error = error.__cause__ or error.__context__
    return False
