"""The page in a real browser, against a real daemon."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from qmemd.cli.opening import page_opened
from tests.contract.conftest import TOKEN, Api, serving
from tests.interop.screen import Screen, document, later, until

pytestmark = pytest.mark.slow

FAKE = Path(__file__).parents[1] / "fakes" / "child.py"
XSS = '<img src=x onerror="window.hurt=1;alert(1)"><script>window.hurt=1</script>'
HIDE = """(hidden) => {
  Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
OBEDIENT = ["until_cancelled", ["error", {"code": -32800, "message": "cancelled"}]]
"""What a process does that works until it is told to stop."""
DARK = "I prefer dark mode in all editors"


def fake_agent(remember: list[Any]) -> str:
    """A command whose process does this when it is asked to remember something."""
    steps = json.dumps({"on": {"remember": remember}})
    return f"{sys.executable} {FAKE} '{steps}'"


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    with serving(tmp_path.resolve()) as api:
        yield api


@pytest.fixture
def context(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1200, "height": 900}, locale="en-GB")
    yield context
    context.close()


@pytest.fixture
def tab(context: Any, api: Api) -> Iterator[Callable[..., Screen]]:
    """Opens tabs; whatever went wrong in one of them fails the test."""
    tabs: list[Screen] = []

    def make(**given: Any) -> Screen:
        tabs.append(Screen(context, api.daemon.url, **given))
        return tabs[-1]

    yield make
    for one in tabs:
        assert one.faults == []


def test_remember_forget_and_undo_without_a_reload(tab: Callable[..., Screen]) -> None:
    screen = tab().live()
    screen.remember(DARK)
    screen.entry(DARK)
    screen.count("1 memory")
    card = screen.forget("dark mode")
    assert DARK in card.locator("del", has_text=DARK).last.text_content()
    assert card.get_by_role("listitem").all_text_contents() == [DARK]
    until(lambda: card.evaluate("card => card === document.activeElement"), screen.page)
    screen.press("Apply", card)
    screen.no_entry(DARK)
    screen.no_decision()
    screen.count("0 memories")
    history = screen.open_history()
    assert history.count() == 2
    forgotten = history.first
    forgotten.locator("summary").click()
    forgotten.locator("del", has_text=DARK).last.wait_for()
    forgotten.get_by_role("button", name="Undo: forget").click()
    screen.entry(DARK)
    history.first.get_by_role("button", name="Do it again: forget").wait_for()


def test_a_preview_can_be_discarded(tab: Callable[..., Screen], api: Api) -> None:
    screen = tab().live()
    screen.remember(DARK)
    screen.entry(DARK)
    before = api.documents()
    screen.press("Discard", screen.forget("dark mode"))
    screen.no_decision()
    screen.has_focus("#memories-title")
    assert api.documents() == before


def test_a_query_that_fits_nothing_says_so(tab: Callable[..., Screen]) -> None:
    screen = tab().live()
    screen.page.get_by_label("What to forget").fill("zebras")
    screen.press("Preview what would go")
    screen.page.locator("#tasks .task", has_text="forget").get_by_text("done").wait_for()
    told = screen.page.locator("#forget-message")
    until(lambda: "working" not in told.text_content(), screen.page)
    assert told.text_content()
    assert not screen.page.locator("#decisions-section").is_visible()


def test_a_dream_is_looked_at_and_approved(tab: Callable[..., Screen], api: Api) -> None:
    for name in ("tea", "tea-again"):
        document(api.base, name, "I drink green tea in the morning")
    screen = tab().live()
    screen.count("2 memories")
    card = screen.dream()
    assert card.locator("del", has_text="green tea").count() > 0
    screen.press("Apply", card)
    screen.count("1 memory")
    screen.no_decision()
    assert len(api.documents()) == 1


def test_what_was_asked_for_is_what_is_sent(tab: Callable[..., Screen], api: Api) -> None:
    screen = tab().live()
    screen.page.locator("#remember-scope").select_option("project")
    screen.page.locator("#remember-context").select_option("clean")
    with screen.page.expect_request("**/workspace/memory/remember") as sent:
        screen.remember("  I like marmalade ")
    assert sent.value.post_data_json == {
        "content": "  I like marmalade ",
        "scope": "project",
        "contextMode": "clean",
    }
    screen.entry("marmalade")
    assert screen.page.get_by_label("Fact to remember").input_value() == ""
    assert all(path.startswith("projects/") for path in api.documents())


def test_what_could_not_be_kept_is_given_back(tab: Callable[..., Screen]) -> None:
    screen = tab().live()
    secret = "The key is AKIAIOSFODNN7EXAMPLE"
    screen.remember(secret)
    screen.page.locator("#remember-message.failure", has_text="secret").wait_for()
    assert screen.page.get_by_label("Fact to remember").input_value() == secret
    screen.page.locator("#tasks .failure").wait_for()


def test_an_entry_opens_to_its_text_and_tells_who_changed_it(
    tab: Callable[..., Screen], api: Api
) -> None:
    document(api.base, "note", "Written by hand\n\nA second line", name="A note")
    pinned = api.base / "memories" / "pinned" / "keep.md"
    pinned.parent.mkdir()
    pinned.write_text("---\nname: keep\ndescription: Kept\ntype: user\n---\n\nKept\n")
    screen = tab().live()
    screen.remember(DARK)
    ours = screen.entry(DARK)
    assert "remember, " in ours.locator("summary").text_content()
    ours.locator("summary").click()
    ours.locator("code", has_text="remember-").wait_for()
    theirs = screen.entry("Written by hand")
    assert "written " in theirs.locator("summary").text_content()
    theirs.locator("summary").click()
    theirs.locator("pre.text", has_text="A second line").wait_for()
    theirs.get_by_text("Whole document").click()
    assert 'type: "user"' in theirs.get_by_role("region").text_content()
    assert screen.entry("Kept").get_by_text("pinned").is_visible()
    # What is open stays so when something else changes.
    screen.remember("We deploy on Fridays at noon")
    screen.entry("Fridays")
    assert theirs.locator("pre.text").is_visible()
    titles = screen.page.locator("#memories h3").all_text_contents()
    assert titles == ["User, in all projects: user (3)", "This project: project (1)"]


def test_search_as_one_types(tab: Callable[..., Screen], api: Api) -> None:
    for body in ("Green tea", "The cat is called Mia", "A red car"):
        document(api.base, body.split()[1], body)
    screen = tab().live()
    screen.count("3 memories")
    screen.page.keyboard.press("/")
    screen.page.keyboard.type("cal")
    screen.count("1 memory")
    screen.entry("Mia")
    screen.page.get_by_label("Search").fill("")
    screen.count("3 memories")


def test_running_tasks_show_progress_and_can_be_cancelled(context: Any, tmp_path: Path) -> None:
    with serving(tmp_path.resolve(), agent_command=fake_agent(OBEDIENT)) as api:
        screen = Screen(context, api.daemon.url).live()
        screen.remember("one")
        running = screen.page.locator("#tasks .task", has_text="running")
        running.get_by_role("progressbar", name="remember running").wait_for()
        screen.remember("two")
        waiting = screen.page.locator("#tasks .task", has_text="waiting")
        waiting.get_by_role("button", name="Cancel remember").click()
        screen.page.locator("#tasks .task", has_text="cancelled").wait_for()
        running.get_by_role("button", name="Cancel remember").click()
        until(lambda: screen.page.get_by_text("was cancelled").count() >= 3, screen.page)
        assert screen.page.get_by_role("progressbar").count() == 0
        assert screen.faults == []


def test_the_token_leaves_the_address_bar_and_stays_in_the_tab(
    tab: Callable[..., Screen], api: Api, context: Any
) -> None:
    screen = tab().live()
    assert screen.page.url == f"{api.daemon.url}/"
    assert screen.page.evaluate("history.length") <= 2
    assert screen.page.evaluate("Object.values(sessionStorage)") == [TOKEN]
    assert screen.page.evaluate("[localStorage.length, document.cookie]") == [0, ""]
    assert TOKEN not in screen.page.content()
    screen.page.reload()
    screen.live()
    assert context.cookies() == []


def test_a_wrong_token_is_told_and_a_right_one_opens(tab: Callable[..., Screen], api: Api) -> None:
    screen = tab(token="wrong")
    alert = screen.page.get_by_role("alert").filter(has_text="does not take this token")
    alert.wait_for()
    assert screen.page.url == f"{api.daemon.url}/"
    assert not screen.page.locator("#screen").is_visible()
    screen.has_focus("#token")
    assert screen.page.evaluate("sessionStorage.length") == 0
    screen.page.keyboard.type("wrong again")
    screen.page.keyboard.press("Enter")
    alert.wait_for()
    screen.page.get_by_label("Token").fill(TOKEN)
    screen.page.keyboard.press("Enter")
    screen.live()
    assert screen.page.evaluate("Object.values(sessionStorage)") == [TOKEN]


def test_without_a_token_it_asks(tab: Callable[..., Screen]) -> None:
    screen = tab(token=None)
    screen.page.get_by_role("heading", name="Open the daemon").wait_for()
    assert screen.page.get_by_role("alert").filter(has_text="token").count() == 0


def test_an_address_with_a_token_opens_a_page_that_asks(
    tab: Callable[..., Screen], api: Api
) -> None:
    screen = tab(token=None)
    screen.page.get_by_label("Token").wait_for()
    screen.page.goto(f"{api.daemon.url}/#token={TOKEN}")  # changes the fragment alone
    screen.live()
    assert screen.page.url == f"{api.daemon.url}/"


@pytest.mark.parametrize("token", ["a+b%&=#/'\"<", "schlüssel-é"])
def test_tokens_of_odd_letters(context: Any, tmp_path: Path, token: str) -> None:
    with serving(tmp_path.resolve(), token=token) as api:
        screen = Screen(context, api.daemon.url, token=None)
        screen.page.get_by_label("Token").fill(token)
        screen.page.keyboard.press("Enter")
        screen.live()


def test_the_file_of_serve_open_leads_to_the_page(
    context: Any, api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: Queue[str] = Queue()
    monkeypatch.setattr("webbrowser.open", lambda address: opened.put(address) or True)
    with page_opened(api.daemon.url, TOKEN, tmp_path / "state"):
        page = context.new_page()
        page.goto(opened.get(timeout=10))
        page.locator("#connection[data-state=live]").wait_for()
        assert page.url == f"{api.daemon.url}/"


def test_it_says_when_it_is_offline_and_finds_what_it_missed(context: Any, tmp_path: Path) -> None:
    root = tmp_path.resolve()
    with serving(root) as api:
        port = api.daemon.port
        screen = Screen(context, api.daemon.url).live()
        screen.remember(DARK)
        screen.entry(DARK)
    screen.connection("offline")
    assert "Offline" in screen.page.get_by_role("status").first.text_content()
    screen.remember("Not sent yet")
    screen.page.locator("#remember-message.failure", has_text="cannot be reached").wait_for()
    assert screen.page.get_by_label("Fact to remember").input_value() == "Not sent yet"
    document(root / "base", "missed", "Written while nobody was there")
    with serving(root, port=port):
        screen.live()
        screen.entry("Written while nobody was there")
        screen.press("Remember")  # with the key of the first try
        screen.entry("Not sent yet")
    assert screen.faults == []


def test_what_a_daemon_refuses_is_told_and_tried_again(context: Any, api: Api) -> None:
    refusals = [1, 1]

    def answer(route: Any) -> None:
        if refusals:
            refusals.pop()
            route.fulfill(status=429, json={"error": "Too much.", "code": "rate_limit_exceeded"})
        else:
            route.continue_()

    context.route("**/workspace/memory/entries*", answer)
    context.clock.install()
    screen = Screen(context, api.daemon.url)
    notice = screen.page.locator("#notice")
    notice.filter(has_text="Too much.").wait_for()
    until(later(screen, lambda: notice.text_content() == ""), screen.page)
    assert not refusals
    screen.count("0 memories")


def test_without_a_stream_it_says_why_and_looks_now_and_then(context: Any, tmp_path: Path) -> None:
    with serving(tmp_path.resolve(), max_streams=1) as api:
        Screen(context, api.daemon.url).live()
        context.clock.install()
        other = Screen(context, api.daemon.url)
        told = other.page.locator("#connection", has_text="Not live: Too many event streams")
        told.wait_for()
        api.run("remember", {"content": DARK})
        until(later(other, lambda: other.page.get_by_text(DARK).count() > 0), other.page)
        other.remember("We deploy on Fridays at noon")
        accepted = other.page.locator("#remember-message", has_text="Accepted")
        until(later(other, lambda: accepted.count() == 0), other.page)
        other.entry("Fridays")
        other.page.locator("#remember-message", has_text="Remembered in").wait_for()


def test_a_task_that_the_daemon_forgot_has_failed(context: Any, tmp_path: Path) -> None:
    root, given = tmp_path.resolve(), {"journal": "memory", "agent_command": fake_agent(OBEDIENT)}
    with serving(root, **given) as api:
        port = api.daemon.port
        screen = Screen(context, api.daemon.url).live()
        screen.remember(DARK)
        screen.page.locator("#tasks .task", has_text="running").wait_for()
    with serving(root, port=port, **given):
        screen.page.locator("#remember-message.failure", has_text="no such").wait_for()
        assert screen.page.get_by_label("Fact to remember").input_value() == DARK
        assert screen.page.get_by_role("progressbar").count() == 0


def test_a_tab_that_nobody_sees_lets_its_stream_go_and_catches_up(
    tab: Callable[..., Screen], api: Api
) -> None:
    screen = tab().live()
    screen.remember(DARK)
    screen.entry(DARK)
    screen.page.locator("#tasks .task", has_text="done").wait_for()
    screen.page.evaluate(HIDE, True)
    until(lambda: api.daemon.streams == 0, screen.page)
    api.run("remember", {"content": "We deploy on Fridays at noon"})
    with screen.page.expect_request("**/workspace/events") as asked:
        screen.page.evaluate(HIDE, False)
    assert int(asked.value.headers["last-event-id"]) >= 3
    assert asked.value.headers["x-qwen-event-epoch"]
    screen.entry("Fridays")
    # The task is known from its replayed events: they tell of what happened meanwhile.
    until(lambda: screen.page.locator("#tasks .task").count() == 2, screen.page)


def test_what_is_remembered_stays_text(tab: Callable[..., Screen], api: Api) -> None:
    document(api.base, "<b>bold<b>", XSS, name=XSS, description=XSS)
    document(api.base, "list", f"# {XSS}\n\n- first {XSS}\n- second", topic="reference")
    screen = tab().live()
    screen.remember(f"My motto is {XSS}")
    screen.entry("My motto")
    for summary in screen.page.locator(".entry > details > summary").all():
        summary.click()
    for inner in screen.page.get_by_text("Whole document").all():
        inner.click()
    assert XSS in screen.entry("My motto").locator("pre.text").text_content()
    card = screen.forget("My motto")
    assert XSS in card.text_content()
    screen.press("Apply", card)
    screen.no_entry("My motto")
    screen.open_history().first.locator("summary").click()
    screen.page.locator("#history .line").first.wait_for()
    made = "#screen :is(img, script, b, iframe, style, a, svg, object)"
    assert screen.page.locator(made).count() == 0
    assert screen.page.evaluate("window.hurt") is None


def test_markup_in_the_address_or_the_token_does_nothing(context: Any, api: Api) -> None:
    screen = Screen(context, api.daemon.url, token=XSS)
    screen.page.get_by_label("Token").wait_for()
    assert screen.page.evaluate("window.hurt") is None
    assert screen.faults == []


def test_the_policy_lets_no_other_script_or_markup_in(context: Any, api: Api) -> None:
    screen = Screen(context, api.daemon.url).live()
    refused = screen.page.evaluate(
        """(markup) => {
          try { document.body.innerHTML = markup; return "taken"; }
          catch (error) { return error.name; }
        }""",
        XSS,
    )
    assert refused == "TypeError"
    assert any("TrustedHTML" in fault for fault in screen.faults)


def test_two_tabs_agree(tab: Callable[..., Screen]) -> None:
    one, other = tab().live(), tab().live()
    one.remember(DARK)
    other.entry(DARK)
    other.remember("We deploy on Fridays at noon")
    one.entry("Fridays")
    one.forget("dark mode")
    card = other.decision("Forget would remove")
    assert DARK in card.text_content()
    other.press("Discard", card)
    one.no_decision()
    other.press("Apply", other.forget("Fridays"))
    one.no_entry("Fridays")
    assert one.entry(DARK).count() == other.entry(DARK).count() == 1
    tasks = [screen.page.locator("#tasks strong").all_text_contents() for screen in (one, other)]
    assert tasks[0] == tasks[1]


def test_two_thousand_memories_are_listed_without_delay(
    tab: Callable[..., Screen], api: Api
) -> None:
    for number in range(2_000):
        words = f"Fact number {number} of many, about apples, pears and {number * 7919} plums"
        document(api.base, f"fact-{number}", words, topic=("user", "feedback")[number % 2])
    screen = tab()
    began = time.monotonic()
    screen.count("2,000 memories")
    assert screen.page.locator(".entry").count() == 2_000
    longest = """() => new Promise((resolve) => {
      let longest = 0;
      new PerformanceObserver((list) => {
        for (const task of list.getEntries()) longest = Math.max(longest, task.duration);
      }).observe({ type: "longtask", buffered: true });
      setTimeout(() => resolve(longest), 50);
    })"""
    blocked = screen.page.evaluate(longest)
    assert time.monotonic() - began < 15
    assert blocked < 1_000  # ms for which nothing could be typed
    screen.page.get_by_label("Search").fill("number 1999")
    screen.count("memor")
    assert screen.page.locator(".entry").first.is_visible()
    screen.page.get_by_label("Search").fill("")
    screen.count("2,000 memories")
    screen.remember(DARK)
    screen.count("2,001 memories")
    screen.entry(DARK)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault(browser: Any, api: Api, axe: str, scheme: str) -> None:
    document(api.base, "tea", "أشرب الشاي الأخضر 🍵", name="شاي")
    document(api.base, "tea-again", "أشرب الشاي الأخضر 🍵", name="شاي ٢")
    # The policy of the page would not let the examining script in.
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)
    screen = Screen(context, api.daemon.url).live()
    assert faults_of(screen, axe) == []
    screen.remember(DARK)
    screen.entry(DARK).locator("summary").click()
    screen.entry(DARK).locator("pre.text").wait_for()
    screen.entry(DARK).get_by_text("Whole document").click()
    screen.forget("dark mode")
    screen.dream()
    screen.open_history().first.locator("summary").click()
    screen.page.locator("#history .line").first.wait_for()
    screen.page.get_by_role("heading", name="Daemon").click()
    screen.page.locator("#daemon dd").first.wait_for()
    assert faults_of(screen, axe) == []
    asking = Screen(context, api.daemon.url, token="wrong")
    asking.page.get_by_text("does not take this token").wait_for()
    assert faults_of(asking, axe) == []
    context.close()


def faults_of(screen: Screen, axe: str) -> list[str]:
    screen.page.evaluate(axe)
    found = screen.page.evaluate("() => axe.run({ resultTypes: ['violations'] })")
    return [
        f"{fault['id']}: {node['target']} {node['failureSummary']}"
        for fault in found["violations"]
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]


def test_narrow_screens_and_long_words_need_no_sideways_scrolling(browser: Any, api: Api) -> None:
    document(api.base, "long", "x" * 5_000, name="y" * 300)
    document(api.base, "hebrew", "אני מעדיף מצב כהה 🌙", name="עברית")
    context = browser.new_context(viewport={"width": 320, "height": 640})
    screen = Screen(context, api.daemon.url).live()
    screen.entry("xxx").locator("summary").click()
    screen.entry("xxx").locator("pre.text").wait_for()
    screen.remember("z" * 3_000)
    screen.entry("zzz")
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert screen.page.evaluate(wide) <= 0
    direction = "element => getComputedStyle(element).direction"
    assert screen.entry("🌙").locator(".description").evaluate(direction) == "rtl"
    assert screen.entry("zzz").locator(".description").evaluate(direction) == "ltr"
    context.close()


def test_everything_works_with_the_keyboard_alone(tab: Callable[..., Screen]) -> None:
    screen = tab().live()
    keyboard = screen.page.keyboard

    def tab_to(selector: str) -> None:
        for _ in range(40):
            keyboard.press("Tab")
            if screen.page.evaluate("s => document.activeElement.matches(s)", selector):
                return
        raise AssertionError(f"{selector} cannot be reached")

    tab_to("#fact")
    keyboard.type(DARK)
    keyboard.press("Control+Enter")
    screen.entry(DARK)
    tab_to("#query")
    keyboard.type("dark mode")
    keyboard.press("Enter")
    screen.page.locator(".decision:focus").wait_for()
    tab_to(".decision button.primary")
    keyboard.press("Enter")
    screen.no_entry(DARK)
    screen.page.locator("#memories-title:focus").wait_for()


def refuse(context: Any, address: str, code: str, **headers: str) -> None:
    """The next request to this address."""
    answer = {"status": 429, "json": {"error": f"No: {code}.", "code": code}, "headers": headers}
    context.route(address, lambda route: route.fulfill(**answer), times=1)


def hold(context: Any, address: str, *, times: int | None = None) -> list[Any]:
    """Requests to this address are not answered until somebody goes on with them."""
    held: list[Any] = []

    def keep(route: Any) -> None:
        held.append(route)

    context.route(address, keep, times=times)
    return held


def look_away_and_back(screen: Screen) -> None:
    screen.page.evaluate(HIDE, True)
    screen.page.evaluate(HIDE, False)


def test_a_token_that_is_refused_many_times_is_told(context: Any, api: Api) -> None:
    screen = Screen(context, api.daemon.url).live()
    refused: list[str] = []

    def answer(route: Any) -> None:
        refused.append(route.request.url)
        route.fulfill(status=401, json={"error": "No.", "code": "unauthorized"})

    context.route(re.compile("/workspace/|/daemon/"), answer)
    look_away_and_back(screen)
    until(lambda: len(refused) >= 3, screen.page)
    told = screen.page.locator("#token-message")
    told.filter(has_text="does not take this token").wait_for()
    # The last of the answers has come by then.
    screen.page.evaluate("fetch('/page/icon.svg')")
    assert "does not take this token" in told.text_content()


def test_a_late_refusal_of_an_older_token_changes_nothing(context: Any, api: Api) -> None:
    held = hold(context, "**/capabilities", times=1)
    screen = Screen(context, api.daemon.url, token="old")
    until(lambda: bool(held), screen.page)
    screen.page.goto(f"{api.daemon.url}/#token={TOKEN}")
    screen.live()
    with screen.page.expect_response("**/capabilities"):
        held[0].continue_()
    screen.page.reload()
    screen.live()


def test_a_token_of_blanks_is_none_and_the_right_one_leads_to_the_first_field(
    tab: Callable[..., Screen],
) -> None:
    screen = tab(token=None)
    screen.page.get_by_label("Token").fill("  ")
    screen.page.keyboard.press("Enter")
    screen.page.get_by_role("alert").filter(has_text="blanks").wait_for()
    screen.page.get_by_label("Token").fill(TOKEN)
    screen.page.keyboard.press("Enter")
    screen.live()
    screen.has_focus("#fact")


def test_a_browser_that_stores_nothing_will_do(context: Any, api: Api) -> None:
    context.add_init_script(
        """Object.defineProperty(window, "sessionStorage", {
          get() { throw new DOMException("Denied", "SecurityError"); },
        })"""
    )
    screen = Screen(context, api.daemon.url).live()
    assert screen.page.url == f"{api.daemon.url}/"
    assert screen.faults == []


def test_what_is_typed_while_another_is_sent_stays(tab: Callable[..., Screen]) -> None:
    screen = tab().live()
    held = hold(screen.page, "**/workspace/memory/remember")
    screen.remember(DARK)
    until(lambda: bool(held), screen.page)
    screen.page.get_by_label("Fact to remember").fill("The next one")
    held[0].continue_()
    screen.entry(DARK)
    assert screen.page.get_by_label("Fact to remember").input_value() == "The next one"


def test_a_query_that_failed_is_given_back(context: Any, tmp_path: Path) -> None:
    steps = json.dumps({"on": {"forget": [["error", {"code": 1, "message": "no"}]]}})
    agent = f"{sys.executable} {FAKE} '{steps}'"
    with serving(tmp_path.resolve(), agent_command=agent) as api:
        screen = Screen(context, api.daemon.url).live()
        screen.page.get_by_label("What to forget").fill("tea")
        screen.press("Preview what would go")
        screen.page.locator("#forget-message.failure").wait_for()
        assert screen.page.get_by_label("What to forget").input_value() == "tea"


def test_pressing_twice_or_for_long_asks_once(tab: Callable[..., Screen], api: Api) -> None:
    screen = tab().live()
    held = hold(screen.page, "**/workspace/memory/dream")
    dream = screen.page.get_by_role("button", name="Preview a dream")
    dream.focus()
    for _ in range(3):
        screen.page.keyboard.down("Enter")
    dream.dblclick(force=True)
    until(lambda: bool(held), screen.page)
    screen.has_focus("button:text-is('Preview a dream')")
    held[0].continue_()
    screen.page.locator("#dream-message", has_text="Nothing to merge").wait_for()
    screen.page.keyboard.down("Enter")  # it is down yet
    screen.page.keyboard.up("Enter")
    assert [task["status"] for task in api.get("/workspace/memory/tasks").body["tasks"]] == [
        "completed"
    ]
    assert len(held) == 1


@pytest.mark.parametrize(
    ("what", "then"), [("entries", "pre.text"), ("changes", ".decision .line")]
)
def test_what_could_not_be_read_can_be_asked_for_again(
    tab: Callable[..., Screen], api: Api, what: str, then: str
) -> None:
    document(api.base, "tea", "I drink green tea")
    screen = tab().live()
    address = f"**/workspace/memory/{what}/*"
    screen.page.route(address, lambda route: route.abort(), times=1)
    screen.entry("green tea").locator("summary").click()
    if what == "changes":
        screen.page.get_by_label("What to forget").fill("green tea")
        screen.press("Preview what would go")
    screen.press("Try again")
    screen.page.locator(then).first.wait_for()


def test_a_search_that_is_refused_is_tried_again(context: Any, api: Api) -> None:
    document(api.base, "tea", "Green tea")
    document(api.base, "car", "A red car")
    screen = Screen(context, api.daemon.url).live()
    context.clock.install()
    address = "**/workspace/memory/entries?*"
    refuse(context, address, "rate_limit_exceeded", **{"Retry-After": "7"})
    screen.page.get_by_label("Search").fill("tea")
    screen.page.get_by_role("alert").filter(has_text="answers again in 7 s").wait_for()
    until(later(screen, lambda: screen.page.locator(".entry").count() == 1), screen.page)


def test_what_an_event_led_to_and_was_lost_is_read_later(context: Any, api: Api) -> None:
    screen = Screen(context, api.daemon.url).live()
    context.clock.install()
    lost: list[Any] = []
    reads = "**/workspace/memory/entries?*"
    context.route(reads, lambda route: (lost.append(route), route.abort()))
    api.run("remember", {"content": DARK})
    until(lambda: bool(lost), screen.page)
    context.unroute(reads)
    until(later(screen, lambda: screen.page.locator(".entry").count() == 1), screen.page)
    assert screen.page.get_by_role("alert").first.text_content() == ""


def test_a_daemon_that_is_halted_is_offline(context: Any, api: Api) -> None:
    context.clock.install()
    screen = Screen(context, api.daemon.url).live()
    # From now on the requests hang, and the stream's heartbeats are late.
    held = hold(context, "**/workspace/**")
    screen.remember(DARK)
    until(lambda: bool(held), screen.page)
    context.clock.fast_forward(41_000)
    screen.page.locator("#remember-message.failure", has_text="cannot be reached").wait_for()
    screen.connection("offline")
    assert screen.page.get_by_label("Fact to remember").input_value() == DARK


def test_what_others_wrote_is_seen_when_a_task_ends(tab: Callable[..., Screen], api: Api) -> None:
    screen = tab().live()
    document(api.base, "tea", "Written by another program")
    screen.page.get_by_label("What to forget").fill("zebras")
    screen.press("Preview what would go")
    screen.entry("Written by another program")


def test_why_a_task_was_not_cancelled_stands_with_it(context: Any, tmp_path: Path) -> None:
    with serving(tmp_path.resolve(), agent_command=fake_agent(OBEDIENT)) as api:
        screen = Screen(context, api.daemon.url).live()
        screen.remember(DARK)
        running = screen.page.locator("#tasks .task", has_text="running")
        refuse(context, "**/remember/*", "rate_limit_exceeded")
        running.get_by_role("button", name="Cancel").click()
        running.get_by_text("No: rate").wait_for()
        refuse(context, "**/remember/*", "task_finished")
        with screen.page.expect_response("**/remember/*"):
            running.get_by_role("button", name="Cancel").click()
        assert running.get_by_role("alert").text_content() == ""
        assert screen.page.locator("#notice").text_content() == ""
        context.unroute_all()
        screen.page.evaluate("document.querySelector('#tasks button').disabled = false")
        running.get_by_role("button", name="Cancel").click()
        running.wait_for(state="detached")


def test_a_clock_that_is_wrong_does_no_harm(context: Any, tmp_path: Path) -> None:
    context.clock.install(time=time.time() + 3_600)
    with serving(tmp_path.resolve(), agent_command=fake_agent(OBEDIENT)) as api:
        screen = Screen(context, api.daemon.url).live()
        screen.remember(DARK)
        running = screen.page.locator("#tasks .task", has_text="running")
        assert int(running.locator("[data-since]").text_content().split()[0]) < 60
        running.get_by_role("button", name="Cancel").click()
        screen.page.locator("#heard", has_text="remember: failed").wait_for(state="attached")
