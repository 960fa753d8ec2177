from __future__ import annotations

import threading

from qmemd.metrics.request_tally import METHODS, RequestTally


def test_methods_that_nobody_knows_are_one() -> None:
    tally = RequestTally()
    for method in ("GET", "GET", "BREW", "get", "PROPFIND"):
        tally.answered(method, 200)
    assert tally.numbers() == {("GET", 200): 2, ("other", 200): 3}
    assert "BREW" not in METHODS


def test_none_is_lost_between_threads() -> None:
    tally = RequestTally()

    def many() -> None:
        for _ in range(2000):
            tally.answered("GET", 200)

    threads = [threading.Thread(target=many) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert tally.numbers() == {("GET", 200): 16_000}
