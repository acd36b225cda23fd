"""Join a running Ray cluster, or start one on this machine that only this process can use.

Ray is imported only once a cluster is needed. Which interfaces it listens on is decided at import, so our own cluster
listens on loopback only if nothing imported Ray before; its token protects it in either case.
"""

import logging
import os
import secrets
import socket
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.extras import command_for

# By default Ray reports every cluster to its makers, listens on all interfaces, and writes a token into the user's
# home. The token is one per process because Ray reads it only once.
_TOKEN = "RAY_AUTH_TOKEN"  # noqa: S105 - the variable's name
_PRIVATE = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    _TOKEN: secrets.token_hex(32),
}
_ANSWER_SECONDS = 10.0
_STORE_BYTES = 256 * 1024 * 1024


def connect(address: str, *, processes: int) -> bool:
    """Join the cluster at the address, or start one with so many CPUs if the address is empty, and keep Ray quiet.

    Returns False if this process was connected already. Raises ConfigError if there is no Ray or no
    cluster.
    """
    with _environment({} if address else _PRIVATE):
        ray = library()
        if ray.is_initialized():
            return False
        local = {
            "num_cpus": processes,
            "object_store_memory": _STORE_BYTES,
            "include_dashboard": False,
        }
        try:
            _check_reachable(address)
            ray.init(
                address=address or "local",
                log_to_driver=False,
                logging_level=logging.ERROR,
                **{} if address else local,
            )
        except (OSError, ValueError, RuntimeError) as error:
            reason = next(iter(str(error).splitlines()), "")
            raise ConfigError(
                f"no Ray cluster can be joined at {address!r}: {reason}"
                if address
                else f"Ray starts no cluster here: {reason}",
                remedy=f"check with `ray status` that it is running; if it needs a token, set {_TOKEN}"
                if address
                else 'run on threads, with pool = "threads" in [train], or join a running cluster by its address',
            ) from error
        _print_messages(ray, wanted=False)
        return True


def disconnect() -> None:
    """Leave the cluster that `connect` joined or started."""
    ray = library()
    ray.shutdown()
    _print_messages(ray, wanted=True)


def _print_messages(ray: Any, *, wanted: bool) -> None:
    """Let Ray print what it has to say of workers, or not: it does so on stdout, whatever `log_to_driver` says."""
    # Ray has no public switch for this one; a version without it is none the worse.
    ray._private.worker._worker_logs_enabled = wanted  # noqa: SLF001


def _check_reachable(address: str) -> None:
    """Raise OSError if nothing listens at host:port: Ray itself would keep trying for minutes."""
    parts = urlsplit(address if "://" in address else f"//{address}")
    if parts.hostname and parts.port:
        socket.create_connection((parts.hostname, parts.port), timeout=_ANSWER_SECONDS).close()


def library() -> Any:
    """Import Ray, untyped because its types don't pass a strict checker; raise ConfigError if it isn't installed."""
    try:
        import ray
    except ImportError as error:
        raise ConfigError("Ray isn't installed", remedy=f"install it: {command_for('ray')}") from error
    return ray


@contextmanager
def _environment(variables: Mapping[str, str]) -> Generator[None]:
    """Set variables that aren't set yet, for the block only: processes started later must not inherit the token."""
    added = {name: value for name, value in variables.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)
