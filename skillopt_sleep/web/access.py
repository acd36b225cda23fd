"""Know who may see the dashboard: whoever has the one-time token, and then the cookie it is exchanged for."""

import secrets
from hmac import compare_digest

_BYTES = 32
ENTRANCE = "/enter"
TOKEN = "token"  # noqa: S105 - the name of a parameter


class Access:
    """The secrets of one server at one port."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookie_name = f"skillopt-sleep-{port}"  # a browser sends cookies to every port of a host
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
        return f"http://{self.hosts[0]}{ENTRANCE}?{TOKEN}={self._token}"

    def exchange(self, token: str) -> str | None:
        """Return the cookie for the token; None if the token is wrong or was used before."""
        if self._used or not _same(token, self._token):
            return None
        self._used = True
        return f"{self.cookie_name}={self._cookie}; Path=/; HttpOnly; SameSite=Strict"

    def knows(self, cookies: str) -> bool:
        """Tell whether our cookie is among those of a Cookie header."""
        for piece in cookies.split(";"):
            name, _, value = piece.strip().partition("=")
            if name == self.cookie_name and _same(value, self._cookie):
                return True
        return False

    def wrote(self, form_token: str) -> bool:
        """Tell whether a form is one of ours, by the token in it."""
        return _same(form_token, self.form_token)


def _same(given: str, secret: str) -> bool:
    """Compare in a time that says nothing about where they differ."""
    return compare_digest(given.encode("utf-8", "surrogateescape"), secret.encode())
