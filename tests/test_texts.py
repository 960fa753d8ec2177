from __future__ import annotations

import pytest

from qmemd.errors import RequestError
from qmemd.texts import BLANKS, check_key, clean_text


def test_blanks_around_go_and_blanks_within_stay() -> None:
    assert clean_text(f"{BLANKS}a \ufeff b{BLANKS}", "invalid_content") == "a \ufeff b"


def test_what_javascript_does_not_trim_stays() -> None:
    assert clean_text("\x1c\x85a", "invalid_content") == "\x1c\x85a"


def test_the_limit_counts_bytes_after_trimming() -> None:
    assert clean_text(" " + "a" * 65_536 + " ", "invalid_content") == "a" * 65_536
    assert len(clean_text("é" * 32_768, "invalid_content")) == 32_768
    for text in ("a" * 65_537, "é" * 32_769, "😀" * 30_000):
        with pytest.raises(RequestError):
            clean_text(text, "invalid_content")


@pytest.mark.parametrize("value", ["", "  ", BLANKS, None, 1, ["x"], "\ud800 x", "a\0b"])
def test_anything_else_has_the_code_of_its_field(value: object) -> None:
    with pytest.raises(RequestError) as refused:
        clean_text(value, "invalid_query")
    assert (refused.value.code, refused.value.status) == ("invalid_query", 400)


@pytest.mark.parametrize("key", ["", "x" * 256, "é", "a\nb", 5, None])
def test_a_key_that_is_none(key: object) -> None:
    with pytest.raises(RequestError) as refused:
        check_key(key)
    assert refused.value.code == "invalid_idempotency_key"
