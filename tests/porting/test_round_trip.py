"""What is exported and restored into an empty memory is there again, byte for byte."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qmemd.kinds import Scope
from qmemd.memory.memorypath import MemoryPath
from tests.memory.world import World
from tests.porting.places import counts, exported, import_export, other

NAMES = st.just("pinned") | st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="/\\"), min_size=1, max_size=8
).filter(lambda name: name not in (".", "..") and not name.startswith("."))
BODIES = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=200),
    st.sampled_from(
        [
            "",
            "\ufeff---\r\nname: with a BOM\r\n---\r\n\r\nText\r\n",
            "---\nname: x\ntype: user\nkeywords: [a, b]\n---\n\nText without a last line feed",
            "- one\n- two\n  Why: three\n",
            "same text",
            "---\nname: never closed\n",
            "\N{LINE SEPARATOR}\x85\x0b\x1f mixed\r\n\rends",
        ]
    ),
)
PLACES = st.tuples(st.sampled_from(list(Scope)), st.lists(NAMES, min_size=1, max_size=3))
MEMORIES = st.dictionaries(PLACES.map(lambda one: (one[0], tuple(one[1]))), BODIES, max_size=8)


@pytest.mark.slow
@settings(derandomize=True, deadline=None, max_examples=60)
@given(MEMORIES)
def test_a_round_trip_is_lossless_and_a_second_import_does_nothing(
    memory: dict[tuple[Scope, tuple[str, ...]], str],
) -> None:
    with tempfile.TemporaryDirectory() as name:
        source, target = World(Path(name).resolve() / "one"), other(Path(name).resolve())
        for number, ((scope, parts), text) in enumerate(memory.items()):
            # Numbered, for disks that know no case and names that fold into each other.
            path = MemoryPath(scope, "/".join((*parts[:-1], f"{parts[-1]}{number}.md")))
            source.save(path, text.encode())
        data = exported(source)
        before = source.files()

        first = import_export(target, data)
        assert target.files() == before
        assert first.complete
        times = {path: (target.base / path).stat().st_mtime_ns for path in relative(target)}
        assert times == {path: (source.base / path).stat().st_mtime_ns for path in relative(source)}

        again = import_export(target, data)
        assert counts(again) == (0, len(before), 0, 0)
        assert again.change_sets == []
        assert target.files() == before


def relative(world: World) -> list[str]:
    """Documents of the user; the project's directory is called after its workspace."""
    root = world.paths.user.path
    return sorted(
        str(path.relative_to(world.base))
        for path in root.rglob("*.md")
        if path.name != "MEMORY.md" and path.is_file()
    )
