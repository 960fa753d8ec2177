from __future__ import annotations

import pytest

from qmemd.agent.models.offline.forgetting import choose_entries
from qmemd.agent.models.offline.lines import has_lines_of_its_own
from qmemd.kinds import Scope, Topic
from qmemd.memory.entries import Entry

WRAPPED = (
    "The user prefers dark mode in all editors and terminals, and\n"
    "nothing else will do for a person with eyes such as theirs."
)


@pytest.mark.parametrize(
    ("text", "several"),
    [
        ("The user likes tea.\nThe user lives in Lisbon.", True),
        ("likes tea\nlives in Lisbon", True),
        ("port 8080\nport 8081", True),
        ("我喜欢茶。\n我住在里斯本。", True),
        ("one line", False),
        ("", False),
        (WRAPPED, False),
        ("Deploys:\nmake ship", False),
        ("Run this:\n```\nmake\nmake ship\n```", False),
        ("# Title\nText below it", False),
        ("use tabs\n**Why:** they are small", False),
        ("a word\n  that goes on", False),
    ],
)
def test_lines_ended_by_intent_are_told_from_wrapped_ones(text: str, several: bool) -> None:
    assert has_lines_of_its_own(text) == several


def test_one_of_two_plain_lines_does_not_take_the_other_with_it() -> None:
    text = "The user drinks green tea.\nThe user lives in Lisbon."
    both = Entry(Scope.USER, "both.md", None, text, Topic.USER, "both", "About the user")
    choice = choose_entries("forget that I drink green tea", [both])
    assert choice.ids == ()
    assert "both.md, which stays" in choice.reason
    assert choose_entries("user:both.md", [both]).ids == ("user:both.md",)
    wrapped = Entry(Scope.USER, "w.md", None, WRAPPED, Topic.USER, "w", "About the user")
    assert choose_entries("dark mode in all editors", [wrapped]).ids == ("user:w.md",)
