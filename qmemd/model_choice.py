"""Which model a name stands for, given the environment. Both ends decide by this one rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from qmemd.errors import SettingsError

DEFAULT_BASE_URL = "https://api.openai.com/v1"
MAX_NAME = 200
"""Characters of a model's name."""

_PREFIX = "openai:"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model behind an OpenAI-compatible API."""

    base_url: str
    """Without a slash at the end, user name, password or query: fit to be shown."""
    model: str
    key: str | None = field(repr=False)
    """None: none is sent."""


def endpoint_of(name: str, environ: Mapping[str, str]) -> Endpoint | None:
    """What ``auto``, ``offline`` or ``openai:NAME`` means; None is the offline model.

    ``auto`` is the endpoint when ``OPENAI_MODEL`` and one of ``OPENAI_API_KEY`` and
    ``OPENAI_BASE_URL`` are set, else the offline model.

    Raises:
        SettingsError: there is no such model, or a variable that it needs is absent or wrong.
    """
    key = environ.get("OPENAI_API_KEY", "").strip()
    url = environ.get("OPENAI_BASE_URL", "").strip()
    if name == "offline":
        return None
    if name == "auto":
        model = environ.get("OPENAI_MODEL", "").strip()
        if not model or not (key or url):
            return None
        return Endpoint(_base_url(url), _model(model, "OPENAI_MODEL"), _key(key))
    if not name.startswith(_PREFIX):
        raise SettingsError(f"the model must be auto, offline or openai:NAME, not {name!r}")
    model = _model(name.removeprefix(_PREFIX).strip(), "the model openai:NAME")
    if not (key or url):
        raise SettingsError(
            f"the model {name!r} needs OPENAI_API_KEY, or OPENAI_BASE_URL for an endpoint without "
            "a key, in the environment"
        )
    return Endpoint(_base_url(url), model, _key(key))


def _model(name: str, what: str) -> str:
    if not name or len(name) > MAX_NAME or not name.isprintable():
        raise SettingsError(f"{what} must name a model, in 1 to {MAX_NAME} printable characters")
    return name


def _key(key: str) -> str | None:
    # It becomes a header. What it is must not be told.
    if not all("!" <= letter <= "~" for letter in key):
        raise SettingsError("OPENAI_API_KEY must be printable ASCII without blanks")
    return key or None


def _base_url(url: str) -> str:
    url = (url or DEFAULT_BASE_URL).rstrip("/")
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        raise _wrong_url() from None
    if not usable or "@" in parts.netloc or parts.query or parts.fragment:
        raise _wrong_url()
    if not url.isascii() or not url.isprintable() or " " in url:
        raise _wrong_url()
    return url


def _wrong_url() -> SettingsError:
    return SettingsError(
        "OPENAI_BASE_URL must be an address such as http://localhost:11434/v1, without user name, "
        "query and fragment"
    )
