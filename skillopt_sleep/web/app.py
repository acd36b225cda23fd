"""Put the dashboard together: its pages, its files, and what is shown if something goes wrong."""

import logging
from functools import cache
from importlib.resources import files
from typing import Any, cast

import msgspec
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from skillopt_sleep.errors import ConfigError, ProposalError, SleepError
from skillopt_sleep.kit.codec import another_format
from skillopt_sleep.kit.log import tell
from skillopt_sleep.kit.words import counted
from skillopt_sleep.pages.blocks import Sentence
from skillopt_sleep.pages.render import LOOK, environment, look
from skillopt_sleep.reporters import status
from skillopt_sleep.reporters.gains import sentence
from skillopt_sleep.reporters.rule import documents, proof_in_short, wording
from skillopt_sleep.reporters.words import scored_by
from skillopt_sleep.settings import Paths
from skillopt_sleep.web.access import Access
from skillopt_sleep.web.pages import GROUPS
from skillopt_sleep.web.pages.trainings import StartedTrainings
from skillopt_sleep.web.site import Messages, Site, show, show_blocks, site_of, store_of

_CSS = "text/css; charset=utf-8"
_KINDS = {
    LOOK: _CSS,
    "web.css": _CSS,
    "decisions.css": _CSS,
    "page.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}


def static_file(request: Request) -> Response:
    """Return a file by its name."""
    name = request.path_params["name"]
    if name not in _KINDS:
        raise HTTPException(404)
    return Response(_text(name), media_type=_KINDS[name])


@cache
def _text(name: str) -> str:
    if name == LOOK:
        return look()
    return files(__package__ or "").joinpath("static", name).read_text(encoding="utf-8")


_CONFLICT = 409
_REFUSED = 400
_FAILED = 500


_UNKNOWN = {
    404: ("There is no such page.", "The navigation lists all that there are."),
    405: ("This address can't be used like that.", "Go back, and use the page's own buttons."),
}


def dashboard(paths: Paths, access: Access) -> Starlette:
    """Return the dashboard over the files at these paths."""
    routes = [Route("/", _home), Route("/alive", _alive), Route("/static/{name}", static_file)]
    for group in GROUPS:
        for page in group:
            routes += page.routes
    app = Starlette(
        routes=routes,
        exception_handlers={
            HTTPException: _no_page,
            SleepError: _trouble,
            msgspec.ValidationError: _bug,
            Exception: _bug,
        },
    )
    app.router.redirect_slashes = False  # it would lead out of the path that everything is below
    templates = environment("skillopt_sleep.web", "templates")
    known = cast("dict[str, Any]", templates.globals)
    known["root"] = Markup(access.root)  # noqa: S704 - ours, and redacting would change it
    known["says"] = status
    for one in (counted, documents, proof_in_short, scored_by, sentence, wording):
        known[one.__name__] = one
    app.state.site = Site(paths, access, Messages(), templates, GROUPS)
    app.state.started = StartedTrainings()
    return app


def _home(request: Request) -> Response:
    """Lead on to the first page; before the first night, say how to begin."""
    with store_of(request) as store:
        nights = store.nights()
    if not nights:
        return show(request, "begin.html.j2", title="Begin")
    return RedirectResponse(site_of(request).groups[0][0].path, status_code=303)


async def _alive(_request: Request) -> Response:
    """Answer a page that is open and asks whether its dashboard still runs."""
    return Response(status_code=204)


def _no_page(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else _FAILED
    message, remedy = _UNKNOWN.get(status, ("This can't be answered.", ""))
    return _failed(request, message, remedy, title="Not found", status=status)


def _trouble(request: Request, error: Exception) -> Response:
    """Show an error that the person can act on."""
    message, remedy = str(error), ""
    if isinstance(error, SleepError):
        message, remedy = error.message, error.remedy
    return _failed(request, message, remedy, status=_status(error))


def _status(error: Exception) -> int:
    """Return 409 for what has changed since it was shown, 400 for what can't be taken as it was entered."""
    if isinstance(error, ProposalError):
        return _CONFLICT
    return _REFUSED if isinstance(error, ConfigError) else _FAILED


def _bug(request: Request, error: Exception) -> Response:
    """Log an error that isn't the person's, and say whether it is ours, or another version wrote what is kept."""
    tell("a page failed", level=logging.ERROR, error=error)
    paths = site_of(request).paths
    if isinstance(error, msgspec.ValidationError):
        message, remedy = another_format(error, paths.database, paths.log)
        return _failed(request, sentence(message), sentence(remedy))
    return _failed(request, "This page failed: a bug.", f"Please report it, with the last lines of {paths.log}.")


def _failed(request: Request, message: str, remedy: str, *, title: str = "Error", status: int = _FAILED) -> Response:
    """Say what went wrong, and what to do."""
    return show_blocks(request, [Sentence(remedy)], title=title, heading=message, status=status)
