"""Let only the person's own browser in: check every request before the dashboard sees it, and every answer after.

A page on the web can make a browser send requests to this server, and another user of the machine can send them
directly. So the Host has to be ours, the cookie has to be there, nothing but a top-level visit may come from
elsewhere, and what changes anything has to be a form of ours.
"""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from html import escape
from typing import Any, NamedTuple
from urllib.parse import parse_qs

from skillopt_sleep.web.access import ENTRANCE, TOKEN, Access

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
{refresh}<title>{title}</title>
</head>
<body>
<main>
<h1>{title}</h1>
<p>{text}</p>
</main>
</body>
</html>
"""


class Refused(Exception):
    """A request that gets no answer but why; `again` is the address that a browser asks for once more by itself."""

    def __init__(self, status: int, title: str, text: str, *, again: str = "") -> None:
        super().__init__(title)
        self.status = status
        self.title = title
        self.text = text
        self.again = again


class WholeResponse(NamedTuple):
    """A whole answer: its status, its headers and its body."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes


def answer(refused: Refused) -> WholeResponse:
    """Return the page of a refusal. The connection is closed, so that nothing more of the request is read."""
    refresh = ""
    if refused.again:
        refresh = f'<meta http-equiv="refresh" content="0; url={escape(refused.again)}">\n'
    body = _PAGE.format(title=escape(refused.title), text=escape(refused.text), refresh=refresh).encode()
    headers = [
        (b"content-type", b"text/html; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    return WholeResponse(refused.status, headers, body)


Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MOST_BODY = 256 * 1024
MOST_FIELDS = 1_000
BODY_SECONDS = 10.0
FORM = "form"  # where the fields of a form are kept in the scope
FORM_TOKEN = "form_token"  # noqa: S105 - the name of a field
POLICY = b"content-security-policy"
_SAFE = ("GET", "HEAD")
_FORM_TYPE = "application/x-www-form-urlencoded"
_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    b"referrer-policy": b"same-origin",
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"cache-control": b"no-store",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
}
_OPEN_AGAIN = "Stop skillopt-sleep web with Ctrl-C, start it again, and open the address that it prints."


class Guard:
    """Wraps the dashboard: what it lets through comes from the person, and every answer has the same headers."""

    def __init__(self, app: App, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            raise RuntimeError(f"the dashboard answers no {scope['type']}")
        guarded = _with_headers(send, self._access.root)
        try:
            headers = _Headers(scope)
            scope["path"] = self._below_root(headers, scope["path"])
            if scope["path"] == ENTRANCE and scope["method"] in {"GET", "POST"}:
                await _send(guarded, *await self._enter(scope, headers, receive))
                return
            _refuse_elsewhere(headers, scope["method"])
            await self._admit(scope, headers, receive)
        except Refused as refused:
            await _send(guarded, *answer(refused))
            return
        await self._app(scope, receive, guarded)

    def _below_root(self, headers: "_Headers", path: str) -> str:
        """Return the rest of a path below our own; refuse what is meant for another name or path."""
        if headers.one("host") not in self._access.hosts:
            here = self._access.hosts[0]
            raise Refused(421, "Not this address", f"The dashboard is only at {here}: open it under that name.")
        if not path.startswith(f"{self._access.root}/"):
            raise _unknown()
        return path.removeprefix(self._access.root)

    async def _admit(self, scope: Scope, headers: "_Headers", receive: Receive) -> None:
        """Refuse who doesn't have the cookie, and what is no form of ours.

        A browser keeps the cookie back from a visit that another site began: it asks again from our own page.
        """
        if not self._access.knows(headers.joined("cookie", "; ")):
            visit = headers.one("sec-fetch-site") in {"cross-site", "same-site"} and scope["method"] == "GET"
            raise _unknown(again=f"{self._access.root}/" if visit else "")
        if scope["method"] in _SAFE:
            if headers.has_body:
                raise Refused(400, "A request with a body", "This address takes none.")
            return
        await self._admit_form(scope, headers, receive)

    async def _enter(self, scope: Scope, headers: "_Headers", receive: Receive) -> WholeResponse:
        """Exchange the token for the cookie, and lead on to the dashboard."""
        onward = WholeResponse(303, [(b"location", b"/"), (b"content-length", b"0")], b"")
        if self._access.knows(headers.joined("cookie", "; ")):
            return onward
        query = scope["query_string"] if scope["method"] == "GET" else await _body(receive)
        cookie = self._access.exchange(query.decode("latin-1").partition(f"{TOKEN}=")[2])
        if cookie is None:
            text = f"This address lets somebody in only once, and it was used or is wrong. {_OPEN_AGAIN}"
            raise Refused(401, "This address doesn't work any more", text)
        if scope["method"] == "POST":  # from a page in a file: the cookie would be kept back from a redirect
            onward = answer(Refused(200, "Opening the dashboard", "", again=f"{self._access.root}/"))
        onward.headers.append((b"set-cookie", cookie.encode()))
        return onward

    async def _admit_form(self, scope: Scope, headers: "_Headers", receive: Receive) -> None:
        """Check a form, and keep its fields in the scope; raises Refused."""
        if headers.one("origin") != f"http://{headers.one('host')}":
            raise Refused(403, "Not from this page", "Only forms of the dashboard itself are taken.")
        if headers.one("content-type").partition(";")[0].strip().lower() != _FORM_TYPE:
            raise Refused(415, "Not a form", "Only forms of the dashboard itself are taken.")
        if headers.length > MOST_BODY:
            raise _too_long()
        body = await _body(receive)
        try:
            fields = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict")
        except ValueError as error:
            raise Refused(400, "Not a form", "Its fields can't be read.") from error
        if not self._access.wrote(fields.pop(FORM_TOKEN, [""])[-1]):
            raise Refused(403, "Not from this page", "Go back, reload the page, and send it again.")
        scope[FORM] = fields


class _Headers:
    """The headers of a request; one that may stand there once is refused if it comes twice."""

    def __init__(self, scope: Scope) -> None:
        self._pairs: list[tuple[str, str]] = []
        for name, value in scope["headers"]:
            self._pairs.append((name.decode("latin-1").lower(), value.decode("latin-1")))

    def one(self, name: str) -> str:
        """Return the value of a header, "" if there is none."""
        values = [value for key, value in self._pairs if key == name]
        if len(values) > 1:
            raise Refused(400, "A header twice", f"A request has one {name}.")
        return values[0] if values else ""

    def joined(self, name: str, by: str) -> str:
        """Return all values of a header."""
        return by.join(value for key, value in self._pairs if key == name)

    @property
    def has_body(self) -> bool:
        return self.length > 0 or bool(self.one("transfer-encoding"))

    @property
    def length(self) -> int:
        """Return the announced length of the body, 0 if there is none."""
        length = self.one("content-length")
        return int(length) if length.isascii() and length.isdecimal() else 0


def _refuse_elsewhere(headers: _Headers, method: str) -> None:
    """Refuse what another site makes the browser ask for, but to open the dashboard in a tab."""
    site = headers.one("sec-fetch-site")
    if site in {"", "same-origin", "none"}:
        return
    visit = headers.one("sec-fetch-mode") == "navigate" and headers.one("sec-fetch-dest") == "document"
    if method not in _SAFE or not visit:
        raise Refused(403, "Not from this page", "Another site asked for this, and gets nothing.")


def _unknown(*, again: str = "") -> Refused:
    text = f"Open the address that skillopt-sleep web printed when it started. It works once. {_OPEN_AGAIN}"
    return Refused(401, "The dashboard doesn't know you", text, again=again)


def _too_long() -> Refused:
    return Refused(413, "Too long", f"A form has at most {MOST_BODY // 1024} KB.")


async def _body(receive: Receive) -> bytes:
    """Read a body; raises Refused if it is too long, too slow, or cut off."""
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Refused(400, "Cut off", "The form didn't arrive whole.")
                body += message.get("body", b"")
                if len(body) > MOST_BODY:
                    raise _too_long()
                if not message.get("more_body", False):
                    return bytes(body)
    except TimeoutError as error:
        raise Refused(408, "Too slow", "The form didn't arrive in time. Send it again.") from error


def _with_headers(send: Send, root: str) -> Send:
    """Return a `send` that gives every answer the same headers, and leads on below `root` only.

    Only the policy of a page may be its own.
    """

    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            kept: list[tuple[bytes, bytes]] = []
            for name, value in message.get("headers", ()):
                if name.lower() == b"location":
                    kept.append((name, root.encode() + value))
                elif name.lower() not in _HEADERS:
                    kept.append((name, value))
            if not any(name.lower() == POLICY for name, _ in kept):
                kept.append((POLICY, _POLICY.encode()))
            message["headers"] = [*kept, *_HEADERS.items()]
        await send(message)

    return guarded


async def _send(send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
