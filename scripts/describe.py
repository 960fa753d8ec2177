"""Writes what documents say of the API anew; tests say when that is due.

Usage: .venv/bin/python scripts/describe.py
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from qmemd.errors import ERRORS
from qmemd.http.openapi import openapi_document

DOCS = Path(__file__).parents[1] / "docs"
BEGIN, END = "<!-- codes: begin -->", "<!-- codes: end -->"


def document() -> str:
    """The text of ``openapi.json``."""
    return json.dumps(openapi_document(), indent=1, ensure_ascii=False) + "\n"


def table() -> str:
    """All codes that clients may see, with their sentences."""
    rows = ["| status | code | sentence |", "| --- | --- | --- |"]
    seen = {code: entry for code, entry in ERRORS.items() if not entry.internal}
    for code, entry in sorted(seen.items(), key=lambda item: (item[1].status or 999, item[0])):
        rows.append(f"| {entry.status or 'task'} | `{code}` | {entry.sentence} |")
    return "\n".join(rows)


def guide(text: str) -> str:
    """``api.md`` with its table of codes put in."""
    pattern = rf"(?<={BEGIN}\n).*(?={END})"
    return re.sub(pattern, lambda _: f"\n{table()}\n\n", text, flags=re.DOTALL)


if __name__ == "__main__":
    (DOCS / "openapi.json").write_text(document())
    api = DOCS / "api.md"
    api.write_text(guide(api.read_text()))
