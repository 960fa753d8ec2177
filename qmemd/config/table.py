"""Every setting by the name that flags and files have in common."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What a file may say: TOML's type, in words."""

    TEXT = "a text"
    PATH = "the text of a path"
    """Relative to the directory of the file."""
    WHOLE = "a whole number"
    NUMBER = "a number"
    SWITCH = "true or false"
    TEXTS = "a list of texts"


@dataclass(frozen=True, slots=True)
class Option:
    """One setting."""

    name: str
    """The flag without its two dashes, and the key in a file."""
    kind: Kind
    variables: tuple[str, ...] = ()
    """Of the environment, the first that is set counts."""
    parameter: str = ""
    """The argument of ``Settings`` or of ``serve``; as the name when it is blank."""
    harmless: bool = False
    """Whether a workspace's file may say it, although a stranger may have written it."""
    in_files: bool = True

    @property
    def argument(self) -> str:
        return self.parameter or self.name.replace("-", "_")


OPTIONS = (
    Option("workspace", Kind.PATH, ("QMEMD_WORKSPACE",), in_files=False),
    Option("hostname", Kind.TEXT, ("QMEMD_HOSTNAME",)),
    Option("port", Kind.WHOLE, ("QMEMD_PORT",), harmless=True),
    Option("token", Kind.TEXT, ("QMEMD_TOKEN", "QWEN_SERVER_TOKEN")),
    # What the variables say is a token, so they come before this too.
    Option("token-file", Kind.PATH, ("QMEMD_TOKEN", "QWEN_SERVER_TOKEN")),
    Option("state-dir", Kind.PATH, ("QMEMD_STATE_DIR",)),
    Option("agent-command", Kind.TEXT, ("QMEMD_AGENT_COMMAND",)),
    Option("child-memory", Kind.WHOLE, ("QMEMD_CHILD_MEMORY",)),
    Option("model", Kind.TEXT, ("QMEMD_MODEL",)),
    Option("max-model-calls", Kind.WHOLE, ("QMEMD_MAX_MODEL_CALLS",)),
    Option("max-tokens-per-day", Kind.WHOLE, ("QMEMD_MAX_TOKENS_PER_DAY",)),
    Option("secrets", Kind.TEXT, ("QMEMD_SECRETS",)),
    Option("idle-timeout", Kind.NUMBER, ("QMEMD_IDLE_TIMEOUT",), harmless=True),
    Option("task-timeout", Kind.NUMBER, ("QMEMD_TASK_TIMEOUT",), harmless=True),
    Option("allow-origin", Kind.TEXTS, ("QMEMD_ALLOW_ORIGINS",), "allow_origins"),
    Option("require-auth", Kind.SWITCH, ("QMEMD_REQUIRE_AUTH",)),
    Option("journal", Kind.TEXT, ("QMEMD_JOURNAL",)),
    Option("max-streams", Kind.WHOLE, ("QMEMD_MAX_STREAMS",)),
    Option("rate-limit", Kind.SWITCH, ("QMEMD_RATE_LIMIT",)),
    Option("rate-limit-mutations", Kind.WHOLE, ("QMEMD_RATE_LIMIT_MUTATIONS",)),
    Option("rate-limit-reads", Kind.WHOLE, ("QMEMD_RATE_LIMIT_READS",)),
    Option("base", Kind.PATH, ("QWEN_CODE_MEMORY_BASE_DIR", "QWEN_RUNTIME_DIR")),
    Option("project-scope", Kind.TEXT, ("QWEN_CODE_MEMORY_PROJECT_SCOPE",), harmless=True),
    Option("memory-local", Kind.SWITCH, ("QWEN_CODE_MEMORY_LOCAL",)),
    Option("log-level", Kind.TEXT),
    Option("log-format", Kind.TEXT, ("QMEMD_LOG_FORMAT",)),
)

OF_SERVE = frozenset({"log-level", "log-format"})
"""What is not a setting of a daemon, but of the command that runs one."""
BY_NAME = {option.name: option for option in OPTIONS}
