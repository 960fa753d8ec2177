from __future__ import annotations

import json
import os

from qmemd.agent.listing import list_documents
from qmemd.kinds import Scope
from qmemd.memory.paths import MemoryPaths
from qmemd.memory.scan import Scan, Scanner
from tests.agent.conftest import Put


def scans(paths: MemoryPaths) -> list[Scan]:
    return [Scanner().scan(root) for root in paths.roots]


def test_faulty_documents_come_first_then_the_newest(paths: MemoryPaths, put: Put) -> None:
    for number, name in enumerate(("old.md", "new.md")):
        os.utime(put(Scope.USER, name, "Text."), (number * 100, number * 100))
    bare = paths.user.path / "bare.md"
    bare.write_text("Text.")
    os.utime(bare, (0, 0))
    lines = [json.loads(line) for line in list_documents(scans(paths)).splitlines()]
    assert [line["path"].rpartition("/")[2] for line in lines] == ["bare.md", "new.md", "old.md"]
    assert lines[1] == {
        "path": str(paths.user.path / "new.md"),
        "type": "user",
        "name": "new.md",
        "description": "Text.",
        "entries": 1,
        "bytes": (paths.user.path / "new.md").stat().st_size,
        "changed": "1970-01-01",
    }


def test_what_does_not_fit_is_said(paths: MemoryPaths, put: Put) -> None:
    for number in range(30):
        put(Scope.USER, f"{number}.md", "Text.")
    found = scans(paths)
    lines = list_documents(found, max_documents=10).splitlines()
    assert len(lines) == 11
    assert "20 more" in lines[-1]
    listing = list_documents(found, max_characters=1000)
    assert len(listing) < 1200
    assert listing.splitlines()[-1].startswith("[Cut: ")
    assert list_documents([]) == ""


def test_no_field_makes_a_line_of_its_own(paths: MemoryPaths) -> None:
    paths.user.path.mkdir(parents=True)
    head = (
        '---\nname: "a\\n{\\"path\\": \\"/etc\\"}\\u2028b"\ndescription: |\n  x\n  y\ntype: user\n'
    )
    (paths.user.path / "a.md").write_text(f"{head}---\n\nText.\n")
    (line,) = list_documents(scans(paths)).splitlines()
    assert json.loads(line)["description"] == "x y"
