"""What a request says outside of its path and body: query parameters and headers."""

from __future__ import annotations

import re

import falcon

from qmemd.catalog import EntryFilter
from qmemd.errors import RequestError
from qmemd.kinds import Scope, TaskKind, TaskStatus, Topic
from qmemd.texts import check_key

MAX_LISTED = 1_000
DEFAULT_LISTED = 100

MAX_WAIT = 30
"""Seconds."""
MAX_SEARCH = 1_000
"""Characters of what is searched for."""

_LIMIT = re.compile(r"[0-9]{1,4}")
_CURSOR = re.compile(r"[0-9]{8}T[0-9]{9}Z\.[A-Za-z0-9_-]{1,100}")
_FIRST = re.compile(r"[0-9]{1,9}")
_SECONDS = re.compile(r"[0-9]{1,2}(\.[0-9]{1,6})?")


def idempotency_key(req: falcon.Request) -> str | None:
    """The ``Idempotency-Key``; None when there is none.

    Raises:
        RequestError: ``invalid_idempotency_key``.
    """
    key: str | None = req.env.get("HTTP_IDEMPOTENCY_KEY")
    if key is not None:
        check_key(key)
    return key


def change_page(req: falcon.Request) -> tuple[int, str | None]:
    """How many change sets are asked for at most, and after which one.

    Raises:
        RequestError: ``invalid_limit`` or ``invalid_cursor``.
    """
    cursor = req.get_param("cursor")
    if cursor is not None and not _CURSOR.fullmatch(cursor):
        raise RequestError("invalid_cursor")
    return _limit(req), cursor


def entry_page(req: falcon.Request) -> tuple[EntryFilter, int, int]:
    """Which entries are asked for, how many at most, and how many are skipped.

    Raises:
        RequestError: ``invalid_query``, ``invalid_scope``, ``invalid_type``, ``invalid_limit`` or
            ``invalid_cursor``.
    """
    words, cursor = req.get_param("q") or "", req.get_param("cursor")
    scope, topic = req.get_param("scope"), req.get_param("type")
    if len(words) > MAX_SEARCH:
        raise RequestError("invalid_query", f"`q` must have at most {MAX_SEARCH} characters.")
    if scope is not None and scope not in set(Scope):
        raise RequestError("invalid_scope")
    if topic is not None and topic not in set(Topic):
        raise RequestError("invalid_type")
    if cursor is not None and not _FIRST.fullmatch(cursor):
        raise RequestError("invalid_cursor")
    wanted = EntryFilter(words, Scope(scope) if scope else None, Topic(topic) if topic else None)
    return wanted, _limit(req), int(cursor or 0)


def wait_seconds(req: falcon.Request) -> float:
    """How long a poll may wait for the end of its task, in seconds; 0 without ``wait``.

    Raises:
        RequestError: ``invalid_wait``.
    """
    wait = req.get_param("wait")
    if wait is None:
        return 0.0
    if not _SECONDS.fullmatch(wait) or float(wait) > MAX_WAIT:
        raise RequestError("invalid_wait")
    return float(wait)


def list_filter(req: falcon.Request) -> tuple[TaskKind | None, TaskStatus | None, int]:
    """Which tasks are asked for: kind and status (None for all), and how many at most.

    Raises:
        RequestError: ``invalid_kind``, ``invalid_status`` or ``invalid_limit``.
    """
    kind, status = req.get_param("kind"), req.get_param("status")
    if kind is not None and kind not in set(TaskKind):
        raise RequestError("invalid_kind")
    if status is not None and status not in set(TaskStatus):
        raise RequestError("invalid_status")
    return TaskKind(kind) if kind else None, TaskStatus(status) if status else None, _limit(req)


def _limit(req: falcon.Request) -> int:
    limit = req.get_param("limit")
    if limit is None:
        return DEFAULT_LISTED
    if not _LIMIT.fullmatch(limit) or not 1 <= int(limit) <= MAX_LISTED:
        raise RequestError("invalid_limit")
    return int(limit)
