"""``qmemd import``."""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager, ExitStack
from datetime import UTC, datetime
from pathlib import Path

import click

from qmemd.cli.context import Context, fail, only_here, talks_to_daemon
from qmemd.cli.exits import Exit
from qmemd.cli.filing import Filing
from qmemd.cli.interruption import Interruption
from qmemd.cli.progress import progress
from qmemd.cli.streams import standard_input
from qmemd.config.layers import layered
from qmemd.errors import QmemdError
from qmemd.kinds import Scope
from qmemd.memory.secrets import SecretPolicy
from qmemd.porting.importing import Import
from qmemd.porting.records import Source, SourceRefusedError
from qmemd.porting.report import Report
from qmemd.porting.sources import open_source, read_stream, scope_of


@click.command("import")
@click.argument("source")
@click.option(
    "--scope",
    type=click.Choice([scope.value for scope in Scope]),
    help="Where facts, and documents of other tools, go. [default: by what and where they are]",
)
@click.option(
    "--secrets",
    type=click.Choice([policy.value for policy in SecretPolicy]),
    help="What becomes of credentials in it. [default: QMEMD_SECRETS, else refuse]",
)
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@talks_to_daemon
def import_memory(
    context: Context, source: str, scope: str | None, secrets: str | None, dry_run: bool
) -> None:
    """Take in an export, a text file, a context file or a directory of markdown memories.

    SOURCE is a file or a directory; - is an export, or one fact a line, from standard input.
    Nothing that is there is changed, and every change can be undone. Only facts need a daemon.
    """
    only_here(context)
    interruption = Interruption()
    filing = Filing(context.client, interruption)
    where = scope_of(Path(source), context.workspace) if scope is None else Scope(scope)
    try:
        flags = {"workspace": context.workspace, "secrets": secrets}
        settings = layered(flags, os.environ).settings()
        with ExitStack() as closing:
            found = closing.enter_context(_opened(source, where))
            closing.enter_context(interruption.watched())
            advance = closing.enter_context(progress("importing", wanted=not context.as_json))
            report = Import(
                settings.memory,
                policy=settings.secrets,
                clock=lambda: datetime.now(UTC),
                remember=None if dry_run else filing.remember,
                scope=where,
                advance=advance,
                goes_on=lambda: not interruption.seen,
            ).run(found)
    except KeyboardInterrupt:
        sys.exit(Exit.INTERRUPTED)
    except SourceRefusedError as error:
        fail(context, f"{source} is not imported: {error}", "source_refused")
    except QmemdError as error:
        fail(context, error.message, error.code)
    except OSError as error:
        fail(context, f"the import stopped: {error.strerror}", "import_failed")
    wire = {"source": source, "dryRun": dry_run, **report.to_json()}
    context.show(wire, *report.lines(dry=dry_run))
    sys.exit(_exit(report, filing, interruption))


def _opened(source: str, scope: Scope | None) -> AbstractContextManager[Source]:
    return read_stream(standard_input()) if source == "-" else open_source(Path(source), scope)


def _exit(report: Report, filing: Filing, interruption: Interruption) -> Exit:
    if report.complete:
        return Exit.DONE
    if interruption.seen:
        return Exit.INTERRUPTED
    return Exit.NO_DAEMON if filing.daemon_missing else Exit.FAILED
