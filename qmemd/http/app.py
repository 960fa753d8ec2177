"""The WSGI application; any WSGI server can carry it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import falcon

from qmemd.http import paths
from qmemd.http.access import AccessCheck
from qmemd.http.change_resources import Changes, OneChange
from qmemd.http.context_resources import ContextFilesList, OneFile
from qmemd.http.entry_resources import Entries, OneEntry
from qmemd.http.error_handlers import add_error_handlers
from qmemd.http.event_resources import SessionEvents, WorkspaceEvents
from qmemd.http.fields import Fields
from qmemd.http.memory_resources import AllTasks, OneTask, Tasks, request_readers
from qmemd.http.meta_resources import Capabilities, DaemonStatus, Health, Metrics, OpenApi
from qmemd.http.page_resources import Index, OnePageFile, PageFiles
from qmemd.http.ports import Access, Door
from qmemd.http.rate_limit import RateLimit
from qmemd.http.replies import Reply
from qmemd.http.request_count import RequestCount
from qmemd.http.routing import MethodRouter
from qmemd.http.session_resources import Detachments, Heartbeats, OneSession, Sessions
from qmemd.http.waiting_room import WaitingRoom


class App(falcon.App[falcon.Request, falcon.Response]):
    """Falcon's app, whose access check can also be asked about a head alone."""

    def __init__(
        self,
        access_check: AccessCheck,
        rate_limit: RateLimit | None,
        request_count: RequestCount,
    ) -> None:
        limits = [] if rate_limit is None else [rate_limit]
        middleware: list[Any] = [request_count, access_check, *limits]
        super().__init__(middleware=middleware, router=MethodRouter())
        self._access_check = access_check

    def __call__(self, env: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        # Falcon keeps this name to itself, and would answer 400 before any check.
        if env["REQUEST_METHOD"] == "WEBSOCKET":
            env["REQUEST_METHOD"] = "WEBSOCKET-METHOD"
        return super().__call__(env, start_response)

    def refuse_head(self, env: Mapping[str, Any], large: bool) -> Reply | None:
        """See ``AccessCheck.refuse_head``."""
        return self._access_check.refuse_head(env, large)


def create_app(
    door: Door,
    access: Access,
    *,
    fields: Fields | None = None,
    rate_limit: RateLimit | None = None,
) -> App:
    """The app for one daemon.

    Args:
        door: everything that a request may ask of the daemon.
        access: what the gate compares Host, Origin and token with.
        fields: body validation; pass one in order to warm it up before the first request.
        rate_limit: counts what the gate has let in; None: nothing is counted.
    """
    fields = fields or Fields()
    page_files = PageFiles()
    access_check = AccessCheck(door, access, open_paths=page_files.paths)
    app = App(access_check, rate_limit, RequestCount(door))
    app.req_options.strip_url_path_trailing_slash = True
    add_error_handlers(app)
    app.add_route(paths.ROOT, Index(page_files))
    app.add_route(f"{paths.PAGE}/{{file}}", OnePageFile(page_files))
    app.add_route(paths.HEALTH, Health())
    counted = rate_limit is not None
    app.add_route(paths.CAPABILITIES, Capabilities(door.workspace, rate_limit=counted))
    app.add_route(paths.STATUS, DaemonStatus(door))
    app.add_route(paths.METRICS, Metrics(door))
    app.add_route(paths.OPENAPI, OpenApi())
    waiting_room = WaitingRoom(door)
    for kind, read_request in request_readers(fields).items():
        app.add_route(f"{paths.MEMORY}/{kind}", Tasks(door, read_request))
        app.add_route(f"{paths.MEMORY}/{kind}/{{task_id}}", OneTask(door, kind, waiting_room))
    app.add_route(f"{paths.MEMORY}/tasks", AllTasks(door))
    app.add_route(f"{paths.MEMORY}/changes", Changes(door))
    app.add_route(f"{paths.MEMORY}/changes/{{change_set_id}}", OneChange(door))
    app.add_route(paths.ENTRIES, Entries(door))
    app.add_route(f"{paths.ENTRIES}/{{entry_id}}", OneEntry(door))
    app.add_route(paths.MEMORY, ContextFilesList(door, fields))
    app.add_route(paths.FILE, OneFile(door))
    app.add_route(paths.SESSION, Sessions(door, fields))
    one_session = f"{paths.SESSION}/{{session_id}}"
    app.add_route(one_session, OneSession(door))
    app.add_route(f"{one_session}/heartbeat", Heartbeats(door))
    app.add_route(f"{one_session}/detach", Detachments(door))
    app.add_route(f"{one_session}/events", SessionEvents(door))
    app.add_route(paths.EVENTS, WorkspaceEvents(door), compile=True)
    return app
