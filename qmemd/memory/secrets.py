"""Finding credentials in text, so that none is stored, and blotting them out of messages.

Looks for known shapes only. Words about secrets, hashes and ids are ordinary text.
"""

from __future__ import annotations

import re
from functools import cache

REDACTED = "[redacted]"

_ASSIGNED = r"[\"']?[ \t]{0,3}(?:=>|:=|[:=])[ \t]{0,3}[\"'`]?"
# What stands for a value: <password>, $TOKEN, {{ x }}, ***, a path, a look-up.
_NO_PLACEHOLDER = r"(?![<$\{%*/~(\[]|\.{1,3}/|[xX]{3}|os\.|process\.|env[.\[])"
_ALPHANUMERIC = r"(?=[^\s\"'`,;]{0,80}[0-9])(?=[^\s\"'`,;]{0,80}[A-Za-z])"

# A named group is the part that is secret; without one it is the whole match. Lookbehinds keep a
# pattern from starting over at each letter of a long word.
_SHAPES: tuple[tuple[str, str], ...] = (
    ("private key", r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?s:.*?)(?:-----END [^\n]*|\Z)"),
    ("GitHub token", r"gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255}"),
    ("GitLab token", r"(?<![\w-])gl(?:pat|dt|rt|ptt|oas)-[A-Za-z0-9_-]{20,255}"),
    ("AWS access key", r"(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("API key", r"(?<![\w-])sk-(?=[A-Za-z_-]{0,80}[0-9])[A-Za-z0-9_-]{20,}"),
    ("Slack token", r"(?<![A-Za-z0-9])xox[abeoprs]-[A-Za-z0-9-]{10,255}"),
    ("Slack webhook", r"hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,255}"),
    ("Google API key", r"(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}"),
    ("Google token", r"(?<![A-Za-z0-9])ya29\.[A-Za-z0-9_-]{20,}"),
    ("Stripe key", r"(?<![A-Za-z0-9])[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}"),
    ("npm token", r"(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}"),
    ("PyPI token", r"(?<![A-Za-z0-9])pypi-[A-Za-z0-9_-]{50,}"),
    ("Hugging Face token", r"(?<!\w)hf_[A-Za-z0-9]{30,255}"),
    ("SendGrid key", r"(?<![A-Za-z0-9])SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,128}"),
    ("DigitalOcean token", r"(?<![A-Za-z0-9])do[opr]_v1_[a-f0-9]{64}"),
    ("Telegram token", r"(?<![0-9])[0-9]{8,10}:AA[A-Za-z0-9_-]{33}"),
    ("JSON web token", r"(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}"),
    ("password in a URL", rf"://[^\s/:@?#]{{0,200}}:(?P<url>{_NO_PLACEHOLDER}[^\s/@?#]{{1,200}})@"),
    (
        "authorization header",
        rf"(?i:\b(?:bearer|basic))[ \t]{{1,4}}(?P<header>{_ALPHANUMERIC}[\w.~+/=-]{{16,}})",
    ),
    (
        "password",
        (
            rf"(?i:(?:password|passwd|passphrase|pwd){_ASSIGNED})"
            rf"(?P<password>{_NO_PLACEHOLDER}{_ALPHANUMERIC}[^\s\"'`,;]{{6,200}})"
        ),
    ),
    (
        "credential",
        (
            rf"(?i:(?:secret|token|(?:api|access|private|secret)[_ -]?key){_ASSIGNED})"
            rf"(?P<value>{_NO_PLACEHOLDER}{_ALPHANUMERIC}[\w+/=.-]{{16,512}})"
        ),
    ),
)
# Too short to be taken for a secret in what people remember, but nothing to show either.
_HEADER = (
    r"(?i:\bauthorization[\"']?[ \t]*[:=][ \t]*[\"']?(?:(?:bearer|basic|token)[ \t]+)?)"
    r"(?P<any>[^\s\"',]+)"
)


def find_secret(text: str) -> str | None:
    """The kind of the first secret in the text, e.g. ``"GitHub token"``; never its value."""
    return next((kind for kind, pattern in _patterns() if pattern.search(text)), None)


def redact(text: str) -> str:
    """The text with ``[redacted]`` in the place of every secret."""
    for _, pattern in _patterns():
        text = pattern.sub(_blot, text)
    return _header().sub(_blot, text)


def _blot(hit: re.Match[str]) -> str:
    group = hit.lastgroup
    if group is None:
        return REDACTED
    start, end = hit.span(group)
    return hit[0][: start - hit.start()] + REDACTED + hit[0][end - hit.start() :]


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    # Compiled at first use: it takes longer than the import of the whole package may.
    return tuple((kind, re.compile(shape)) for kind, shape in _SHAPES)


@cache
def _header() -> re.Pattern[str]:
    return re.compile(_HEADER)
