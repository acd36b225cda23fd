"""Take what a form of the dashboard sent; the guard has checked that it is one of ours before."""

import secrets
from collections.abc import Mapping, Sequence

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from skillopt_sleep.web.guard import FORM

SAID = "said"  # the parameter that names a message
_KEPT = 20


class Sent:
    """The fields of a form."""

    def __init__(self, fields: Mapping[str, Sequence[str]]) -> None:
        self._fields = fields

    def one(self, name: str) -> str:
        """Return the value of a field, "" if it wasn't sent."""
        return self.all(name)[-1] if self.all(name) else ""

    def all(self, name: str) -> Sequence[str]:
        """Return every value of a field, in order."""
        return self._fields.get(name, ())


class Messages:
    """What was done, kept until the page that says it is shown; only a few are kept."""

    def __init__(self) -> None:
        self._kept: dict[str, str] = {}

    def keep(self, message: str) -> str:
        """Keep a message, and return the name under which it is shown once."""
        name = secrets.token_urlsafe(8)
        self._kept[name] = message
        for oldest in list(self._kept)[:-_KEPT]:
            del self._kept[oldest]
        return name

    def take(self, name: str) -> str:
        """Return a message and forget it; "" if there is none."""
        return self._kept.pop(name, "")


def sent(request: Request) -> Sent:
    """Return the fields of the form that was sent."""
    return Sent(request.scope[FORM])


def done(request: Request, path: str, message: str) -> Response:
    """Lead on to a page after something was done, so that a reload doesn't do it again; it says the message."""
    messages: Messages = request.app.state.messages
    return RedirectResponse(f"{path}?{SAID}={messages.keep(message)}", status_code=303)


def message_for(request: Request) -> str:
    """Return what was done just before this page, "" if nothing was."""
    messages: Messages = request.app.state.messages
    return messages.take(request.query_params.get(SAID, ""))
