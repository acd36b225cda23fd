"""Put the dashboard together: its pages, its files, and what is shown if something goes wrong."""

import logging
from typing import Any, cast

from markupsafe import Markup
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from skillopt_sleep.errors import ConfigError, ProposalError, SleepError
from skillopt_sleep.kit.log import tell
from skillopt_sleep.pages.render import environment
from skillopt_sleep.records import Record
from skillopt_sleep.settings import Paths
from skillopt_sleep.web.access import Access
from skillopt_sleep.web.forms import Messages
from skillopt_sleep.web.pages import GROUPS
from skillopt_sleep.web.shelf import Shelf
from skillopt_sleep.web.site import Site, show, site_of, store_of
from skillopt_sleep.web.static_files import static_file

_CONFLICT = 409
_REFUSED = 400
_FAILED = 500


class Trouble(Record, frozen=True, kw_only=True):
    """What went wrong, and what to do."""

    message: str
    remedy: str = ""


_UNKNOWN = {
    404: Trouble(message="There is no such page.", remedy="The navigation lists all that there are."),
    405: Trouble(message="This address can't be used like that.", remedy="Go back, and use the page's own buttons."),
}


def dashboard(paths: Paths, access: Access) -> Starlette:
    """Return the dashboard over the files at these paths."""
    routes = [Route("/", _home), Route("/alive", _alive), Route("/static/{name}", static_file)]
    for group in GROUPS:
        for page in group:
            routes += page.routes
    app = Starlette(
        routes=routes,
        exception_handlers={HTTPException: _no_page, SleepError: _trouble, Exception: _bug},
    )
    app.router.redirect_slashes = False  # it would lead out of the path that everything is below
    templates = environment("skillopt_sleep.web", "templates")
    known = cast("dict[str, Any]", templates.globals)
    known["root"] = Markup(access.root)  # noqa: S704 - ours, and redacting would change it
    app.state.messages = Messages()
    app.state.site = Site(paths, access, Shelf(paths), templates, GROUPS)
    return app


def _home(request: Request) -> Response:
    """Lead on to the first page; before the first night, say how to begin."""
    with store_of(request) as store:
        nights = store.nights()
    if not nights:
        return show(request, "begin.html.j2", None, title="Begin")
    return RedirectResponse(site_of(request).groups[0][0].path, status_code=303)


async def _alive(_request: Request) -> Response:
    """Answer a page that is open and asks whether its dashboard still runs."""
    return Response(status_code=204)


def _no_page(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else _FAILED
    known = _UNKNOWN.get(status, Trouble(message="This can't be answered."))
    return show(request, "trouble.html.j2", known, title="Not found", status=status)


def _trouble(request: Request, error: Exception) -> Response:
    """Show an error that the person can act on."""
    status = _status(error)
    message, remedy = str(error), ""
    if isinstance(error, SleepError):
        message, remedy = error.message, error.remedy
    return show(request, "trouble.html.j2", Trouble(message=message, remedy=remedy), title="Error", status=status)


def _status(error: Exception) -> int:
    """Return 409 for what has changed since it was shown, 400 for what can't be taken as it was entered."""
    if isinstance(error, ProposalError):
        return _CONFLICT
    return _REFUSED if isinstance(error, ConfigError) else _FAILED


def _bug(request: Request, error: Exception) -> Response:
    """Log an error that is ours, and say so."""
    tell("a page failed", level=logging.ERROR, error=error)
    log = site_of(request).paths.log
    trouble = Trouble(message="This page failed: a bug.", remedy=f"Please report it, with the last lines of {log}.")
    return show(request, "trouble.html.j2", trouble, title="Error", status=_FAILED)
