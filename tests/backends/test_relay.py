"""A sealed agent reaches its model through a socket, and nothing else; the key and the budget stay on our side."""

import http.client
import json
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.backends.metered import Limits, NightMeter
from skillopt_sleep.backends.relay import MOST_REQUEST, Line, Most, Relay, Upstream
from skillopt_sleep.errors import BudgetExhausted, CallFailed, FailureKind
from skillopt_sleep.records import CallState, Limit, Usage
from tests.fakes import FakeClock, FakeLedger
from tests.server import CACHED_TOKENS, INPUT_TOKENS, OUTPUT_TOKENS, ModelServer

KEY = "sk-the-real-key"
MESSAGES = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hello there"}]}
RESPONSES = {"model": "m", "input": [{"role": "user", "content": "hello there"}]}
ENOUGH = Most(calls=20)


class OverSocket(http.client.HTTPConnection):
    """A connection over a Unix socket, as the agent in the seal makes it."""

    def __init__(self, path: Path) -> None:
        super().__init__("localhost")
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(30)
        self.sock.connect(str(self._path))


def post(path: Path, url: str, body: Any, headers: dict[str, str] | None = None) -> tuple[int, bytes, Any]:
    connection = OverSocket(path)
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    connection.request("POST", url, data, {"content-type": "application/json", **(headers or {})})
    answer = connection.getresponse()
    done = answer.status, answer.read(), answer.headers
    connection.close()
    return done


@pytest.fixture
def short(tmp_path: Path) -> Iterator[Path]:
    """A folder whose path is short enough for a socket's."""
    with tempfile.TemporaryDirectory(prefix="r") as folder:
        yield Path(folder) / "model.sock"


def a_relay(server: ModelServer, ledger: FakeLedger, *, calls: int = 100, tokens: int = 0) -> Relay:
    meter = NightMeter(ledger, Limits(Limit(calls, tokens), 60), clock=FakeClock())
    upstream = Upstream(server.root_url, {"x-api-key": KEY})
    return Relay(meter, upstream, price=lambda _model, usage: usage.tokens / 1000)


@pytest.mark.parametrize("is_stream", [False, True])
@pytest.mark.parametrize(("url", "body"), [("/v1/messages?beta=true", MESSAGES), ("/v1/responses", RESPONSES)])
def test_a_request_goes_out_with_the_key_and_its_answer_comes_back(
    short: Path, url: str, body: dict[str, Any], is_stream: bool
) -> None:
    ledger = FakeLedger()
    with (
        ModelServer() as server,
        a_relay(server, ledger).line(short, project="/p", asker="t1", most=ENOUGH) as line,
    ):
        status, data, _ = post(short, url, body | {"stream": is_stream}, {"x-api-key": "dummy", "cookie": "c=1"})
        (asked,) = server.requests
    assert (status, line.failure) == (200, None)
    assert asked.headers["X-Api-Key"] == KEY
    assert "dummy" not in str(asked.headers)
    assert "Cookie" not in asked.headers
    assert KEY.encode() not in data
    assert json.loads(line.first_request) == body | {"stream": is_stream}
    assert (ledger.reserved[0].project, ledger.reserved[0].model) == ("/p", "m")
    usage = Usage(input_tokens=INPUT_TOKENS, output_tokens=OUTPUT_TOKENS, cached_tokens=CACHED_TOKENS)
    assert ledger.settled[0] == (CallState.DONE, usage, usage.tokens / 1000)
    assert (line.usage, line.usd, line.calls) == (usage, usage.tokens / 1000, 1)


@pytest.mark.parametrize("url", ["/v1/models", "/v1/files", "/", "/v1/messages/../files", "http://elsewhere/v1/x"])
def test_no_other_address_is_reached(short: Path, url: str) -> None:
    ledger = FakeLedger()
    with ModelServer() as server, a_relay(server, ledger).line(short, project="", asker="", most=ENOUGH):
        status, _, _ = post(short, url, MESSAGES)
        assert (status, server.requests, ledger.reserved) == (404, [], [])


def test_other_methods_and_endless_requests_are_refused(short: Path) -> None:
    with ModelServer() as server, a_relay(server, FakeLedger()).line(short, project="", asker="", most=ENOUGH):
        with closing(OverSocket(short)) as connection:
            connection.request("GET", "/v1/messages")
            with connection.getresponse() as answer:
                assert answer.status == 501
        with closing(OverSocket(short)) as connection:
            connection.putrequest("POST", "/v1/messages")
            connection.putheader("content-length", str(MOST_REQUEST + 1))
            connection.endheaders()
            with connection.getresponse() as answer:
                assert answer.status == 413
        assert server.requests == []


def test_a_night_out_of_budget_answers_429_and_sends_nothing(short: Path) -> None:
    ledger = FakeLedger()
    with (
        ModelServer() as server,
        a_relay(server, ledger, calls=1).line(short, project="", asker="", most=ENOUGH) as line,
    ):
        assert post(short, "/v1/messages", MESSAGES)[0] == 200
        status, _, headers = post(short, "/v1/messages", MESSAGES)
        assert (status, headers["x-should-retry"], len(server.requests)) == (429, "false", 1)
    assert isinstance(line.failure, BudgetExhausted)


def test_an_attempt_has_a_limit_of_its_own(short: Path) -> None:
    with (
        ModelServer() as server,
        a_relay(server, FakeLedger()).line(short, project="", asker="", most=Most(calls=2)) as line,
    ):
        assert [post(short, "/v1/messages", MESSAGES)[0] for _ in range(3)] == [200, 200, 429]
    assert (line.stopped, line.failure) == (True, None)


def test_requests_at_the_same_time_never_exceed_the_limit(short: Path) -> None:
    ledger = FakeLedger()
    found: list[int] = []
    with ModelServer() as server, a_relay(server, ledger, calls=5).line(short, project="", asker="", most=ENOUGH):
        threads = [
            threading.Thread(target=lambda: found.append(post(short, "/v1/messages", MESSAGES)[0])) for _ in range(12)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (sorted(found), len(server.requests)) == ([200] * 5 + [429] * 7, 5)


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [
        ("unauthorized", FailureKind.LOGIN),
        ("rate_limited", FailureKind.RATE_LIMITED),
        ("overloaded", FailureKind.OVERLOADED),
        ("not_found", FailureKind.MODEL),
    ],
)
def test_a_refusal_of_the_server_is_passed_back_and_kept(short: Path, behaviour: Any, kind: FailureKind) -> None:
    ledger = FakeLedger()
    with (
        ModelServer(behaviour) as server,
        a_relay(server, ledger).line(short, project="", asker="", most=ENOUGH) as line,
    ):
        status, data, _ = post(short, "/v1/messages", MESSAGES)
    assert status >= 400
    assert data
    assert isinstance(line.failure, CallFailed)
    assert line.failure.kind is kind
    assert ledger.settled[0][0] is CallState.FAILED


def test_a_model_that_is_gone_is_a_failure_and_costs_nothing(short: Path) -> None:
    ledger = FakeLedger()
    with ModelServer() as server:
        relay = a_relay(server, ledger)
    with relay.line(short, project="", asker="", most=ENOUGH) as line:
        assert post(short, "/v1/messages", MESSAGES)[0] == 502
    assert isinstance(line.failure, CallFailed)
    assert line.failure.kind is FailureKind.UNREACHABLE
    assert ledger.settled[0] == (CallState.FAILED, None, None)


def test_an_answer_that_breaks_off_counts_as_lost(short: Path) -> None:
    ledger = FakeLedger()
    with (
        ModelServer("cut_stream") as server,
        a_relay(server, ledger).line(short, project="", asker="", most=ENOUGH) as line,
        closing(OverSocket(short)) as connection,
    ):
        connection.request("POST", "/v1/messages", json.dumps(MESSAGES), {"content-type": "application/json"})
        with connection.getresponse() as answer, pytest.raises((http.client.HTTPException, OSError)):
            answer.read()
    assert line.failure is not None
    assert ledger.settled[0][0] is CallState.LOST


def test_an_answer_without_a_bill_has_an_unknown_price(short: Path) -> None:
    ledger = FakeLedger()
    with (
        ModelServer("no_usage") as server,
        a_relay(server, ledger).line(short, project="", asker="", most=ENOUGH) as line,
    ):
        assert post(short, "/v1/messages", MESSAGES)[0] == 200
    assert (line.usd, ledger.settled[0]) == (None, (CallState.DONE, None, None))


def test_an_agent_that_goes_away_is_paid_for_all_the_same(short: Path) -> None:
    ledger = FakeLedger()
    with ModelServer() as server, a_relay(server, ledger).line(short, project="", asker="", most=ENOUGH) as line:
        connection = OverSocket(short)
        connection.request("POST", "/v1/messages", json.dumps(MESSAGES | {"stream": True}))
        connection.close()
        assert post(short, "/v1/messages", MESSAGES)[0] == 200
    states = {state for state, _, _ in ledger.settled.values()}
    assert (line.calls, states) == (2, {CallState.DONE})


def test_the_socket_is_ours_alone_and_gone_afterwards(short: Path) -> None:
    with (
        ModelServer() as server,
        a_relay(server, FakeLedger()).line(short, project="", asker="", most=ENOUGH) as line,
    ):
        assert isinstance(line, Line)
        assert short.stat().st_mode & 0o777 == 0o600
    assert not short.exists()
