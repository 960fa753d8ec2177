from __future__ import annotations

import pytest
from falcon import Request, testing

from qmemd.errors import RequestError
from qmemd.http.stream_parameters import StreamOptions, stream_options


def asked(query: str = "", **headers: str) -> StreamOptions:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return stream_options(Request(testing.create_environ(query_string=query, headers=named)))


def test_nothing_said_means_the_defaults() -> None:
    assert asked() == StreamOptions(256, False, None, None, None)


def test_everything_said() -> None:
    query = "maxQueued=16&snapshot=1&connectReason=resume&previousStreamId=x&client=client_1"
    options = asked(query, Last_Event_ID="7", X_Qwen_Event_Epoch="an-epoch_1")
    assert options == StreamOptions(16, True, 7, "an-epoch_1", "client_1")


@pytest.mark.parametrize("value", ["16", "2048", "0016"])
def test_queue_sizes(value: str) -> None:
    assert asked(f"maxQueued={value}").max_queued == int(value)


@pytest.mark.parametrize(
    "value", ["15", "2049", "0", "-1", "1e2", "x", "", "9" * 40, "%D9%A1%D9%A6"]
)
def test_queue_sizes_that_are_none(value: str) -> None:
    with pytest.raises(RequestError) as refusal:
        asked(f"maxQueued={value}")
    assert refusal.value.code == "invalid_max_queued"
    assert "maxQueued" in refusal.value.message


@pytest.mark.parametrize("cursor", ["", "-1", "x", "1.5", "9" * 16, "1 2", "\xb2"])
def test_a_cursor_that_makes_no_sense_is_ignored(cursor: str) -> None:
    assert asked(Last_Event_ID=cursor).last_event_id is None


@pytest.mark.parametrize("epoch", ["", "a b", "x" * 65, "\xe4"])
def test_an_epoch_that_makes_no_sense_is_ignored(epoch: str) -> None:
    assert asked(X_Qwen_Event_Epoch=epoch).epoch is None


@pytest.mark.parametrize("client", ["a%20b", "x" * 129, "%00"])
def test_a_client_that_cannot_be_one(client: str) -> None:
    with pytest.raises(RequestError) as refusal:
        asked(f"client={client}")
    assert refusal.value.code == "invalid_client_id"
