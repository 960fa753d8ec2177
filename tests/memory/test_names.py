from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmemd.memory.names import file_stem, free_name, tells


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("Dark mode everywhere", "dark-mode-everywhere"),
        ("记忆 测试", "记忆-测试"),
        ("שלום עולם", "שלום-עולם"),
        ("हिन्दी", "हिन्दी"),
        ("Cafe\u0301", "café"),
        ("🚀🔥", "note"),
        ("", "note"),
        ("...", "note"),
        ("a/b\\c", "a-b-c"),
        ("../../etc/passwd", "etc-passwd"),
        (".hidden", "hidden"),
        ("-rf", "rf"),
        ("CON", "con-note"),
        ("nul", "nul-note"),
        ("COM1", "com1-note"),
        ("Memory", "memory-note"),
        ("MEMORY.md", "memory-md"),
        ("don't panic", "dont-panic"),
        ("trailing blanks   ", "trailing-blanks"),
        ("a\x00b\nc\u202ed", "a-b-cd"),
    ],
)
def test_stems(name: str, stem: str) -> None:
    assert file_stem(name) == stem


def test_a_long_name_is_cut_at_a_word() -> None:
    stem = file_stem("word " * 80)
    assert stem == "-".join(["word"] * 12)


@given(st.text() | st.text("ab/.-\\ 🚀記é\u0301\u200d\u202eİ", max_size=300))
def test_every_stem_is_safe(name: str) -> None:
    stem = file_stem(name)
    assert 0 < len(stem) <= 60
    assert len(stem.encode()) <= 120
    assert stem == unicodedata.normalize("NFC", stem)
    assert stem.casefold() not in ("memory", "con", "nul", "aux", "prn")
    assert stem[0] not in ".-"
    assert stem[-1] not in ".- "
    assert all(letter == "-" or unicodedata.category(letter)[0] in "LNM" for letter in stem)


def test_a_free_name_skips_what_is_taken() -> None:
    assert free_name("x", set()) == "x.md"
    assert free_name("x", {"x.md", "x-2.md"}) == "x-3.md"
    assert free_name("İx", {"İx.md".casefold()}) == "İx-2.md"


@pytest.mark.parametrize(
    ("stem", "text", "told"),
    [
        ("my-pin-1234", "My PIN: 1234", True),
        ("pin-42", "It is 42, always", True),
        ("codename", "The codename is heron.", True),
        ("\u8bb0\u5fc6", "\u6211\u7684\u8bb0\u5fc6", True),
        ("note", "The codename is heron.", False),
        ("a-the-of", "a heron of the lake", False),
        ("project", "The codename is heron.", False),
    ],
)
def test_whether_a_name_gives_the_text_away(stem: str, text: str, told: bool) -> None:
    assert tells(stem, text) is told
