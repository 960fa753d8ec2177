"""Which requests count towards a rate limit, and as what."""

from __future__ import annotations

import re
from enum import StrEnum

from qmemd.http.paths import EVENTS, HEALTH, PAGE, READ_METHODS, ROOT, SESSION


class Tier(StrEnum):
    """Reads are cheap and many, everything else is dear; each tier has a limit of its own."""

    MUTATION = "mutation"
    READ = "read"


_HEARTBEAT = re.compile(rf"{SESSION}/[^/]+/heartbeat")
_PAGE = re.compile(rf"{ROOT}|{PAGE}/[^/]+")
_STREAM = re.compile(rf"{EVENTS}|{SESSION}/[^/]+/events")


def tier_of(method: str, path: str) -> Tier | None:
    """The tier of a request; None for one that is never counted.

    Those are preflights and OPTIONS, what watches over a daemon or keeps a session alive, and
    streams, which have a limit of their own: a client that is out of requests must still be able
    to stay, and to hear what happens. Nor the files of the page: who has no token may read them,
    and must not use up what others have.

    Args:
        method: HTTP's.
        path: without a trailing slash.
    """
    if method == "OPTIONS":
        return None
    if method in READ_METHODS:
        open_to_all = path == HEALTH or _PAGE.fullmatch(path)
        uncounted = open_to_all or (method == "GET" and _STREAM.fullmatch(path))
        return None if uncounted else Tier.READ
    if method == "POST" and _HEARTBEAT.fullmatch(path):
        return None
    return Tier.MUTATION
