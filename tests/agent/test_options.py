from __future__ import annotations

import pytest

from qmemd.agent.options import Options, parse_options
from qmemd.errors import SettingsError


def test_the_defaults() -> None:
    assert parse_options([]) == Options(workspace=None, task_limit=295.0, model="auto")


def test_both_spellings() -> None:
    expected = Options(workspace="/a b", task_limit=0.5, model="openai:x=y")
    assert (
        parse_options(["--workspace", "/a b", "--task-limit=.5", "--model=openai:x=y"]) == expected
    )
    assert (
        parse_options(["--task-limit", "5e-1", "--workspace=/a b", "--model", "openai:x=y"])
        == expected
    )


@pytest.mark.parametrize(
    "argv",
    [
        ["--workspace"],
        ["--workspace", ""],
        ["--model="],
        ["--task-limit", "soon"],
        ["--task-limit", "0"],
        ["--task-limit", "-1"],
        ["--task-limit", "nan"],
        ["--task-limit", "inf"],
        ["--verbose"],
        ["x"],
    ],
)
def test_what_is_refused_is_named(argv: list[str]) -> None:
    with pytest.raises(SettingsError) as caught:
        parse_options(argv)
    assert argv[0].partition("=")[0] in caught.value.message
