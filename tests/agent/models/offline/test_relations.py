"""Words that stand in a memory with other parts to play than in the query."""

from __future__ import annotations

import pytest

from qmemd.agent.models.offline.forgetting import choose_entries
from qmemd.agent.models.offline.relations import led_elsewhere
from qmemd.kinds import Scope, Topic
from qmemd.memory.entries import Entry
from qmemd.search.words import Terms


def goes(query: str, text: str) -> bool:
    one = Entry(Scope.PROJECT, "m.md", None, text, Topic.PROJECT, "m", text)
    other = "Lunch is at noon."
    rest = Entry(Scope.PROJECT, "n.md", None, other, Topic.PROJECT, "n", other)
    return choose_entries(query, [one, rest]).ids == ("project:m.md",)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("Alice reports to Bob", "Bob reports to Alice"),
        ("Alice reports to Bob", "Since May Bob reports to Alice, says the list."),
        ("Alice manages Bob", "Bob manages Alice"),
        ("billing leads the Fatima team", "Fatima leads the billing team."),
        (
            "the user moved from Rotterdam to Porto",
            "The user moved from Porto to Rotterdam in May.",
        ),
        (
            "that we use RabbitMQ because of NATS",
            "RabbitMQ went for NATS because it took too long.",
        ),
        (
            "parcels to Norway are handled by DHL",
            "Parcels to Norway are handled by Bring, others by DHL.",
        ),
        (
            "code comments in English",
            "Commit messages are in English, code comments in Portuguese.",
        ),
        ("times are stored in local time", "Times are stored in UTC and shown in local time."),
        (
            "explain first and show the diff afterwards",
            "Show the diff first and explain it afterwards.",
        ),
        ("run the linter after saying it is done", "Run the linter before saying it is done."),
        (
            "the build fails above 85 percent coverage",
            "The build fails below 85 percent of coverage.",
        ),
        (
            "merging main into feature branches",
            "Rebase feature branches instead of merging main into them.",
        ),
        (
            "open a TODO comment in place of a ticket",
            "Leave no TODO comments; open a ticket in their place.",
        ),
        ("Meilisearch is too expensive", "Search is Meilisearch since Elastic is too expensive."),
        ("the user is new to Docker", "The user knows Docker inside out."),
        ("a full memory on the primary broker", "It came from a full disk on the primary broker."),
    ],
)
def test_other_parts_to_play_are_another_thing(query: str, text: str) -> None:
    assert not goes(query, text)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("Bob reports to Alice", "Bob reports to Alice"),
        ("the fact that Bob reports to Alice", "Since May Bob reports to Alice."),
        ("Ann moved from Porto to Rotterdam", "Ann moved in May from Porto to Rotterdam."),
        ("where contracts with carriers are", "Carrier contracts are in SharePoint."),
        ("the minimum of test coverage in CI", "CI fails below 85 percent of test coverage."),
        ("the dark mode memory", "The user prefers dark mode."),
    ],
)
def test_the_same_parts_are_the_same_thing(query: str, text: str) -> None:
    assert goes(query, text)


def test_what_a_text_leaves_out_is_no_contradiction() -> None:
    terms = Terms()
    assert led_elsewhere("reports to bob", "bob reports to alice", terms)
    assert not led_elsewhere("reports to bob", "alice reports to bob", terms)
    assert not led_elsewhere("reports to bob", "alice is told what to do by carol", terms)
    assert not led_elsewhere("reports to bob", "bob and alice", terms)
    assert led_elsewhere("after the release", "before the release", terms)
    assert not led_elsewhere("after the release", "before the release, after the release", terms)
