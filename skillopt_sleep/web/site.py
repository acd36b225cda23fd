"""What every page of the dashboard needs: the store, its template, addresses, long lists in parts, and forms."""

import base64
import hashlib
import re
import secrets
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar, cast

import msgspec
from jinja2 import Environment
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from skillopt_sleep.deciding.read import digest_of
from skillopt_sleep.deciding.stored import consistent_journal
from skillopt_sleep.errors import SleepError
from skillopt_sleep.example import example_of
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.settings import Paths, Settings, load_or_defaults
from skillopt_sleep.stores.hooks import keep_waiting
from skillopt_sleep.stores.sqlite import SqliteStore, open_store, read_store
from skillopt_sleep.web.access import Access
from skillopt_sleep.web.guard import FORM, POLICY

_ALONE = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_STYLE = re.compile(b"<style>(.*?)</style>", re.DOTALL)
_KEY_CHARS = 12
_DIGITS = 9
Row = TypeVar("Row")
Made = TypeVar("Made")
_KEPT_MESSAGES = 20
MESSAGE = "said"  # the parameter that names a message


class OpenStore:
    """The store at these paths; another file there, or other settings, are noticed."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._lock = threading.Lock()
        self._open: SqliteStore | None = None
        self._as: tuple[int, int, Settings] | None = None

    @contextmanager
    def opened(self, settings: Settings) -> Generator[SqliteStore]:
        """Yield the store, which several pages read at the same time; where there is none, none is created."""
        if not self._paths.database.exists():
            with read_store(settings, self._paths) as store:
                yield store
            return
        yield self._current(settings)

    def _current(self, settings: Settings) -> SqliteStore:
        with self._lock:
            found = self._paths.database.stat()
            wanted = found.st_dev, found.st_ino, settings
            if self._open is None or self._as != wanted:
                self._open = open_store(settings, self._paths)  # whoever still reads the old one keeps it
                self._as = wanted
            return self._open


class Page(NamedTuple):
    """A page in the navigation: its place, its name, and the addresses it answers; its own comes first.

    `waiting` counts what waits there for the person, which the navigation says.
    """

    path: str
    title: str
    routes: tuple[Route, ...]
    waiting: Callable[[SqliteStore], int] | None = None


class Messages:
    """What was done, kept until the page that says it is shown; only a few are kept."""

    def __init__(self) -> None:
        self._kept: dict[str, str] = {}

    def keep(self, message: str) -> str:
        """Keep a message, and return the name under which it is shown once."""
        name = secrets.token_urlsafe(8)
        self._kept[name] = message
        for oldest in list(self._kept)[:-_KEPT_MESSAGES]:
            del self._kept[oldest]
        return name

    def take(self, name: str) -> str:
        """Return a message and forget it; "" if there is none."""
        return self._kept.pop(name, "")


class Site(NamedTuple):
    """The dashboard of one person; `groups` are its pages as they are listed."""

    paths: Paths
    access: Access
    store: OpenStore
    messages: Messages
    templates: Environment
    groups: tuple[tuple[Page, ...], ...]


def site_of(request: Request) -> Site:
    """Return the dashboard that a request is for."""
    return cast("Site", request.app.state.site)


@contextmanager
def store_of(request: Request) -> Generator[SqliteStore]:
    """Yield the store to read."""
    with site_of(request).store.opened(settings_of(request)[0]) as store:
        yield store


def settings_of(request: Request) -> tuple[Settings, str]:
    """Return the settings and ""; if they are invalid, the defaults and what is wrong."""
    return load_or_defaults(site_of(request).paths)


def show(request: Request, template: str, *, title: str, status: int = 200, **values: Any) -> Response:
    """Return a page: the template shows these values, and what all pages have."""
    site = site_of(request)
    _, problem = settings_of(request)
    values |= {
        "title": title,
        "groups": site.groups,
        "waiting": _waiting(request),
        "here": request.url.path,
        "form_token": Markup(site.access.form_token),  # noqa: S704 - ours, and redacting would change it
        "problem": problem,
        "example": example_of(site.paths.data) is not None,
        "said": site.messages.take(request.query_params.get(MESSAGE, "")),
    }
    return HTMLResponse(site.templates.get_template(template).render(values), status_code=status)


def _waiting(request: Request) -> dict[str, int]:
    """Return how much waits on which page; nothing if the store can't be read, which the page itself says."""
    try:
        with store_of(request) as store:
            counted = {
                page.path: page.waiting(store) for group in site_of(request).groups for page in group if page.waiting
            }
    except (SleepError, OSError, msgspec.ValidationError):
        return {}
    return counted


def whole_page(page: bytes, *, again: int = 0) -> Response:
    """Return a whole page as it is, which may use its own style and nothing else.

    The browser loads it `again` after so many seconds, 0 for never.
    """
    style = _STYLE.search(page)
    digest = base64.b64encode(hashlib.sha256(style[1] if style else b"").digest()).decode()
    response = Response(page, media_type="text/html; charset=utf-8")
    response.headers[POLICY] = f"{_ALONE}; style-src 'sha256-{digest}'"
    if again:
        response.headers["refresh"] = str(again)
    return response


def key_of(path: Path) -> str:
    """Return the name of a file in an address."""
    return digest_of((str(path),))[:_KEY_CHARS]


def file_at(path: Path) -> str:
    """Return the address of a file's page."""
    return f"/documents/{key_of(path)}"


class Paged(NamedTuple, Generic[Row]):
    """Some rows of a long list: those from `first` to `last` of `all`, counted from 1.

    `newer` and `older` say how many rows the pages before and after it skip, None if there is no such page.
    """

    shown: Sequence[Row]
    first: int
    last: int
    all: int
    newer: int | None = None
    older: int | None = None

    def each(self, made: Callable[[Row], Made]) -> "Paged[Made]":
        """Return the same part of the list with what is made of each of its rows."""
        return Paged([made(row) for row in self.shown], *self[1:])


def paged(rows: Sequence[Row], *, at_once: int, skipped: int = 0) -> Paged[Row]:
    """Return the part of a list that comes after so many rows; past the end, the last one."""
    count = len(rows)
    if skipped >= count:
        skipped = max(count - 1, 0) // at_once * at_once
    last = min(skipped + at_once, count)
    return Paged(
        shown=rows[skipped:last],
        first=min(skipped + 1, count),
        last=last,
        all=count,
        newer=max(skipped - at_once, 0) if skipped else None,
        older=last if last < count else None,
    )


def skipped_in(request: Request, name: str = "skip") -> int:
    """Return how many rows an address skips; 0 if it doesn't say."""
    skipped = request.query_params.get(name, "0")
    if skipped.isascii() and skipped.isdecimal() and len(skipped) <= _DIGITS:
        return int(skipped)
    return 0


class StoreAndJournal(NamedTuple):
    """The store, the journal that agrees with it, and the entries of that which can't be read."""

    store: SqliteStore
    journal: Journal
    damaged: list[SleepError]


@contextmanager
def store_and_journal(request: Request) -> Generator[StoreAndJournal]:
    """Open the store and make it agree with the journal, which nobody else writes in the meantime."""
    damaged: list[SleepError] = []
    with store_of(request) as store, consistent_journal(store, damaged=damaged.append) as journal:
        yield StoreAndJournal(store, journal, damaged)
        if request.method == "POST":
            keep_waiting(site_of(request).paths, store, at=utc_now())


def field(request: Request, name: str) -> str:
    """Return a field of the form, its lines ended as in a file; "" if it isn't there."""
    fields: Mapping[str, Sequence[str]] = request.scope[FORM]
    return fields.get(name, [""])[-1].replace("\r\n", "\n")


def done(request: Request, path: str, message: str) -> Response:
    """Lead on to a page after something was done, so that a reload doesn't do it again; it says the message."""
    name = site_of(request).messages.keep(message)
    return RedirectResponse(f"{path}{'&' if '?' in path else '?'}{MESSAGE}={name}", status_code=303)
