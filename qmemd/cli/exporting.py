"""``qmemd export``."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import click

from qmemd.cli.context import Context, asks_daemon, fail, only_here, printable
from qmemd.cli.exits import Exit
from qmemd.cli.progress import progress
from qmemd.cli.streams import standard_output
from qmemd.config.layers import layered
from qmemd.errors import QmemdError
from qmemd.memory.paths import MemoryPaths
from qmemd.porting.exporting import Exported, export
from qmemd.porting.target import export_file


@click.command("export")
@click.argument("file")
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@asks_daemon
def export_memory(context: Context, file: str, force: bool) -> None:
    """Write the memory of user and project into FILE; - is standard output.

    It needs no daemon. What it did is told on standard error when the export goes to standard
    output.
    """
    only_here(context)
    try:
        paths = layered({"workspace": context.workspace}, os.environ).settings().memory
        done = _to_stdout(context, paths) if file == "-" else _to_file(context, paths, file, force)
    except KeyboardInterrupt:
        sys.exit(Exit.INTERRUPTED)
    except BrokenPipeError:
        raise  # whoever read has gone, and knows it
    except FileExistsError:
        fail(context, f"{file} is there already; --force replaces it", "file_exists")
    except QmemdError as error:
        fail(context, error.message, error.code)
    except OSError as error:
        fail(context, f"{file} cannot be written: {error.strerror}", "export_failed")
    _tell(context, done, to_stderr=file == "-")
    if done.left_out:
        sys.exit(Exit.FAILED)


def _to_file(context: Context, paths: MemoryPaths, file: str, force: bool) -> Exported:
    with export_file(Path(file), replace=force) as out:
        return _export(context, paths, out)


def _to_stdout(context: Context, paths: MemoryPaths) -> Exported:
    out = standard_output()
    with ExitStack() as closing:
        # Whoever reads slowly must not hold the locks.
        kept = closing.enter_context(tempfile.TemporaryFile())
        done = _export(context, paths, kept)
        kept.seek(0)
        shutil.copyfileobj(kept, out)
        out.flush()
    return done


def _export(context: Context, paths: MemoryPaths, out: IO[bytes]) -> Exported:
    with progress("exporting", wanted=not context.as_json) as advance:
        return export(paths, out, clock=lambda: datetime.now(UTC), advance=advance)


def _tell(context: Context, done: Exported, *, to_stderr: bool) -> None:
    if context.as_json:
        left_out = [{"where": one.where, "reason": one.reason} for one in done.left_out]
        told = {"documents": done.documents, "leftOut": left_out}
        click.echo(json.dumps(told, ensure_ascii=False), err=to_stderr)
        return
    for one in done.left_out:
        click.echo(printable(f"left out of the {one.where} memory: {one.reason}"), err=True)
    plural = "" if done.documents == 1 else "s"
    click.echo(f"{done.documents} document{plural} exported", err=to_stderr)
