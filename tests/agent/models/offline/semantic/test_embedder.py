from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

from qmemd.agent.models.offline.semantic.embedder import Embedder


class Encoder:
    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def __call__(self, texts: Sequence[str]) -> list[int]:
        self.batches.append(list(texts))
        return [len(text) for text in texts]


def test_points_come_in_the_order_of_the_texts_and_each_text_is_encoded_once() -> None:
    encoder = Encoder()
    embedder = Embedder(encoder)
    assert embedder.points(["ccc", "a", "bb", "a"]) == [3, 1, 2, 1]
    assert encoder.batches == [["a", "bb", "ccc"]]
    assert embedder.points(["bb", "dddd"]) == [2, 4]
    assert encoder.batches[1:] == [["dddd"]]


def test_many_texts_are_encoded_in_batches_and_few_are_kept() -> None:
    encoder = Encoder()
    embedder = Embedder(encoder, max_kept=10)
    texts = ["x" * n for n in range(1, 101)]
    assert embedder.points(texts) == list(range(1, 101))
    assert max(map(len, encoder.batches)) == 32
    assert len(embedder._kept) == 10
    assert embedder.points(texts) == list(range(1, 101))


ABSENT = """
import sys
for name in sys.argv[1:]:
    sys.modules[name] = None
from qmemd.agent.models.offline.semantic.embedder import shared_embedder
print(shared_embedder(), "onnxruntime" in sys.modules)
"""


def test_without_the_extra_there_is_none_and_nothing_is_said() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ABSENT, "numpy", "onnxruntime", "tokenizers"],
        check=True,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.stdout.startswith("None")
    assert done.stderr == ""
