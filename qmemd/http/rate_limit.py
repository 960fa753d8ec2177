"""How often one client may ask: middleware that counts what the gate has let in."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import falcon

from qmemd.errors import RequestError
from qmemd.http.client_ids import claimed_client_id
from qmemd.http.ports import Door
from qmemd.http.rate_tiers import Tier, tier_of
from qmemd.http.rate_windows import RateWindows, Standing

ANONYMOUS = "anonymous"
"""Who is nobody in particular. No client id that we gave out is called so."""


@dataclass(frozen=True, slots=True)
class Rates:
    """What is allowed."""

    mutations: int
    """Per window."""
    reads: int
    """Per window."""
    per_client: bool
    """Whether each known client id counts for itself; else all share one limit."""


class RateLimit:
    """Refuses requests over the limit; tells all others how many are left.

    It comes after the gate, so that whoever has no token can use up nobody's limit. It is also
    run by the server's I/O thread, and never waits.
    """

    def __init__(
        self,
        door: Door,
        rates: Rates,
        *,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        """Begins with nothing counted.

        Args:
            door: knows the client ids.
            rates: what is allowed.
            clock: monotonic seconds, by which is counted.
            now: seconds since the epoch, for telling when a window is over.
        """
        self._door = door
        self._per_client = rates.per_client
        self._now = now
        limits = {Tier.MUTATION: rates.mutations, Tier.READ: rates.reads}
        self._windows = {
            tier: RateWindows(limit, clock=clock, overflow=ANONYMOUS)
            for tier, limit in limits.items()
        }

    def process_request(self, req: falcon.Request, _resp: falcon.Response) -> None:
        """Counts the request.

        Raises:
            RequestError: ``rate_limit_exceeded``.
        """
        tier = tier_of(req.method, req.path)
        if tier is None:
            return
        standing = self._windows[tier].count(self._who(req))
        req.context.standing = standing
        if not standing.allowed:
            extra = {"tier": tier.value, "retryAfterMs": math.ceil(standing.resets_in * 1000)}
            raise RequestError("rate_limit_exceeded", extra=extra)

    def process_response(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        _resource: object,
        _succeeded: bool,
    ) -> None:
        """Tells the client where it stands."""
        standing: Standing | None = req.context.get("standing")
        if standing is None:
            return
        resp.set_header("X-RateLimit-Limit", str(standing.limit))
        resp.set_header("X-RateLimit-Remaining", str(standing.remaining))
        resp.set_header("X-RateLimit-Reset", str(math.ceil(self._now() + standing.resets_in)))
        if not standing.allowed:
            resp.set_header("Retry-After", str(math.ceil(standing.resets_in)))

    def _who(self, req: falcon.Request) -> str:
        """Only ids that we gave out count apart, or everybody could be as many as they like."""
        if not self._per_client:
            return ANONYMOUS
        try:
            client_id = claimed_client_id(req)
        except RequestError:
            return ANONYMOUS
        known = client_id is not None and self._door.knows_client(client_id)
        return client_id if client_id is not None and known else ANONYMOUS
