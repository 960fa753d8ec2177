"""The page is opened by way of a file: no command line, log or output shows the token."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from qmemd.cli.opening import page_opened
from tests.cli.test_serve import serving
from tests.conftest import Home

TOKEN = 'to"ken <&>%é'
URL = "http://127.0.0.1:4170"


class Browser:
    """In place of the user's: keeps what it is told to open, and what stands there."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, there: bool = True) -> None:
        self.called = threading.Event()
        self.address = ""
        self.text = ""
        self.mode = 0
        self._there = there
        monkeypatch.setattr("webbrowser.open", self._open)

    def _open(self, address: str) -> bool:
        file = Path(address.removeprefix("file://"))
        self.address, self.text = address, file.read_text()
        self.mode = stat.S_IMODE(file.stat().st_mode)
        self.called.set()
        return self._there


def left(state: Path) -> list[Path]:
    return list(state.glob("open-*.html"))


def test_the_file_leads_to_the_page_with_the_token_and_goes_at_the_end(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = Browser(monkeypatch)
    with page_opened(URL, TOKEN, home.state):
        assert browser.called.wait(10)
        assert browser.mode == 0o600
        assert f'url={URL}/#token=to%22ken%20%3C%26%3E%25%C3%A9"' in browser.text
        assert browser.address == left(home.state)[0].as_uri()
        assert "token" not in browser.address
    assert left(home.state) == []


def test_the_file_goes_after_a_while(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = Browser(monkeypatch)
    timers: list[Timer] = []

    class Timer:
        daemon = False

        def __init__(self, seconds: float, call: Callable[..., None], given: list[Path]) -> None:
            self.seconds, self.ring = seconds, lambda: call(*given)

        def start(self) -> None:
            timers.append(self)

        def cancel(self) -> None:
            pass

    monkeypatch.setattr("threading.Timer", Timer)
    with page_opened(URL, TOKEN, home.state):
        assert browser.called.wait(10)
        (timer,) = timers
        assert (timer.seconds, timer.daemon) == (60, True)
        timer.ring()
        assert left(home.state) == []


def test_what_a_killed_daemon_left_goes_and_what_another_one_needs_stays(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    Browser(monkeypatch)
    home.state.mkdir()
    old, new = home.state / "open-old.html", home.state / "open-new.html"
    old.touch()
    new.touch()
    os.utime(old, (0, 0))
    with page_opened(URL, TOKEN, home.state):
        pass
    assert left(home.state) == [new]


def test_an_address_that_means_all_is_not_gone_to(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = Browser(monkeypatch)
    with page_opened("http://0.0.0.0:4170", TOKEN, home.state):
        assert browser.called.wait(10)
    assert "url=http://127.0.0.1:4170/#" in browser.text


def test_without_a_browser_it_says_where_to_go(
    home: Home, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    Browser(monkeypatch, there=False)
    with page_opened(URL, TOKEN, home.state):
        (thread,) = [one for one in threading.enumerate() if one.name == "qmemd-open"] or [None]
        if thread is not None:
            thread.join(10)
    told = capfd.readouterr().err
    assert f"go to {URL} and give it the token" in told
    assert TOKEN not in told


def test_without_a_place_for_the_file_the_daemon_goes_on(
    home: Home, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    browser = Browser(monkeypatch)
    home.state.write_text("not a directory")
    with page_opened(URL, TOKEN, home.state):
        assert not browser.called.is_set()
    assert "the page cannot be opened" in capfd.readouterr().err


def test_serve_opens_it_with_nothing_but_the_path_of_the_file(home: Home) -> None:
    told = home.root / "told"
    os.mkfifo(told)
    script = home.root / "browser"
    script.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {told}\n')
    script.chmod(0o755)
    environ = {"QMEMD_TOKEN": "sesame", "BROWSER": str(script)}
    with serving(home, "--open", environ=environ) as served:
        arguments = told.read_text()  # which waits for the browser
        (file,) = left(home.state)
        assert arguments == f"{file.as_uri()}\n"
        assert "#token=sesame" in file.read_text()
        code, out, err = served.end()
    assert code == 0
    assert left(home.state) == []
    assert "sesame" not in served.line + out + err
