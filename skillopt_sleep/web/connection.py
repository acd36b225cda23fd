"""Keep a connection no longer than its next request may take, and few of them at once.

uvicorn waits for a request for ever once its first byte has come, so somebody who sends bytes slowly could hold all
connections.
"""

import asyncio
from typing import cast

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_CONNECTIONS = 100
HEADER_SECONDS = 10.0


class TimedConnection(H11Protocol):
    """A connection that is closed if no whole request head has come in time."""

    _clock: asyncio.TimerHandle | None = None
    idle_since = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take a connection; if there are too many, close the one that has been idle for longest."""
        super().connection_made(cast("asyncio.Transport", transport))
        self._wait()
        if len(self.connections) > MOST_CONNECTIONS:
            idle = [one for one in cast("set[TimedConnection]", self.connections) if one.is_idle]
            oldest = min(idle, key=lambda one: one.idle_since)
            self.connections.discard(oldest)
            oldest.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        if self._clock is not None:
            self._clock.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._wait()
        super().on_response_complete()

    def _wait(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
        self.idle_since = self.loop.time()
        self._clock = self.loop.call_later(HEADER_SECONDS, self._give_up)

    @property
    def is_idle(self) -> bool:
        """Tell whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete  # pyright: ignore[reportUnnecessaryComparison]

    def _give_up(self) -> None:
        """Close the connection unless a request is being answered."""
        if self.is_idle:
            self.transport.abort()
