"""The page of what nights spent: calls, tokens and dollars by night, purpose and model."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from operator import attrgetter

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.pages.axis import Scale, Tick, ticks
from skillopt_sleep.records import Record
from skillopt_sleep.reporters.costs import Total, price, tokens_spent, total
from skillopt_sleep.reporters.spending import amount
from skillopt_sleep.reporters.words import purpose_words, unpriced
from skillopt_sleep.settings import Settings
from skillopt_sleep.stores.ledger import LedgerLine
from skillopt_sleep.stores.sqlite import SqliteStore
from skillopt_sleep.web.paging import Stretch, skipped_in, stretch
from skillopt_sleep.web.site import Page, settings_of, show, store_of

AT_ONCE = 31
SPANS = {"30d": timedelta(days=30), "90d": timedelta(days=90), "365d": timedelta(days=365), "all": None}
_MOST_BARS = 90
_TICKS = 3


class Row(Record, frozen=True, kw_only=True):
    """What one night, purpose or model took; `share` is its part of all tokens in percent."""

    name: str
    calls: int
    tokens: str
    dollars: str
    share: float


class Bar(Record, frozen=True, kw_only=True):
    """A night on the chart, in percent of its width and height."""

    x: float
    width: float
    height: float
    title: str


class Chart(Record, frozen=True, kw_only=True):
    """The nights in time, oldest first; `what` is measured, and the ends are named."""

    what: str
    up: tuple[Tick, ...]
    across: tuple[Tick, ...]
    bars: tuple[Bar, ...]
    first: str
    last: str


class Limit(Record, frozen=True, kw_only=True):
    """How much of a limit on the calendar month is used."""

    what: str
    used: str
    limit: str
    share: float


class Spend(Record, frozen=True, kw_only=True):
    """What was spent in a span of time."""

    span: str
    spans: tuple[str, ...]
    calls: int
    tokens: str
    dollars: str
    unpriced: str
    chart: Chart | None
    limits: tuple[Limit, ...]
    purposes: tuple[Row, ...]
    models: tuple[Row, ...]
    nights: tuple[Row, ...]
    stretch: Stretch


def spend(store: SqliteStore, settings: Settings, *, span: str, skipped: int, now: datetime) -> Spend:
    """Return what was spent in this span until now."""
    length = SPANS[span]
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    lines = store.ledger.lines(since=today - length if length else None)
    summed = total(lines)
    missing = [line.model for line in lines if line.unpriced]
    nights = [(name, total(group)) for name, group in groupby(lines, key=attrgetter("night"))]
    part = stretch(len(nights), skipped=skipped, at_once=AT_ONCE)
    return Spend(
        span=span,
        spans=tuple(SPANS),
        calls=summed.calls,
        tokens=tokens_spent(summed),
        dollars=price(summed),
        unpriced=unpriced(missing, settings.prices.models) if missing else "",
        chart=_chart(nights[:_MOST_BARS]) if nights else None,
        limits=tuple(_limits(store, settings, now)),
        purposes=_by([(purpose_words(line.purpose), line) for line in lines]),
        models=_by([(line.model, line) for line in lines]),
        nights=_rows(nights)[part.rows],
        stretch=part,
    )


def _by(named: Iterable[tuple[str, LedgerLine]]) -> tuple[Row, ...]:
    """Add up lines of one name, those with the most tokens first."""
    groups: dict[str, list[LedgerLine]] = {}
    for name, line in named:
        groups.setdefault(name, []).append(line)
    sums = [(name, total(lines)) for name, lines in groups.items()]
    return _rows(sorted(sums, key=lambda item: (-_size(item[1]), -item[1].calls)))


def _rows(sums: Sequence[tuple[str, Total]]) -> tuple[Row, ...]:
    every = max(sum(_size(summed) for _, summed in sums), 1)
    rows: list[Row] = []
    for name, summed in sums:
        rows.append(
            Row(
                name=name,
                calls=summed.calls,
                tokens=tokens_spent(summed),
                dollars=price(summed),
                share=round(100 * _size(summed) / every, 1),
            )
        )
    return tuple(rows)


def _size(summed: Total) -> int:
    return summed.input_tokens + summed.output_tokens


def _chart(nights: Sequence[tuple[str, Total]]) -> Chart:
    """Lay out the nights by what is known of them all: dollars, else tokens, else calls."""
    what, values = "calls", [float(summed.calls) for _, summed in nights]
    if not any(summed.unnamed for _, summed in nights):
        what, values = "tokens", [float(_size(summed)) for _, summed in nights]
    if any(summed.usd for _, summed in nights) and not any(summed.unpriced for _, summed in nights):
        what, values = "dollars", [summed.usd for _, summed in nights]
    up = Scale(low=0, high=max(values) or 1)
    across = Scale(low=0, high=len(nights))
    bars: list[Bar] = []
    for place, ((name, summed), value) in enumerate(zip(reversed(nights), reversed(values), strict=True)):
        middle, width = across.share(place + 0.5), min(across.share(0.76), 6)
        title = f"{name}: {summed.calls:,} calls, {tokens_spent(summed)}, {price(summed)}"
        bars.append(Bar(x=round(middle - width / 2, 2), width=round(width, 2), height=up.share(value), title=title))
    return Chart(
        what=what,
        up=tuple(Tick(at=100 - up.share(at), label=_label(at, what)) for at in ticks(0, up.high, _TICKS)),
        across=tuple(_ends(bars, nights[-1][0], nights[0][0])),
        bars=tuple(bars),
        first=nights[-1][0],
        last=nights[0][0],
    )


def _ends(bars: Sequence[Bar], first: str, last: str) -> Iterable[Tick]:
    """Yield the first and the last night, each below its bar."""
    yield Tick(at=bars[0].x + bars[0].width / 2, label=first)
    if len(bars) > 1:
        yield Tick(at=bars[-1].x + bars[-1].width / 2, label=last)


def _label(value: float, what: str) -> str:
    if what == "dollars":
        return amount(value)
    for unit, size in (("M", 1_000_000), ("k", 1_000)):
        if value >= size:
            return f"{value / size:g}{unit}"
    return f"{value:g}"


def _limits(store: SqliteStore, settings: Settings, now: datetime) -> Iterable[Limit]:
    """Yield the limits on the calendar month that are set, each with what is used of it."""
    month = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    used = store.ledger.spent_since(month)
    budget = settings.budget
    if budget.month_calls:
        made = sum(used.purposes.values())
        yield _limit("calls this month", made, f"{made:,}", budget.month_calls, f"{budget.month_calls:,}")
    if budget.month_tokens:
        yield _limit(
            "tokens this month", used.tokens, f"{used.tokens:,}", budget.month_tokens, f"{budget.month_tokens:,}"
        )
    if budget.month_usd:
        about = "" if used.usd is not None else "at most "
        yield _limit(
            "dollars this month",
            used.dollars,
            f"{about}{amount(used.dollars)}",
            budget.month_usd,
            amount(budget.month_usd),
        )


def _limit(what: str, used: float, used_words: str, limit: float, limit_words: str) -> Limit:
    return Limit(what=what, used=used_words, limit=limit_words, share=round(min(100 * used / limit, 100), 1))


def _show(request: Request) -> Response:
    span = request.query_params.get("span", "30d")
    if span not in SPANS:
        raise HTTPException(404)
    settings, _ = settings_of(request)
    with store_of(request) as store:
        view = spend(store, settings, span=span, skipped=skipped_in(request), now=utc_now())
    return show(request, "spend.html.j2", view, title="Spend")


PAGE = Page("/spend", "Spend", (Route("/spend", _show),))
