"""Rate limits against a whole daemon, with real client ids."""

from __future__ import annotations

import pytest

from qmemd.client import Client, RequestRefusedError
from tests.contract.conftest import MEMORY, TOKEN, Api, MakeApi


def test_thirty_mutations_and_a_hundred_and_twenty_reads(make_api: MakeApi) -> None:
    api = make_api(rate_limit=True)
    assert "rate_limit" in api.get("/capabilities").body["features"]
    for left in range(118, -1, -1):
        answer = api.get(f"{MEMORY}/dream/none")
        assert (answer.status, answer.headers["x-ratelimit-remaining"]) == (404, str(left))
    refused = api.get(f"{MEMORY}/dream/none")
    assert (refused.status, refused.code, refused.body["tier"]) == (
        429,
        "rate_limit_exceeded",
        "read",
    )
    assert 0 < refused.body["retryAfterMs"] <= 60_000
    assert 0 < int(refused.headers["retry-after"]) <= 60
    for _ in range(30):
        assert api.post(f"{MEMORY}/dream", {"preview": "x"}).code == "invalid_option"
    assert api.post(f"{MEMORY}/dream").body["tier"] == "mutation"
    assert api.get("/health").status == 200


def test_a_session_has_a_limit_of_its_own_until_it_ends(make_api: MakeApi) -> None:
    api = make_api(rate_limit=True, rate_limit_mutations=3, rate_limit_reads=2)
    session = api.post("/session", {"sessionScope": "thread"}).body
    mine = {"X_Qwen_Client_Id": session["clientId"]}
    assert read_until_refused(api) == 2
    assert read_until_refused(api, **mine) == 2
    assert read_until_refused(api, X_Qwen_Client_Id="client_made-up") == 0
    for _ in range(5):
        beat = api.post(f"/session/{session['sessionId']}/heartbeat", **mine)
        assert beat.status == 200
    assert api.call("DELETE", f"/session/{session['sessionId']}", **mine).status == 204
    assert read_until_refused(api, **mine) == 0


def read_until_refused(api: Api, **headers: str) -> int:
    count = 0
    while api.get("/capabilities", **headers).status == 200:
        count += 1
    return count


def test_the_client_says_when_to_come_back(make_api: MakeApi) -> None:
    api = make_api(rate_limit=True, rate_limit_reads=1)
    client = Client(api.daemon.url, TOKEN, timeout=0.5)
    client.tasks()
    with pytest.raises(RequestRefusedError) as refused:
        client.tasks()
    assert (refused.value.code, refused.value.status) == ("rate_limit_exceeded", 429)
    assert 0 < refused.value.retry_after <= 60
    assert refused.value.body["tier"] == "read"
