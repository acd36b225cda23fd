"""Answer a request that is refused: a bare page that says why, and what to do."""

from html import escape
from typing import NamedTuple

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


class Answer(NamedTuple):
    """A whole answer: its status, its headers and its body."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes


def answer(refused: Refused) -> Answer:
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
    return Answer(refused.status, headers, body)
