"""The page as a person uses it: what is read, typed and pressed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.contract.conftest import TOKEN


class Screen:
    """One tab. Whatever it waits for comes by itself: nothing here loads the page anew."""

    def __init__(self, context: Any, url: str, *, token: str | None = TOKEN) -> None:
        self.page = context.new_page()
        self.page.set_default_timeout(20_000)
        self.url = url
        self.faults: list[str] = []
        """Errors of scripts, and whatever the browser did not let happen."""
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", self._heard)
        self.page.on("dialog", lambda dialog: (self.faults.append("a dialog"), dialog.dismiss()))
        self.page.goto(url if token is None else f"{url}/#token={token}")

    def _heard(self, message: Any) -> None:
        # That requests are refused, or not answered, is what some tests are about.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.faults.append(message.text)

    def live(self) -> Screen:
        self.connection("live")
        self.page.locator("#memories-count:not(:empty)").wait_for()
        return self

    def connection(self, state: str) -> None:
        self.page.locator(f"#connection[data-state={state}]").wait_for()

    def remember(self, fact: str) -> None:
        self.page.get_by_label("Fact to remember").fill(fact)
        self.press("Remember")

    def forget(self, query: str) -> Any:
        """Asks for a preview; its card."""
        self.page.get_by_label("What to forget").fill(query)
        self.page.get_by_role("button", name="Preview what would go").click()
        return self.decision("Forget would remove")

    def dream(self) -> Any:
        self.page.get_by_role("button", name="Preview a dream").click()
        return self.decision("Dream would change")

    def decision(self, title: str) -> Any:
        card = self.page.get_by_role("article", name=title)
        card.locator(".line").first.wait_for()
        return card

    def entry(self, text: str) -> Any:
        """The memory that says this, once it is there."""
        found = self.page.locator("#memories li.entry", has_text=text)
        found.first.wait_for()
        return found

    def no_entry(self, text: str) -> None:
        self.page.locator("#memories li.entry", has_text=text).wait_for(state="detached")

    def no_decision(self) -> None:
        self.page.locator("#decisions-section").wait_for(state="hidden")

    def count(self, told: str) -> None:
        self.page.locator("#memories-count", has_text=told).wait_for()

    def open_history(self) -> Any:
        self.page.get_by_role("heading", name="History").click()
        return self.page.locator("#history > li")

    def has_focus(self, selector: str) -> None:
        """Waits until it has: it comes once what is shown has changed."""
        self.page.locator(f"{selector}:focus").wait_for(state="attached")

    def press(self, name: str, within: Any = None) -> None:
        (within or self.page).get_by_role("button", name=name, exact=True).click()


def until(happened: Callable[[], bool], page: Any) -> None:
    """Until something outside of the browser is so, which is asked at each turn of its loop."""
    for _ in range(2_000):
        if happened():
            return
        page.evaluate("() => new Promise((resolve) => setTimeout(resolve, 5))")
    raise AssertionError("it did not happen")


def later(screen: Screen, happened: Callable[[], bool]) -> Callable[[], bool]:
    """Lets a second pass for the page's timers before each look. Its clock has to be installed."""

    def passed() -> bool:
        screen.page.clock.fast_forward(1_000)
        return happened()

    return passed


def document(base: Path, file: str, body: str, *, topic: str = "user", **head: str) -> None:
    """Writes a document of the user's memory, as another program does."""
    path = base / "memories" / topic / f"{file}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    given = {"name": file, "description": body.splitlines()[0], "type": topic} | head
    lines = [f"{key}: {json.dumps(value)}" for key, value in given.items()]
    path.write_text("\n".join(["---", *lines, "---", "", body, ""]))
