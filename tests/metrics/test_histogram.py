from __future__ import annotations

from qmemd.metrics.histogram import BOUNDS, Histogram


def test_each_bound_counts_what_is_not_above_it() -> None:
    histogram = Histogram()
    for seconds in (0.0, 0.005, 0.0051, 1.0, 10_000.0):
        histogram.observe(seconds)
    counts = dict(histogram.cumulative())
    assert (counts["0.005"], counts["0.01"], counts["0.5"], counts["1.0"]) == (2, 3, 3, 4)
    assert (counts["900.0"], counts["+Inf"]) == (4, 5)
    assert histogram.sum == 10_001.0101
    assert list(BOUNDS) == sorted(BOUNDS)
