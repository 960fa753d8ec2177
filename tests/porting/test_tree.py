from __future__ import annotations

import os
import socket
from pathlib import Path

from qmemd.kinds import Scope
from qmemd.porting.records import Read, ReadDocument, ReadFact, Unreadable
from qmemd.porting.tree import MAX_TREE_DEPTH, read_tree


def save(directory: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def read(directory: Path, scope: Scope | None = None) -> dict[str, Read]:
    found: dict[str, Read] = {}
    for one in read_tree(directory, scope):
        if isinstance(one, ReadDocument):
            found[f"{one.scope.value}:{one.relative}"] = one
        else:
            found[one.where] = one
    return found


def test_documents_keep_their_place_and_go_where_their_type_belongs(tmp_path: Path) -> None:
    save(
        tmp_path,
        {
            "plain.md": b"no head\r\n",
            "sub/a.md": b"---\ntype: user\n---\n\nx",
            "rule.mdc": b"---\ndescription: x\nglobs: '*.py'\n---\n\nx",
            "Loud.MD": b"---\ntype: reference\n---\n\nx",
            "notes.txt": b"not looked at",
            ".git/x.md": b"not looked at",
        },
    )
    assert set(read(tmp_path)) == {
        "project:plain.md",
        "user:sub/a.md",
        "project:rule.md",
        "project:Loud.md",
    }
    assert set(read(tmp_path, Scope.USER)) == {
        "user:plain.md",
        "user:sub/a.md",
        "user:rule.md",
        "user:Loud.md",
    }
    plain = read(tmp_path)["project:plain.md"]
    assert isinstance(plain, ReadDocument)
    assert plain.content == b"no head\r\n"
    assert plain.modified_ns == (tmp_path / "plain.md").stat().st_mtime_ns


def test_context_files_and_what_an_index_says_beside_its_links_are_facts(tmp_path: Path) -> None:
    save(
        tmp_path,
        {
            "CLAUDE.md": b"## Style\n- use tabs\n",
            "sub/Agents.md": b"- run the tests\n",
            "MEMORY.md": b"# Memory\n- [A](a.md) \xe2\x80\x94 x\n- a fact of its own\n",
            "bad/GEMINI.md": b"\xff",
        },
    )
    found = read(tmp_path)
    facts = {where: one.text for where, one in found.items() if isinstance(one, ReadFact)}
    assert facts == {
        "CLAUDE.md line 2": "Style: use tabs",
        "sub/Agents.md line 1": "run the tests",
        "MEMORY.md line 3": "a fact of its own",
    }
    assert isinstance(found["bad/GEMINI.md"], Unreadable)


def test_links_pipes_sockets_and_bad_files_are_told_and_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_bytes(b"secret")
    tree = tmp_path / "tree"
    save(
        tree,
        {"nul.md": b"a\0b", "latin.md": b"\xe4", "large.md": b"x" * ((1 << 20) + 1), "ok.md": b""},
    )
    (tree / "link.md").symlink_to(secret)
    (tree / "link-out").symlink_to(tmp_path)
    os.mkfifo(tree / "pipe.md")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tree / "socket.md"))
        found = read(tree)
    assert {where for where, one in found.items() if isinstance(one, Unreadable)} == {
        *("nul.md", "latin.md", "large.md", "link.md", "pipe.md", "socket.md")
    }
    assert "project:ok.md" in found
    assert len(found) == 7


def test_directories_below_each_other_are_bounded(tmp_path: Path) -> None:
    deep = tmp_path / "/".join(["d"] * (MAX_TREE_DEPTH + 1))
    deep.mkdir(parents=True)
    (deep / "x.md").write_bytes(b"x")
    (one,) = read(tmp_path).values()
    assert isinstance(one, Unreadable)
    assert "too deep" in one.reason


def test_a_link_that_the_user_names_is_followed(tmp_path: Path) -> None:
    save(tmp_path / "real", {"a.md": b"a"})
    (tmp_path / "link").symlink_to("real")
    assert set(read(tmp_path / "link")) == {"project:a.md"}
