"""A running dashboard of a person's home: the real command in a process of its own, asked over loopback."""

import html
import http.client
import re
import socket
import subprocess
import time
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlencode, urlsplit

from tests.command import PROGRAM, Home

SECONDS = 120.0
_HIDDEN = re.compile(r'name="form_token" value="([^"]+)"')


@dataclass(frozen=True)
class Reply:
    """What the server answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


class Starting(Protocol):
    """A home in which the command can be started."""

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        """Start the command and leave it running."""
        ...


class Dashboard:
    """The dashboard at its address; `get` and `post` come from a browser that was let in."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.port = urlsplit(address).port or 0
        self.host = f"127.0.0.1:{self.port}"
        self.origin = f"http://{self.host}"
        self.home = address.partition("/enter")[0]
        self.root = self.home.removeprefix(self.origin)
        self.cookie = ""

    def enter(self) -> Reply:
        """Open the address that was printed, and keep the cookie."""
        reply = self.ask("GET", self.address.removeprefix(self.home))
        self.cookie = reply.headers.get("set-cookie", "").partition(";")[0]
        return reply

    def get(self, path: str) -> Reply:
        return self.ask("GET", path, {"Cookie": self.cookie})

    def post(self, path: str, fields: Mapping[str, str], *, shown_on: str = "") -> Reply:
        """Send a form as the page `shown_on` would, with the token that stands there."""
        found = _HIDDEN.search(self.get(shown_on or path).text)
        token = found[1] if found else ""
        return self.ask("POST", path, self.form_headers(), urlencode({**fields, "form_token": token}).encode())

    def form_headers(self, **others: str) -> dict[str, str]:
        own = {"Cookie": self.cookie, "Origin": self.origin, "Content-Type": "application/x-www-form-urlencoded"}
        return {**own, **{name.replace("_", "-"): value for name, value in others.items()}}

    def ask(
        self, method: str, path: str, headers: Mapping[str, str] | None = None, body: bytes | None = None
    ) -> Reply:
        """Send one request with only these headers and the Host, and read its answer.

        Addresses are those below the dashboard's own path, which is taken out of the answer, too.
        """
        reply = self.asked(method, self.root + path if path.startswith("/") else path, headers, body)
        found = {
            name: value.removeprefix(self.root) if name == "location" else value
            for name, value in reply.headers.items()
        }
        return Reply(reply.status, found, reply.body.replace(f"{self.root}/".encode(), b"/"))

    def asked(
        self, method: str, path: str, headers: Mapping[str, str] | None = None, body: bytes | None = None
    ) -> Reply:
        """Send one request to this very address, and return the answer as it came."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in {"Host": self.host, **(headers or {})}.items():
                connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            reply = connection.getresponse()
            found = {name.lower(): value for name, value in reply.getheaders()}
            return Reply(reply.status, found, reply.read())
        finally:
            connection.close()

    def raw(self, *pieces: bytes) -> bytes:
        """Send these bytes, and return all that comes back until the connection is closed."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=SECONDS) as connection:
            for piece in pieces:
                connection.sendall(piece)
            connection.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: connection.recv(65_536), b""))


@contextmanager
def served(home: Starting, *arguments: str) -> Generator[tuple[Dashboard, "subprocess.Popen[str]"]]:
    """Start the dashboard of a home, and stop it in the end."""
    process = home.start("web", "--no-open", *arguments)
    assert process.stdout is not None
    try:
        address = next(line for line in process.stdout if line.startswith("http://"))
        yield Dashboard(address.strip()), process
    finally:
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=SECONDS)


@contextmanager
def opened(home: Home) -> Generator[tuple[Dashboard, str]]:
    """Start the dashboard of a home with a browser that opens nothing; what is on its command line."""
    told = home.folder / "told"
    browser = home.folder / "browser"
    browser.write_text(f'#!/bin/sh\necho "$@" > {told}.new && mv {told}.new {told}\n', encoding="utf-8")
    browser.chmod(0o700)
    environment = home.environment | {"DISPLAY": ":0", "BROWSER": f"{browser} %s"}
    process = subprocess.Popen([PROGRAM, "web"], stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    try:
        dashboard = Dashboard(process.stdout.readline().strip())
        until = time.monotonic() + SECONDS
        while not told.exists() and time.monotonic() < until:
            time.sleep(0.05)
        yield dashboard, told.read_text(encoding="utf-8").strip()
    finally:
        process.terminate()
        process.communicate(timeout=SECONDS)


@contextmanager
def entered(home: Home) -> Generator[Dashboard]:
    """Start the dashboard of a home, and let a browser in."""
    with served(home) as (dashboard, _):
        dashboard.enter()
        yield dashboard


def visible_text(page: str) -> str:
    """Return what a page says, without its tags and on one line."""
    without = re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", without)).split())


def lines(head: str, headers: Iterable[tuple[str, Any]] = ()) -> bytes:
    """Return the head of a request as bytes."""
    rows = [head, *(f"{name}: {value}" for name, value in headers), "", ""]
    return "\r\n".join(rows).encode()
