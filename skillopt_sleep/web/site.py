"""What every page of the dashboard needs: the store, its template, addresses, long lists in parts, and forms."""

import base64
import hashlib
import re
import secrets
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
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
from skillopt_sleep.pages.blocks import Block, Link
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.settings import Paths, Settings, load_or_defaults
from skillopt_sleep.stores.hooks import keep_waiting
from skillopt_sleep.stores.sqlite import SqliteStore, read_store
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
_ONCE = (MESSAGE, "did", "turn")  # parameters that the other pages of a list don't have


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
    messages: Messages
    templates: Environment
    groups: tuple[tuple[Page, ...], ...]


def site_of(request: Request) -> Site:
    """Return the dashboard that a request is for."""
    return cast("Site", request.app.state.site)


@contextmanager
def store_of(request: Request) -> Generator[SqliteStore]:
    """Yield the store; where there is none, an empty one stands in, and none is created."""
    with read_store(settings_of(request)[0], site_of(request).paths) as store:
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


def show_blocks(
    request: Request,
    blocks: Iterable[Block],
    *,
    title: str,
    heading: str = "",
    trail: Link | None = None,
    kind: str = "",
    part: "Paged[Any] | None" = None,
    status: int = 200,
) -> Response:
    """Return a page of blocks below a heading, by default its title; a `part` of a list leads to the others."""
    values = {"heading": heading or title, "trail": trail, "kind": kind, "part": part, "blocks": tuple(blocks)}
    return show(request, "page.html.j2", title=title, status=status, **values)


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

    `newer` and `older` are the addresses of the pages before and after it, "" if there is none.
    """

    shown: Sequence[Row]
    first: int
    last: int
    all: int
    newer: str = ""
    older: str = ""

    def each(self, made: Callable[[Row], Made]) -> "Paged[Made]":
        """Return the same part of the list with what is made of each of its rows."""
        return Paged([made(row) for row in self.shown], *self[1:])


def paged(
    request: Request,
    rows: Sequence[Row],
    *,
    at_once: int,
    name: str = "skip",
    path: str = "",
    skipped: int | None = None,
) -> Paged[Row]:
    """Return the part of a list that comes after so many rows; past the end, the last one.

    The address says by `name` how many are skipped, unless they are given; `path` is that of the page with the list.
    """
    url, count = request.url.remove_query_params(_ONCE), len(rows)
    if skipped is None:
        skipped = skipped_in(request, name)
    if skipped >= count:
        skipped = max(count - 1, 0) // at_once * at_once
    last = min(skipped + at_once, count)

    def after(number: int) -> str:
        return f"{path or url.path}?{url.include_query_params(**{name: number}).query}"

    return Paged(
        shown=rows[skipped:last],
        first=min(skipped + 1, count),
        last=last,
        all=count,
        newer=after(max(skipped - at_once, 0)) if skipped else "",
        older=after(last) if last < count else "",
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
