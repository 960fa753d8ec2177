from __future__ import annotations

import pytest

from qmemd.errors import SettingsError
from qmemd.model_choice import DEFAULT_BASE_URL, Endpoint, endpoint_of

LOCAL = "http://localhost:11434/v1"


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"OPENAI_API_KEY": "k"},
        {"OPENAI_BASE_URL": LOCAL, "OPENAI_API_KEY": "k"},
        {"OPENAI_MODEL": "m"},
        {"OPENAI_MODEL": "m", "OPENAI_API_KEY": " ", "OPENAI_BASE_URL": ""},
        {"OPENAI_MODEL": "  ", "OPENAI_API_KEY": "k"},
    ],
)
def test_auto_is_offline_until_all_is_there(environ: dict[str, str]) -> None:
    assert endpoint_of("auto", environ) is None


def test_auto_takes_an_endpoint_that_is_configured() -> None:
    environ = {"OPENAI_MODEL": " m ", "OPENAI_API_KEY": " k\n"}
    assert endpoint_of("auto", environ) == Endpoint(DEFAULT_BASE_URL, "m", "k")
    environ = {"OPENAI_MODEL": "m", "OPENAI_BASE_URL": LOCAL + "/"}
    assert endpoint_of("auto", environ) == Endpoint(LOCAL, "m", None)


def test_a_name_wins_over_the_variable() -> None:
    environ = {"OPENAI_MODEL": "m", "OPENAI_API_KEY": "k"}
    assert endpoint_of("openai:a/b:c", environ) == Endpoint(DEFAULT_BASE_URL, "a/b:c", "k")
    assert endpoint_of("offline", environ) is None


@pytest.mark.parametrize(
    ("name", "environ", "sentence"),
    [
        ("gpt", {}, "auto, offline or openai:NAME"),
        ("", {}, "auto, offline or openai:NAME"),
        ("openai:m", {}, "needs OPENAI_API_KEY, or OPENAI_BASE_URL"),
        ("openai: ", {"OPENAI_API_KEY": "k"}, "must name a model"),
        ("openai:a\nb", {"OPENAI_API_KEY": "k"}, "printable"),
        ("openai:" + "x" * 201, {"OPENAI_API_KEY": "k"}, "1 to 200"),
        ("openai:m", {"OPENAI_API_KEY": "a b"}, "OPENAI_API_KEY must be printable ASCII"),
        ("openai:m", {"OPENAI_API_KEY": "schlüssel"}, "OPENAI_API_KEY must be printable ASCII"),
        *(
            ("openai:m", {"OPENAI_BASE_URL": url}, "OPENAI_BASE_URL must be an address")
            for url in (
                *("localhost:11434", "ftp://host/v1", "http://", "http:///v1", "http://h:x/v1"),
                *("http://me:word@host/v1", "http://host/v1?key=abc", "http://host/v1#x"),
                *("http://h:99999/v1", "http://[::1/v1", "http://h st/v1", "http://hö/v1"),
            )
        ),
        ("auto", {"OPENAI_MODEL": "m", "OPENAI_BASE_URL": "nonsense"}, "OPENAI_BASE_URL"),
    ],
)
def test_each_mistake_has_its_sentence(name: str, environ: dict[str, str], sentence: str) -> None:
    with pytest.raises(SettingsError, match=sentence) as caught:
        endpoint_of(name, environ)
    for typed in ("a b", "schlüssel", "me:word", "key=abc", "nonsense"):
        assert typed not in caught.value.message
