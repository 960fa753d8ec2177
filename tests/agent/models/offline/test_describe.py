from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmemd.agent.models.offline.describe import description_of, name_of
from qmemd.kinds import Topic
from qmemd.memory.documents import parse, render
from qmemd.memory.names import file_stem


@pytest.mark.parametrize(
    ("fact", "name"),
    [
        ("The user prefers dark mode in all editors.", "Prefers dark mode in all editors"),
        ("Remember that the API listens on port 8080.", "The API listens on port 8080"),
        ("please remember: never force-push. It broke main once.", "Never force-push"),
        ("# Heading\n\nText below.", "Heading"),
        ("- first\n- second", "First"),
        ("部署流程由张伟负责。其他人不要改。", "部署流程由张伟负责"),
        ("🚀", "🚀"),
        ("---\ntype: user\n---", "Type: user"),
        ("CI runs on Python 3.11.4, not 3.12.", "CI runs on Python 3.11.4, not 3.12"),
        (
            "The billing service retries nothing because double charges happened during 2023",
            "The billing service retries nothing",
        ),
    ],
)
def test_names_are_the_gist_in_the_facts_own_words(fact: str, name: str) -> None:
    assert name_of(fact) == name


def test_a_long_fact_is_described_by_its_beginning() -> None:
    fact = "The importer reads one file at a time. " * 20
    assert description_of(fact).startswith("The importer reads one file at a time.")
    assert description_of(fact).endswith("…")
    assert description_of("Short\nand  two lines") == "Short and two lines"


def test_a_cut_goes_between_words_and_never_through_a_letter() -> None:
    assert name_of("Supercalifragilistic " * 5) == "Supercalifragilistic Supercalifragilistic"
    family = "👨\u200d👩\u200d👧"
    assert name_of(family * 30).replace(family, "") == ""


@given(st.text(min_size=1))
def test_every_text_gets_a_line_that_survives_its_document(fact: str) -> None:
    name, description = name_of(fact), description_of(fact)
    assert 0 < len(name) <= 60
    assert 0 < len(description) <= 150
    assert len(name.splitlines()) == len(description.splitlines()) == 1
    assert file_stem(name)
    document = parse(render(name, description, Topic.USER, "body"))
    assert (document.name, document.description) == (name, description)
