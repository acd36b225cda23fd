"""The page of what nights spent: one table of calls, tokens and dollars, by night, purpose or model."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.pages.blocks import Cell, Link, Table
from skillopt_sleep.reporters.costs import Total, amount, price, tokens_spent, total
from skillopt_sleep.reporters.words import purpose_words, unpriced
from skillopt_sleep.settings import Settings
from skillopt_sleep.stores.ledger import LedgerLine
from skillopt_sleep.stores.sqlite import SqliteStore
from skillopt_sleep.web.site import Page, paged, settings_of, show, store_of

AT_ONCE = 31
SPANS = {
    "30d": ("30 days", timedelta(days=30)),
    "365d": ("a year", timedelta(days=365)),
    "all": ("all time", None),
}
GROUPINGS: dict[str, Callable[[LedgerLine], str]] = {
    "night": lambda line: line.night,
    "purpose": lambda line: purpose_words(line.purpose),
    "model": lambda line: line.model,
}


def _show(request: Request) -> Response:
    span, by = request.query_params.get("span", "30d"), request.query_params.get("by", "night")
    if span not in SPANS or by not in GROUPINGS:
        raise HTTPException(404)
    settings, _ = settings_of(request)
    now, (_, length) = utc_now(), SPANS[span]
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    with store_of(request) as store:
        lines = store.ledger.lines(since=today - length if length else None)
        month = _month(store, settings, now)
    missing = [line.model for line in lines if line.unpriced]
    summed = total(lines)
    rows = paged(request, _sums(lines, by), at_once=AT_ONCE)
    table = [*(_row(name, of_name, by) for name, of_name in rows.shown), _row("all", summed, "")]
    return show(
        request,
        "spend.html.j2",
        title="Spend",
        span=span,
        by=by,
        spans=SPANS,
        groupings=GROUPINGS,
        rows=rows,
        table=[Table((by, "calls", "tokens", "dollars"), tuple(table), right=(1, 3))],
        unpriced=unpriced(missing, settings.prices) if missing else "",
        month=month,
    )


def _row(name: str, summed: Total, by: str) -> tuple[Cell, ...]:
    named = Link(name, f"/nights/{quote(name)}") if by == "night" else name
    return named, f"{summed.calls:,}", tokens_spent(summed), price(summed)


def _sums(lines: Sequence[LedgerLine], by: str) -> list[tuple[str, Total]]:
    """Return what was spent by night, the newest first, else by what took the most tokens first."""
    groups: dict[str, list[LedgerLine]] = {}
    for line in lines:
        groups.setdefault(GROUPINGS[by](line), []).append(line)
    sums = [(name, total(group)) for name, group in groups.items()]
    if by != "night":
        sums.sort(key=lambda item: (-item[1].tokens, -item[1].calls))
    return sums


def _month(store: SqliteStore, settings: Settings, now: datetime) -> str:
    """Say how much of the limit on the calendar month is used, "" without one."""
    most = settings.budget.month_usd
    if not most:
        return ""
    used = store.ledger.spent_in_month(now)
    about = "" if used.usd is not None else "at most "
    return f"{about}{amount(used.dollars)} of {amount(most)} this month"


PAGE = Page("/spend", "Spend", (Route("/spend", _show),))
