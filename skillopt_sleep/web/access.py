"""Know who may see the dashboard: whoever has the one-time token, and then the cookie it is exchanged for."""

import secrets
from collections.abc import Callable
from hmac import compare_digest
from importlib.resources import files
from pathlib import Path

from skillopt_sleep.kit.files import private_dir, write_atomic

_BYTES = 32
ENTRANCE = "/enter"
TOKEN = "token"  # noqa: S105 - the name of a parameter, and of a field of `enter.html`


class Access:
    """The secrets of one server at one port.

    Everything is served below the path `root`: a browser sends a cookie to every port of a host, but only below its
    path. `ended` is called when the token is used a second time.
    """

    def __init__(self, port: int, *, folder: Path, ended: Callable[[], None]) -> None:
        self.port = port
        self.root = f"/{secrets.token_urlsafe(_BYTES)}"
        self.cookie_name = f"skillopt-sleep-{port}"
        self.page = folder / f"dashboard-{port}.html"
        self._ended = ended
        self.form_token = secrets.token_urlsafe(_BYTES)
        self._token = secrets.token_urlsafe(_BYTES)
        self._cookie = secrets.token_urlsafe(_BYTES)
        self._used = False

    @property
    def hosts(self) -> tuple[str, str]:
        """Return the names this server answers to."""
        return f"127.0.0.1:{self.port}", f"localhost:{self.port}"

    @property
    def address(self) -> str:
        """Return the address that lets its reader in, once."""
        return f"http://{self.hosts[0]}{self.root}{ENTRANCE}?{TOKEN}={self._token}"

    def write_page(self) -> Path:
        """Write a page that sends the token on, and return it: every user may read the command line of a browser."""
        page = files(__package__ or "").joinpath("static", "enter.html").read_text(encoding="utf-8")
        page = page.replace("ADDRESS", self.address.partition("?")[0]).replace("TOKEN", self._token)
        write_atomic(private_dir(self.page.parent) / self.page.name, page.encode(), durable=False)
        return self.page

    def exchange(self, token: str) -> str | None:
        """Return the cookie for the token, None if it is wrong.

        The second use of the token lets everyone out, as one of the two was somebody else.
        """
        if not _same(token, self._token):
            return None
        self.page.unlink(missing_ok=True)
        if self._used:
            self._cookie = secrets.token_urlsafe(_BYTES)
            self._ended()
            return None
        self._used = True
        return f"{self.cookie_name}={self._cookie}; Path={self.root}; HttpOnly; SameSite=Strict"

    def knows(self, cookies: str) -> bool:
        """Tell whether our cookie is among those of a Cookie header."""
        pairs = (piece.strip().partition("=") for piece in cookies.split(";"))
        return any(name == self.cookie_name and _same(value, self._cookie) for name, _, value in pairs)

    def wrote(self, form_token: str) -> bool:
        """Tell whether a form is one of ours, by the token in it."""
        return _same(form_token, self.form_token)


def _same(given: str, secret: str) -> bool:
    """Compare in a time that says nothing about where they differ."""
    return compare_digest(given.encode("utf-8", "surrogateescape"), secret.encode())
