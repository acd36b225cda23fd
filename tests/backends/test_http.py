import asyncio
import gzip
import json
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from skillopt_sleep.backends.anthropic import AnthropicBackend
from skillopt_sleep.backends.http import MOST_BYTES, HttpBackend, within
from skillopt_sleep.backends.openai import OpenAIBackend, OpenAIResponses
from skillopt_sleep.errors import BackendUnavailable, CallFailed, Exit, FailureKind
from skillopt_sleep.prompts import fill
from skillopt_sleep.records import Purpose
from tests.builders import a_prompt
from tests.fakes import NOON
from tests.server import Asked, Behaviour, ModelServer

KEY = "key-of-a-test"
ANY = re.compile(".*")
PREFLIGHT = a_prompt(fill("preflight", night="1"), purpose=Purpose.PREFLIGHT)

Maker = Callable[..., HttpBackend]


def _maker(kind: type[OpenAIBackend | AnthropicBackend], path: str) -> Maker:
    def make(url: str, *, key: str = KEY, timeout: float = 10) -> HttpBackend:
        return kind(model="m-1", base_url=f"{url}{path}", api_key=key, api_key_env="TEST_KEY", timeout=timeout)

    return make


@pytest.fixture(
    params=[
        pytest.param(_maker(OpenAIBackend, "/v1"), id="chat"),
        pytest.param(_maker(OpenAIResponses, "/v1"), id="responses"),
        pytest.param(_maker(AnthropicBackend, ""), id="messages"),
    ]
)
def make(request: pytest.FixtureRequest) -> Maker:
    return request.param


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def _always(httpserver: HTTPServer, response: Response) -> str:
    """The address of a server that has one answer."""
    httpserver.expect_request(ANY).respond_with_response(response)
    return httpserver.url_for("").rstrip("/")


def _failure(backend: HttpBackend) -> CallFailed:
    with pytest.raises(CallFailed) as caught:
        backend.complete(a_prompt())
    assert KEY not in f"{caught.value.message} {caught.value.remedy}"
    return caught.value


@contextmanager
def _listening(answer: Callable[[socket.socket], None], *, reads: bool = True) -> Generator[str]:
    """A server of plain sockets: each connection is handed to `answer`, its request read or not."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=_handle, args=(connection, answer, reads), daemon=True).start()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


def _handle(connection: socket.socket, answer: Callable[[socket.socket], None], reads: bool) -> None:
    with connection:
        try:
            if reads:
                connection.recv(65_536)
            answer(connection)
        except OSError:
            return


def _drip(connection: socket.socket, start: bytes) -> None:
    connection.sendall(start)
    for _ in range(200):
        connection.sendall(b"a")
        time.sleep(0.05)


DRIPS = {
    "headers": b"HTTP/1.1 200 OK\r\nx-slow: ",
    "a body": b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n",
    "a failure": b"HTTP/1.1 500 Oh\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n",
}


@pytest.mark.parametrize("start", DRIPS.values(), ids=DRIPS)
def test_a_slow_drip_ends_with_the_calls_time(make: Maker, start: bytes) -> None:
    with _listening(lambda connection: _drip(connection, start)) as url:
        began = time.monotonic()
        failure = _failure(make(url, timeout=0.4))
        assert failure.kind is FailureKind.TIMED_OUT
        assert time.monotonic() - began < 5


@pytest.mark.parametrize("behaviour", ["hang", "slow_drip"])
def test_no_answer_ends_with_the_calls_time(make: Maker, server: ModelServer, behaviour: str) -> None:
    server.behaviour = "hang" if behaviour == "hang" else "slow_drip"
    assert _failure(make(server.root_url, timeout=0.4)).kind is FailureKind.TIMED_OUT
    assert len(server.requests) == 1


def test_a_server_that_takes_nothing_ends_with_the_calls_time(make: Maker) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with pytest.raises(CallFailed) as caught:
            make(url, timeout=0.4).complete(a_prompt("x" * 20_000_000))
    assert caught.value.kind is FailureKind.TIMED_OUT


def test_a_flood_is_cut_off(make: Maker, server: ModelServer) -> None:
    server.behaviour, server.flood_bytes = "flood", 4 * MOST_BYTES
    assert _failure(make(server.root_url)).kind is FailureKind.FLOODED


def test_a_flood_under_a_failure_is_cut_off(make: Maker, httpserver: HTTPServer) -> None:
    big = Response("x" * (MOST_BYTES + 1), status=500, content_type="text/plain")
    assert _failure(make(_always(httpserver, big))).kind is FailureKind.FLOODED


def test_an_answer_that_is_packed_is_not_unpacked(make: Maker) -> None:
    packed = gzip.compress(b"{}" * 1000)
    head = f"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: {len(packed)}\r\n\r\n".encode()
    with _listening(lambda connection: connection.sendall(head + packed)) as url:
        failure = _failure(make(url))
    assert (failure.kind, failure.paid) == (FailureKind.MALFORMED, True)


def test_a_name_that_nobody_knows_is_unreachable(make: Maker) -> None:
    failure = _failure(make("http://model.invalid"))
    assert failure.kind is FailureKind.UNREACHABLE
    assert "http://model.invalid" in failure.message


def test_a_closed_port_is_unreachable(make: Maker) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        assert _failure(make(f"http://127.0.0.1:{unused.getsockname()[1]}")).kind is FailureKind.UNREACHABLE


def test_a_connection_that_is_reset_is_unreachable(make: Maker, server: ModelServer) -> None:
    server.behaviour = "reset"
    assert _failure(make(server.root_url)).kind is FailureKind.UNREACHABLE


def test_an_answer_that_breaks_off_is_unreachable(make: Maker) -> None:
    half = b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"id": '
    with _listening(lambda connection: connection.sendall(half)) as url:
        failure = _failure(make(url))
    assert (failure.kind, failure.paid) == (FailureKind.UNREACHABLE, True)


def test_what_is_no_http_is_unreachable(make: Maker) -> None:
    with _listening(lambda connection: connection.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")) as url:
        assert _failure(make(url)).kind is FailureKind.UNREACHABLE


def test_a_server_without_tls_is_unreachable_by_tls(make: Maker) -> None:
    with _listening(lambda connection: connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as url:
        assert _failure(make(url.replace("http:", "https:"))).kind is FailureKind.UNREACHABLE


def test_a_server_without_a_certificate_is_unreachable(make: Maker) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)

    def greet(connection: socket.socket) -> None:
        with pytest.raises(ssl.SSLError):
            context.wrap_socket(connection, server_side=True)

    with _listening(greet, reads=False) as url:
        failure = _failure(make(url.replace("http:", "https:")))
    assert failure.kind is FailureKind.UNREACHABLE
    assert "handshake" in failure.message.lower()


def test_nothing_is_sent_elsewhere(make: Maker, httpserver: HTTPServer, server: ModelServer) -> None:
    moved = Response(status=307, headers={"Location": f"{server.root_url}/v1/chat/completions"})
    assert _failure(make(_always(httpserver, moved))).kind is FailureKind.BAD_REQUEST
    assert server.requests == []


def test_no_address_of_the_environment_takes_the_place_of_the_providers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    for kind in (OpenAIBackend, OpenAIResponses, AnthropicBackend):
        backend = kind(model="m", base_url="", api_key=KEY, api_key_env="K", timeout=5)
        assert "127.0.0.1" not in str(backend._client.base_url)


def test_a_key_that_the_server_repeats_is_not_told(make: Maker, httpserver: HTTPServer) -> None:
    said = json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}"}})
    failure = _failure(make(_always(httpserver, Response(said, status=401, content_type="application/json"))))
    assert failure.kind is FailureKind.LOGIN
    assert "TEST_KEY" in failure.remedy


@pytest.mark.parametrize("key", ["schlüssel", "one\ntwo", "one\x00two"])
def test_a_key_that_can_not_be_sent_needs_a_login(make: Maker, key: str) -> None:
    with pytest.raises(BackendUnavailable, match="TEST_KEY holds no usable key") as caught:
        make("http://127.0.0.1:9", key=key)
    assert caught.value.exit_code is Exit.LOGIN


def test_a_line_end_after_the_key_is_no_part_of_it(make: Maker, server: ModelServer) -> None:
    assert make(server.root_url, key=f"{KEY}\n").complete(PREFLIGHT).text == "ready"


def test_a_quota_that_is_used_up_says_when_it_ends(make: Maker, server: ModelServer) -> None:
    server.behaviour = "usage_limit"
    failure = _failure(make(server.root_url))
    assert failure.kind is FailureKind.QUOTA
    assert "UTC" in failure.message
    assert failure.retry_after is None


def test_a_model_and_a_key_that_are_good_are_known_without_a_call(make: Maker, server: ModelServer) -> None:
    assert make(server.root_url).ready(NOON) is True
    assert server.requests == []


@pytest.mark.parametrize("behaviour", ["unauthorized", "forbidden"])
def test_a_key_that_is_refused_is_known_without_a_call(make: Maker, server: ModelServer, behaviour: str) -> None:
    server.behaviour = "unauthorized" if behaviour == "unauthorized" else "forbidden"
    with pytest.raises(BackendUnavailable) as caught:
        make(server.root_url).ready(NOON)
    assert caught.value.exit_code is Exit.LOGIN
    assert "TEST_KEY" in caught.value.remedy


def test_a_model_that_is_not_there_is_known_without_a_call(make: Maker, server: ModelServer) -> None:
    server.models = "none"
    with pytest.raises(BackendUnavailable, match="does not know the model m-1") as caught:
        make(server.root_url).ready(NOON)
    assert caught.value.exit_code is Exit.FAILED


def test_a_server_that_lists_no_models_has_to_be_asked(make: Maker, server: ModelServer) -> None:
    server.models = "no_route"
    assert make(server.root_url).ready(NOON) is False


OTHER = {
    "a page": Response("<html>Welcome</html>", content_type="text/html"),
    "another thing": Response('{"models": []}', content_type="application/json"),
    "an error": Response("oh", status=500),
    "a key for other things": Response(
        '{"error": {"message": "You have insufficient permissions. Missing scopes: api.model.read"}}',
        status=403,
        content_type="application/json",
    ),
}


@pytest.mark.parametrize("answer", OTHER.values(), ids=OTHER)
def test_where_looking_it_up_tells_nothing_the_model_has_to_be_asked(
    make: Maker, httpserver: HTTPServer, answer: Response
) -> None:
    assert make(_always(httpserver, answer)).ready(NOON) is False


def test_a_server_that_is_not_there_has_to_be_asked(make: Maker) -> None:
    assert make("http://model.invalid").ready(NOON) is False


def test_a_question_that_takes_too_long_is_given_up() -> None:
    async def forever() -> None:
        await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        within(0.05, forever)


def test_calls_at_once_do_not_wait_for_one_another(make: Maker, server: ModelServer) -> None:
    def slow(asked: Asked) -> Behaviour:
        time.sleep(0.5)
        return "error500" if "odd" in asked.prompt else "garbage"

    def ask(number: int) -> FailureKind | None:
        try:
            return backend.complete(a_prompt("odd" if number % 2 else "even", sample=number)) and None
        except CallFailed as error:
            return error.kind

    server.behaviour = slow
    backend = make(server.root_url)
    began = time.monotonic()
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(8))) == [None, FailureKind.OVERLOADED] * 4
    assert time.monotonic() - began < 8 * 0.5
