from __future__ import annotations

import threading

from qmemd.cli.thread_dump import MAX_FRAMES, thread_dump


def test_threads_with_the_same_stack_are_named_together() -> None:
    here, go_on = threading.Barrier(4), threading.Event()

    def wait_in_vain() -> None:
        here.wait(10)
        go_on.wait(10)

    def deep(depth: int) -> None:
        if depth == 0:
            wait_in_vain()
        elif depth % 2:  # repeated lines would be folded
            deep(depth - 1)
        else:
            deep(depth - 1)

    threads = [threading.Thread(target=wait_in_vain, name=f"idle-{n}") for n in (1, 2)]
    threads.append(threading.Thread(target=deep, args=(100,), name="deep"))
    for thread in threads:
        thread.start()
    here.wait(10)
    tries = (thread_dump() for _ in range(10_000))  # they are on their way to the same place
    dump = next((dump for dump in tries if "idle-1, idle-2:\n" in dump), "")
    go_on.set()
    for thread in threads:
        thread.join()
    assert "MainThread:\n" in dump
    [stack] = [part for part in dump.split("\n\n") if part.startswith("deep:")]
    assert stack.count("  File ") == MAX_FRAMES
    assert "wait_in_vain" in stack
    assert "wait_in_vain" in dump.split("idle-1, idle-2:\n")[1]
