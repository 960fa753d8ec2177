from __future__ import annotations

import time

import pytest

from qmemd.memory.statements import retold_by, told_by

TOLD = [
    ("Likes tea.", "likes  TEA"),
    ("The user likes tea.", "He liked tea, and rye bread."),
    ("Deploys are on Fridays at 12.", "Every deploy is on a Friday, at 12, by the release team."),
    ("- Port 8080\n- Never on Fridays", "# Rules\n\n- Never deploy on Fridays\n- The port is 8080"),
    ("Use spaces.\nNot tabs.", "Indent:\n\n- use four spaces\n- do not use tabs"),
    ("The cache holds 1,000 items.", "The cache holds 1000 items"),
    ("Fact 7 holds.", "Facts 3 to 9 hold."),
    ("Released on 2026-03-01.", "It was released on 1 March 2026."),
    ("用户喜欢绿茶", "用户喜欢绿茶和红茶"),
    ("A sentence that\nis wrapped.", "A sentence that is wrapped in another\nplace."),
]
LOST = [
    ("The port is 8080.", "The port is 8081."),
    ("Deploy on Fridays.", "Never deploy on Fridays."),
    ("Never deploy on Fridays.", "Deploy on Fridays."),
    ("Don't use tabs in code.", "Use tabs in code."),
    ("不要用制表符", "要用制表符"),
    ("Likes tea. Plays chess on Mondays.", "Likes tea."),
    ("- Likes tea\n- Plays chess", "- Likes tea\n- Runs a lot"),
    ("Version 3 of the parser.", "The parser."),
    ("Released on 2026-03-01.", "Released on 2026-03-02."),
    ("The queue is on port 5672.", "The cache is on port 6379. The queue is somewhere else."),
    ("Likes tea.", ""),
    ("Never.", "Not so."),
    ("7", "8"),
    ("Fact 12 holds.", "Facts 3 to 9 hold."),
]


@pytest.mark.parametrize(("statement", "text"), TOLD)
def test_what_is_there_is_told(statement: str, text: str) -> None:
    assert told_by(statement, text)
    assert retold_by(statement, text)


@pytest.mark.parametrize(("statement", "text"), LOST)
def test_what_is_missing_or_turned_around_is_not_told(statement: str, text: str) -> None:
    assert not told_by(statement, text)
    assert not retold_by(statement, text)


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("We deploy on Friday, at 12.", "Deploys are on Fridays at noon (12:00)."),
        ("Ada owns the billing service.", "Billing is run by Ada; ask her about that service."),
        ("It uses 4 spaces. It has tests.", "Code: indent by 4 spaces, and tests are written."),
    ],
)
def test_a_text_that_was_written_for_it_may_use_other_words(statement: str, text: str) -> None:
    assert retold_by(statement, text)


def test_what_was_there_before_has_to_say_all_of_it() -> None:
    assert not told_by("Ada owns the billing service.", "Billing is run by Ada; she does it well.")
    assert not told_by("It uses 4 spaces. It has tests.", "Code: indent by 4 spaces.")
    assert not told_by("The API is on port 1.", "The API is on a port. The queue is on port 1.")


def test_a_summary_that_drops_half_of_the_statements_tells_no_more_than_it_says() -> None:
    statements = [
        "Ada owns the billing service.",
        "Tests run against a Postgres container.",
        "The staging cluster is rebuilt every night.",
        "Invoices are sent by the mailer on port 2525.",
    ]
    summary = "Ada owns the billing service, and its tests run in a Postgres container."
    assert [retold_by(one, summary) for one in statements] == [True, True, False, False]
    assert not retold_by("\n".join(statements), summary)


def test_a_large_text_is_judged_quickly() -> None:
    text = "\n".join(f"- The fact number {number} holds for a while." for number in range(4000))
    began = time.perf_counter()
    told_by("- The fact number 5000 holds.", text)
    retold_by("x" * 200_000 + " 1" * 10_000, "1 to " * 20_000)
    assert told_by(text, f"{text}\nMore.")
    assert not told_by(text.replace("holds", "held"), text)
    assert not retold_by(text.replace("holds", "held"), text)
    assert time.perf_counter() - began < 3
