"""qmemd: durable facts for coding agents, without a chat session.

The public API of the package; everything else may move. Names are imported when they are first
used, so that the child process (``python -m qmemd.agent``) loads nothing of the daemon.
"""

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any

from qmemd._version import __version__

if TYPE_CHECKING:
    from qmemd.actors.subscription import Subscription
    from qmemd.daemon import Daemon
    from qmemd.errors import QmemdError, RequestError, SettingsError
    from qmemd.events import MemoryChanged
    from qmemd.kinds import (
        ChangeAction,
        ChangeState,
        ContextMode,
        Scope,
        TaskKind,
        TaskStatus,
        Topic,
    )
    from qmemd.results import (
        ChangeResult,
        DreamResult,
        ForgetResult,
        RememberResult,
        RemovedEntry,
    )
    from qmemd.settings import Settings
    from qmemd.tasks import Task, TaskFailure

_HOMES = {
    "qmemd.actors.subscription": ("Subscription",),
    "qmemd.daemon": ("Daemon",),
    "qmemd.errors": ("QmemdError", "RequestError", "SettingsError"),
    "qmemd.events": ("MemoryChanged",),
    "qmemd.settings": ("Settings",),
    "qmemd.kinds": (
        "ChangeAction",
        "ChangeState",
        "ContextMode",
        "Scope",
        "TaskKind",
        "TaskStatus",
        "Topic",
    ),
    "qmemd.results": (
        "ChangeResult",
        "DreamResult",
        "ForgetResult",
        "RememberResult",
        "RemovedEntry",
    ),
    "qmemd.tasks": ("Task", "TaskFailure"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "ChangeAction",
    "ChangeResult",
    "ChangeState",
    "ContextMode",
    "Daemon",
    "DreamResult",
    "ForgetResult",
    "MemoryChanged",
    "QmemdError",
    "RememberResult",
    "RemovedEntry",
    "RequestError",
    "Scope",
    "Settings",
    "SettingsError",
    "Subscription",
    "Task",
    "TaskFailure",
    "TaskKind",
    "TaskStatus",
    "Topic",
    "__version__",
]

logging.getLogger(__name__).addHandler(logging.NullHandler())


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)
