from __future__ import annotations

import pytest

from qmemd.search.words import Terms, fold, phrase_pattern, tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Port 8080, not 8081.", ["port", "8080", "not", "8081"]),
        ("C# C++ .NET v2.3.1", ["c#", "c++", "net", "v2.3.1"]),
        ("PROJ-123 on 2026-03-05", ["proj-123", "on", "2026-03-05"]),
        ("the user's snake_case", ["the", "user", "snake_case"]),
        ("部署流程", ["部署", "署流", "流程"]),
        ("用Go写", ["用", "go", "写"]),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert tokens(fold(text)) == expected


@pytest.mark.parametrize(
    ("word", "text", "found"),
    [
        ("deploys", "we deploy daily", True),
        ("deploy", "deployments are frozen", True),
        ("database", "the db is slow", True),
        ("1.5", "version 1.5.2", False),
        ("1.5", "v1.5", True),
        ("v1.5", "release 1.5.", True),
        ("8080", "localhost:8080", True),
        ("8080", "18080", False),
        ("c", "c# and c++", False),
        ("c", "plain c here", True),
        ("c#", "in c#.", True),
        ("proj-12", "proj-123", False),
        ("cat", "category", False),
        ("流程", "部署流程由他负责", True),
    ],
)
def test_a_word_is_found_in_any_inflection_and_a_number_only_whole(
    word: str, text: str, *, found: bool
) -> None:
    terms = Terms()
    assert bool(terms.find(terms.of(word), fold(text))) is found


@pytest.mark.parametrize(
    ("phrase", "text", "found"),
    [
        ("dark mode", "the dark, mode of old", True),
        ("dark mode", "the dark modes", False),
        ("port 808", "port 8080", False),
        ("python 3.11", "python 3.11.4", False),
        ("python 3.11", "on python 3.11.", True),
        ("a.b", "a-b", False),
        ("部署流程", "新部署流程图", True),
    ],
)
def test_a_phrase_ends_where_words_end(phrase: str, text: str, *, found: bool) -> None:
    assert bool(phrase_pattern(phrase).search(fold(text))) is found
