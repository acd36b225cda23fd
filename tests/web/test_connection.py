"""F112: slow, many and huge requests."""

import socket
import time
from contextlib import suppress
from urllib.parse import urlencode

import pytest

from skillopt_sleep.web.guard import MOST_BODY
from skillopt_sleep.web.serve import HEADER_SECONDS, MOST_CONNECTIONS
from tests.command import Home
from tests.web.dashboard import Dashboard, entered, lines

GB = 1024**3


@pytest.mark.slow
def test_a_request_that_never_ends_is_given_up(slept: Home) -> None:
    with entered(slept) as dashboard:
        with socket.create_connection(("127.0.0.1", dashboard.port), timeout=HEADER_SECONDS * 3) as slow:
            began = time.monotonic()
            slow.sendall(lines("GET / HTTP/1.1", [("Host", dashboard.host)])[:-2])
            assert dashboard.get("/nights").status == 200
            assert slow.recv(10) == b""
        assert HEADER_SECONDS - 1 < time.monotonic() - began < HEADER_SECONDS * 2


def test_thousands_of_slow_connections_are_dropped_and_the_next_request_is_answered(slept: Home) -> None:
    with entered(slept) as dashboard:
        held: list[socket.socket] = []
        for _ in range(MOST_CONNECTIONS * 10):
            connection = socket.create_connection(("127.0.0.1", dashboard.port), timeout=5)
            held.append(connection)
            try:
                connection.sendall(b"GET / HTTP/1.1\r\nX: ")
            except OSError:
                continue  # it was closed at once
        until = time.monotonic() + HEADER_SECONDS / 2
        while sum(map(_is_open, held)) > MOST_CONNECTIONS and time.monotonic() < until:
            time.sleep(0.1)
        assert sum(map(_is_open, held)) <= MOST_CONNECTIONS
        for _ in range(5):
            assert dashboard.get("/nights").status == 200, "they are still open"
        for connection in held:
            connection.close()
        assert dashboard.get("/nights").status == 200


def _is_open(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        return connection.recv(1) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


def test_a_body_that_is_announced_as_huge_is_not_read(dashboard: Dashboard) -> None:
    headers = [*dashboard.form_headers().items(), ("Host", dashboard.host), ("Content-Length", str(GB))]
    with socket.create_connection(("127.0.0.1", dashboard.port), timeout=20) as connection:
        connection.sendall(lines(f"POST {dashboard.root}/nights HTTP/1.1", headers))
        assert b" 413 " in connection.recv(1_000)


def test_a_body_that_grows_without_an_end_is_cut_off(dashboard: Dashboard) -> None:
    headers = [*dashboard.form_headers().items(), ("Host", dashboard.host), ("Transfer-Encoding", "chunked")]
    chunk = b"10000\r\n" + b"a" * 0x10000 + b"\r\n"
    sent = 0
    with socket.create_connection(("127.0.0.1", dashboard.port), timeout=20) as connection:
        connection.sendall(lines(f"POST {dashboard.root}/nights HTTP/1.1", headers))
        try:
            while sent < GB:
                connection.sendall(chunk)
                sent += 0x10000
        except OSError:
            pass
    assert sent < MOST_BODY + 64 * 1024 * 1024, "the rest stays in the sender's own memory"
    assert dashboard.get("/nights").status == 200


def test_a_long_form_a_long_head_and_a_body_where_none_belongs_are_refused(dashboard: Dashboard) -> None:
    long = urlencode({"text": "a" * MOST_BODY}).encode()
    assert dashboard.ask("POST", "/nights", dashboard.form_headers(), long).status == 413
    assert dashboard.ask("GET", "/nights", {"Cookie": dashboard.cookie}, b"x").status == 400
    head = lines(f"GET {dashboard.root}/nights HTTP/1.1", [("Host", dashboard.host), ("X-Long", "a" * 10_000_000)])
    with suppress(ConnectionError):  # it may be hung up on before it has sent all
        assert dashboard.raw(head).startswith(b"HTTP/1.1 400")
    assert dashboard.get("/nights").status == 200
