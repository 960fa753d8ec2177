from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmemd.errors import MemoryFilesError
from qmemd.kinds import ChangeState, Scope, TaskKind
from qmemd.memory.changes import ChangeSet, FileChange, KeptText, digest
from tests.memory.world import NOW, add, document, project, user

CHANGE_SET = ChangeSet(
    change_set_id="c-1",
    task_id="dream-1",
    kind=TaskKind.DREAM,
    workspace="/work/app",
    client_id=None,
    created_at=NOW.replace(microsecond=345000),
    state=ChangeState.OPEN,
    files=(
        add(user("a.md"), "First"),
        FileChange(user("b.md"), b"old", None, merged_into=user("a.md")),
        FileChange(project("c.md"), b"old\xff", b"new"),
    ),
    result={"summary": "Saved."},
    model="offline",
    roots={Scope.USER: "memories", Scope.PROJECT: "/elsewhere/memory"},
    made_directories=("memories",),
    kept=(KeptText(user("b.md"), b"theirs"),),
)


def test_a_change_says_what_it_does() -> None:
    assert [change.change for change in CHANGE_SET.files] == ["added", "removed", "changed"]
    assert CHANGE_SET.touched_scopes == (Scope.PROJECT, Scope.USER)


def test_a_change_set_survives_json() -> None:
    assert ChangeSet.from_json(CHANGE_SET.to_json()) == CHANGE_SET


_images = st.none() | st.binary(max_size=40) | st.text(max_size=40).map(str.encode)


@given(before=_images, after=_images)
def test_every_content_survives_byte_for_byte(before: bytes | None, after: bytes | None) -> None:
    files = (FileChange(user("a.md"), before, after),)
    change_set = replace(CHANGE_SET, files=files)
    assert ChangeSet.from_json(change_set.to_json()).files == files


def test_texts_are_stored_readably_with_their_hashes() -> None:
    added, _, binary = json.loads(CHANGE_SET.to_json())["files"]
    assert added["before"] is None
    assert added["after"] == {
        "text": document("First").decode(),
        "sha256": digest(document("First")),
    }
    assert set(binary["before"]) == {"base64", "sha256"}


def _spoiled(**changes: object) -> bytes:
    return json.dumps(json.loads(CHANGE_SET.to_json()) | changes).encode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff",
        b"[" * 10_000,
        CHANGE_SET.to_json()[:-5],
        CHANGE_SET.to_json().replace(b"First", b"Other"),
        _spoiled(state="unknown"),
        _spoiled(roots={}),
        _spoiled(changeSetId="../x"),
        _spoiled(files=[{"scope": "user", "path": "../a.md"}]),
        _spoiled(files=[1]),
    ],
)
def test_what_is_not_a_change_set_is_said_to_be_none(data: bytes) -> None:
    with pytest.raises(MemoryFilesError) as caught:
        ChangeSet.from_json(data)
    assert caught.value.code == "change_set_unreadable"


@pytest.mark.parametrize("change_set_id", ["", "a.b", "a/b", "x" * 101, "ü"])
def test_an_id_must_be_fit_for_a_file_name(change_set_id: str) -> None:
    with pytest.raises(ValueError, match="change set id"):
        replace(CHANGE_SET, change_set_id=change_set_id)
