"""How the agent of a workspace is started."""

from __future__ import annotations

from collections.abc import Callable

from qmemd.acp.launch import child_argv, child_environment
from qmemd.acp.process import SpawnConfig
from qmemd.settings import Settings

CHILD_OPEN_FILES = 4096
"""What a child may have open; agents have some hundreds when they watch a project."""
MIB = 1024 * 1024


def spawn_config(
    settings: Settings,
    *,
    pass_fds: tuple[int, ...] = (),
    on_spawn: Callable[[int, float], None] | None = None,
) -> SpawnConfig:
    """What the settings say about it. See ``SpawnConfig`` for the rest."""
    workspace = str(settings.workspace)
    return SpawnConfig(
        argv=tuple(
            child_argv(
                settings.agent_command,
                workspace=workspace,
                model=settings.model,
                task_timeout=settings.task_timeout,
                secrets=settings.secrets.value,
                max_model_calls=settings.max_model_calls,
                max_tokens_per_day=settings.max_tokens_per_day,
            )
        ),
        env=child_environment(settings.environ, settings.child_variables),
        cwd=workspace,
        pass_fds=pass_fds,
        on_spawn=on_spawn,
        memory=settings.child_memory * MIB or None,
        open_files=CHILD_OPEN_FILES,
    )
