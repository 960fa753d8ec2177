"""A page's own way to read events: ``fetch``, since ``EventSource`` cannot send a token."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.contract.conftest import TOKEN, Api, serving

pytestmark = pytest.mark.slow

READER = """
async ([token, fact]) => {
  const headers = { Authorization: `Bearer ${token}` };
  const stream = await fetch("/workspace/events", { headers });
  const reader = stream.body.pipeThrough(new TextDecoderStream()).getReader();
  const sent = await fetch("/workspace/memory/remember", {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify({ content: fact }),
  });
  const { taskId } = await sent.json();
  let text = "";
  const events = [];
  while (!events.some((event) => event.type === "memory_changed")) {
    const { value, done } = await reader.read();
    if (done) break;
    text += value;
    const blocks = text.split("\\n\\n");
    text = blocks.pop();
    for (const block of blocks) {
      const data = block.split("\\n").find((line) => line.startsWith("data: "));
      if (data) events.push(JSON.parse(data.slice(6)));
    }
  }
  await reader.cancel();
  return { taskId, events, type: stream.headers.get("content-type") };
}
"""


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    with serving(tmp_path.resolve()) as api:
        yield api


def test_a_page_reads_events_as_they_happen(browser: Any, api: Api) -> None:
    page = browser.new_page()
    page.goto(f"{api.daemon.url}/health")
    seen = page.evaluate(READER, [TOKEN, "I prefer tabs \u2028 over\r\nspaces"])
    assert seen["type"] == "text/event-stream"
    changed = seen["events"][-1]
    assert changed["data"]["taskId"] == seen["taskId"]
    assert changed["data"]["touchedScopes"] == ["user"]
    statuses = [e["data"]["status"] for e in seen["events"] if e["type"] == "task_updated"]
    assert statuses == ["queued", "running", "completed"]
    page.close()
    for _ in range(1_000):
        if not api.daemon.streams:
            break
        page_is_gone = browser.new_page()
        page_is_gone.close()
    assert not api.daemon.streams


def test_a_page_of_another_origin_reads_nothing(browser: Any, api: Api) -> None:
    page = browser.new_page()
    page.goto("data:text/html,<title>elsewhere</title>")
    url = f"{api.daemon.url}/workspace/events"
    refused = page.evaluate(
        "async ([url, token]) => { try { await fetch(url, {headers: {Authorization: token}});"
        " return 'read' } catch (error) { return error.name } }",
        [url, f"Bearer {TOKEN}"],
    )
    assert refused == "TypeError"
    page.close()
