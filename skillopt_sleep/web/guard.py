"""Let only the person's own browser in: check every request before the dashboard sees it, and every answer after.

A page on the web can make a browser send requests to this server, and another user of the machine can send them
directly. So the Host has to be ours, the cookie has to be there, nothing but a top-level visit may come from
elsewhere, and what changes anything has to be a form of ours.
"""

import asyncio
from html import escape
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
MOST_BODY = 256 * 1024
MOST_FIELDS = 1_000
BODY_SECONDS = 10.0
FORM = "form"  # where the fields of a form are kept in the scope
FORM_TOKEN = "form_token"  # noqa: S105 - the name of a field
POLICY = "content-security-policy"
_SAFE = ("GET", "HEAD")
_FORM_TYPE = "application/x-www-form-urlencoded"
_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_OPEN_AGAIN = "Stop skillopt-sleep web with Ctrl-C, start it again, and open the address that it prints."


class Refused(Exception):
    """A request that gets no answer but why; `again` is the address that a browser asks for once more by itself."""

    def __init__(self, status: int, title: str, text: str, *, again: str = "") -> None:
        super().__init__(title)
        self.status = status
        self.title = title
        self.text = text
        self.again = again


def answer(refused: Refused) -> Response:
    """Return the page of a refusal. The connection is closed, so that nothing more of the request is read."""
    refresh = ""
    if refused.again:
        refresh = f'<meta http-equiv="refresh" content="0; url={escape(refused.again)}">\n'
    page = _PAGE.format(title=escape(refused.title), text=escape(refused.text), refresh=refresh)
    return HTMLResponse(page, refused.status, {"connection": "close"})


class Guard:
    """Wraps the dashboard: what it lets through comes from the person, and every answer has the same headers."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            raise RuntimeError(f"the dashboard answers no {scope['type']}")
        guarded = _with_headers(send, self._access.root)
        onward = self._app
        try:
            headers = Headers(scope=scope)
            scope["path"] = self._below_root(headers, scope["path"])
            if scope["path"] == ENTRANCE and scope["method"] in {"GET", "POST"}:
                onward = await self._enter(scope, headers, receive)
            else:
                _refuse_elsewhere(headers, scope["method"])
                await self._admit(scope, headers, receive)
        except Refused as refused:
            onward = answer(refused)
        await onward(scope, receive, guarded)

    def _below_root(self, headers: Headers, path: str) -> str:
        """Return the rest of a path below our own; refuse what is meant for another name or path."""
        if headers.get("host") not in self._access.hosts:
            here = self._access.hosts[0]
            raise Refused(421, "Not this address", f"The dashboard is only at {here}: open it under that name.")
        if not path.startswith(f"{self._access.root}/"):
            raise _unknown()
        return path.removeprefix(self._access.root)

    def _knows(self, headers: Headers) -> bool:
        return self._access.knows("; ".join(headers.getlist("cookie")))

    async def _admit(self, scope: Scope, headers: Headers, receive: Receive) -> None:
        """Refuse who doesn't have the cookie, and what is no form of ours.

        A browser keeps the cookie back from a visit that another site began: it asks again from our own page.
        """
        if not self._knows(headers):
            visit = headers.get("sec-fetch-site") in {"cross-site", "same-site"} and scope["method"] == "GET"
            raise _unknown(again=f"{self._access.root}/" if visit else "")
        if scope["method"] not in _SAFE:
            await self._admit_form(scope, headers, receive)
        elif _length(headers) or "transfer-encoding" in headers:
            raise Refused(400, "A request with a body", "This address takes none.")

    async def _enter(self, scope: Scope, headers: Headers, receive: Receive) -> Response:
        """Exchange the token for the cookie, and lead on to the dashboard."""
        onward = Response(status_code=303, headers={"location": "/"})
        if self._knows(headers):
            return onward
        query = scope["query_string"] if scope["method"] == "GET" else await _body(receive)
        cookie = self._access.exchange(query.decode("latin-1").partition(f"{TOKEN}=")[2])
        if cookie is None:
            text = f"This address lets somebody in only once, and it was used or is wrong. {_OPEN_AGAIN}"
            raise Refused(401, "This address doesn't work any more", text)
        if scope["method"] == "POST":  # from a page in a file: the cookie would be kept back from a redirect
            onward = answer(Refused(200, "Opening the dashboard", "", again=f"{self._access.root}/"))
        onward.headers.append("set-cookie", cookie)
        return onward

    async def _admit_form(self, scope: Scope, headers: Headers, receive: Receive) -> None:
        """Check a form, and keep its fields in the scope; raises Refused."""
        if headers.get("origin") != f"http://{headers['host']}":
            raise Refused(403, "Not from this page", "Only forms of the dashboard itself are taken.")
        if headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM_TYPE:
            raise Refused(415, "Not a form", "Only forms of the dashboard itself are taken.")
        if _length(headers) > MOST_BODY:
            raise _too_long()
        body = await _body(receive)
        try:
            fields = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict")
        except ValueError as error:
            raise Refused(400, "Not a form", "Its fields can't be read.") from error
        if not self._access.wrote(fields.pop(FORM_TOKEN, [""])[-1]):
            raise Refused(403, "Not from this page", "Go back, reload the page, and send it again.")
        scope[FORM] = fields


def _length(headers: Headers) -> int:
    """Return the announced length of the body, 0 if there is none; the server takes a whole number only."""
    return int(headers.get("content-length", "0"))


def _refuse_elsewhere(headers: Headers, method: str) -> None:
    """Refuse what another site makes the browser ask for, but to open the dashboard in a tab."""
    if headers.get("sec-fetch-site", "none") in {"same-origin", "none"}:
        return
    visit = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
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
            headers = MutableHeaders(scope=message)
            if "location" in headers:
                headers["location"] = root + headers["location"]
            headers.setdefault(POLICY, _POLICY)
            headers.update(_HEADERS)
        await send(message)

    return guarded
