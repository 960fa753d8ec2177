from __future__ import annotations

from collections.abc import Iterator

import pytest

from qmemd.porting.facts import MAX_FACTS, decoded, facts_of_bullets, facts_of_lines
from qmemd.porting.records import Read, ReadFact, SourceRefusedError, Unreadable
from qmemd.tasks import MAX_TEXT_BYTES

CONTEXT = """\
# The project

Prose that is no bullet.

- Title bullet

## Never do

- commit to main
  because of CI

  second paragraph
* use tabs
1. first
- [ ] open point

```sh
- code
~~~
- still code
```

## Added memories:
- The cat is called Minka
| - | a table |
### Gemini Added Memories
+ last
"""


def texts(read: Iterator[Read]) -> list[str]:
    return [one.text for one in read if isinstance(one, ReadFact)]


def test_one_fact_a_line() -> None:
    text = "\ufeff# Heading\r\n\r\n- one\r\n  two  \r\n3. three\rfour #4\n* [x] five\n-\n"
    assert texts(facts_of_lines(text)) == ["one", "two", "three", "four #4", "five", "-"]


def test_lines_are_numbered_as_in_the_file() -> None:
    assert list(facts_of_lines("# h\n\nfact\n")) == [ReadFact("fact", "line 3")]


def test_bullets_with_what_is_below_them_and_the_heading_above() -> None:
    assert texts(facts_of_bullets(CONTEXT)) == [
        "Title bullet",
        "Never do: commit to main\nbecause of CI\n\nsecond paragraph",
        "Never do: use tabs",
        "Never do: first",
        "Never do: open point",
        "The cat is called Minka",
        "last",
    ]


def test_a_fence_that_is_never_closed_hides_what_follows() -> None:
    assert texts(facts_of_bullets("- a\n\n```\n- b\n- c\n")) == ["a"]


@pytest.mark.parametrize("fact", ["x" * (MAX_TEXT_BYTES + 1), "\u200b", "\x1b\x07"])
def test_what_no_task_takes_is_told(fact: str) -> None:
    (found,) = facts_of_lines(fact)
    assert isinstance(found, Unreadable)


def test_their_number_is_bounded() -> None:
    *facts, last = facts_of_lines("fact\n" * (MAX_FACTS + 10))
    assert len(facts) == MAX_FACTS
    assert isinstance(last, Unreadable)


def test_what_is_no_text_is_refused_with_its_line() -> None:
    with pytest.raises(SourceRefusedError, match="line 2 is not UTF-8"):
        decoded(b"a\nb\xff")
    with pytest.raises(SourceRefusedError, match="NUL byte in line 3"):
        decoded(b"a\nb\n\0")
