"""An ACP program that does what its script says.

Run as ``python child.py SCRIPT`` where SCRIPT is JSON, or ``@FILE``. The script is an object:

``starts``       file that gets one line with the pid at each start
``log``          file that gets each line that arrived on stdin
``ignore``       list of ``"TERM"`` and ``"EOF"``
``on``           method (or its last part; ``start`` for before anything is read) to its steps
``per_start``    list of objects that replace keys of the script at the 1st, 2nd … start; the last
                 one stays (needs ``starts``)

A method without steps is answered as a healthy child would. A step is ``[name, argument]`` or just
a name; see the methods of ``Child`` named ``do_…``.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

NOTHING = {"summary": "done", "touchedScopes": []}
HEALTHY = {
    "initialize": {"protocolVersion": 1, "agentInfo": {"name": "fake"}, "agentCapabilities": {}},
    "availability": {"available": True},
    "remember": {**NOTHING, "filesTouched": []},
    "forget": {**NOTHING, "removedEntries": [], "touchedTopics": []},
    "dream": {**NOTHING, "touchedTopics": [], "dedupedEntries": 0},
}


class Child:
    def __init__(self, script: dict[str, Any]) -> None:
        self.script = script
        self.message: dict[str, Any] = {}

    def start(self) -> None:
        if starts := self.script.get("starts"):
            with Path(starts).open("a") as file:
                file.write(f"{os.getpid()}\n")
            variants = self.script.get("per_start", [])
            count = len(Path(starts).read_text().splitlines())
            self.script |= variants[min(count, len(variants)) - 1] if variants else {}
        if "TERM" in self.script.get("ignore", ()):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        self.run("start")
        while self.take():
            pass
        while "EOF" in self.script.get("ignore", ()):
            time.sleep(60)

    def take(self) -> bool:
        line = sys.stdin.buffer.readline()
        if not line:
            return False
        if log := self.script.get("log"):
            with Path(log).open("ab") as file:
                file.write(line)
        message = json.loads(line)
        if "method" in message and "id" in message:
            self.message = message
            self.run(message["method"].rpartition("/")[2])
        return True

    def run(self, name: str) -> None:
        for step in self.script.get("on", {}).get(name, () if name == "start" else ["reply"]):
            action, argument = step if isinstance(step, list) else (step, None)
            getattr(self, f"do_{action}")(argument)

    def write(self, data: bytes) -> None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

    def answer(self, **body: Any) -> bytes:
        return json.dumps({"jsonrpc": "2.0", "id": self.message["id"], **body}).encode() + b"\n"

    def result(self, value: Any) -> bytes:
        name = self.message["method"].rpartition("/")[2]
        return self.answer(result=HEALTHY[name] if value is None else value)

    def do_reply(self, value: Any) -> None:
        """Answers with this result, or a healthy one."""
        self.write(self.result(value))

    def do_reply_summary(self, argument: Any) -> None:
        """A remember result with a long summary: ``[text, how often]``."""
        summary = argument[0] * argument[1]
        result = {"summary": summary, "filesTouched": [], "touchedScopes": []}
        self.write(
            json.dumps(
                {"jsonrpc": "2.0", "id": self.message["id"], "result": result}, ensure_ascii=False
            ).encode()
            + b"\n"
        )

    def do_reply_bytewise(self, value: Any) -> None:
        text = json.dumps(value, ensure_ascii=False)
        head = f'{{"jsonrpc":"2.0","id":{self.message["id"]},"result":'
        for byte in f"{head}{text}}}\n".encode():
            self.write(bytes([byte]))

    def do_reply_unterminated(self, value: Any) -> None:
        """The last line has no end; then stdout is closed."""
        self.write(self.result(value).removesuffix(b"\n"))
        os.close(1)

    def do_error(self, error: Any) -> None:
        self.write(self.answer(error=error))

    def do_raw(self, text: Any) -> None:
        self.write(text.encode())

    def do_huge(self, count: Any) -> None:
        """So many bytes without a line end."""
        for _ in range(count // 65536):
            self.write(b"x" * 65536)

    def do_flood_stderr(self, count: Any) -> None:
        sys.stderr.write("e" * count)
        sys.stderr.flush()

    def do_stderr(self, text: Any) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()

    def do_environment(self, _: Any) -> None:
        """Answers with the environment, in place of a summary."""
        summary = json.dumps(dict(os.environ))
        self.write(self.result({"summary": summary, "filesTouched": [], "touchedScopes": []}))

    def do_sleep(self, seconds: Any) -> None:
        time.sleep(seconds)

    def do_silent(self, _: Any) -> None:
        """Never answers, but goes on reading."""

    def do_hang(self, _: Any) -> None:
        """Reads nothing more."""
        while True:
            time.sleep(60)

    def do_eat(self, mebibytes: Any) -> None:
        """Uses so much more memory, for good."""
        self.eaten = b"x" * (mebibytes * 1024 * 1024)

    def do_eat_in_another(self, mebibytes: Any) -> None:
        """Leaves a process in our group that does the same."""
        code = "import sys, time; eaten = b'x' * (int(sys.argv[1]) << 20); time.sleep(60)"
        other = subprocess.Popen([sys.executable, "-I", "-S", "-c", code, str(mebibytes)])
        other.returncode = 0  # it is not waited for

    def do_exit(self, code: Any) -> None:
        os._exit(code)

    def do_kill_itself(self, _: Any) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def do_close_stdout(self, _: Any) -> None:
        os.close(1)

    def do_close_stdin(self, _: Any) -> None:
        os.close(0)

    def do_append(self, argument: Any) -> None:
        path, text = argument
        with Path(path).open("a") as file:
            file.write(text)

    def do_request(self, message: Any) -> None:
        """Sends a message and, if it has an id, waits for what comes back."""
        mine = self.message
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        if "id" in message:
            self.take()
        self.message = mine

    def do_until_cancelled(self, _: Any) -> None:
        mine = self.message
        line = sys.stdin.buffer.readline()
        if log := self.script.get("log"):
            with Path(log).open("ab") as file:
                file.write(line)
        if json.loads(line)["params"]["requestId"] != mine["id"]:
            os._exit(9)

    def do_grandchild(self, argument: Any) -> None:
        """Leaves a process with our pipes that ignores SIGTERM: ``[pid file, own session]``."""
        path, detached = argument
        code = (
            "import os,signal,sys,time\n"
            "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
            "open(sys.argv[1] + '.new', 'w').write(str(os.getpid()))\n"
            "os.rename(sys.argv[1] + '.new', sys.argv[1])\n"
            "time.sleep(60)\n"
        )
        grandchild = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", code, path], start_new_session=detached
        )
        while not Path(path).exists():
            time.sleep(0.002)
        grandchild.returncode = 0  # it is not waited for


if __name__ == "__main__":
    source = sys.argv[1]
    text = Path(source[1:]).read_text() if source.startswith("@") else source
    Child(json.loads(text)).start()
