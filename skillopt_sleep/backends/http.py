"""Make one call to a model over HTTP, limited in time and size, and give every failure a kind.

An SDK's time-outs hold for each read, so a server that drips could keep a call waiting for ever. Here the whole call
runs in an event loop and is cancelled at its deadline, whatever it is doing.
"""

import asyncio
import threading
import weakref
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable
from datetime import datetime
from typing import NamedTuple, Protocol, TypeVar, cast
from urllib.parse import urlsplit

import httpx2
import msgspec

from skillopt_sleep.backends.refusals import LONGEST_WAIT, ServerRefusal, read_refusal
from skillopt_sleep.backends.replies import Tariff, decoded, price, unusable
from skillopt_sleep.errors import BackendUnavailable, CallFailed, FailureKind
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.records import Completion, Prompt, Purpose, Usage
from skillopt_sleep.settings.sections import on_this_machine

MOST_BYTES = 8 * 1024 * 1024
PROBE_SECONDS = 30.0
LOOK_SECONDS = 0.5  # for a server on this machine
# A call is over by then; only a stalled event loop gets there.
LAST_RESORT = 5.0
# Servers close a connection that is idle for five seconds or more; a call must not meet one that is being closed.
IDLE_SECONDS = 4.0
BROKEN_SECONDS = 0.5  # before asking again for an answer that the connection, or a proxy, broke

Result = TypeVar("Result")


class Raw(Protocol):
    """The result of an SDK's raw call."""

    @property
    def http_response(self) -> httpx2.Response:
        """Return the answer, fully read."""
        ...


class Errors(NamedTuple):
    """The exceptions of an SDK: their base class, and those for a time-out, no connection, and an error status."""

    all: type[Exception]
    timed_out: type[Exception]
    unreachable: type[Exception]
    status: type[Exception]


class _StatusError(Protocol):
    response: httpx2.Response
    body: object


class _Listed(msgspec.Struct):
    id: str


class _List(msgspec.Struct):
    data: tuple[_Listed, ...]


_WORDS = {
    FailureKind.LOGIN: "refused the key",
    FailureKind.MODEL: "does not know the model",
    FailureKind.QUOTA: "says that the quota is used up",
    FailureKind.RATE_LIMITED: "is rate limited",
    FailureKind.OVERLOADED: "failed",
    FailureKind.TOO_LONG: "says that the prompt is too long",
    FailureKind.REFUSED: "refused the prompt",
    FailureKind.TIMED_OUT: "did not answer in time",
    FailureKind.BAD_REQUEST: "refused the request",
}


class HttpBackend(ABC):
    """Asks one model of one server; a subclass says how to ask, how to read the answer, and what it is called.

    `base_url` is the user's own address, or "" for the provider's (`home`); `secret` must not appear in any message.
    A `tariff` is what the user says the model costs; it counts before the price list.
    """

    speaks: str
    errors: Errors

    def __init__(
        self,
        provider: str,
        *,
        model: str,
        base_url: str,
        home: str,
        secret: str,
        key_env: str,
        timeout: float,
        tariff: Tariff | None = None,
    ) -> None:
        self._provider = provider
        self._model = model
        self._timeout = timeout
        self._own = _shown(base_url)
        self._where = _shown(base_url or home)
        self._secret = secret
        self._key_env = key_env
        self._takes_schema = True
        self._tariff = tariff

    def complete(self, prompt: Prompt) -> Completion:
        """Send one request; raise CallFailed with the reason rather than return an empty answer."""
        structured = prompt.schema is not None and self._takes_schema
        seconds = self._timeout
        # A server on this machine may have to load the model first.
        if prompt.purpose is Purpose.PREFLIGHT and not on_this_machine(self._own):
            seconds = min(seconds, PROBE_SECONDS)
        answer = self._fetch(lambda: self._send(prompt, structured=structured, seconds=seconds), seconds)
        if isinstance(answer, ServerRefusal):
            given_up = self._give_up(answer, structured=structured)
            if given_up:
                raise CallFailed(FailureKind.BAD_REQUEST, f"{self._where} takes no {given_up}", retry_after=0.0)
            raise self._failed(answer)
        try:
            completion = self._read(prompt, answer)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            message = f"{self._where} answered with something else than {self.speaks}: {error}"
            usage = self._usage(answer)
            raise unusable(FailureKind.MALFORMED, message, usage, retry_after=BROKEN_SECONDS) from error
        return decoded(prompt, completion)

    @property
    def name(self) -> str:
        """The name under which its answers are kept and shown."""
        is_local = self._provider == "openai" and on_this_machine(self._own)
        name = self._model if is_local else f"{self._provider}:{self._model}"
        return f"{name}@{self._own}" if self._own else name

    @property
    def version(self) -> str:
        """Always "": no program is run."""
        return ""

    def price(self, _model: str, usage: Usage) -> float | None:
        """Return the price by the user's tariff, else by the list of the provider, or None if it isn't listed."""
        if self._tariff:
            return self._tariff.price(usage)
        return price(self._own or self._provider, self._model, usage)

    def ready(self, _until: datetime) -> bool:
        """Tell whether login and model are known to be good, without a paid call; False if only a call can tell.

        Raises BackendUnavailable if the server says that they are not.
        """
        seconds = min(self._timeout, PROBE_SECONDS)
        try:
            answer = self._fetch(lambda: self._look_up(seconds=seconds), seconds)
        except CallFailed:
            return False
        if isinstance(answer, ServerRefusal):
            failed = self._failed(answer)
            if failed.kind is FailureKind.LOGIN and not answer.of_scope:
                raise BackendUnavailable(failed.message, remedy=failed.remedy, login=True)
            if answer.of_model:
                raise BackendUnavailable(failed.message, remedy=failed.remedy)
            return False
        try:
            return bool(msgspec.json.decode(answer, type=_Listed).id)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return False

    @abstractmethod
    async def _send(self, prompt: Prompt, *, structured: bool, seconds: float) -> Raw: ...

    @abstractmethod
    async def _look_up(self, *, seconds: float) -> Raw: ...

    @abstractmethod
    def _read(self, prompt: Prompt, data: bytes) -> Completion: ...

    @abstractmethod
    def _usage(self, answer: bytes) -> Usage | None: ...

    def _give_up(self, refusal: ServerRefusal, *, structured: bool) -> str:
        """Return what the next attempt leaves out because this server doesn't accept it, or ""."""
        if structured and refusal.of_schema:
            self._takes_schema = False
            return "response_format"
        return ""

    def _fetch(self, call: Callable[[], Awaitable[Raw]], seconds: float) -> bytes | ServerRefusal:
        """Return the body of the answer, or the server's refusal; raise CallFailed if there is neither."""
        try:
            return within(seconds, call).http_response.content
        except TimeoutError as error:
            raise self._late() from error
        except self.errors.all as error:
            if isinstance(error.__cause__, CallFailed):
                raise error.__cause__ from error
            if isinstance(error, self.errors.status):
                status = cast("_StatusError", error)
                return read_refusal(status.response.status_code, status.body, status.response.headers)
            if isinstance(error, self.errors.timed_out):
                raise self._late() from error
            reason = self._clean(str(error.__cause__ or "") or str(error))
            if isinstance(error, self.errors.unreachable):
                raise CallFailed(FailureKind.UNREACHABLE, f"{self._where} can't be reached: {reason}") from error
            message = f"{self._where} answered with something unusable: {reason}"
            raise unusable(FailureKind.MALFORMED, message, None, retry_after=BROKEN_SECONDS) from error

    def _late(self) -> CallFailed:
        return CallFailed(FailureKind.TIMED_OUT, f"{self._where} did not answer in time")

    def _failed(self, refusal: ServerRefusal) -> CallFailed:
        """Return the typed failure, with a remedy for the person who has to fix it."""
        kind = refusal.kind
        is_odd = self._provider == "openai" and bool(self._own) and not self._own.rstrip("/").endswith("/v1")
        words = "has no such path, or no model" if is_odd and kind is FailureKind.MODEL else _WORDS[kind]
        message = f"{self._where} {words}"
        remedy = ""
        if kind is FailureKind.MODEL:
            message += f" {self._model}"
        if kind is FailureKind.OVERLOADED:
            message += f" with status {refusal.status}"
        message += f": {self._clean(refusal.text)}"
        if kind is FailureKind.QUOTA and refusal.again:
            message += f"; try again after {refusal.again:%Y-%m-%d %H:%M} UTC"
        if kind is FailureKind.LOGIN and self._key_env:
            remedy = f"check the key in {self._key_env}"
        elif kind in {FailureKind.MODEL, FailureKind.BAD_REQUEST}:
            remedy = f"check the model's name ({self._model}) and the address"
            if is_odd:
                remedy += f" ({self._own}): those of most servers end in /v1"
        retry_after = None
        if kind in _WORTH_WAITING and refusal.wait is not None and refusal.wait <= LONGEST_WAIT:
            retry_after = refusal.wait
        return CallFailed(kind, message, remedy=remedy, retry_after=retry_after)

    def _clean(self, text: str) -> str:
        """Return the text on one line and without the secret."""
        return one_line(text.replace(self._secret, "…") if self._secret else text, limit=200)


_WORTH_WAITING = frozenset({FailureKind.RATE_LIMITED, FailureKind.OVERLOADED})


def usable_key(key: str, key_env: str) -> str:
    """Return the key as it can stand in a header; raise BackendUnavailable if it can't."""
    key = key.strip()
    if not key.isascii() or not key.isprintable():
        raise BackendUnavailable(f"{key_env} holds no usable key", remedy=f"export {key_env}=…", login=True)
    return key


def client(owner: object, address: str) -> httpx2.AsyncClient:
    """Return a client of our own for an SDK: it follows no redirects and reads no more than MOST_BYTES.

    What is sent to an address on this machine goes through no proxy. A connection is used again by calls that follow
    one another, and closed before a server would close it, or when its owner is gone.
    """
    made = httpx2.AsyncClient(
        timeout=None,
        trust_env=not on_this_machine(address),
        follow_redirects=False,
        headers={"accept-encoding": "identity"},
        event_hooks={"response": [_bound]},
        limits=httpx2.Limits(max_connections=None, max_keepalive_connections=None, keepalive_expiry=IDLE_SECONDS),
    )
    weakref.finalize(owner, _close, made).atexit = False
    return made


def listed_models(address: str) -> tuple[str, ...]:
    """Return the models that a server on this machine lists; none if nothing answers soon."""
    try:
        with httpx2.Client(timeout=LOOK_SECONDS, trust_env=False) as looking:
            listed = msgspec.json.decode(looking.get(f"{address}/models").content, type=_List)
    except (httpx2.HTTPError, msgspec.DecodeError, UnicodeDecodeError):
        return ()
    return tuple(one_line(model.id, limit=100) for model in listed.data)


def _close(unused: httpx2.AsyncClient) -> None:
    asyncio.run_coroutine_threadsafe(unused.aclose(), _loop.get())


async def _bound(response: httpx2.Response) -> None:
    if response.headers.get("content-encoding", "identity") != "identity":
        message = "the server sent a compressed answer, which was not requested"
        raise CallFailed(FailureKind.MALFORMED, message, paid=response.is_success)
    response.stream = _Bounded(cast("httpx2.AsyncByteStream", response.stream), paid=response.is_success)


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, *, paid: bool) -> None:
        self._inner = inner
        self._paid = paid

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        size = 0
        try:
            async for chunk in self._inner:
                size += len(chunk)
                if size > MOST_BYTES:
                    raise CallFailed(FailureKind.FLOODED, f"the server's answer is longer than {MOST_BYTES:,} bytes")
                yield chunk
        except httpx2.TransportError as error:
            message = f"the server's answer broke off: {error}"
            raise CallFailed(FailureKind.UNREACHABLE, message, paid=self._paid) from error

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Loop:
    """One event loop for all calls of the process, in a thread of its own, which the first call starts."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def get(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="http", daemon=True).start()
            return self._loop


_loop = _Loop()


def within(seconds: float, call: Callable[[], Awaitable[Result]]) -> Result:
    """Return what the call returns; raise TimeoutError after so many seconds, whatever it is doing."""

    async def limited() -> Result:
        async with asyncio.timeout(seconds):
            return await call()

    future = asyncio.run_coroutine_threadsafe(limited(), _loop.get())
    try:
        return future.result(seconds + LAST_RESORT)
    finally:
        future.cancel()


def _shown(url: str) -> str:
    """Return the address without a user name, a password, a query and a fragment."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl().rstrip("/")
