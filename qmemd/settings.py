"""Settings: one frozen record, validated once, with a clear sentence per mistake.

What a caller leaves out comes from the environment, then from the defaults.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from qmemd.errors import MemoryFilesError, SettingsError
from qmemd.memory.paths import MemoryPaths, base_dir, resolve_paths
from qmemd.memory.secrets import SecretPolicy
from qmemd.setting_values import (
    PathLike,
    absolute,
    choice,
    command,
    count,
    default_state_dir,
    first,
    hostname_value,
    is_loopback,
    mebibytes,
    model_name,
    origins,
    port_value,
    seconds,
    switch,
    token_source,
    workspace_directory,
)

JOURNALS = ("sqlite", "memory")
MAX_RATE = 1_000_000
"""Requests per minute; more than the server can answer."""


@dataclass(frozen=True, slots=True, init=False)
class Settings:
    """Everything that a daemon is told. Raises SettingsError when constructed with a mistake.

    ``Settings()`` is complete: omitted values are read from ``environ`` (the process's when None)
    and from the defaults.
    """

    workspace: Path
    """The directory whose project memory this daemon keeps; absolute, links resolved."""
    http: bool
    """False embeds the daemon without an HTTP server."""
    hostname: str
    port: int
    """0 picks a free one."""
    token: str | None = field(repr=False)
    """None: use the token file, which is made when it is absent."""
    token_file: Path | None
    """None: ``token`` in the state directory."""
    state_dir: Path
    """Where the daemon keeps what is its own, such as the token."""
    base: Path
    """Home of the memory files, shared with other programs; absolute."""
    project_scope: str
    """``workspace`` or ``git-root``: which directory is the project."""
    memory_local: bool
    """True keeps project memory in ``<workspace>/.qwen/memory``."""
    agent_command: tuple[str, ...] | None
    """Another ACP program in place of our agent."""
    model: str
    """``auto``, ``offline`` or ``openai:NAME``; the key stays in ``environ``."""
    max_model_calls: int
    """Answered requests to a real model that one task may make."""
    max_tokens_per_day: int | None
    """Tokens, in and out, that all tasks of a day in UTC may use; None: no limit."""
    secrets: SecretPolicy
    """What becomes of a text that holds a credential: ``refuse``, ``mask`` or ``allow``."""
    idle_timeout: float
    """Seconds without work or session after which the child is stopped; 0 stops it at once."""
    task_timeout: float
    """Seconds that one run may take."""
    allow_origins: tuple[str, ...]
    """Web origins, such as ``https://shell.example``, whose pages may ask; ``*`` for all."""
    require_auth: bool
    """Whether ``/health`` needs the token too; True beyond loopback when it is not said."""
    journal: str
    """``sqlite`` keeps what was accepted on disk, ``memory`` for as long as the daemon runs."""
    max_streams: int
    """Event streams that may be open at once, 1 to 1,000."""
    child_memory: int
    """Mebibytes that an agent and what it starts may use; 0: as much as there is."""
    rate_limit: bool
    """Whether requests are counted, and refused over the limits that follow."""
    rate_limit_mutations: int
    """Requests other than reads that a client may make within a minute."""
    rate_limit_reads: int
    """GET and HEAD requests that a client may make within a minute."""
    environ: Mapping[str, str] = field(repr=False)
    """What a child's environment is made from."""

    def __init__(
        self,
        *,
        workspace: PathLike | None = None,
        http: bool = True,
        hostname: str | None = None,
        port: int | None = None,
        token: str | None = None,
        token_file: PathLike | None = None,
        state_dir: PathLike | None = None,
        base: PathLike | None = None,
        project_scope: str | None = None,
        memory_local: bool | None = None,
        agent_command: str | tuple[str, ...] | None = None,
        model: str | None = None,
        max_model_calls: int | None = None,
        max_tokens_per_day: int | None = None,
        secrets: SecretPolicy | str | None = None,
        idle_timeout: float | None = None,
        task_timeout: float | None = None,
        allow_origins: Sequence[str] | None = None,
        require_auth: bool | None = None,
        journal: str | None = None,
        max_streams: int | None = None,
        child_memory: int | None = None,
        rate_limit: bool | None = None,
        rate_limit_mutations: int | None = None,
        rate_limit_reads: int | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        env = os.environ if environ is None else environ
        values: dict[str, Any] = {
            "workspace": workspace_directory(workspace or env.get("QMEMD_WORKSPACE") or Path.cwd()),
            "http": http,
            "hostname": hostname_value(first(hostname, env, "QMEMD_HOSTNAME", str, "127.0.0.1")),
            "port": port_value(first(port, env, "QMEMD_PORT", int, 4170)),
            "state_dir": absolute(
                state_dir or env.get("QMEMD_STATE_DIR") or default_state_dir(env)
            ),
            "base": absolute(base or base_dir(env)),
            "project_scope": choice(
                "project scope",
                first(project_scope, env, "QWEN_CODE_MEMORY_PROJECT_SCOPE", str.strip, "workspace"),
                ("workspace", "git-root"),
            ),
            "memory_local": first(
                memory_local,
                env,
                "QWEN_CODE_MEMORY_LOCAL",
                partial(switch, "QWEN_CODE_MEMORY_LOCAL"),
                False,
            ),
            "agent_command": command(
                first(agent_command, env, "QMEMD_AGENT_COMMAND", str, None), env.get("PATH")
            ),
            "model": model_name(first(model, env, "QMEMD_MODEL", str.strip, "auto"), env),
            "max_model_calls": count(
                "number of model calls",
                first(max_model_calls, env, "QMEMD_MAX_MODEL_CALLS", int, 20),
            ),
            "max_tokens_per_day": count(
                "number of tokens per day",
                first(max_tokens_per_day, env, "QMEMD_MAX_TOKENS_PER_DAY", int, None),
            ),
            "secrets": SecretPolicy(
                choice(
                    "policy for secrets",
                    str(first(secrets, env, "QMEMD_SECRETS", str.strip, SecretPolicy.REFUSE)),
                    tuple(SecretPolicy),
                )
            ),
            "idle_timeout": seconds(
                "idle timeout", first(idle_timeout, env, "QMEMD_IDLE_TIMEOUT", float, 600.0), 0
            ),
            "task_timeout": seconds(
                "task timeout", first(task_timeout, env, "QMEMD_TASK_TIMEOUT", float, 300.0), 0.1
            ),
        }
        values["allow_origins"] = origins(allow_origins, env.get("QMEMD_ALLOW_ORIGINS", ""))
        beyond = not is_loopback(values["hostname"])
        values["require_auth"] = first(
            require_auth, env, "QMEMD_REQUIRE_AUTH", partial(switch, "QMEMD_REQUIRE_AUTH"), beyond
        )
        values["journal"] = choice(
            "journal", first(journal, env, "QMEMD_JOURNAL", str.strip, "sqlite"), JOURNALS
        )
        values["max_streams"] = count(
            "number of streams", first(max_streams, env, "QMEMD_MAX_STREAMS", int, 256), 1_000
        )
        values["child_memory"] = mebibytes(
            "memory of a child", first(child_memory, env, "QMEMD_CHILD_MEMORY", int, 2048)
        )
        values["rate_limit"] = first(
            rate_limit, env, "QMEMD_RATE_LIMIT", partial(switch, "QMEMD_RATE_LIMIT"), False
        )
        values["rate_limit_mutations"] = count(
            "rate limit of mutations",
            first(rate_limit_mutations, env, "QMEMD_RATE_LIMIT_MUTATIONS", int, 30),
            MAX_RATE,
        )
        values["rate_limit_reads"] = count(
            "rate limit of reads",
            first(rate_limit_reads, env, "QMEMD_RATE_LIMIT_READS", int, 120),
            MAX_RATE,
        )
        values |= token_source(token, token_file, env) | {"environ": dict(env)}
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def memory(self) -> MemoryPaths:
        """Where this workspace's memory files are. Raises SettingsError if there is no place."""
        try:
            return resolve_paths(
                self.base, self.workspace, project_scope=self.project_scope, local=self.memory_local
            )
        except MemoryFilesError as error:
            raise SettingsError(
                f"the memory directory {self.base} cannot be used: {error.message}"
            ) from error

    @property
    def loopback(self) -> bool:
        """Whether nobody beyond this machine can reach the daemon's own server."""
        return is_loopback(self.hostname)

    @property
    def user_directory(self) -> Path:
        """Where the user's own context files are: ``~/.qwen``."""
        return Path(self.environ.get("HOME") or Path.home()) / ".qwen"

    @property
    def child_variables(self) -> dict[str, str]:
        """Says to a child, ours or a foreign one, where the memory files are."""
        return {
            "QWEN_CODE_MEMORY_BASE_DIR": str(self.base),
            "QWEN_CODE_MEMORY_PROJECT_SCOPE": self.project_scope,
            "QWEN_CODE_MEMORY_LOCAL": "1" if self.memory_local else "0",
        }
