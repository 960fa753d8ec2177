"""Puts the agent together from its command line and environment."""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from qmemd.agent.descriptors import ProtocolWriter, take_over_stdio
from qmemd.agent.limits import Limits
from qmemd.agent.models import Model, make_model
from qmemd.agent.options import Options, parse_options
from qmemd.agent.runner import AgentSettings, TaskRunner
from qmemd.agent.server import AgentServer
from qmemd.agent.worker import Worker
from qmemd.errors import SettingsError

_LAST_WORDS = 0.5
"""Seconds that a task gets to notice that the daemon is gone."""

ModelMaker = Callable[[str, Mapping[str, str], Limits], Model]


def main(argv: Sequence[str], model_maker: ModelMaker = make_model) -> int:
    """Serves until stdin ends, and returns the exit code."""
    try:
        options = parse_options(argv)
    except SettingsError as error:
        sys.stderr.write(f"{error.message}\n")
        return 2
    incoming, outgoing = take_over_stdio()
    # A terminal's Ctrl-C and a supervisor's TERM end the process at once, without a traceback:
    # what is committed is on disk, and half a commit is settled by whoever takes the locks next.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    logging.basicConfig(
        stream=sys.stderr, level=logging.INFO, format="%(levelname)s %(name)s: %(message)s"
    )
    # It would log a line per request; the model logs one itself, with what it cost.
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    return _serve(options, incoming, outgoing, model_maker)


def _serve(options: Options, incoming: int, outgoing: int, model_maker: ModelMaker) -> int:
    environ = dict(os.environ)
    runner = TaskRunner(
        AgentSettings(
            workspace=str(Path.cwd() / (options.workspace or "")),
            bound=options.workspace is not None,
            task_limit=options.task_limit,
            secrets=options.secrets,
        ),
        environ,
        make_model=lambda: model_maker(options.model, environ, options.limits),
        clock=lambda: datetime.now(UTC),
        monotonic=time.monotonic,
        new_id=lambda: str(uuid.uuid4()),
    )
    writer = ProtocolWriter(outgoing)
    worker = Worker(runner, writer.send)
    worker.start()
    understood = AgentServer(runner, worker, writer.send, environ).serve(incoming)
    code = 0 if understood else 1
    if not worker.stop(_LAST_WORDS):
        # A model that cannot be interrupted. Ending the interpreter in order could wait for it.
        os._exit(code)
    runner.close()
    return code
