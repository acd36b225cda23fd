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

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take a connection, or close it at once if there are too many."""
        if len(self.connections) >= MOST_CONNECTIONS:
            transport.close()
            return
        super().connection_made(cast("asyncio.Transport", transport))
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        if self._clock is not None:
            self._clock.cancel()
            super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take bytes of a request."""
        if self._clock is not None:
            super().data_received(data)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._wait()
        super().on_response_complete()

    def _wait(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
        self._clock = self.loop.call_later(HEADER_SECONDS, self._give_up)

    def _give_up(self) -> None:
        """Close the connection unless a request is being answered."""
        if self.cycle is None or self.cycle.response_complete:  # pyright: ignore[reportUnnecessaryComparison]
            self.transport.abort()
