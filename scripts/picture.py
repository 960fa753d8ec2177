"""Takes the pictures of the page that docs/page.md shows, of a daemon with made-up memories.

Usage: .venv/bin/python scripts/picture.py   (needs the extra `browser` and an installed Chromium)
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from qmemd import Daemon, Settings

DOCS = Path(__file__).parents[1] / "docs"
FACTS = (
    "I prefer dark mode in all editors",
    "I drink green tea in the morning",
    "אני מעדיף תשובות קצרות",
    "Never use tabs in Python files",
    "We deploy on Fridays at noon",
    "The staging server's dashboard is at https://grafana.example/staging",
)


def show(page: Page, daemon: Daemon) -> None:
    """Opens an entry and leaves a preview waiting."""
    page.goto(f"{daemon.url}/#token={daemon.token}")
    page.locator(".entry").nth(len(FACTS) - 1).wait_for()
    page.locator(".entry", has_text="Fridays").locator("summary").click()
    page.locator(".entry pre.text").wait_for()
    page.locator(".decision .line").first.wait_for()
    page.evaluate("() => { document.activeElement.blur(); scrollTo(0, 0); }")


def main() -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        sys.exit("no chromium is installed; Debian's package will do")
    with tempfile.TemporaryDirectory() as root, sync_playwright() as driver:
        workspace = Path(root).resolve() / "my-project"
        workspace.mkdir()
        home = Path(root).resolve() / "home"
        settings = Settings(workspace=workspace, port=0, base=home, state_dir=home / "state")
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        with Daemon(settings) as daemon:
            for fact in FACTS:
                daemon.remember(fact).result(30)
            daemon.forget("dark mode", preview=True).result(30)
            for scheme in ("light", "dark"):
                size = {"width": 1000, "height": 720}
                page = browser.new_page(color_scheme=scheme, viewport=size, locale="en-GB")
                show(page, daemon)
                page.screenshot(path=DOCS / f"page-{scheme}.png")
                page.close()
        browser.close()


if __name__ == "__main__":
    main()
