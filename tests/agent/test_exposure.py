from __future__ import annotations

from pathlib import Path

import pytest

from qmemd.agent.exposure import MAX_READ, blots_for, read_limit
from qmemd.agent.limits import Limits
from qmemd.agent.models import make_model
from qmemd.agent.models.base import Choice
from qmemd.kinds import Scope
from qmemd.memory.secrets import SecretPolicy
from tests.agent.conftest import Put
from tests.agent.scripted import ScriptedModel
from tests.agent.workbench import Workbench


class OfAnyName(ScriptedModel):
    """Only what a model says of itself counts, not what it is called."""

    name = "offline"


class InThisProcess(ScriptedModel):
    stays_local = True


@pytest.mark.parametrize(
    "url", ["https://api.example.com/v1", "http://127.0.0.1:11434/v1", "http://[::1]:1/v1"]
)
def test_a_model_behind_an_address_does_not_stay_here(tmp_path: Path, url: str) -> None:
    environ = {"OPENAI_BASE_URL": url, "QWEN_CODE_MEMORY_BASE_DIR": str(tmp_path)}
    assert not make_model("openai:m", environ, Limits()).stays_local
    assert make_model("offline", environ, Limits()).stays_local


@pytest.mark.parametrize("policy", SecretPolicy)
def test_who_does_not_stay_here_is_shown_less(policy: SecretPolicy) -> None:
    away, here = OfAnyName(), InThisProcess()
    assert (read_limit(away), read_limit(here)) == (MAX_READ, None)
    assert blots_for(away, policy).active == (policy is not SecretPolicy.ALLOW)
    assert not blots_for(here, policy).active


def test_everything_is_offered_only_to_who_stays_here(bench: Workbench, put: Put) -> None:
    for number in range(250):
        put(Scope.USER, f"{number}.md", "Likes tea.")
    none = Choice((), "None.")
    models = [OfAnyName(choose=lambda *_: none), InThisProcess(choose=lambda *_: none)]
    for model in models:
        bench.forget(model)
    assert [len(model.offered) for model in models] == [200, 250]
