"""Draw the report of a night as one page: what to decide first, then what was tried, what waits, and what it cost."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from skillopt_sleep.kit.files import write_atomic
from skillopt_sleep.kit.words import length
from skillopt_sleep.pages.render import NIGHT, self_contained
from skillopt_sleep.records import (
    BECAME,
    CUT_SHORT,
    NEXT_STEPS,
    PAGE,
    REVIEW,
    Became,
    Corrections,
    Decision,
    NightReport,
    StepOutcome,
    model_names,
    said_or_done,
    told,
)
from skillopt_sleep.reporters.judging import judge_in_words
from skillopt_sleep.reporters.noted import noted
from skillopt_sleep.reporters.page.course import course
from skillopt_sleep.reporters.page.decisions import decisions
from skillopt_sleep.reporters.page.trials import tried
from skillopt_sleep.reporters.page.weeks import weeks
from skillopt_sleep.reporters.rate import of_night
from skillopt_sleep.reporters.sessions import sessions_in_words
from skillopt_sleep.reporters.spending import calls, dollars, tokens
from skillopt_sleep.reporters.tried import said_above, text_only
from skillopt_sleep.reporters.words import purpose_words

MOST_OTHERS = 12  # proposals of other nights that are named
MOST_QUOTES = 6
WAITS = (Became.NOT_REACHED, Became.UNGRADED, Became.NEEDS_SESSION, Became.NEEDS_REPOSITORY, Became.TRIED)
NOT_USED = (Became.UNUSED, Became.FOR_ONCE, Became.TAKEN_BACK, Became.STANDS)


class Purposed(NamedTuple):
    """The calls of one purpose, and their share of all in percent."""

    purpose: str
    calls: int
    share: float


class Fate(NamedTuple):
    """Corrections that ended alike: how many, in which words, what to do about it, and some of what was said."""

    number: int
    words: str
    remedy: str
    quotes: list[str]
    more: int


class PageReporter:
    """Write the report as a page that needs no script, loads nothing and prints well."""

    def write(self, report: NightReport, folder: Path) -> Path:
        """Write report.html and return its path."""
        path = folder / PAGE
        write_atomic(path, render(report, folder=folder).encode())
        return path


def render(
    report: NightReport,
    waits: Collection[str] | None = None,
    *,
    folder: Path | None = None,
    decided: Mapping[str, str] = MappingProxyType({}),
    at: datetime | None = None,
) -> str:
    """Return the page, every text in it redacted and escaped.

    `waits` are the proposals that wait now, of whatever night; if they aren't known, it is the page of when the night
    ended. `folder` has what the night's stages left, None if it is gone. `decided` says in words what the person
    decided on proposals that don't wait any more. All this is true `at` a moment, by default the night's end.
    """
    night = values(report, waits, folder=folder, decided=decided)
    night["as_of"] = f"{(at or report.ended).astimezone():%A, %-d %B %Y, %H:%M}"
    return self_contained(__package__ or "", "report.html.j2", {"night": night}, style="report.css", shared=NIGHT)


def values(
    report: NightReport,
    waits: Collection[str] | None,
    *,
    folder: Path | None,
    decided: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return what `night_parts.html.j2` shows of a night, here and in the dashboard."""
    night = told(report, waits)
    cards = decisions(report, folder, night.waits)
    own = {card.rule.id for card in cards if card.waits}
    others = [name for name in night.waits if name.partition(".")[0] not in own]
    return {
        "report": report,
        "told": night,
        "decided": decided,
        "review": REVIEW,
        "day": f"{report.started.astimezone():%A, %-d %B %Y}",
        "cards": cards,
        "others": others[:MOST_OTHERS],
        "more_others": len(others[MOST_OTHERS:]),
        "rate": of_night(_accepted(report)),
        "doubts": list(dict.fromkeys(one.doubt for one in report.proposals if one.doubt)),
        "cut_short": report.verdict in CUT_SHORT,
        "tried": tried(report, said_above(report, night)),
        "text_only": text_only(report) is not None,
        "waiting": fates(report.corrections, WAITS),
        "dropped": fates(report.corrections, NOT_USED),
        "weeks": weeks(report.trend),
        "course": course(folder),
        "facts": facts(report),
        "purposes": purposes(report),
        "sessions": sessions_in_words(report),
        "judge": judge_in_words(report.judge) if report.judge else "",
        "noted": noted(report),
    }


def fates(corrections: Corrections, wanted: Sequence[Became]) -> list[Fate]:
    """Return the corrections with these fates, the same words with the same case once."""
    found: list[Fate] = []
    for became in wanted:
        count = corrections.counts.get(became.value, 0)
        quotes: dict[str, None] = {}
        for one in corrections.listed:
            if one.became is became:
                because = f" ({one.because})" if one.because else ""
                quotes[f"{said_or_done(one.sign, one.quote)}{because}"] = None
        if count:
            shown = list(quotes)[:MOST_QUOTES]
            found.append(Fate(count, BECAME[became], NEXT_STEPS[became], shown, len(quotes) - len(shown)))
    return found


def _accepted(report: NightReport) -> list[StepOutcome]:
    """Return the steps whose change was accepted and staged."""
    accepted = [one for one in report.documents if one.verdict.decision is Decision.ACCEPT]
    return [one for one in accepted if not one.sessions.unfinished]


def facts(report: NightReport) -> list[tuple[str, str]]:
    """Return what the night took, each with its name; of a resumed night not the time, as it lay still in between."""
    spend = report.spend
    took = [] if report.resumed else [("Time", length(report.ended - report.started))]
    return [
        ("Calls", calls(report).replace(" calls", "").replace(" call", "")),
        ("Tokens", "unknown" if spend.tokens is None else tokens(spend).replace(" tokens", "")),
        ("Dollars", "unknown" if spend.usd is None else dollars(spend)),
        *took,
        ("Models", model_names(report.model) or "none"),
    ]


def purposes(report: NightReport) -> list[Purposed]:
    """Return the calls by purpose, the most frequent first."""
    most = sum(report.spend.purposes.values()) or 1
    rows = sorted(report.spend.purposes.items(), key=lambda row: -row[1])
    return [Purposed(purpose_words(name), count, round(100 * count / most, 2)) for name, count in rows]
