"""The ``qmemd`` command: the only room that touches argv, signals and the set-up of logging."""

from __future__ import annotations

import importlib

import click

from qmemd._version import __version__

_COMMANDS = {
    "remember": "remember:remember",
    "forget": "forget:forget",
    "dream": "dream:dream",
    "list": "memories:list_memories",
    "search": "memories:search",
    "show": "memories:show",
    "history": "history:history",
    "undo": "history:undo",
    "redo": "history:redo",
    "export": "exporting:export_memory",
    "import": "importing:import_memory",
    "tasks": "queue:tasks",
    "cancel": "queue:cancel",
    "status": "watching:status",
    "events": "watching:events",
    "open": "page:open_page",
    "config": "configured:config",
    "doctor": "doctor:doctor",
    "service": "service:service",
    "completion": "completion:completion",
    "stop": "stopping:stop",
    "serve": "serve:serve",
}
"""Command → module and name: only the one that runs is imported."""


class _Commands(click.Group):
    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        module, _, attribute = _COMMANDS[name].partition(":")
        found: click.Command = getattr(importlib.import_module(f"qmemd.cli.{module}"), attribute)
        return found


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="qmemd")
def main() -> None:
    """Durable facts for coding agents, kept in markdown files."""
