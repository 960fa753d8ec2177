from __future__ import annotations

import pytest

from qmemd.agent.limits import Limits
from qmemd.agent.options import Options, parse_options
from qmemd.errors import SettingsError
from qmemd.memory.secrets import SecretPolicy


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


def test_limits() -> None:
    assert parse_options([]).limits == Limits(model_calls=20, tokens_a_day=None)
    given = parse_options(["--max-model-calls", "3", "--max-tokens-per-day=100000"])
    assert given.limits == Limits(model_calls=3, tokens_a_day=100_000)


@pytest.mark.parametrize("policy", list(SecretPolicy))
def test_what_becomes_of_secrets(policy: SecretPolicy) -> None:
    assert parse_options([]).secrets is SecretPolicy.REFUSE
    assert parse_options(["--secrets", policy.value]).secrets is policy
    assert parse_options([f"--secrets={policy.value}"]).secrets is policy


@pytest.mark.parametrize(
    "argv",
    [
        ["--max-model-calls", "0"],
        ["--max-model-calls=-1"],
        ["--max-tokens-per-day", "1e6"],
        ["--max-tokens-per-day", "٣"],
        ["--max-tokens-per-day", "9" * 5000],
        ["--secrets"],
        ["--secrets", "keep"],
        ["--secrets=Mask"],
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
