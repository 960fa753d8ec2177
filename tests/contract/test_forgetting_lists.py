"""An entry that leaves a list leaves its head, its file name and the index as well."""

from __future__ import annotations

import pytest

from tests.conftest import bytes_below
from tests.contract.conftest import MEMORY, Api, MakeApi

CAT = "My cat is called Zqxvword Tom"
DOG = "My dog is called Rex the great Zqxdog"
LIST = f"- {CAT}\n- {DOG}\n- My parrot likes tea"


def telling(api: Api, word: str) -> list[str]:
    return [
        str(path)
        for path, content in bytes_below(api.base, api.daemon.settings.state_dir).items()
        if word in content.decode(errors="replace").lower() or word in path.name
    ]


@pytest.mark.parametrize(("text", "word"), [(DOG, "zqxdog"), (CAT, "zqxvword")])
@pytest.mark.parametrize("erase", [True, False])
def test_nothing_of_it_is_left_among_the_memories(
    make_api: MakeApi, text: str, word: str, erase: bool
) -> None:
    api = make_api()
    api.run("remember", {"content": LIST, "scope": "user"})
    assert telling(api, word)
    result = api.run("forget", {"query": text, "erase": erase})["result"]
    assert len(result["removedEntries"]) == 1
    memories = [path for path in telling(api, word) if "/memories/" in path]
    assert memories == []
    if erase:
        assert telling(api, word) == []
    (left,) = api.documents().values()
    assert "My parrot likes tea" in left
    entries = api.get(f"{MEMORY}/entries").body["entries"]
    assert len(entries) == 2


def test_it_can_be_undone(make_api: MakeApi) -> None:
    api = make_api()
    api.run("remember", {"content": LIST, "scope": "user"})
    before = api.documents()
    change_set = api.run("forget", {"query": CAT})["result"]["changeSetId"]
    assert api.documents() != before
    api.run("change", {"changeSetId": change_set, "action": "revert"})
    assert api.documents() == before


def test_a_head_that_tells_nothing_of_it_stays(make_api: MakeApi) -> None:
    api = make_api()
    path = api.base / "memories" / "user" / "pets.md"
    path.parent.mkdir(parents=True)
    head = (
        "---\nname: Pets\ndescription: >\n  All of my\n  animals\nmood: good\ntype: user\n---\n\n"
    )
    path.write_text(head + LIST + "\n")
    api.run("forget", {"query": DOG})
    assert path.read_text() == head + LIST.replace(f"- {DOG}\n", "") + "\n"
