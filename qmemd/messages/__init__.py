"""The messages that actors exchange: frozen records, one module per receiver.

Requests go down (gateway → lane → bridge), what happened comes up by ``tell``. A message that
wants an answer carries a ``reply`` future, which its receiver or somebody further down settles;
whoever sent it waits at the edge, never inside an actor.
"""

from qmemd.messages.anyone import Ping
from qmemd.messages.bridge import (
    CancelTask,
    ChildPhase,
    ChildState,
    GetChildState,
    RefreshAvailability,
    RunTask,
    SessionsLive,
    StartChild,
    StopChild,
)
from qmemd.messages.event_bus import (
    CloseFeed,
    OpenFeed,
    Publish,
    Subscribe,
    Unsubscribe,
)
from qmemd.messages.gateway import (
    Cancel,
    CloseSession,
    Detach,
    FeedWatched,
    Heartbeat,
    OpenSession,
    Reap,
    SessionOpened,
    StopAdmitting,
    Submit,
)
from qmemd.messages.lane import (
    Abandon,
    Availability,
    AvailabilityChanged,
    Drain,
    Enqueue,
    Resume,
    TaskFinished,
)

__all__ = [
    "Abandon",
    "Availability",
    "AvailabilityChanged",
    "Cancel",
    "CancelTask",
    "ChildPhase",
    "ChildState",
    "CloseFeed",
    "CloseSession",
    "Detach",
    "Drain",
    "Enqueue",
    "FeedWatched",
    "GetChildState",
    "Heartbeat",
    "OpenFeed",
    "OpenSession",
    "Ping",
    "Publish",
    "Reap",
    "RefreshAvailability",
    "Resume",
    "RunTask",
    "SessionOpened",
    "SessionsLive",
    "StartChild",
    "StopAdmitting",
    "StopChild",
    "Submit",
    "Subscribe",
    "TaskFinished",
    "Unsubscribe",
]
