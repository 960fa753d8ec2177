"""Taking the port, before anything is started that would have to be stopped again."""

from __future__ import annotations

import errno
import socket
from typing import Any

from qmemd.errors import SettingsError
from qmemd.http.descriptors import connection_limit

BACKLOG = 1024

_REASONS = {
    errno.EADDRINUSE: "port {port} on {hostname} is in use; choose another with --port",
    errno.EACCES: "port {port} on {hostname} needs more rights; choose another with --port",
    errno.EADDRNOTAVAIL: "{hostname} is no address of this machine; choose one with --hostname",
}


def bind(hostname: str, port: int) -> socket.socket:
    """A listening TCP socket; connections wait in its backlog until they are served.

    Args:
        hostname: a name or an address, IPv6 without brackets. A name with addresses of both
            families is bound to its IPv4 one.
        port: 0 takes any that is free.

    Raises:
        SettingsError: it cannot be had, or nobody could connect to it; the sentence says why and
            what to do.
    """
    connection_limit()
    family, address = _resolve(hostname, port)
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        # A restart must not wait for old connections to fade. Listening decides whose port it
        # is: two sockets with this option may both be bound.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.bind(address)
        sock.listen(BACKLOG)
    except OSError as error:
        sock.close()
        reason = _REASONS.get(
            error.errno or 0, f"cannot listen on port {{port}} of {{hostname}}: {error.strerror}"
        )
        raise SettingsError(reason.format(hostname=hostname, port=port)) from error
    return sock


def _resolve(hostname: str, port: int) -> tuple[socket.AddressFamily, Any]:
    if not 0 <= port <= 65_535:  # noqa: PLR2004 - TCP's own limit
        raise SettingsError(f"port {port} is not between 0 and 65535; choose another with --port")
    try:
        found = socket.getaddrinfo(hostname, port, type=socket.SOCK_STREAM)
    except (OSError, ValueError) as error:  # ValueError: not even a name
        raise SettingsError(
            f"the host name {hostname!r} is not known; choose another with --hostname"
        ) from error
    family, _, _, _, address = min(found, key=lambda info: info[0] != socket.AF_INET)
    return family, address
