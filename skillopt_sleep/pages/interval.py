"""Lay out a gain as a dot with its interval, on a line from -1 (worse at everything) to 1 (better at everything)."""

from skillopt_sleep.pages.axis import Scale
from skillopt_sleep.pages.render import signed, span
from skillopt_sleep.records import Record

_GAINS = Scale(low=-1, high=1)


class Dot(Record, frozen=True, kw_only=True):
    """A gain, its interval and where no difference stands, in percent of the line; `told` says the same in words."""

    at: float
    low: float
    high: float
    zero: float
    told: str


def dot(before: float, after: float, interval: tuple[float, float] | None, counted: str) -> Dot:
    """Lay out the gain between two mean grades with its interval, if there is one, and with what was `counted`."""
    gain = after - before
    low, high = interval or (gain, gain)
    grades = f"grade {before:.2f} → {after:.2f} ({signed(gain)})"
    told = f"{grades}, 90 % interval of the gain {span(interval)}, {counted}"
    if interval is None:
        told = f"{grades}, no interval, {counted}"
    return Dot(
        at=_GAINS.share(_within(gain)),
        low=_GAINS.share(_within(low)),
        high=_GAINS.share(_within(high)),
        zero=_GAINS.share(0),
        told=told,
    )


def _within(gain: float) -> float:
    return min(max(gain, _GAINS.low), _GAINS.high)
