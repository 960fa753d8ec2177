from __future__ import annotations

import pytest

from qmemd.agent.models.offline.semantic.asking import only_asks
from qmemd.agent.models.offline.semantic.slots import takes_the_place
from qmemd.search.words import Terms


@pytest.mark.parametrize(
    ("query", "missing", "text", "rival"),
    [
        ("the throughput dashboard", ["throughput"], "the latency dashboard is here", True),
        ("the freeze ends", ["ends"], "the freeze begins in march", True),
        ("ask before creating any file", ["creating"], "ask before deleting any file", True),
        ("the broken ci on windows", ["broken"], "windows ci has been red", False),
        ("the date of the audit", ["date"], "the iso audit is in may", False),
        ("the beginning of the freeze", [], "the freeze begins", False),
        ("dashboard", ["nothing"], "the dashboard", False),
    ],
)
def test_a_word_in_the_place_of_another_names_a_rival(
    query: str, missing: list[str], text: str, rival: bool
) -> None:
    assert takes_the_place(query, missing, text, Terms()) == rival


@pytest.mark.parametrize(
    ("word", "query", "asks"),
    [
        ("recorded", "where decisions are recorded", True),
        ("recorded", "the recorded talk", False),
        ("get", "how often metrics get scraped", True),
        ("policy", "the policy about renaming", True),
        ("policy", "the privacy policy", False),
        ("one", "where one can see the costs", True),
        ("one", "the replica number one", False),
    ],
)
def test_words_that_only_ask(word: str, query: str, asks: bool) -> None:
    assert only_asks(word, query) == asks
