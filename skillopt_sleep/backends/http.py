"""What the backends that speak HTTP share: one call within its time and its size, and each failure with its kind.

The time-outs of an SDK are for one read each, so a server that drips could hold a call for ever: here the whole call
runs in an event loop and is cancelled at its deadline, wherever it is.
"""

import asyncio
import threading
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable
from datetime import datetime
from typing import NamedTuple, Protocol, TypeVar, cast
from urllib.parse import urlsplit

import httpx2
import msgspec

from skillopt_sleep.backends.prices import price
from skillopt_sleep.backends.refusals import LONGEST_WAIT, Refusal, refusal
from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.errors import BackendUnavailable, CallFailed, FailureKind
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.records import Completion, Prompt, Purpose, Usage

MOST_BYTES = 8 * 1024 * 1024
PROBE_SECONDS = 30.0
# By then a call within its time is over; only a loop that stands still gets there.
LAST_RESORT = 5.0

Result = TypeVar("Result")


class Raw(Protocol):
    """What an SDK's raw call returns."""

    @property
    def http_response(self) -> httpx2.Response:
        """The answer, read."""
        ...


class Errors(NamedTuple):
    """An SDK's exceptions: all of them, no answer in time, no connection, a status that says no."""

    all: type[Exception]
    timed_out: type[Exception]
    unreachable: type[Exception]
    status: type[Exception]


class _StatusError(Protocol):
    response: httpx2.Response
    body: object


class _Listed(msgspec.Struct):
    id: str


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
    """Asks one model of one server; a subclass says how to ask, how to read the answer, and what that has to be.

    `base_url` is the user's own address, "" the provider's; `secret` must not stand in any message.
    """

    speaks: str
    errors: Errors

    def __init__(
        self, provider: str, *, model: str, base_url: str, home: str, secret: str, key_env: str, timeout: float
    ) -> None:
        self._provider, self._model, self._timeout = provider, model, timeout
        self._own, self._where = _shown(base_url), _shown(base_url or home)
        self._secret, self._key_env = secret, key_env
        self._takes_schema = True

    def complete(self, prompt: Prompt) -> Completion:
        """One request; raises CallFailed with what went wrong, never an empty answer."""
        structured = prompt.schema is not None and self._takes_schema
        probing = prompt.purpose is Purpose.PREFLIGHT
        seconds = min(self._timeout, PROBE_SECONDS) if probing else self._timeout
        said = self._fetch(lambda: self._send(prompt, structured=structured, seconds=seconds), seconds)
        if isinstance(said, Refusal):
            if given_up := self._give_up(said, structured=structured):
                raise CallFailed(FailureKind.BAD_REQUEST, f"{self._where} takes no {given_up}", retry_after=0.0)
            raise self._failed(said)
        try:
            completion = self._read(prompt, said)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            told = f"{self._where} answered with something else than {self.speaks}: {error}"
            raise CallFailed(FailureKind.MALFORMED, told) from error
        return decoded(prompt, completion)

    @property
    def name(self) -> str:
        """Under which its answers are kept and shown."""
        asked = f"{self._provider}:{self._model}"
        return f"{asked}@{self._own}" if self._own else asked

    @property
    def version(self) -> str:
        """It runs no program."""
        return ""

    def price(self, _model: str, usage: Usage) -> float | None:
        """By the price list of who is asked, None where that has none."""
        return price(self._own or self._provider, self._model, usage)

    def ready(self, _until: datetime) -> bool:
        """Whether login and model are known to be good, without a paid call; False where only a call can tell.

        Raises BackendUnavailable where the server says that they are not.
        """
        seconds = min(self._timeout, PROBE_SECONDS)
        try:
            said = self._fetch(lambda: self._look_up(seconds=seconds), seconds)
        except CallFailed:
            return False
        if isinstance(said, Refusal):
            failed = self._failed(said)
            if failed.kind is FailureKind.LOGIN and not said.of_scope:
                raise BackendUnavailable(failed.message, remedy=failed.remedy, login=True)
            if said.of_model:
                raise BackendUnavailable(failed.message, remedy=failed.remedy)
            return False
        try:
            return bool(msgspec.json.decode(said, type=_Listed).id)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return False

    @abstractmethod
    async def _send(self, prompt: Prompt, *, structured: bool, seconds: float) -> Raw: ...

    @abstractmethod
    async def _look_up(self, *, seconds: float) -> Raw: ...

    @abstractmethod
    def _read(self, prompt: Prompt, data: bytes) -> Completion: ...

    def _give_up(self, said: Refusal, *, structured: bool) -> str:
        """What the next attempt does without because this server doesn't take it, or nothing."""
        if structured and said.of_schema:
            self._takes_schema = False
            return "response_format"
        return ""

    def _fetch(self, call: Callable[[], Awaitable[Raw]], seconds: float) -> bytes | Refusal:
        """The body of the answer as it came, or the server's no; raises CallFailed where there is neither."""
        try:
            return within(seconds, call).http_response.content
        except TimeoutError as error:
            raise self._late() from error
        except self.errors.all as error:
            if isinstance(error.__cause__, CallFailed):
                raise error.__cause__ from error
            if isinstance(error, self.errors.status):
                answer = cast("_StatusError", error)
                return refusal(answer.response.status_code, answer.body, answer.response.headers)
            if isinstance(error, self.errors.timed_out):
                raise self._late() from error
            said = self._clean(str(error.__cause__ or "") or str(error))
            if isinstance(error, self.errors.unreachable):
                raise CallFailed(FailureKind.UNREACHABLE, f"{self._where} can't be reached: {said}") from error
            unusable = f"{self._where} answered with something unusable: {said}"
            raise CallFailed(FailureKind.MALFORMED, unusable) from error

    def _late(self) -> CallFailed:
        return CallFailed(FailureKind.TIMED_OUT, f"{self._where} did not answer in time", remedy="try again later")

    def _failed(self, said: Refusal) -> CallFailed:
        """The typed failure, named for the person who has to mend it."""
        kind = said.kind
        status = f" with status {said.status}" if kind is FailureKind.OVERLOADED else ""
        named = f" {self._model}" if kind is FailureKind.MODEL else ""
        when = f"; it names {said.again:%Y-%m-%d %H:%M} UTC" if said.again and kind is FailureKind.QUOTA else ""
        remedies = {
            FailureKind.LOGIN: f"check the key in {self._key_env}" if self._key_env else "",
            FailureKind.MODEL: f"check the model's name ({self._model}) and the address",
            FailureKind.BAD_REQUEST: f"check the model's name ({self._model}) and the address",
        }
        worth_it = said.wait is not None and said.wait <= LONGEST_WAIT
        return CallFailed(
            kind,
            f"{self._where} {_WORDS[kind]}{named}{status}: {self._clean(said.text)}{when}",
            remedy=remedies.get(kind, ""),
            retry_after=said.wait if worth_it and kind in _WAITED_FOR else None,
        )

    def _clean(self, said: str) -> str:
        return one_line(said.replace(self._secret, "…") if self._secret else said, limit=200)


_WAITED_FOR = frozenset({FailureKind.RATE_LIMITED, FailureKind.OVERLOADED})


def usable_key(key: str, key_env: str) -> str:
    """The key as it can stand in a header; raises BackendUnavailable where it can't."""
    key = key.strip()
    if not key.isascii() or not key.isprintable():
        raise BackendUnavailable(f"{key_env} holds no usable key", remedy=f"export {key_env}=…", login=True)
    return key


def client() -> httpx2.AsyncClient:
    """A client of our own for an SDK: it follows nobody elsewhere, and reads no more than MOST_BYTES.

    Each call has its own connection: next to a model's answer that costs little, and none is found dead.
    """
    headers = {"accept-encoding": "identity", "connection": "close"}
    return httpx2.AsyncClient(
        timeout=None, follow_redirects=False, headers=headers, event_hooks={"response": [_bound]}
    )


async def _bound(response: httpx2.Response) -> None:
    if response.headers.get("content-encoding", "identity") != "identity":
        raise CallFailed(FailureKind.MALFORMED, "the server sent a compressed answer, which nobody asked for")
    response.stream = _Bounded(cast("httpx2.AsyncByteStream", response.stream))


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        size = 0
        async for chunk in self._inner:
            size += len(chunk)
            if size > MOST_BYTES:
                raise CallFailed(FailureKind.FLOODED, f"the server's answer is longer than {MOST_BYTES:,} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Loop:
    """One event loop for all calls of the process, in a thread of its own, started by the first of them."""

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
    """What the call returns; TimeoutError after so many seconds, whatever it is doing then."""

    async def limited() -> Result:
        async with asyncio.timeout(seconds):
            return await call()

    future = asyncio.run_coroutine_threadsafe(limited(), _loop.get())
    try:
        return future.result(seconds + LAST_RESORT)
    finally:
        future.cancel()


def _shown(url: str) -> str:
    """The address without a name and password in it."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl().rstrip("/")
