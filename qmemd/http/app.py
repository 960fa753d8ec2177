"""The WSGI application; any WSGI server can carry it."""

from __future__ import annotations

import falcon

from qmemd.http import paths
from qmemd.http.access import Gate
from qmemd.http.error_handlers import add_error_handlers
from qmemd.http.fields import Fields
from qmemd.http.memory_resources import OneTask, Tasks, request_readers
from qmemd.http.meta_resources import Capabilities, Health
from qmemd.http.ports import Access, Door
from qmemd.http.routing import MethodRouter
from qmemd.http.session_resources import OneSession, Sessions

App = falcon.App[falcon.Request, falcon.Response]


def create_app(door: Door, access: Access, *, fields: Fields | None = None) -> App:
    """The app for one daemon.

    Args:
        door: everything that a request may ask of the daemon.
        access: what the gate compares Host, Origin and token with.
        fields: body validation; pass one in order to warm it up before the first request.
    """
    fields = fields or Fields()
    app = falcon.App(middleware=[Gate(door, access)], router=MethodRouter())
    app.req_options.strip_url_path_trailing_slash = True
    add_error_handlers(app)
    app.add_route(paths.HEALTH, Health())
    app.add_route(paths.CAPABILITIES, Capabilities(door))
    for kind, read_request in request_readers(fields).items():
        app.add_route(f"{paths.MEMORY}/{kind}", Tasks(door, read_request))
        app.add_route(f"{paths.MEMORY}/{kind}/{{task_id}}", OneTask(door, kind))
    app.add_route(paths.SESSION, Sessions(door, fields))
    app.add_route(f"{paths.SESSION}/{{session_id}}", OneSession(door), compile=True)
    return app
