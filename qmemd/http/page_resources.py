"""The page for people: static files of the package, which hold nothing of anybody."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

import falcon

from qmemd.errors import RequestError
from qmemd.http import paths
from qmemd.http.replies import Reply

INDEX = "index.html"
MEDIA_TYPES: Mapping[str, str] = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
"""By the ending of a file's name. Nothing else in the folder is served."""

_RULES = (
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    # Text can only get into the page as text: whatever would parse it throws in the browser.
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
)
POLICY = "; ".join(_RULES)
_HEADERS = (
    ("Content-Security-Policy", POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    # Asked for again each time, so that a new version of the daemon is a new page at once.
    ("Cache-Control", "no-cache"),
)


@dataclass(frozen=True, slots=True)
class PageFile:
    """One file, as it is answered."""

    whole: Reply
    unchanged: Reply
    """For who has it already."""
    etag: str

    def send(self, req: falcon.Request, resp: falcon.Response) -> None:
        """The file, or only that it has not changed."""
        known = req.get_header("If-None-Match") or ""
        same = self.etag in (one.strip().removeprefix("W/") for one in known.split(","))
        (self.unchanged if same else self.whole).send(resp)


class PageFiles:
    """The files by their names. They are read once, and no path is ever made of a request."""

    def __init__(self) -> None:
        found = (files("qmemd.http") / "page").iterdir()
        self._files = {
            file.name: _page_file(file.name, file.read_bytes())
            for file in found
            if file.name.rpartition(".")[2] in MEDIA_TYPES
        }
        self.paths = frozenset([paths.ROOT, *(f"{paths.PAGE}/{name}" for name in self._files)])
        """What is answered without a token."""

    def get(self, name: str) -> PageFile | None:
        return self._files.get(name)


class Index:
    """``/``."""

    def __init__(self, page_files: PageFiles) -> None:
        self._files = page_files

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        _send(self._files.get(INDEX), req, resp)


class OnePageFile:
    """``/page/<file>``."""

    def __init__(self, page_files: PageFiles) -> None:
        self._files = page_files

    def on_get(self, req: falcon.Request, resp: falcon.Response, file: str) -> None:
        _send(self._files.get(file), req, resp)


def _send(found: PageFile | None, req: falcon.Request, resp: falcon.Response) -> None:
    if found is None:
        raise RequestError("not_found")
    found.send(req, resp)


def _page_file(name: str, body: bytes) -> PageFile:
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    media_type = MEDIA_TYPES[name.rpartition(".")[2]]
    headers = (("ETag", etag), *_HEADERS)
    whole = Reply(200, body, (("Content-Type", media_type), *headers))
    return PageFile(whole, Reply(304, b"", headers), etag)
