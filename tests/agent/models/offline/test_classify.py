from __future__ import annotations

from pathlib import Path

import pytest

from qmemd.agent.models.offline.classify import classify
from qmemd.kinds import Scope, Topic

Row = tuple[Topic, Scope, str]


def facts(name: str) -> list[Row]:
    """Rows of type, scope and fact; lines that start with # and a head line do not count."""
    rows: list[Row] = []
    for line in (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith(("#", "expected_type")):
            topic, scope, fact = line.split("\t")
            rows.append((Topic(topic), Scope(scope), fact))
    return rows


@pytest.mark.parametrize(
    ("name", "at_least"),
    [
        ("facts_100.tsv", 0.9),
        ("facts_dev.tsv", 0.9),
        ("facts_more.tsv", 0.9),
        ("facts_held.tsv", 0.8),  # nothing is tuned on these
    ],
)
def test_nine_of_ten_facts_are_classified_as_people_would(name: str, at_least: float) -> None:
    rows = facts(name)
    got = [classify(fact) for _, _, fact in rows]
    wrong = [
        (fact, answer)
        for (topic, _, fact), answer in zip(rows, got, strict=True)
        if answer[0] != topic
    ]
    astray = [
        (fact, answer)
        for (_, scope, fact), answer in zip(rows, got, strict=True)
        if answer[1] != scope
    ]
    assert len(rows) >= 100
    assert len(wrong) <= len(rows) * (1 - at_least), wrong
    assert len(astray) <= len(rows) * (1 - at_least), astray


@pytest.mark.parametrize(
    ("fact", "topic", "scope"),
    [
        ("I prefer dark mode", Topic.USER, Scope.USER),
        ("The API is being migrated to Go", Topic.PROJECT, Scope.PROJECT),
        ("Never force-push.", Topic.FEEDBACK, Scope.USER),
        ("In this project, everyone must sign commits.", Topic.FEEDBACK, Scope.PROJECT),
        ("The wiki is at wiki.example.com", Topic.REFERENCE, Scope.PROJECT),
        ("My notes are in ~/notes.md", Topic.REFERENCE, Scope.USER),
    ],
)
def test_the_type_leads_to_its_root(fact: str, topic: Topic, scope: Scope) -> None:
    assert classify(fact) == (topic, scope)


@pytest.mark.parametrize("prefix", ["Remember that ", "please remember: ", "Note: ", "- ", "FYI, "])
def test_words_around_the_fact_do_not_count(prefix: str) -> None:
    assert classify(prefix + "the user prefers dark mode")[0] is Topic.USER
    assert classify(prefix + "never force-push to main")[0] is Topic.FEEDBACK


@pytest.mark.parametrize("fact", ["", " ", "🚀", "\x00", "---\ntype: user\n---", "a" * 65_536])
def test_any_text_has_a_type(fact: str) -> None:
    assert classify(fact)[0] in Topic
