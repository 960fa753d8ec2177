from __future__ import annotations

import pytest

from qmemd.memory.equality import equality_key


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Use tabs.", "use  TABS"),
        ("Use tabs, always!", "use tabs always"),
        ("a\n\n b\t", "A b"),
        ("Really?!", "really"),
        ("a . b", "a b"),
        ("ÉTÉ", "été"),
    ],
)
def test_equal(left: str, right: str) -> None:
    assert equality_key(left) == equality_key(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("C#", "C"),
        ("C++", "C"),
        ("1.5", "15"),
        ("port 8080", "port 8081"),
        ("a.b", "a b"),
        ("a:b", "ab"),
        ("don't", "dont"),
        ("-1", "1"),
        ("Maße", "Masse"),
        ("?", "!"),
        ("...", ""),
        ("", " "),
        ("!", "! "),
        ("a-b", "a b"),
        (".net", "net"),
    ],
)
def test_not_equal(left: str, right: str) -> None:
    assert equality_key(left) != equality_key(right)


def test_a_text_of_nothing_but_punctuation_equals_itself() -> None:
    assert equality_key("?!") == equality_key("?!")
