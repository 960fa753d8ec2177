"""Opens the page in a browser: a file hands over the token, for a command line shows it to all."""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
import time
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import click

KEPT = 60.0
"""Seconds that a browser has to start and read the file."""
_PREFIX, _SUFFIX = "open-", ".html"
_ANY = {"//0.0.0.0:": "//127.0.0.1:", "//[::]:": "//[::1]:"}
"""Browsers do not go to an address that means all of them."""
_REDIRECT = """\
<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={url}">
<title>qmemd</title>
<a href="{url}">To the page of qmemd</a>
"""


@contextlib.contextmanager
def page_opened(url: str, token: str, state_dir: Path, *, kept: float = KEPT) -> Iterator[None]:
    """Asks the user's browser for the page, and takes the file away after ``kept`` seconds.

    Never fails, and does not wait for the browser. The file goes at the end as well.
    """
    try:
        file = hand_over(url, token, state_dir, kept=kept)
    except OSError as error:
        click.echo(f"qmemd: the page cannot be opened: {error.strerror}", err=True)
        yield
        return
    timer = threading.Timer(kept, _remove, [file])
    timer.daemon = True
    timer.start()
    # Some browsers run in the foreground, and would keep the daemon from its signals.
    threading.Thread(target=in_browser, args=[file, url], name="qmemd-open", daemon=True).start()
    try:
        yield
    finally:
        timer.cancel()
        _remove(file)


def hand_over(url: str, token: str, state_dir: Path, *, kept: float = KEPT) -> Path:
    """Writes the file that leads to the page, and removes those that are older than ``kept``.

    Raises:
        OSError: it cannot be written.
    """
    remove_old(state_dir, kept=kept)
    for every, here in _ANY.items():
        url = url.replace(every, here)
    # Percent signs in place of all that would mean something to HTML.
    target = f"{url}/#token={quote(token, safe='')}"
    state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    # A name of its own, made anew, with mode 0600: nobody can have put a link there.
    descriptor, name = tempfile.mkstemp(_SUFFIX, _PREFIX, state_dir)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(_REDIRECT.format(url=target))
    return Path(name)


def in_browser(file: Path, url: str) -> None:
    """Asks the user's browser for the file, or says where the page is."""
    try:
        opened = webbrowser.open(file.resolve().as_uri())
    except (webbrowser.Error, OSError):
        opened = False
    if not opened:
        click.echo(f"qmemd: no browser was found; go to {url} and give it the token", err=True)


def _remove(file: Path) -> None:
    with contextlib.suppress(OSError):
        file.unlink()


def remove_old(state_dir: Path, *, kept: float = KEPT) -> None:
    """What ``qmemd open`` or a killed daemon left; younger ones may be wanted yet."""
    for file in state_dir.glob(f"{_PREFIX}*{_SUFFIX}"):
        with contextlib.suppress(OSError):
            if file.stat().st_mtime < time.time() - kept:
                file.unlink()
