from __future__ import annotations

from qmemd.porting.report import MAX_LINES, MAX_SHOWN, Item, Report, shown


def test_nothing_of_a_source_reaches_a_terminal_as_more_than_text() -> None:
    assert shown("a\x1b[31m\nb\u202ec\ud800") == "a\ufffd[31m b\ufffdc\ufffd"
    assert len(shown("x" * 1000)) == MAX_SHOWN
    assert "ghp_" not in shown("ghp_abcdefghijklmnopqrstuvwxyz0123456789")


def test_both_forms() -> None:
    report = Report(
        added=[Item("a", "user:a.md")],
        present=[Item("user:x.md", "user:x.md")],
        conflicts=[Item("user:b.md", "Taken.")],
        skipped=[Item("c", "no")],
        change_sets=["set-1"],
    )
    assert report.lines() == [
        "added          a -> user:a.md",
        "already there  user:x.md",
        "conflict       user:b.md: Taken.",
        "skipped        c: no",
        "1 added, 1 already there, 1 in conflict, 1 skipped",
        "take it back with: qmemd undo set-1",
    ]
    wire = report.to_json()
    assert wire["counts"] == {"added": 1, "alreadyThere": 1, "conflicts": 1, "skipped": 1}
    assert wire["skipped"] == [{"where": "c", "reason": "no"}]
    assert wire["changeSets"] == ["set-1"]


def test_what_went_well_is_counted_and_what_did_not_is_listed() -> None:
    items = [Item(f"{number}", "x") for number in range(MAX_LINES + 5)]
    lines = Report(added=items, skipped=items, change_sets=["1", "2"]).lines()
    assert "added          and 5 more" in lines
    assert len(lines) == MAX_LINES + 1 + len(items) + 2
    assert lines[-1] == "take back any of its 2 changes: see qmemd history"
    assert len(Report(added=items).lines(dry=True)) == len(items) + 1


def test_how_it_ended_is_said() -> None:
    assert Report().lines()[-1] == "nothing is new: the memory was not changed"
    assert Report(interrupted=True).lines()[-1].startswith("interrupted: ")
    assert not Report(interrupted=True).complete
