"""A sealed agent reaches its model through a socket, and nothing else; the key and the budget stay on our side."""

import contextlib
import http.client
import json
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from skillopt_sleep.backends.attempt_socket import MOST_REQUEST, AttemptSocket, Upstream
from skillopt_sleep.backends.metered import Limits, NightMeter
from skillopt_sleep.backends.relay import MOST_CONNECTIONS, PATIENCE, Relay
from skillopt_sleep.errors import BudgetExhausted, CallFailed, FailureKind
from skillopt_sleep.records import CallState, Limit, Usage
from tests.fakes import FakeClock, FakeLedger
from tests.server import CACHED_TOKENS, INPUT_TOKENS, OUTPUT_TOKENS, ModelServer

KEY = "sk-the-real-key"
MESSAGES = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hello there"}]}
RESPONSES = {"model": "m", "input": [{"role": "user", "content": "hello there"}]}
ENOUGH = 20


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
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    with closing(OverSocket(path)) as connection:
        connection.request("POST", url, data, {"content-type": "application/json", **(headers or {})})
        answer = connection.getresponse()
        return answer.status, answer.read(), answer.headers


@pytest.fixture
def short(tmp_path: Path) -> Iterator[Path]:
    """A folder whose path is short enough for a socket's."""
    with tempfile.TemporaryDirectory(prefix="r") as folder:
        yield Path(folder) / "model.sock"


def a_relay(
    server: ModelServer, ledger: FakeLedger, *, calls: int = 100, tokens: int = 0, patience: float = PATIENCE
) -> Relay:
    meter = NightMeter(ledger, Limits(Limit(calls, tokens), 60), clock=FakeClock())
    upstream = Upstream(server.root_url, {"x-api-key": KEY})
    return Relay(meter, upstream, price=lambda _model, usage: usage.tokens / 1000, patience=patience)


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
        a_relay(server, FakeLedger()).line(short, project="", asker="", most=2) as line,
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
        assert isinstance(line, AttemptSocket)
        assert short.stat().st_mode & 0o777 == 0o600
    assert not short.exists()


def raw(path: Path, head: bytes, body: bytes = b"") -> bytes:
    """What comes back for these very bytes."""
    with socket.socket(socket.AF_UNIX) as wire:
        wire.settimeout(10)
        wire.connect(str(path))
        wire.sendall(head + b"\r\ncontent-length: %d\r\nconnection: close\r\n\r\n" % len(body) + body)
        found = b""
        while piece := wire.recv(65536):
            found += piece
        return found


@pytest.mark.parametrize(
    "target",
    [
        "x.evil.example://y/v1/messages",
        "http://evil.example/v1/messages",
        "x://@evil.example/v1/messages",
        "//evil.example/v1/messages",
        "/v1/messages#@evil.example",
        "/v1/messages;x",
        "@evil.example/v1/messages",
    ],
)
def test_no_way_of_writing_the_address_takes_the_key_to_another_host(short: Path, target: str) -> None:
    ledger = FakeLedger()
    with ModelServer() as server, a_relay(server, ledger).line(short, project="", asker="", most=ENOUGH) as line:
        answer = raw(
            short, b"POST " + target.encode() + b" HTTP/1.1\r\nhost: evil.example", json.dumps(MESSAGES).encode()
        )
        assert b" 404 " in answer.splitlines()[0]
        assert (server.requests, ledger.reserved, line.calls, line.failure) == ([], [], 0, None)


TOOL = {"name": "x", "input_schema": {}}
IMAGE = {"type": "image", "source": {"type": "url", "url": "https://evil.example/?what=it-knows"}}
DATA = {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}


@pytest.mark.parametrize(
    ("url", "more"),
    [
        ("/v1/messages", {"model": "dearer"}),
        ("/v1/messages", {"Model": "dearer"}),
        ("/v1/messages", {"mcp_servers": [{"type": "url", "url": "https://evil.example"}]}),
        ("/v1/messages", {"container": "c"}),
        ("/v1/messages", {"speed": "fast"}),
        ("/v1/messages", {"service_tier": "priority"}),
        ("/v1/messages", {"tools": [TOOL, {"type": "web_fetch_20250910", "name": "web_fetch"}]}),
        ("/v1/messages", {"tools": [{"type": "code_execution_20250825", "name": "x"}]}),
        ("/v1/messages", {"tools": "all"}),
        ("/v1/messages", {"messages": [{"role": "user", "content": [IMAGE]}]}),
        ("/v1/messages", {"messages": [{"role": "user", "content": [{"type": "tool_result", "content": [IMAGE]}]}]}),
        ("/v1/responses", {"tools": [{"type": "web_search"}]}),
        ("/v1/responses", {"tools": [{"type": "mcp", "server_url": "https://evil.example"}]}),
        ("/v1/responses", {"background": True}),
        ("/v1/responses", {"previous_response_id": "r"}),
        ("/v1/responses", {"prompt": {"id": "p"}}),
        ("/v1/responses", {"input": [{"content": [{"type": "input_image", "image_url": "https://evil.example/x"}]}]}),
        ("/v1/responses", {"input": [{"content": [{"type": "input_file", "file_url": "https://evil.example/x"}]}]}),
    ],
)
def test_what_costs_more_or_has_the_server_reach_elsewhere_is_refused(
    short: Path, url: str, more: dict[str, Any]
) -> None:
    plain = MESSAGES if url == "/v1/messages" else RESPONSES
    with (
        ModelServer() as server,
        a_relay(server, FakeLedger()).line(short, project="", asker="", most=ENOUGH) as line,
    ):
        assert post(short, url, plain)[0] == 200
        assert post(short, url, plain | more)[0] == 400
        assert post(short, url, plain)[0] == 200
        assert (len(server.requests), line.calls, line.failure) == (2, 2, None)


def test_what_the_agents_send_is_passed_on(short: Path) -> None:
    spoken = [{"role": "user", "content": [{"type": "tool_use", "input": {"image_url": "https://x.example"}}, DATA]}]
    with ModelServer() as server, a_relay(server, FakeLedger()).line(short, project="", asker="", most=ENOUGH):
        for url, body in [
            ("/v1/messages", MESSAGES | {"tools": [TOOL], "service_tier": "auto"}),
            ("/v1/messages", MESSAGES | {"messages": spoken}),
            ("/v1/responses", RESPONSES | {"tools": [{"type": "function"}, {"type": "custom"}], "store": False}),
            ("/v1/responses", RESPONSES | {"input": [{"content": [DATA]}]}),
        ]:
            assert post(short, url, body)[0] == 200
            assert server.requests[-1].body == body


def test_a_name_that_stands_twice_is_sent_as_it_was_read(short: Path) -> None:
    twice = (
        b'{"model": "dearer", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}], "\\u006dodel": "m"}'
    )
    with (
        ModelServer() as server,
        a_relay(server, FakeLedger()).line(short, project="", asker="", most=ENOUGH) as line,
    ):
        assert post(short, "/v1/messages", twice)[0] == 200
        assert b"dearer" not in line.first_request
        assert server.requests[0].body["model"] == "m"


@pytest.mark.parametrize(("named", "sent", "status"), [("m", "m", 200), ("sonnet", "claude-s", 200), ("m-1", "m-2", 400), ("m-1[1m]", "m-1", 200)])  # fmt: skip
def test_the_first_request_names_the_model_that_was_agreed(short: Path, named: str, sent: str, status: int) -> None:
    meter = NightMeter(FakeLedger(), Limits(Limit(9), 60), clock=FakeClock())
    with ModelServer() as server:
        relay = Relay(meter, Upstream(server.root_url, {"x-api-key": KEY}, named), price=lambda _model, _usage: 0.0)
        with relay.line(short, project="", asker="", most=ENOUGH):
            assert post(short, "/v1/messages", MESSAGES | {"model": sent})[0] == status


@pytest.mark.parametrize(
    "body",
    [b"", b"no json", b"[]", b'"x"', b"{}", b'{"model": 7}', b"[" * 200_000, b'{"model": "m", "x": ' + b"9" * 5000 + b"}",
     b'{"model": "m", "x": [' + b"{}," * 2_100_000 + b"{}]}"],
    ids=["empty", "words", "list", "text", "no-model", "number", "deep", "digits", "many"],
)  # fmt: skip
def test_what_is_no_request_goes_nowhere_and_harms_nothing(short: Path, body: bytes) -> None:
    with (
        ModelServer() as server,
        a_relay(server, FakeLedger()).line(short, project="", asker="", most=ENOUGH) as line,
    ):
        assert post(short, "/v1/messages", body)[0] == 400
        assert post(short, "/v1/messages", MESSAGES)[0] == 200
        assert (len(server.requests), line.calls) == (1, 1)


def test_many_connections_and_unfinished_requests_take_little(short: Path) -> None:
    with ModelServer() as server, a_relay(server, FakeLedger()).line(short, project="", asker="", most=ENOUGH):
        before = threading.active_count()
        wires: list[socket.socket] = []
        for _ in range(300):
            wire = socket.socket(socket.AF_UNIX)
            wire.settimeout(5)
            wires.append(wire)
            with contextlib.suppress(OSError):  # the queue may be full, or it was closed
                wire.connect(str(short))
                wire.sendall(b"POST /v1/messages HTTP/1.1\r\ncontent-length: %d\r\n\r\n{" % MOST_REQUEST)
        assert threading.active_count() - before <= MOST_CONNECTIONS + 1
        for wire in wires:
            wire.close()
        until = time.monotonic() + 10
        status = 0
        while status != 200 and time.monotonic() < until:
            with contextlib.suppress(OSError, http.client.HTTPException):
                status, _, _ = post(short, "/v1/messages", MESSAGES)
        assert (status, len(server.requests)) == (200, 1)


@pytest.mark.slow
def test_requests_that_are_read_at_the_same_time_have_a_size_together(short: Path) -> None:
    with ModelServer() as server, a_relay(server, FakeLedger()).line(short, project="", asker="", most=ENOUGH):
        half = b"POST /v1/messages HTTP/1.1\r\ncontent-length: %d\r\n\r\n{" % MOST_REQUEST
        with contextlib.ExitStack() as held:
            answers: list[bytes] = []
            for _ in range(4):
                wire = held.enter_context(socket.socket(socket.AF_UNIX))
                wire.settimeout(1)
                wire.connect(str(short))
                wire.sendall(half)
                try:
                    answers.append(wire.recv(100))
                except TimeoutError:
                    answers.append(b"")
        assert [b" 413 " in answer for answer in answers] == [False, False, True, True]
        until = time.monotonic() + 10
        while (status := post(short, "/v1/messages", MESSAGES)[0]) == 413 and time.monotonic() < until:
            time.sleep(0.02)  # the relay has yet to see that those connections are gone
        assert status == 200


def test_an_answer_without_end_keeps_no_attempt_from_ending(short: Path) -> None:
    ledger = FakeLedger()
    with ModelServer("slow_drip") as server:
        relay = a_relay(server, ledger, patience=1)
        with relay.line(short, project="", asker="", most=ENOUGH) as line:
            connection = OverSocket(short)
            connection.request("POST", "/v1/messages", json.dumps(MESSAGES | {"stream": True}))
            _until_asked(ledger)
            connection.close()
            began = time.monotonic()
    assert time.monotonic() - began < 10
    assert line.usd is None, "what it costs isn't known"


@pytest.mark.parametrize("header", ["anthropic-beta: a\r\n b", "user-agent: \x01", "accept: " + "a" * 60_000])
def test_an_odd_header_spoils_nothing(short: Path, header: str) -> None:
    with (
        ModelServer() as server,
        a_relay(server, FakeLedger()).line(short, project="", asker="", most=ENOUGH) as line,
    ):
        head = f"POST /v1/messages HTTP/1.1\r\nhost: x\r\n{header}".encode()
        assert b" 200 " in raw(short, head, json.dumps(MESSAGES).encode()).splitlines()[0]
        assert (line.failure, len(server.requests)) == (None, 1)


def test_a_request_within_a_request_is_counted_and_gets_no_further(short: Path) -> None:
    inner = b"POST /v1/files HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}"
    with ModelServer() as server, a_relay(server, FakeLedger()).line(short, project="", asker="", most=ENOUGH):
        head = b"POST /v1/messages HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked"
        answer = raw(short, head, b"0\r\n\r\n" + inner)
        assert b" 200 " not in answer
        assert server.requests == []


def test_a_refusal_that_names_the_key_comes_back_without_it(short: Path) -> None:
    with HTTPServer(host="127.0.0.1", port=0) as server:
        server.expect_request("/v1/messages").respond_with_data(f"wrong key {KEY}", status=401)
        meter = NightMeter(FakeLedger(), Limits(Limit(9), 60), clock=FakeClock())
        headers = {"authorization": f"Bearer {KEY}"}
        relay = Relay(meter, Upstream(server.url_for(""), headers), price=lambda _model, _usage: 0.0)
        with relay.line(short, project="", asker="", most=ENOUGH) as line:
            status, data, _ = post(short, "/v1/messages", MESSAGES)
    assert (status, KEY.encode() in data) == (401, False)
    assert KEY not in str(line.failure)


def test_the_bill_waits_for_an_answer_that_is_under_way(short: Path) -> None:
    def answer(_request: Request) -> Response:
        time.sleep(1)
        return Response(json.dumps({"model": "m", "usage": {"input_tokens": 100, "output_tokens": 900}}))

    ledger = FakeLedger()
    with HTTPServer(host="127.0.0.1", port=0) as server:
        server.expect_request("/v1/messages").respond_with_handler(answer)
        meter = NightMeter(ledger, Limits(Limit(), 60), clock=FakeClock())
        relay = Relay(meter, Upstream(server.url_for(""), {"x-api-key": KEY}), price=lambda _model, _usage: 0.5)
        with relay.line(short, project="", asker="", most=ENOUGH) as line, closing(OverSocket(short)) as connection:
            connection.request("POST", "/v1/messages", json.dumps(MESSAGES))
            _until_asked(ledger)
        assert (line.usage.tokens, line.usd) == (1_000, 0.5)
        assert [state for state, _, _ in ledger.settled.values()] == [CallState.DONE]


def _until_asked(ledger: FakeLedger) -> None:
    until = time.monotonic() + 10
    while not ledger.reserved and time.monotonic() < until:
        time.sleep(0.02)
