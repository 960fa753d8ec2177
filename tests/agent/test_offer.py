from __future__ import annotations

from qmemd.agent.offer import MAX_CHARACTERS, MAX_TEXT, make_offer
from qmemd.kinds import Scope, Topic
from qmemd.memory.entries import Entry


def entry(scope: Scope, name: str, text: str) -> Entry:
    return Entry(scope, f"{name}.md", None, text, Topic.USER, name, text[:40])


def many(scope: Scope, number: int, text: str = "Something about the weather.") -> list[Entry]:
    return [entry(scope, f"{scope}-{n}", text) for n in range(number)]


def test_a_small_memory_is_offered_as_it_is() -> None:
    entries = [*many(Scope.PROJECT, 80), *many(Scope.USER, 80)]
    assert make_offer("tea", entries) == entries
    assert make_offer("tea", []) == []


def test_what_holds_the_words_comes_first_then_what_holds_some() -> None:
    entries = [
        *many(Scope.USER, 400),
        entry(Scope.USER, "some", "Tea is drunk here, and it is of a green colour."),
        entry(Scope.USER, "phrase", "The weather is fine and a green tea is what goes with it."),
    ]
    offered = make_offer("please forget green tea", entries)
    assert [one.name for one in offered[:2]] == ["phrase", "some"]
    assert len(offered) == 200


def test_both_scopes_have_seats() -> None:
    entries = [*many(Scope.USER, 1000, "Green tea is fine."), *many(Scope.PROJECT, 1000)]
    offered = make_offer("green tea", entries)
    assert len(offered) == 200
    assert sum(one.scope is Scope.PROJECT for one in offered) == 50
    entries = [*many(Scope.USER, 3), *many(Scope.PROJECT, 1000, "Green tea is fine.")]
    offered = make_offer("green tea", entries)
    assert sum(one.scope is Scope.USER for one in offered) == 3
    assert len(offered) == 200


def test_long_texts_are_cut_and_all_together_bounded() -> None:
    entries = many(Scope.USER, 300, "word " * 4000)
    offered = make_offer("green tea", entries)
    assert 0 < len(offered) < 20
    assert all(len(one.text) <= MAX_TEXT + 1 for one in offered)
    assert sum(len(one.text) for one in offered) <= MAX_CHARACTERS
    tail = [*entries, entry(Scope.PROJECT, "small", "Ships in May.")]
    assert "small" in [one.name for one in make_offer("green tea", tail)]


def test_any_query_has_an_offer() -> None:
    entries = many(Scope.USER, 300)
    for query in ("*", "e", "\\", "(", "the", "記憶を忘れて", "x" * 60_000, "word " * 10_000):
        assert len(make_offer(query, entries)) == 200
