"""Secrets in documents that other programs wrote: a model behind a network sees none of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from qmemd.agent.blots import Blots
from qmemd.agent.models.base import Choice, Conversation, DreamBrief, Reply
from qmemd.kinds import ContextMode, Scope, Topic
from qmemd.memory.documents import render
from qmemd.memory.entries import Entry
from qmemd.memory.secrets import SecretPolicy
from tests.agent.conftest import Put
from tests.agent.scripted import ScriptedModel, calls, read, write
from tests.agent.workbench import Workbench

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3
OTHER = "ghp_" + "Zz9Yy8Xx7Ww6" * 3
PEM = f"-----BEGIN PRIVATE KEY-----\n{'MIIEvQ' * 10}\n{'AbCdEf' * 10}\n-----END PRIVATE KEY-----"
SECRETS = {
    "token": (f"The deploy token is {TOKEN} for now.", TOKEN),
    "password": ("The database has password: hunter2rabbits and runs.", "hunter2rabbits"),
    "url": ("The queue is amqp://app:s3cretpw@queue.internal/app today.", "s3cretpw"),
    "key": (f"The key:\n\n{PEM}\n\nNothing else.", "MIIEvQ"),
}
NAMES = list(SECRETS)


class LocalModel(ScriptedModel):
    stays_local = True


def everything_told(model: ScriptedModel) -> str:
    """All that the model was given: messages and what its brief says as data."""
    told = [message.text for heard in model.heard for message in heard.messages]
    told += [str(heard.brief) for heard in model.heard]
    return "\n".join(told)


def looks(path: Path) -> list[Reply]:
    """Each way to look at a document."""
    root = str(path.parent)
    return [
        calls(
            ("read_file", {"file_path": str(path)}),
            *(("read_file", {"file_path": str(path), "offset": at}) for at in range(60, 200, 7)),
            ("ls", {"path": root}),
            *(("grep", {"path": root, "pattern": word}) for word in ("e", "MII", "ghp_", "-----")),
            ("grep", {"path": str(path), "pattern": "the"}),
            ("read_file", {"file_path": f"{root}/MEMORY.md"}),
        )
    ]


@pytest.mark.parametrize("name", NAMES)
def test_no_way_to_look_shows_a_secret(bench: Workbench, put: Put, name: str) -> None:
    text, secret = SECRETS[name]
    path = put(Scope.USER, "secret.md", text)
    put(Scope.USER, "twin.md", text)
    bench.dream(ScriptedModel())  # makes the index
    for run in (bench.remember, bench.dream):
        model = ScriptedModel([*looks(path), write(bench.paths.user.path / f"{run.__name__}.md")])
        run(model)
        told = everything_told(model)
        assert secret not in told
        assert "[redacted: " in told
        assert "secret.md" in told
    local = LocalModel([*looks(path), write(bench.paths.user.path / "new.md", "Another fact.")])
    bench.remember(local)
    assert secret in everything_told(local)


def test_who_allows_secrets_shows_them(bench: Workbench, put: Put) -> None:
    text, secret = SECRETS["token"]
    path = put(Scope.USER, "secret.md", text)
    bench.secrets = SecretPolicy.ALLOW
    model = ScriptedModel([read(path), write(bench.paths.user.path / "new.md")])
    bench.remember(model)
    assert secret in model.answers[0]


def test_a_description_that_was_cut_amidst_a_secret_shows_no_part_of_it(
    bench: Workbench, put: Put
) -> None:
    path = put(Scope.USER, "secret.md", f"A token: {TOKEN}")
    short = f"A token: {TOKEN[:20]}…"
    path.write_bytes(render("Token", short, Topic.USER, f"A token: {TOKEN}"))
    put(Scope.USER, "long.md", f"{'word ' * 22}{TOKEN}")
    bench.dream(ScriptedModel())
    model = ScriptedModel([*looks(path), write(bench.paths.user.path / "new.md")])
    bench.remember(model)
    dreamer = ScriptedModel(looks(path))
    bench.dream(dreamer)
    for told in (everything_told(model), everything_told(dreamer)):
        assert TOKEN[:12] not in told


def test_a_secret_across_the_end_of_a_piece_is_hidden_whole(bench: Workbench, put: Put) -> None:
    filler = "word " * 13_000
    path = put(Scope.USER, "long.md", f"{filler}\n{TOKEN}\n{filler}")
    start = path.read_bytes().index(TOKEN.encode())
    reads = [
        ("read_file", {"file_path": str(path), "offset": max(0, at)})
        for at in range(start - 64 * 1024 - 40, start + 60, 8 * 1024)
    ]
    model = ScriptedModel([calls(*reads), write(bench.paths.user.path / "new.md")])
    bench.remember(model)
    told = everything_told(model)
    assert all(TOKEN[at : at + 10] not in told for at in range(0, 30, 5))


def test_equal_secrets_have_one_mark_and_others_another() -> None:
    blots = Blots(active=True)
    first, again, other = (blots.text(f"x {value} y") for value in (TOKEN, TOKEN, OTHER))
    assert first == again != other
    assert first == "x [redacted: GitHub token 1] y"
    assert Blots().text(TOKEN) == TOKEN


def bodies(path: Path, text: str) -> str:
    return render(path.name, "D", Topic.USER, text).decode()


def test_what_was_not_shown_cannot_be_written_over(bench: Workbench, put: Put) -> None:
    text, _ = SECRETS["token"]
    path = put(Scope.USER, "secret.md", text)
    fence = bench.paths.user.path

    def shown(heard: Conversation) -> str:
        return next(m.text for m in heard.messages if m.role == "tool")

    def attacks(heard: Conversation) -> Reply:
        document = shown(heard)
        body = document.rpartition("---\n\n")[2].strip()
        mark = body[body.index("[") : body.index("]") + 1]
        return calls(
            ("write_file", {"file_path": str(path), "content": document}),
            ("write_file", {"file_path": str(path), "content": bodies(path, "The token.")}),
            ("write_file", {"file_path": str(fence / "copy.md"), "content": document}),
            ("edit", edit(path, body, "Gone.")),
            ("edit", edit(path, mark, "")),
            ("edit", edit(path, "for now", mark)),
            ("edit", edit(path, TOKEN, "")),
            ("edit", edit(path, TOKEN[:9], "")),
            ("edit", edit(path, "is " + TOKEN[:5], "is ")),
        )

    model = ScriptedModel([read(path), attacks])
    before = bench.files()
    result = bench.dream(model)
    assert result["changeSetId"] is None
    assert bench.files() == before
    assert all(said.startswith("Refused: ") for said in model.answers[1:]), model.answers
    assert "redacted" in "".join(model.answers[1:6])
    assert len(set(model.answers[-3:])) == 1, "guesses must not be told apart"


def edit(path: Path, old: str, new: str) -> dict[str, str]:
    return {"file_path": str(path), "old_string": old, "new_string": new}


def test_the_text_around_a_secret_can_be_edited_and_the_secret_stays(
    bench: Workbench, put: Put
) -> None:
    text, secret = SECRETS["token"]
    path = put(Scope.USER, "secret.md", f"A deploy.\n\n{text[:-1]}, they say.")
    change = edit(path, "for now, they say", "until May")
    result = bench.remember(ScriptedModel([read(path), calls(("edit", change))]))
    assert result["filesTouched"] == [str(path)]
    assert f"{secret} until May." in path.read_text()


@pytest.mark.parametrize("name", ["password", "url", "key"])
def test_a_secret_cannot_be_laid_bare_by_an_edit_beside_it(
    bench: Workbench, put: Put, name: str
) -> None:
    text, secret = SECRETS[name]
    path = put(Scope.USER, "secret.md", text)
    beside = {"password": "password: ", "url": "amqp://app:", "key": "The key:\n\n"}[name]
    model = ScriptedModel(
        [
            read(path),
            calls(("edit", edit(path, beside, "It is "))),
            read(path),
        ]
    )
    bench.dream(model)
    assert secret not in everything_told(model)
    assert secret in path.read_text()


def test_a_document_is_not_merged_into_one_that_lacks_its_secret(
    bench: Workbench, put: Put
) -> None:
    gone = put(Scope.USER, "gone.md", f"The deploy token is {TOKEN}.")
    kept = put(Scope.USER, "kept.md", f"The deploy token is {OTHER}.")
    equal = put(Scope.USER, "equal.md", f"The deploy token is {TOKEN}")
    for number in range(4):
        put(Scope.USER, f"{number}.md", f"Fact number {number}.")

    def merge(into: Path) -> Reply:
        return calls(("remove", {"file_path": str(gone), "merged_into": str(into)}))

    model = ScriptedModel([read(gone, kept), merge(kept)])
    assert bench.dream(model)["removedFiles"] == []
    assert "redacted" in model.answers[-1]
    assert bench.dream(ScriptedModel([merge(equal)]))["removedFiles"] == [str(gone)]


@pytest.mark.parametrize("name", NAMES)
def test_what_holds_a_secret_can_be_forgotten_unseen(bench: Workbench, put: Put, name: str) -> None:
    text, secret = SECRETS[name]
    path = put(Scope.USER, "secret.md", text)
    other = put(Scope.USER, "other.md", text.replace(secret, "0therSecret99") + " Another one.")
    seen: list[Entry | str] = []

    def choose(query: str, offered: Sequence[Entry]) -> Choice:
        seen.extend([query, *offered])
        return Choice(tuple(e.entry_id for e in offered if e.path == "secret.md"), "That.")

    result = bench.forget(ScriptedModel(choose=choose), f"the one with {text}")
    assert secret not in str(seen)
    assert [entry["filePath"] for entry in result["removedEntries"]] == [str(path)]
    assert not path.exists()
    assert other.exists()


def test_a_name_that_is_a_secret_is_no_way_to_show_it(bench: Workbench, put: Put) -> None:
    path = put(Scope.USER, f"{TOKEN}.md", "Some fact.")

    def choose(_query: str, offered: Sequence[Entry]) -> Choice:
        assert TOKEN not in str(offered)
        return Choice((offered[0].entry_id,), "That.")

    model = ScriptedModel([*looks(path.with_name("x.md"))])
    bench.dream(model)
    assert TOKEN not in everything_told(model)
    assert bench.forget(ScriptedModel(choose=choose))["removedEntries"]
    assert not path.exists()


def test_a_cut_candidate_shows_no_part_of_a_secret(bench: Workbench, put: Put) -> None:
    for at in (3_970, 3_990):
        filler = "x" * (at - 1)
        put(Scope.USER, f"{at}.md", f"{filler} {TOKEN} tea")

    def choose(_query: str, offered: Sequence[Entry]) -> Choice:
        assert TOKEN[:8] not in str(offered)
        return Choice((), "None.")

    bench.forget(ScriptedModel(choose=choose), "tea")


def test_duplicates_with_secrets_are_merged_unseen(bench: Workbench, put: Put) -> None:
    kept = put(Scope.USER, "a.md", f"Token {TOKEN}.")
    extra = put(Scope.USER, "b.md", f"Token {TOKEN}")
    put(Scope.USER, "c.md", f"Token {OTHER}")

    def merge(heard: Conversation) -> Reply:
        brief = heard.brief
        assert isinstance(brief, DreamBrief)
        (group,) = brief.duplicates
        paths = [str(brief.user_root / e.path) for e in (group.extra[0], group.keep)]
        return calls(("remove", {"file_path": paths[0], "merged_into": paths[1]}))

    model = ScriptedModel([merge])
    assert bench.dream(model)["dedupedEntries"] == 1
    assert TOKEN not in everything_told(model)
    assert kept.exists() != extra.exists()


def test_a_marked_fact_of_the_user_is_an_ordinary_text(bench: Workbench) -> None:
    bench.secrets = SecretPolicy.MASK
    path = bench.paths.user.path / "token.md"

    def store(heard: Conversation) -> Reply:
        assert TOKEN not in heard.messages[-1].text
        return write(path, "The token is [redacted].")

    bench.remember(ScriptedModel([store]), f"The token is {TOKEN}.")
    assert "[redacted]" in path.read_text()


def test_nothing_is_shown_to_who_must_see_nothing(bench: Workbench, put: Put) -> None:
    path = put(Scope.USER, "secret.md", SECRETS["token"][0])
    model = ScriptedModel([*looks(path), write(bench.paths.user.path / "new.md")])
    bench.remember(model, context_mode=ContextMode.CLEAN)
    assert "deploy token" not in everything_told(model)
    json.dumps(model.answers)


def test_secrets_that_run_into_each_other_leave_nothing_between_them() -> None:
    blots = Blots(active=True)
    text = f"password: {TOKEN} and {TOKEN},{OTHER} or {TOKEN[:15]}{OTHER[:12]}."
    shown = blots.text(text)
    assert not any(secret[at : at + 6] in shown for secret in (TOKEN, OTHER) for at in range(30))
    assert "".join(piece.text for piece in blots.pieces(text)) == text
