#!/usr/bin/env python3
"""Runs the three jobs on the samples in tests/evaluation, and prints how well a model did.

Usage: evaluate.py [MODEL] [--jobs remember,forget,dream,held] [--semantic on|off] [--wrong]

The job held is forget on the other samples: rivals, opposites, and paraphrases of more memories.
--semantic off is the offline model without the extra `semantic`; else it is used if installed.

MODEL is as in `qmemd serve --model` (default: auto). A networked model is configured by the
OPENAI_ variables; a whole evaluation asks it some hundreds of times. Nothing of your own memory is
touched. Run inside the environment.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from qmemd.agent.limits import Limits
from qmemd.agent.models import Model, make_model
from qmemd.agent.models.offline import OfflineModel
from qmemd.agent.models.offline.semantic.embedder import shared_embedder
from qmemd.errors import SettingsError
from tests.evaluation import samples
from tests.evaluation.scores import Score, score_dream, score_forget, score_remember

Job = Callable[[Callable[[], Model]], Score]

JOBS: dict[str, Job] = {
    "remember": lambda model: score_remember(model, samples.facts()),
    "forget": lambda model: score_forget(model, samples.facts(), samples.queries()),
    "dream": lambda model: score_dream(model, [*samples.duplicates(), *samples.near()]),
}
HELD: dict[str, Job] = {
    name: lambda model, name=name: score_forget(model, *samples.held(name))  # type: ignore[misc]
    for name in samples.HELD
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("model", nargs="?", default="auto")
    parser.add_argument("--jobs", default=",".join(JOBS), help="which, with commas")
    parser.add_argument("--semantic", choices=("on", "off"), help="for the offline model")
    parser.add_argument("--wrong", action="store_true", help="name what went wrong")
    options = parser.parse_args()
    unknown = set(options.jobs.split(",")) - set(JOBS) - {"held"}
    if unknown:
        parser.error(f"no such job: {', '.join(sorted(unknown))}")
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory(prefix="qmemd-evaluation-") as home:
        # What a networked model notes of its use goes there.
        environ = os.environ | {"QWEN_CODE_MEMORY_BASE_DIR": home}

        @cache
        def model() -> Model:
            made = make_model(options.model, environ, Limits())
            return _without_the_extra(made) if options.semantic == "off" else made

        try:
            print(f"model {model().name}{_extra(model(), options.semantic, parser)}")
        except SettingsError as error:
            parser.error(error.message)
        for name in options.jobs.split(","):
            jobs = HELD if name == "held" else {name: JOBS[name]}
            for title, job in jobs.items():
                _show(title, job, model, wrong=options.wrong)
    return 0


def _without_the_extra(model: Model) -> Model:
    return OfflineModel(embedder=lambda: None) if isinstance(model, OfflineModel) else model


def _extra(model: Model, semantic: str | None, parser: argparse.ArgumentParser) -> str:
    if not isinstance(model, OfflineModel):
        return ""
    if semantic != "off" and shared_embedder() is not None:
        return " semantic on"
    if semantic == "on":
        parser.error("the extra `semantic` is not installed")
    return " semantic off"


def _show(name: str, job: Job, model: Callable[[], Model], *, wrong: bool) -> None:
    began = time.perf_counter()
    score = job(model)
    seconds = time.perf_counter() - began
    print(f"\n{name:<24}{score.total:>5} samples {seconds:>8.1f} s")
    for what, number in score.counts.items():
        print(f"  {what:<22}{number:>5}")
    if wrong:
        for line in score.wrong:
            print(f"    {line}")


if __name__ == "__main__":
    sys.exit(main())
