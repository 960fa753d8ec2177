"""Queries that a careless reading would act on, and what they may take."""

from __future__ import annotations

import pytest

from qmemd.agent.models.offline.forgetting import choose_entries
from qmemd.kinds import Scope, Topic
from qmemd.memory.documents import parse, render
from qmemd.memory.entries import Entry, entries_of


def memory(*texts: str) -> list[Entry]:
    """One document a text, with a head that says nothing; ids are ``user:0.md`` and so on."""
    return [
        entry
        for number, text in enumerate(texts)
        for entry in entries_of(
            Scope.USER,
            f"{number}.md",
            parse(render("Note", "What was said", Topic.USER, text)),
        )
    ]


def taken(query: str, *texts: str) -> list[int]:
    choice = choose_entries(query, memory(*texts))
    assert choice.reason
    return [int(id_.removeprefix("user:").removesuffix(".md")) for id_ in choice.ids]


@pytest.mark.parametrize(
    "query",
    [
        "forget all but the dark mode memory",
        "forget everything but dark mode",
        "forget all memories but Berlin",
        "forget everything other than Berlin",
        "forget everything except Berlin",
        "vergiss alles außer Berlin",
        "don't forget dark mode",
        "remember that the user prefers dark mode",
        "why does the user prefer dark mode?",
        "dark mode?",
        "which mode is dark",
    ],
)
def test_what_asks_for_no_removal_removes_nothing(query: str) -> None:
    assert taken(query, "The user prefers dark mode", "The user lives in Berlin") == []


@pytest.mark.parametrize("query", ["can you forget dark mode?", "forget the one about dark mode"])
def test_a_polite_command_is_one(query: str) -> None:
    assert taken(query, "The user prefers dark mode", "The user lives in Berlin") == [0]


@pytest.mark.parametrize(
    ("query", "texts", "expected"),
    [
        ("forget use tabs", ("Do not use tabs", "Use tabs in Makefiles"), [1]),
        ("forget use tabs", ("Do not use tabs",), []),
        ('forget "use tabs"', ("Do not use tabs",), []),
        ("forget merge without review", ("Do not merge without review",), []),
        ("forget 8080", ("The proxy is at 127.0.0.1:8080",), [0]),
        ("forget deploy on Fridays", ("Never deploy on Fridays",), []),
        ("forget: commit generated files", ("Do not commit generated files",), []),
        ("forget that Alice reports to Bob", ("Bob reports to Alice",), []),
        ("forget that Bob reports to Alice", ("Bob reports to Alice",), [0]),
        (
            'forget "C" "dark mode"',
            ("The user prefers dark mode", "Dark mode is broken in the C api"),
            [1],
        ),
        ("forget lynx one", ("The second animal is lynx two",), []),
        *(
            (
                f"forget {number}",
                ("The shop closes at 18:00", "It costs 1,000 EUR", "Ratio 16:9"),
                [],
            )
            for number in ("18", "1", "9", "00", "16")
        ),
        ("forget 18:00", ("The shop closes at 18:00",), [0]),
    ],
)
def test_what_means_something_else_stays(
    query: str, texts: tuple[str, ...], expected: list[int]
) -> None:
    assert taken(query, *texts) == expected


MIXED = [
    "Things the user told us:\n\n- likes apricots\n- lives in Oslo\n- works at Acme",
    "* likes apricots\n* lives in Oslo\n* works at Acme",
    "1. likes apricots\n2. lives in Oslo",
    "The user likes apricots.\n\nThe user lives in Oslo.",
]


@pytest.mark.parametrize("text", MIXED)
def test_a_document_of_several_things_does_not_go_for_one_of_them(text: str) -> None:
    choice = choose_entries("forget apricots", memory(text, "The user plays chess"))
    assert choice.ids == ()
    assert "0.md" in choice.reason
    assert "edit it" in choice.reason


def test_it_goes_when_it_is_named_and_a_why_is_no_other_thing() -> None:
    assert taken("forget 0.md", MIXED[0]) == [0]
    explained = "The user likes apricots.\n\n**Why:** they grew up near an orchard"
    assert taken("forget likes apricots", explained) == [0]


def test_a_head_that_only_repeats_the_beginning_names_nothing() -> None:
    text = "* likes apricots\n* lives in Oslo\n* works at Acme"
    head = render("* likes apricots", "* likes apricots * lives in Oslo", Topic.USER, text)
    entries = list(entries_of(Scope.USER, "0.md", parse(head)))
    assert choose_entries("forget apricots", entries).ids == ()
