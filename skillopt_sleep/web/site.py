"""What every page of the dashboard needs: where the files are, what fills its templates, and the other pages."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, NamedTuple, cast

from jinja2 import Environment
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from skillopt_sleep.errors import SleepError
from skillopt_sleep.example import example_of
from skillopt_sleep.settings import Paths, Settings, load_or_defaults
from skillopt_sleep.stores.sqlite import SqliteStore
from skillopt_sleep.web.access import Access
from skillopt_sleep.web.forms import message_for
from skillopt_sleep.web.shelf import Shelf

Handler = Callable[[Request], Response]


class Page(NamedTuple):
    """A page in the navigation: its place, its name, and the addresses it answers; its own comes first.

    `waiting` counts what waits there for the person, which the navigation says.
    """

    path: str
    title: str
    routes: tuple[Route, ...]
    waiting: Callable[[SqliteStore], int] | None = None


class Site(NamedTuple):
    """The dashboard of one person; `groups` are its pages as they are listed."""

    paths: Paths
    access: Access
    shelf: Shelf
    templates: Environment
    groups: tuple[tuple[Page, ...], ...]


def site_of(request: Request) -> Site:
    """Return the dashboard that a request is for."""
    return cast("Site", request.app.state.site)


@contextmanager
def store_of(request: Request) -> Generator[SqliteStore]:
    """Yield the store to read."""
    with site_of(request).shelf.store(settings_of(request)[0]) as store:
        yield store


def settings_of(request: Request) -> tuple[Settings, str]:
    """Return the settings and ""; if they are invalid, the defaults and what is wrong."""
    return load_or_defaults(site_of(request).paths)


def show(request: Request, template: str, view: object, *, title: str, status: int = 200) -> Response:
    """Return a page: `view` is the record that its template shows."""
    site = site_of(request)
    _, problem = settings_of(request)
    values: dict[str, Any] = {
        "view": view,
        "title": title,
        "groups": site.groups,
        "waiting": _waiting(request),
        "here": request.url.path,
        "form_token": Markup(site.access.form_token),  # noqa: S704 - ours, and redacting would change it
        "problem": problem,
        "example": example_of(site.paths.data) is not None,
        "said": message_for(request),
    }
    return HTMLResponse(site.templates.get_template(template).render(values), status_code=status)


def _waiting(request: Request) -> dict[str, int]:
    """Return how much waits on which page; nothing if the store can't be read, which the page itself says."""
    try:
        with store_of(request) as store:
            counted = {
                page.path: page.waiting(store) for group in site_of(request).groups for page in group if page.waiting
            }
    except (SleepError, OSError):
        return {}
    return counted
