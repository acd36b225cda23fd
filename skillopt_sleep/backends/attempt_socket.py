"""Keep what one sealed attempt may ask of its model, and what it has asked."""

import threading
from collections.abc import Mapping
from typing import NamedTuple

from skillopt_sleep.errors import SleepError
from skillopt_sleep.records import Usage

MOST_REQUEST = 32 * 1024 * 1024
MOST_READ = 2 * MOST_REQUEST  # bytes of all the requests of one attempt that are being read


class Upstream(NamedTuple):
    """The model's real address, such as https://api.anthropic.com, and the headers that hold the key."""

    address: str
    headers: Mapping[str, str]
    model: str = ""

    def url(self, path: str) -> str:
        """Return the full address of a path that begins with /v1."""
        return self.address.rstrip("/").removesuffix("/v1") + path

    def agrees(self, model: str) -> bool:
        """Tell whether this is the model that was set; a short name without a number can stand for any."""
        name = self.model.partition("[")[0]
        return model == name or not any(letter.isdigit() for letter in name)

    def without_key(self, data: bytes) -> bytes:
        """Return what a server said without the key, should it have repeated it."""
        for value in self.headers.values():
            for secret in (value, value.rpartition(" ")[2]):
                data = data.replace(secret.encode(), b"[key]")
        return data


class AttemptSocket:
    """The socket of one attempt to the relay, and what went over it.

    `first_request` is the body of its first request, which shows what reached the model. `failure` says why a request
    wasn't answered by the model; `stopped` that the attempt wanted more requests than its `most`.
    """

    def __init__(self, project: str, asker: str, most: int) -> None:
        self.project = project
        self.asker = asker
        self._most = most
        self.first_request = b""
        self.calls = 0
        self.usage = Usage()
        self.usd: float | None = 0.0
        self.model = ""
        self.failure: SleepError | None = None
        self.stopped = False
        self._agreed = ""
        self._reading = 0
        self._lock = threading.Lock()

    def hold(self, size: int) -> bool:
        """Make room for a request of this size that is being read; return False if there is none."""
        with self._lock:
            if self._reading + size > MOST_READ:
                return False
            self._reading += size
            return True

    def let_go(self, size: int) -> None:
        """Give the room back."""
        with self._lock:
            self._reading -= size

    def keeps_to(self, model: str) -> bool:
        """Tell whether this is the model of the first request, which the agent made before anything ran."""
        with self._lock:
            self._agreed = self._agreed or model
            return model == self._agreed

    def begin(self, body: bytes) -> bool:
        """Count a request; return False if the attempt may make no more."""
        with self._lock:
            if self.calls >= self._most:
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
