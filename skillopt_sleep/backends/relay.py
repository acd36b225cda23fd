"""Let a sealed agent reach its model and nothing else: a Unix socket for each attempt, key and budget on our side.

What the agent posts to Anthropic Messages or OpenAI Responses is passed on to the model's real address. Each request
is taken out of the budget before it is sent, and what it took is read from the answer.
"""

import json
import socketserver
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, NamedTuple, cast
from urllib.parse import urlsplit

import httpx2

from skillopt_sleep.backends.metered import NightMeter, Price
from skillopt_sleep.backends.refusals import read_refusal
from skillopt_sleep.backends.streamed_usage import UsageReader
from skillopt_sleep.errors import BudgetExhausted, CallFailed, FailureKind, SleepError
from skillopt_sleep.records import CallState, Prompt, Purpose, Usage

MOST_REQUEST = 32 * 1024 * 1024
MOST_ANSWER = 64 * 1024 * 1024
CONNECT_SECONDS = 30.0
READ_SECONDS = 300.0  # between two pieces of an answer
# The only requests that are passed on, by path.
PATHS = frozenset({"/v1/messages", "/v1/responses"})

_PASSED_ON = frozenset({"content-type", "accept", "anthropic-version", "anthropic-beta", "openai-beta", "user-agent"})
_PASSED_BACK = frozenset({"content-type", "request-id", "x-request-id", "retry-after", "x-should-retry"})


class Upstream(NamedTuple):
    """The model's real address, such as https://api.anthropic.com, and the headers that hold the key."""

    address: str
    headers: Mapping[str, str]
    model: str = ""

    def url(self, path: str) -> str:
        """Return the full address of a path that begins with /v1."""
        return self.address.rstrip("/").removesuffix("/v1") + path


class Most(NamedTuple):
    """The most that one attempt may take: requests, and dollars (0: no limit of its own)."""

    calls: int
    usd: float = 0.0


class Line:
    """What went over the socket of one attempt.

    `first_request` is the body of its first request, which shows what reached the model. `failure` says why a request
    wasn't answered by the model; `stopped` that the attempt's own limit was reached.
    """

    def __init__(self, project: str, asker: str, most: Most) -> None:
        self.project = project
        self.asker = asker
        self.most = most
        self.first_request = b""
        self.calls = 0
        self.usage = Usage()
        self.usd: float | None = 0.0
        self.model = ""
        self.failure: SleepError | None = None
        self.stopped = False
        self._lock = threading.Lock()

    def begin(self, body: bytes) -> bool:
        """Count a request; return False if the attempt may make no more."""
        with self._lock:
            spent = self.usd or 0.0
            if self.calls >= self.most.calls or (self.most.usd and spent >= self.most.usd):
                self.stopped = True
                return False
            if not self.calls:
                self.first_request = body
            self.calls += 1
            return True

    def settle(self, usage: Usage | None, usd: float | None, model: str) -> None:
        """Add what one request took; an unknown price makes the whole unknown."""
        with self._lock:
            self.usage += usage or Usage()
            self.usd = None if usd is None or self.usd is None else self.usd + usd
            self.model = model or self.model

    def fail(self, error: SleepError) -> None:
        """Keep the first failure."""
        with self._lock:
            self.failure = self.failure or error


class Relay:
    """Passes requests of sealed attempts on to one model, within one night's budget; safe for threads."""

    def __init__(self, meter: NightMeter, upstream: Upstream, *, price: Price) -> None:
        self._meter = meter
        self._upstream = upstream
        self._price = price

    @contextmanager
    def line(self, path: Path, *, project: str, asker: str, most: Most) -> Generator[Line]:
        """Listen at the socket until the block ends, and yield what goes over it."""
        line = Line(project, asker, most)
        timeout = httpx2.Timeout(READ_SECONDS, connect=CONNECT_SECONDS)
        with httpx2.Client(timeout=timeout, follow_redirects=False, trust_env=True) as client:
            server = _Server(path, _Wire(line, client, self._meter, self._upstream, self._price))
            thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
            thread.start()
            try:
                yield line
            finally:
                server.shutdown()
                server.server_close()
                thread.join()
                path.unlink(missing_ok=True)


class _Wire(NamedTuple):
    line: Line
    client: httpx2.Client
    meter: NightMeter
    upstream: Upstream
    price: Price


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    block_on_close = True
    request_queue_size = 32

    def __init__(self, path: Path, wire: _Wire) -> None:
        self.wire = wire
        super().__init__(str(path), _Handler)
        path.chmod(0o600)

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a connection that broke: the agent went away."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = READ_SECONDS

    @property
    def _wire(self) -> _Wire:
        return cast("_Server", self.server).wire

    def address_string(self) -> str:
        """Return nothing: a Unix socket has no address."""
        return ""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Log nothing: the meter counts."""

    def do_POST(self) -> None:
        """Pass a request on and its answer back."""
        body = self._body()
        if body is None:
            return
        path = urlsplit(self.path).path
        if path not in PATHS:
            self._refuse(HTTPStatus.NOT_FOUND, "this is no model's address")
            return
        line = self._wire.line
        if not line.begin(body):
            self._refuse(HTTPStatus.TOO_MANY_REQUESTS, "this attempt has made all the requests that it may make")
            return
        prompt = Prompt(
            purpose=Purpose.ROLLOUT,
            text=body.decode("utf-8", "replace"),
            project=line.project,
            asker=line.asker,
        )
        model = _model_in(body) or self._wire.upstream.model
        try:
            entry = self._wire.meter.reserve(prompt, model, self._wire.price)
        except (BudgetExhausted, CallFailed) as error:
            line.fail(error)
            self._refuse(HTTPStatus.TOO_MANY_REQUESTS, error.message)
            return
        self._pass_on(body, entry, model)

    def _body(self) -> bytes | None:
        length = self.headers.get("content-length", "")
        if not length.isdecimal() or int(length) > MOST_REQUEST:
            self.close_connection = True
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "a request needs a length, and may not be so long")
            return None
        return self.rfile.read(int(length))

    def _pass_on(self, body: bytes, entry: int, model: str) -> None:
        """Send the request with the key, and the answer back as it comes; settle what it took, however it ends."""
        wire = self._wire
        wanted = {name: value for name, value in self.headers.items() if name.lower() in _PASSED_ON}
        headers = wanted | {"accept-encoding": "identity"} | dict(wire.upstream.headers)
        url = wire.upstream.url(self.path)
        reader: UsageReader | None = None
        state = CallState.LOST
        try:
            with wire.client.stream("POST", url, content=body, headers=headers) as answer:
                if answer.status_code != HTTPStatus.OK:
                    state = CallState.FAILED
                    self._pass_back_refusal(answer)
                    return
                reader = UsageReader(is_stream="event-stream" in answer.headers.get("content-type", ""))
                self._pass_back(answer, reader)
                state = CallState.DONE
        except httpx2.ConnectError as error:
            state = CallState.FAILED
            wire.line.fail(CallFailed(FailureKind.UNREACHABLE, f"the model can't be reached: {error}"))
            self._refuse(HTTPStatus.BAD_GATEWAY, "the model can't be reached")
        except httpx2.HTTPError as error:
            wire.line.fail(CallFailed(FailureKind.TIMED_OUT, f"the model's answer broke off: {error}"))
            self.close_connection = True
        finally:
            usage = reader.usage() if reader else None
            named = reader.model if reader else ""
            usd = wire.price(named or model, usage) if usage else None
            wire.meter.settle(entry, state, usage=usage, usd=usd)
            if state is not CallState.FAILED:
                wire.line.settle(usage, usd, named or model)

    def _pass_back(self, answer: httpx2.Response, reader: UsageReader) -> None:
        self._begin(answer)
        sent = 0
        for piece in answer.iter_raw():
            reader.feed(piece)
            sent += len(piece)
            if sent > MOST_ANSWER:
                self.close_connection = True
                return
            # The agent may be gone: the rest is read all the same, for what it took.
            with suppress(OSError):
                self._chunk(piece)
        with suppress(OSError):
            self._chunk(b"")

    def _pass_back_refusal(self, answer: httpx2.Response) -> None:
        data = answer.read()
        refusal = read_refusal(answer.status_code, _parsed(data), answer.headers)
        message = f"the model's server refused the request with status {answer.status_code}: {refusal.text}"
        self._wire.line.fail(CallFailed(refusal.kind, message))
        self._begin(answer)
        self._chunk(data)
        self._chunk(b"")

    def _begin(self, answer: httpx2.Response) -> None:
        with suppress(OSError):
            self.send_response(answer.status_code)
            for name, value in answer.headers.items():
                if name.lower() in _PASSED_BACK:
                    self.send_header(name, value)
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        """Answer in a way that both agents take for final."""
        error = {"type": "rate_limit_error", "message": why}
        text = json.dumps({"type": "error", "error": error}).encode()
        with suppress(OSError):
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("x-should-retry", "false")
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)


def _model_in(body: bytes) -> str:
    """Return the model that a request names, or ""."""
    request = _parsed(body)
    if not isinstance(request, dict):
        return ""
    name = cast("dict[str, Any]", request).get("model")
    return name if isinstance(name, str) else ""


def _parsed(data: bytes) -> Any:
    """Return the JSON value, or None if it isn't one."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None
