"""Serve the dashboard on this machine until it is stopped."""

import os
import socket
from collections.abc import Callable
from contextlib import suppress

import uvicorn

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.settings import Paths
from skillopt_sleep.web.access import Access
from skillopt_sleep.web.app import dashboard
from skillopt_sleep.web.connection import MOST_CONNECTIONS, TimedConnection
from skillopt_sleep.web.guard import Guard

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
        config = uvicorn.Config(
            Guard(dashboard(paths, access), access),
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
            access.page.unlink(missing_ok=True)


def _listening(port: int) -> socket.socket:
    """Return a socket that takes connections from this machine only; raises ConfigError if the port is taken."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if os.name == "posix":  # elsewhere it would let two servers share the port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        listener.listen(MOST_CONNECTIONS)
    except OSError as error:
        listener.close()
        raise ConfigError(
            f"the dashboard can't listen on port {port}: {error.strerror}", remedy="leave --port out, or name another"
        ) from error
    return listener
