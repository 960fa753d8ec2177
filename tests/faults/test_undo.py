"""Random histories, undone from the end, leave what was there before."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qmemd.kinds import ChangeAction, ChangeState, TaskKind
from qmemd.memory.changes import ChangeSet, FileChange
from qmemd.memory.draft import Draft, MemoryPath
from tests.memory.world import World, document, project, run_of, user

PLACES = [user("a.md"), user("sub/b.md"), project("c.md"), project("deep/er/d.md")]
STEP = st.lists(
    st.tuples(st.sampled_from(PLACES), st.one_of(st.none(), st.integers(0, 5))),
    min_size=1,
    max_size=4,
)


def changes_of(
    world: World, step: Sequence[tuple[MemoryPath, int | None]]
) -> tuple[FileChange, ...]:
    draft = Draft(world.paths)
    for path, number in step:
        present = draft.read(path)
        if number is not None:
            draft.write(path, document(f"Fact {number} of {path.relative}"))
        elif present is not None:
            draft.remove(path)
    return draft.changes()


def result(_record: ChangeSet, state: ChangeState) -> dict[str, Any]:
    return {"summary": state.value}


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(STEP, min_size=1, max_size=6))
def test_any_history_undone_from_its_end(steps: list[list[tuple[MemoryPath, int | None]]]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        world = World(Path(directory))
        world.save(user("a.md"), document("Was there before"))
        pictures = [world.files()]
        done: list[ChangeSet] = []
        for number, step in enumerate(steps):
            if changes := changes_of(world, step):
                # A forget may remove as much as it likes.
                run = run_of(f"forget-{number}", TaskKind.FORGET)
                done.append(world.commit(*changes, run=run))
                pictures.append(world.files())
        for number, change_set in enumerate(reversed(done)):
            assert world.files() == pictures.pop()
            world.committer().move(
                change_set.change_set_id,
                ChangeAction.REVERT,
                run_of(f"change-{number}", TaskKind.CHANGE),
                result=result,
                may_commit=lambda: True,
            )
        assert world.files() == pictures.pop()
        assert not world.history.has_open()
