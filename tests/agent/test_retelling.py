from __future__ import annotations

import pytest

from qmemd.agent.retelling import renamed, retold
from qmemd.memory.documents import parse

BODY = "- The parrot likes tea\n- The cat sleeps all day\n"
GONE = "My dog is called Rex the great"


def document(head: str, newline: str = "\n") -> bytes:
    return f"---\n{head}---\n\n{BODY}".replace("\n", newline).encode()


@pytest.mark.parametrize(
    "head",
    [
        f"name: {GONE}\ndescription: Pets\ntype: user\n",
        'name: "Pets"\ndescription: "The parrot - My dog is called Rex…"\ntype: user\n',
        "title: Rex the great\ntype: user\n",
        "name: Pets\ndescription: >\n  Them:\n  my dog is called Rex\nmood: good\ntype: user\n",
        "description: |\n  My dog is called Rex\n\n  and more\ntype: user\n",
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_head_that_tells_it_is_told_anew(head: str, newline: str) -> None:
    data = retold(document(head, newline), [GONE])
    text = data.decode()
    assert "rex" not in text.lower()
    assert text.endswith(BODY.replace("\n", newline))
    assert ("mood: good" in text) == ("mood: good" in head)
    told = parse(data)
    assert told.topic is not None
    assert (told.name or "").strip() or "name" not in head


@pytest.mark.parametrize(
    "head", ["name: Pets\ndescription: The cat sleeps all day\ntype: user\n", "type: user\n", ""]
)
def test_any_other_head_stays_byte_for_byte(head: str) -> None:
    data = document(head)
    assert retold(data, [GONE, "The cat sleeps all day"]) == data
    assert retold(BODY.encode(), [GONE]) == BODY.encode()


@pytest.mark.parametrize(
    ("stem", "told"),
    [
        ("my-dog-is-called-rex", True),
        ("my-dog-is-called-rex-2", True),
        ("pets", False),
        ("the-cat-sleeps", False),
        ("dogs", False),
    ],
)
def test_a_file_is_renamed_only_when_its_name_tells(stem: str, told: bool) -> None:
    wanted = "the-parrot-likes-tea" if told else None
    assert renamed(stem, document("type: user\n"), [GONE]) == wanted
