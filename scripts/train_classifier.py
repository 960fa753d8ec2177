#!/usr/bin/env python3
"""Trains the weights of the offline model's cues on the labelled facts of the tests.

    scripts/train_classifier.py            writes qmemd/agent/models/offline/cues/weights.py
    scripts/train_classifier.py --check    cross-validates instead: each third of the facts is
                                           judged by weights that were trained on the others

Multinomial logistic regression with an L2 penalty, by plain gradient descent: no dependency, and
the same facts always give the same table. Nothing here runs when qmemd does.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from math import exp
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from qmemd.agent.models.offline.classify import OUTCOMES  # noqa: E402 - after the path
from qmemd.agent.models.offline.cues import ANY, cues_of  # noqa: E402
from qmemd.kinds import Scope, Topic  # noqa: E402

FACTS = ("facts_100.tsv", "facts_dev.tsv", "facts_more.tsv")
RARE = 3
"""A cue in fewer facts gets no weights."""
FORGOTTEN = 0.4
"""The share of cues hidden from each step: facts to come have words that the lexicon lacks."""
PENALTY = 0.33
STEPS = 600
RATE = 0.002
MOMENTUM = 0.9
SCALE = 10
"""Weights are stored as whole tenths."""

HEAD = '''"""How loudly each cue speaks for each of ``classify.OUTCOMES``, in tenths.

Written by scripts/train_classifier.py. ``kind`` is a word anywhere, ``^kind`` the first word,
``*`` a shape of the sentence. The weights of the cues in a fact are added up, and the highest
sum wins. The columns: user; feedback for the user, for the project; project; reference of the
user's own, of the project.
"""

from __future__ import annotations

WEIGHTS = """
'''

Row = tuple[int, frozenset[str]]
Table = dict[str, list[float]]


def rows_of(name: str) -> list[Row]:
    """Outcome and cues of each labelled fact in a file."""
    text = (ROOT / "tests/agent/models/offline" / name).read_text(encoding="utf-8")
    lines = [line.split("\t") for line in text.splitlines() if line and line[0] != "#"]
    return [
        (OUTCOMES.index((Topic(topic), Scope(scope))), frozenset(cues_of(fact)))
        for topic, scope, fact in lines
    ]


def train(rows: list[Row]) -> Table:
    """Weights that tell the rows apart and are as small as can be."""
    often = Counter(cue for _, cues in rows for cue in cues)
    names = sorted(cue for cue in often if often[cue] >= RARE)
    weights = {cue: [0.0] * len(OUTCOMES) for cue in names}
    speeds = {cue: [0.0] * len(OUTCOMES) for cue in names}
    sums = {cue: [0.0] * len(OUTCOMES) for cue in names}
    known = [(outcome, [cue for cue in names if cue in cues]) for outcome, cues in rows]
    chance_of = random.Random(1).random  # noqa: S311 - the same each time
    for step in range(STEPS):
        slopes = {
            cue: [0.0 if cue == ANY else PENALTY * weight for weight in weights[cue]]
            for cue in names
        }
        for outcome, all_cues in known:
            cues = [cue for cue in all_cues if cue == ANY or chance_of() > FORGOTTEN]
            for at, chance in enumerate(chances(weights, cues)):
                error = chance - (at == outcome)
                for cue in cues:
                    slopes[cue][at] += error
        for cue in names:
            for at, slope in enumerate(slopes[cue]):
                speeds[cue][at] = MOMENTUM * speeds[cue][at] - RATE * slope
                weights[cue][at] += speeds[cue][at]
                # The mean over the later steps evens out what each of them was not shown.
                sums[cue][at] += weights[cue][at] * (step >= STEPS // 2)
    scale = SCALE / (STEPS - STEPS // 2)
    return {cue: [float(round(scale * total)) for total in sums[cue]] for cue in names}


def totals(weights: Table, cues: list[str]) -> list[float]:
    """The sums of the weights for each outcome."""
    return [sum(weights[cue][at] for cue in cues) for at in range(len(OUTCOMES))]


def chances(weights: Table, cues: list[str]) -> list[float]:
    """How likely each outcome is."""
    sums = totals(weights, cues)
    powers = [exp(value - max(sums)) for value in sums]
    return [power / sum(powers) for power in powers]


def check(parts: int = 3) -> None:
    """Prints how many facts are judged right by weights that never saw them."""
    rows = [row for name in FACTS for row in rows_of(name)]
    random.Random(1).shuffle(rows)  # noqa: S311 - the same each time
    types = scopes = 0
    for part in range(parts):
        weights = train([row for at, row in enumerate(rows) if at % parts != part])
        for outcome, cues in rows[part::parts]:
            sums = totals(weights, [cue for cue in cues if cue in weights])
            want, got = OUTCOMES[outcome], OUTCOMES[sums.index(max(sums))]
            types += want[0] is got[0]
            scopes += want[1] is got[1]
    print(f"{len(rows)} facts, types right {types}, scopes right {scopes}")


def write() -> None:
    """Trains on all facts and writes the table, cues that say nothing left out."""
    weights = train([row for name in FACTS for row in rows_of(name)])
    lines = [
        f"{cue:24}|" + "".join(f"{value:5.0f}" for value in row)
        for cue, row in weights.items()
        if any(row)
    ]
    text = HEAD + "\n".join(lines) + '\n"""\n'
    path = ROOT / "qmemd/agent/models/offline/cues/weights.py"
    path.write_text(text.replace(" -0", "  0"), encoding="utf-8")


if __name__ == "__main__":
    check() if "--check" in sys.argv else write()
