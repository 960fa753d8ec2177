from __future__ import annotations

import contextlib
import socket

import pytest

from qmemd.errors import SettingsError
from qmemd.http.binding import bind


def test_any_free_port() -> None:
    with bind("127.0.0.1", 0) as sock:
        assert sock.getsockname()[1] > 0
        with socket.create_connection(sock.getsockname(), timeout=5):
            pass  # it listens already
        assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR)
        assert not sock.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT)
        assert not sock.get_inheritable()


def test_a_port_in_use() -> None:
    with bind("127.0.0.1", 0) as sock:
        port = sock.getsockname()[1]
        with pytest.raises(SettingsError) as refused:
            bind("127.0.0.1", port)
    assert str(refused.value) == (f"port {port} on 127.0.0.1 is in use; choose another with --port")
    bind("127.0.0.1", port).close()


def test_a_name_is_bound_to_its_ipv4_address() -> None:
    with bind("localhost", 0) as sock:
        assert sock.getsockname()[0] == "127.0.0.1"


def test_ipv6() -> None:
    if not _has_ipv6():
        pytest.skip("this machine has no IPv6 loopback")
    with bind("::1", 0) as sock:
        assert sock.family == socket.AF_INET6
        port = sock.getsockname()[1]
        with bind("127.0.0.1", port):
            pass  # the IPv4 port is another one


def _has_ipv6() -> bool:
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET6) as probe:
        probe.bind(("::1", 0))
        return True
    return False


@pytest.mark.parametrize(
    ("hostname", "port", "sentence"),
    [
        ("203.0.113.1", 0, "is no address of this machine"),
        ("no-such-host.invalid", 0, "is not known"),
        ("x" * 70 + ".example", 0, "is not known"),
        ("a\x00b", 0, "is not known"),
        ("127.0.0.1", 65_536, "is not between 0 and 65535"),
        ("127.0.0.1", -1, "is not between 0 and 65535"),
    ],
)
def test_what_cannot_be_bound(hostname: str, port: int, sentence: str) -> None:
    with pytest.raises(SettingsError, match=sentence) as refused:
        bind(hostname, port)
    assert "\n" not in str(refused.value)
