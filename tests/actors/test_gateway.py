from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pykka
import pytest

from qmemd.actors.board import TaskBoard
from qmemd.actors.door import Door
from qmemd.actors.gateway import GatewayActor
from qmemd.actors.guarded import settle, tell
from qmemd.actors.sessions import Sessions
from qmemd.errors import RequestError
from qmemd.messages import (
    Enqueue,
    SessionsLive,
)
from qmemd.tasks import Dream, Remember, Task
from tests.conftest import FakeClock


class FakeServer:
    def __init__(self) -> None:
        self.log: list[str] = []

    def start(self) -> None:
        self.log.append("start")

    def stop(self, timeout: float) -> None:
        self.log.append(f"stop within {timeout:g}")


class Rig:
    """A gateway and a door before it; the lane answers at once, or not at all."""

    def __init__(self, clock: FakeClock, new_id: Callable[[], str]) -> None:
        self.clock = clock
        self.lane_answers = True
        self.enqueued: list[Enqueue] = []
        self.bridge: list[Any] = []
        self.server = FakeServer()
        self.board = TaskBoard(lambda complete: complete())
        sessions = Sessions("/work", clock=clock, new_id=new_id)
        self.gateway: pykka.ActorRef[GatewayActor] = GatewayActor.start(
            sessions=sessions,
            server=self.server,
            tell_lane=self._lane,
            tell_bridge=self.bridge.append,
        )
        self.door = Door(
            workspace="/work",
            board=self.board,
            sessions=sessions,
            tell_gateway=lambda message: tell(self.gateway, message),
            timeout=5,
        )

    def _lane(self, message: Enqueue) -> None:
        self.enqueued.append(message)
        if self.lane_answers:
            task = Task.queued("dream-1", message.request, message.client_id, self.clock())
            settle(message.reply, task)


@pytest.fixture
def rig(clock: FakeClock, new_id: Callable[[], str]) -> Iterator[Rig]:
    rig = Rig(clock, new_id)
    yield rig
    rig.gateway.stop(timeout=5)


def test_a_request_goes_down_to_the_lane_with_the_future_of_whoever_asked(rig: Rig) -> None:
    task = rig.door.submit(Dream(), None)
    assert task.task_id == "dream-1"
    assert rig.enqueued[0].request == Dream()


def test_an_unknown_client_is_refused_before_the_lane_hears_of_it(rig: Rig) -> None:
    with pytest.raises(RequestError) as refused:
        rig.door.submit(Remember("x"), "client_unknown")
    assert refused.value.code == "invalid_client_id"
    assert refused.value.extra == {"clientId": "client_unknown"}
    assert rig.enqueued == []


def test_a_session_makes_a_client_known_and_the_bridge_hears_how_many_live(rig: Rig) -> None:
    opened = rig.door.open_session(None, "single", None)
    assert rig.door.knows_client(opened["clientId"])
    rig.door.submit(Dream(), opened["clientId"])
    rig.door.close_session(opened["sessionId"], opened["clientId"])
    assert not rig.door.knows_client(opened["clientId"])
    assert rig.bridge == [SessionsLive(1), SessionsLive(0)]


def test_once_stopping_everything_new_is_refused(rig: Rig) -> None:
    rig.door.stop_admitting()
    assert rig.door.stopping
    for refused in (
        lambda: rig.door.submit(Dream(), None),
        lambda: rig.door.open_session(None, "single", None),
    ):
        with pytest.raises(RequestError) as error:
            refused()
        assert (error.value.code, error.value.status) == ("daemon_stopping", 503)


def test_no_answer_in_time_is_an_answer_too_and_gives_the_question_up(rig: Rig) -> None:
    rig.lane_answers = False
    rig.door._timeout = 0.01
    with pytest.raises(RequestError) as busy:
        rig.door.submit(Dream(), None)
    assert (busy.value.code, busy.value.status) == ("daemon_busy", 503)
    assert rig.enqueued[0].reply.cancelled()


def test_a_poll_reads_the_board_and_enters_no_mailbox(rig: Rig) -> None:
    task = Task.queued("dream-9", Dream(), "client_1", rig.clock())
    rig.board.post(task)
    rig.gateway.stop(timeout=5)
    polled = rig.door.poll("dream-9")
    assert polled
    assert (polled.kind, polled.client_id) == ("dream", "client_1")
    assert rig.door.poll("dream-8") is None


def test_the_server_lives_as_long_as_the_gateway(rig: Rig) -> None:
    rig.gateway.stop(timeout=5)
    assert rig.server.log == ["start", "stop within 1"]


def test_capabilities_name_the_modes_and_the_workspace(rig: Rig) -> None:
    capabilities = rig.door.capabilities()
    assert capabilities["v"] == 1
    assert capabilities["workspaceCwd"] == "/work"
    assert capabilities["featureDetails"] == {
        "workspace_memory_remember": {"modes": ["workspace", "clean"]}
    }
    assert "workspace_memory_remember" in capabilities["features"]
