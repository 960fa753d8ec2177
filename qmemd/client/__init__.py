"""A client for the HTTP API, for threads: ``from qmemd.client import Client``."""

from qmemd.client.client import Client
from qmemd.client.errors import (
    ClientClosedError,
    ClientError,
    DaemonNotFoundError,
    DaemonUnreachableError,
    InvalidArgumentError,
    RequestRefusedError,
    StreamFailedError,
    TaskFailedError,
    UnexpectedAnswerError,
    WaitTimeoutError,
)
from qmemd.client.events import Event
from qmemd.client.normalize import (
    Debug,
    Normalized,
    SessionEnded,
    StreamTrouble,
    TaskUpdate,
    WorkspaceMemoryChanged,
    normalize_event,
)
from qmemd.client.session import Session
from qmemd.client.stream import EventStream
from qmemd.client.task_handle import TaskHandle

__all__ = [
    "Client",
    "ClientClosedError",
    "ClientError",
    "DaemonNotFoundError",
    "DaemonUnreachableError",
    "Debug",
    "Event",
    "EventStream",
    "InvalidArgumentError",
    "Normalized",
    "RequestRefusedError",
    "Session",
    "SessionEnded",
    "StreamFailedError",
    "StreamTrouble",
    "TaskFailedError",
    "TaskHandle",
    "TaskUpdate",
    "UnexpectedAnswerError",
    "WaitTimeoutError",
    "WorkspaceMemoryChanged",
    "normalize_event",
]
