from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import pytest

from qmemd.agent.models.offline.semantic.embedder import Embedder, shared_embedder


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


def test_what_was_used_last_is_kept_longest_and_long_texts_come_in_small_batches() -> None:
    encoder = Encoder()
    embedder = Embedder(encoder, max_kept=2)
    for texts in (["a"], ["bb"], ["a"], ["ccc"], ["a"]):
        embedder.points(texts)
    assert encoder.batches == [["a"], ["bb"], ["ccc"]]
    encoder.batches.clear()
    embedder.points(["x" * 1_500 + str(n) for n in range(30)])
    assert max(map(len, encoder.batches)) == 6


BROKEN = """
import sys, types
part = types.ModuleType("onnxruntime")
sys.modules["onnxruntime"] = part
import logging
logging.basicConfig(format="%(message)s")
from qmemd.agent.models.offline.semantic.embedder import shared_embedder
print(shared_embedder(), shared_embedder())
"""


def test_a_broken_install_is_told_of_once() -> None:
    pytest.importorskip("tokenizers", reason="the extra `semantic` is not installed")
    done = subprocess.run(
        [sys.executable, "-c", BROKEN], check=True, capture_output=True, text=True, timeout=30
    )
    assert done.stdout == "None None\n"
    assert done.stderr.count("the extra `semantic` is installed and does not work") == 1


def test_odd_texts_have_points() -> None:
    found = shared_embedder()
    if found is None:
        pytest.skip("the extra `semantic` is not installed")
    for point in found.points(["", "\ud800 x", "word " * 100_000, "\x00"]):
        assert float(point @ point) == pytest.approx(1.0, abs=1e-4)


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
