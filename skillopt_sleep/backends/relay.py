"""Let a sealed agent reach its model and nothing else: a Unix socket for each attempt, key and budget on our side.

What the agent posts to Anthropic Messages or OpenAI Responses is passed on to the model's real address, if the model
alone answers it (relay_messages.py). Each request is taken out of the budget before it is sent, and what it took is
read from the answer. Whatever is in the seal may write to the socket: how much of ours it can hold is bounded.
"""

import json
import re
import socketserver
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, NamedTuple, cast

import httpx2

from skillopt_sleep.backends.attempt_socket import MOST_REQUEST, AttemptSocket, Upstream
from skillopt_sleep.backends.metered import NightMeter, Price
from skillopt_sleep.backends.refusals import read_refusal
from skillopt_sleep.backends.relay_messages import Admitted, NotAdmitted, UsageReader, admitted
from skillopt_sleep.errors import BudgetExhausted, CallFailed, FailureKind
from skillopt_sleep.records import CallState, Prompt, Purpose

MOST_ANSWER = 64 * 1024 * 1024
CONNECT_SECONDS = 30.0
READ_SECONDS = 300.0  # between two pieces of an answer
ANSWER_SECONDS = 1_800.0  # for a whole answer
PATIENCE = 30.0  # for answers that are under way when the attempt has ended
MOST_CONNECTIONS = 16  # at the same time, of one attempt
MOST_REFUSAL = 1024 * 1024
# The only requests that are passed on, by path.
PATHS = frozenset({"/v1/messages", "/v1/responses"})

_PASSED_ON = frozenset({"content-type", "accept", "anthropic-version", "anthropic-beta", "openai-beta", "user-agent"})
_MOST_HEADER = 4_096
_LENGTH = re.compile(r"\d{1,9}", re.ASCII)
_PASSED_BACK = frozenset({"content-type", "request-id", "x-request-id", "retry-after", "x-should-retry"})


class Relay:
    """Passes requests of sealed attempts on to one model, within one night's budget; safe for threads."""

    def __init__(self, meter: NightMeter, upstream: Upstream, *, price: Price, patience: float = PATIENCE) -> None:
        self._meter = meter
        self._upstream = upstream
        self._price = price
        self._patience = patience
        self._parsing = threading.Lock()
        self._certificates = httpx2.create_ssl_context(trust_env=True)

    @contextmanager
    def line(self, path: Path, *, project: str, asker: str, most: int) -> Generator[AttemptSocket]:
        """Listen at the socket until the block ends, and yield what goes over it.

        The bill is complete afterwards: answers that are under way are waited for, and the price is unknown if one
        didn't come in time.
        """
        line = AttemptSocket(project, asker, most)
        timeout = httpx2.Timeout(READ_SECONDS, connect=CONNECT_SECONDS)
        # Each line has its own connections; the certificates, slow to read, are read once.
        with httpx2.Client(verify=self._certificates, timeout=timeout, follow_redirects=False) as client:
            server = _Server(path, _Wire(line, client, self._meter, self._upstream, self._price, self._parsing))
            thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
            thread.start()
            try:
                yield line
            finally:
                server.shutdown()
                if not server.has_answered(within=self._patience):
                    line.settle(None, None, "")
                server.server_close()
                thread.join()
                path.unlink(missing_ok=True)


class _Wire(NamedTuple):
    line: AttemptSocket
    client: httpx2.Client
    meter: NightMeter
    upstream: Upstream
    price: Price
    parsing: threading.Lock  # one request at a time: a hostile one takes many times its size


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    request_queue_size = 32

    def __init__(self, path: Path, wire: _Wire) -> None:
        self.wire = wire
        self._free = threading.Semaphore(MOST_CONNECTIONS)
        self.answering = threading.Semaphore(MOST_CONNECTIONS)
        super().__init__(str(path), _Handler)
        path.chmod(0o600)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection, or close it if there are too many."""
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._free.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve one connection to its end."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def has_answered(self, *, within: float) -> bool:
        """Wait so many seconds for the answers that are under way, let no other begin, and tell whether all ended."""
        until = time.monotonic() + within
        return all(
            self.answering.acquire(timeout=max(0.0, until - time.monotonic())) for _ in range(MOST_CONNECTIONS)
        )

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
        length = self._length()
        if length is None or not self._wire.line.hold(length):
            self.close_connection = True
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "a request needs a length, and may not be so long")
            return
        try:
            asked = self._asked(self.rfile.read(length))
        finally:
            self._wire.line.let_go(length)
        if asked is not None:
            with cast("_Server", self.server).answering:
                self._reserve(asked)

    def _length(self) -> int | None:
        """Return how long the request is, None if it isn't said in the one way that can't be read in two."""
        length = self.headers.get_all("content-length", [])
        if self.headers.get("transfer-encoding") or len(length) != 1 or not _LENGTH.fullmatch(length[0]):
            return None
        return int(length[0]) if int(length[0]) <= MOST_REQUEST else None

    def _asked(self, body: bytes) -> Admitted | None:
        """Return what may be sent on, or None if the request was refused."""
        if self.path.partition("?")[0] not in PATHS:
            self._refuse(HTTPStatus.NOT_FOUND, "this is no model's address")
            return None
        wire = self._wire
        try:
            with wire.parsing:
                asked = admitted(body)
        except NotAdmitted as error:
            self._refuse(HTTPStatus.BAD_REQUEST, error.message)
            return None
        if not wire.upstream.agrees(asked.model) or not wire.line.keeps_to(asked.model):
            self._refuse(HTTPStatus.BAD_REQUEST, f"{asked.model[:100]} isn't the model of this attempt")
            return None
        return asked

    def _reserve(self, asked: Admitted) -> None:
        """Take a request out of the budget, and send it on."""
        line = self._wire.line
        if not line.begin(asked.body):
            self._refuse(HTTPStatus.TOO_MANY_REQUESTS, "this attempt has made all the requests that it may make")
            return
        prompt = Prompt(
            purpose=Purpose.ROLLOUT,
            text=asked.body.decode("utf-8", "replace"),
            project=line.project,
            asker=line.asker,
        )
        try:
            entry = self._wire.meter.reserve(prompt, asked.model, self._wire.price)
        except (BudgetExhausted, CallFailed) as error:
            line.fail(error)
            self._refuse(HTTPStatus.TOO_MANY_REQUESTS, error.message)
            return
        self._pass_on(asked.body, entry, asked.model)

    def _pass_on(self, body: bytes, entry: int, model: str) -> None:
        """Send the request with the key, and the answer back as it comes; settle what it took, however it ends."""
        wire = self._wire
        headers = self._wanted() | {"accept-encoding": "identity"} | dict(wire.upstream.headers)
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

    def _wanted(self) -> dict[str, str]:
        """Return the headers that are passed on, if they are plain."""
        return {
            name: value
            for name, value in self.headers.items()
            if name.lower() in _PASSED_ON and value.isascii() and value.isprintable() and len(value) <= _MOST_HEADER
        }

    def _pass_back(self, answer: httpx2.Response, reader: UsageReader) -> None:
        self._begin(answer)
        sent = 0
        until = time.monotonic() + ANSWER_SECONDS
        for piece in answer.iter_raw():
            reader.feed(piece)
            sent += len(piece)
            if sent > MOST_ANSWER or time.monotonic() > until:
                self.close_connection = True
                return
            # The agent may be gone: the rest is read all the same, for what it took.
            with suppress(OSError):
                self._chunk(piece)
        with suppress(OSError):
            self._chunk(b"")

    def _pass_back_refusal(self, answer: httpx2.Response) -> None:
        data = b""
        for piece in answer.iter_raw():
            data += piece
            if len(data) > MOST_REFUSAL:
                break
        data = self._wire.upstream.without_key(data)
        refusal = read_refusal(answer.status_code, _parsed(data), answer.headers)
        message = f"the model's server refused the request with status {answer.status_code}: {refusal.text}"
        self._wire.line.fail(CallFailed(refusal.kind, message))
        self._begin(answer)
        for piece in (data, b"") if data else (b"",):
            self._chunk(piece)

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


def _parsed(data: bytes) -> Any:
    """Return the JSON value, or None if it isn't one."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None
