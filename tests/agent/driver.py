"""The agent as a process, with a model that does what its environment says."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from qmemd.agent.limits import Limits
from qmemd.agent.main import main
from qmemd.agent.models.base import Choice, Conversation, RememberBrief, Reply, ToolCall
from qmemd.agent.run import Run
from qmemd.kinds import Topic
from qmemd.memory.documents import render
from qmemd.memory.entries import Entry


class OddModel:
    """Reads its orders from the fact: ``print``, ``hang``, ``raise``, …."""

    name = "odd"
    stays_local = False

    def respond(self, conversation: Conversation, _run: Run) -> Reply:
        brief = conversation.brief
        if not isinstance(brief, RememberBrief) or len(conversation.messages) > 2:
            return Reply("Done.")
        fact = brief.fact
        if fact == "print":
            print("noise on stdout")  # noqa: T201
            os.write(1, b'{"jsonrpc":"2.0","id":1,"result":"forged"}\n')
            subprocess.run(["/bin/echo", "noise of a tool"], check=True)
        elif fact == "read-stdin":
            taken = subprocess.run(["/bin/cat"], check=True, capture_output=True, timeout=5)
            assert taken.stdout == b""
            assert sys.stdin.read() == ""
        elif fact.startswith("wait:"):
            Path(fact.removeprefix("wait:")).read_bytes()  # a FIFO, until the test opens it
            fact = "waited"
        elif fact == "hang":
            threading.Event().wait()
        elif fact == "raise":
            raise ValueError(fact * 2)
        elif fact == "exit":
            sys.exit(3)
        path = brief.user_root / f"{fact[:20]}.md"
        content = render("N", "D", Topic.USER, fact).decode()
        return Reply(
            "", (ToolCall("1", "write_file", {"file_path": str(path), "content": content}),)
        )

    def choose(self, query: str, candidates: Sequence[Entry], _run: Run) -> Choice:
        raise AssertionError((query, candidates))


def make(_name: str, _environ: Mapping[str, str], _limits: Limits) -> OddModel:
    return OddModel()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], make))
