from __future__ import annotations

from pathlib import Path

import pytest

from qmemd.agent.measure import removed_entry
from qmemd.kinds import Scope, Topic
from qmemd.memory.entries import Entry
from qmemd.memory.paths import resolve_paths


@pytest.mark.parametrize(
    ("description", "text", "summary"),
    [
        ("Prefers tabs", "The user prefers tabs.", "Prefers tabs"),
        ("---", "The user prefers tabs.", "The user prefers tabs."),
        ('"', "The user prefers tabs.", "The user prefers tabs."),
        ('"half a quote', "The user prefers tabs.", "half a quote"),
        ("“half a quote", "The user prefers tabs.", "half a quote"),
        ("'it's half a quote", "The user prefers tabs.", "it's half a quote"),
        ('half a quote"', "The user prefers tabs.", "half a quote"),
        ('"Tabs" are preferred', "The user prefers tabs.", '"Tabs" are preferred'),
        ('Prefers "tabs"', "The user prefers tabs.", 'Prefers "tabs"'),
        ("The users'", "The user prefers tabs.", "The users'"),
        ("…", "\n  \nfirst line\nsecond", "first line"),
        ("…", "- ☕ 記憶", "- ☕ 記憶"),
        ("", "***", "tabs"),
        ("x" * 300, "y", "x" * 199 + "…"),
    ],
)
def test_a_removed_entry_is_told_by_a_line_that_says_something(
    tmp_path: Path, description: str, text: str, summary: str
) -> None:
    paths = resolve_paths(tmp_path / "base", tmp_path)
    entry = Entry(Scope.USER, "user/tabs.md", None, text, Topic.USER, "tabs", description)
    told = removed_entry(paths, entry)
    assert told.summary == summary
    assert told.file_path.endswith("/user/tabs.md")
