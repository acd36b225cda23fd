"""Serve the dashboard on this machine until it is stopped."""

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import cast

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.settings import Paths
from skillopt_sleep.web.access import Access
from skillopt_sleep.web.app import dashboard
from skillopt_sleep.web.guard import Guard

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


HOST = "127.0.0.1"
_HEAD_BYTES = 16 * 1024
_KEEP_ALIVE_SECONDS = 5
_GOODBYE_SECONDS = 1


def serve(paths: Paths, *, port: int, opened: Callable[[Access], None], ended: Callable[[], None]) -> None:
    """Serve the dashboard at this port, 0 for any free one, until Ctrl-C.

    `opened` is called with the way in once connections are taken, `ended` when that was used a second time.
    """
    with _listening(port) as listener:
        access = Access(listener.getsockname()[1], folder=paths.state, ended=ended)
        app = dashboard(paths, access)
        config = uvicorn.Config(
            Guard(app, access),
            http=TimedConnection,
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="critical",  # requests hold the token and what the person reads, so none is logged
            access_log=False,
            server_header=False,
            proxy_headers=False,
            h11_max_incomplete_event_size=_HEAD_BYTES,
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=_GOODBYE_SECONDS,
        )
        server = uvicorn.Server(config)
        opened(access)
        try:
            with suppress(KeyboardInterrupt):
                server.run(sockets=[listener])
        finally:
            app.state.started.end_all()
            access.page.unlink(missing_ok=True)


def _listening(port: int) -> socket.socket:
    """Return a socket that takes connections from this machine only; raises ConfigError if the port is taken."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        listener.listen(MOST_CONNECTIONS)
    except OSError as error:
        listener.close()
        raise ConfigError(
            f"the dashboard can't listen on port {port}: {error.strerror}", remedy="leave --port out, or name another"
        ) from error
    return listener
