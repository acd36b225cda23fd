"""The option `run --plan`: show what a night would read, send and cost at most, without any call."""

import math
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.cli.console import Part, say_json, say_next, say_row
from skillopt_sleep.cli.continued import NAME, NightOptions, words_of
from skillopt_sleep.cli.price import dollars, models, not_priced, recipients, unpriced
from skillopt_sleep.errors import SleepError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.words import counted, home_path
from skillopt_sleep.mining.requests import asks
from skillopt_sleep.night.account import WORDS
from skillopt_sleep.night.harvest import Harvest, harvest
from skillopt_sleep.night.survey import HarvestRules
from skillopt_sleep.night.tonight import wanted_again
from skillopt_sleep.protocols.crew import Again
from skillopt_sleep.protocols.models import SpendTally
from skillopt_sleep.records import LeftOut, NightReport, SealedReplay
from skillopt_sleep.reporters.words import SET_A_PRICE
from skillopt_sleep.settings import BudgetSettings, Paths, Settings
from skillopt_sleep.stores.sqlite import open_store
from skillopt_sleep.wiring import agent_sources
from skillopt_sleep.wiring.models import choose, destination, of_roles, unconfirmed, without_login
from skillopt_sleep.wiring.night import make_plan
from skillopt_sleep.wiring.sealed import TURNS, find_actor, find_sealing

WITH_EACH = "with each attempt, all instruction files that your agent loads in the project, your own ones too"
INCLUDED = "to include it: skillopt-sleep config set harvest.include_headless true"
_EACH = (4, 13)  # calls for each corrected request of the nights that we measured
LAST = 5  # so many of the last nights show what a night usually takes


class Ahead(NamedTuple):
    """A forecast of a night that would run now.

    It likely makes from the first to the second of the `likely` calls, and never more than the `budget` allows: the
    night's limits, lowered to what the month's limits leave. So many requests were `corrected`. `known` counts the
    sessions that earlier nights have read, `made` has the calls of the last nights. `minutes` is how long as many
    calls as it may make took a server on this machine, None if that isn't known. `is_again` is whether it reads
    sessions again. `sealed` says who acts in sealed copies, None if that is switched off or nothing could need it.
    """

    harvested: Harvest
    projects: Counter[str]
    reviewed: int
    is_empty: bool
    corrected: int
    likely: tuple[int, int]
    budget: BudgetSettings
    known: int = 0
    made: Sequence[int] = ()
    minutes: float | None = None
    is_again: bool = False
    sealed: SealedReplay | None = None


def look_ahead(settings: Settings, paths: Paths, *, only: str = "", again: Again | None = None) -> Ahead:
    """Harvest as a night would and estimate the rest; `only` limits it to one project's folder."""
    store = open_store(settings, paths)
    try:
        plan = make_plan(settings, paths, model="", only=only, again=again)
        rules = HarvestRules.of(plan.sessions, now=utc_now(), horizon=store.horizon())
        harvested = harvest(agent_sources(settings), store.index, rules)
        harvested = replace(harvested, notes=(*harvested.notes, *plan.sessions.excluded.notes))
        projects = Counter(session.project for session in harvested.sessions)
        reviewed = store.bank.unknown(harvested.reviewed)
        wanted = wanted_again(plan, store.bank, now=utc_now())
        budget = _left(settings.budget, store.ledger.spent_in_month(utc_now()))
        read = len(store.index.lines(unread=False)) - len(store.index.lines(unread=True))
        last = list(islice((report for report in store.reports() if report.spend.calls), LAST))
    finally:
        store.close()
    sealed: SealedReplay | None = None
    if settings.replay.sealed and settings.backend.name and (projects or reviewed or wanted):
        sealed = _look_at_seals(settings, paths)
    corrected = sum(bool(ask.corrections) for session in harvested.sessions for ask in asks(session))
    made = tuple(report.spend.calls for report in last)
    estimate = made or tuple(each * corrected for each in _EACH)
    return Ahead(
        harvested,
        projects,
        len(reviewed),
        not (projects or reviewed or wanted),
        corrected,
        (min(*estimate, budget.calls), min(max(estimate), budget.calls)),
        budget,
        read,
        made,
        _minutes(budget.calls, last, settings, paths),
        is_again=again is not None,
        sealed=sealed,
    )


def _left(budget: BudgetSettings, spent: SpendTally) -> BudgetSettings:
    """Return the night's limits, lowered to what this month's spending leaves; all zero if that is nothing."""
    if not budget.month_usd:
        return budget
    left = budget.month_usd - spent.dollars
    if left <= 0:
        return replace(budget, calls=0, tokens=0, usd=0.0)
    return replace(budget, usd=min(left, budget.usd or left))


def show_plan(settings: Settings, paths: Paths, *, only: str, again: Again | None, asked: NightOptions) -> None:
    """Print what a night that was `asked` for so would read, send and cost at most."""
    ahead = look_ahead(settings, paths, only=only, again=again)
    usd = dollars(replace(settings, budget=ahead.budget))
    problem = without_login(settings, paths)
    if asked.as_json:
        say_json(_data(settings, ahead, usd, problem))
        return
    for label, parts in _rows(settings, ahead, usd, problem):
        say_row(label, *parts)
    names = unconfirmed(settings, consented=asked.backend or "")
    if names == (settings.backend.name,):
        asked = asked._replace(backend=names[0])
    if not ahead.is_empty and settings.backend.name and not problem:
        say_next(shlex.join([NAME, *words_of(asked)]))


def _data(settings: Settings, ahead: Ahead, usd: float | None, problem: str) -> dict[str, object]:
    counts, budget = ahead.harvested.counts, ahead.budget
    return {
        "schema_version": 1,
        "sessions": {"seen": counts.seen, "used": counts.used, "skipped": counts.skipped},
        "projects": dict(ahead.projects),
        "reviewed_tasks": ahead.reviewed,
        "errors": [note.summary for note in ahead.harvested.notes],
        "sends_to": f"nobody: {problem}" if problem else destination(settings),
        "consent": bool(settings.backend.name) and not unconfirmed(settings),
        "calls": {
            "likely": ahead.likely,
            "at_most": budget.calls,
            "minutes": ahead.minutes,
        },
        "sealed": ahead.sealed,
        "limits": {"calls": budget.calls, "tokens": budget.tokens, "minutes": budget.minutes, "usd": usd},
    }


def _rows(settings: Settings, ahead: Ahead, usd: float | None, problem: str) -> Iterator[tuple[str, Sequence[Part]]]:
    """Yield the rows of the plan, each a label and its text; the `problem` keeps it from sending anything."""
    yield from _reading(ahead)
    if ahead.is_empty:
        yield "", ["No call would be made, and nothing is sent."]
        return
    yield "Sends", [f"nothing: {problem}" if problem else _sent(settings)]
    if recipients(settings) and not problem:
        yield "", [WITH_EACH]
    budget = ahead.budget
    yield "Calls", [_calls(ahead)]
    yield "", [f"at most {budget.calls:,}, the night's limit: it takes on no more than it can decide within that"]
    if ahead.sealed:
        for number, line in enumerate(_sealed_lines(ahead.sealed, budget)):
            yield "" if number else "Sealed", [line]
    if ahead.minutes is not None:
        about = counted(math.ceil(ahead.minutes), "minute")
        yield "Time", [f"about {about} for {budget.calls:,} calls, as the last nights"]
    whose = " (as far as this month's limits leave it)" if budget != settings.budget else ""
    yield "Limit", [f"{budget.calls:,} calls, {budget.tokens:,} tokens, {budget.minutes} minutes{whose}"]
    missing = not_priced(settings) if settings.backend.name else ()
    if missing:
        yield "Dollars", [unpriced(settings)]
        if missing[0].model:
            yield "", [f"set one: {SET_A_PRICE.format(missing[0].model)}"]
    elif usd is not None:
        yield "Dollars", [f"at most ${usd:,.2f}"]
    yield "", ["Nothing has been sent. A night never changes your files."]


def _reading(ahead: Ahead) -> Iterator[tuple[str, Sequence[Part]]]:
    """Yield which sessions and tasks a night would read, which it would leave out, and what couldn't be read."""
    counts = ahead.harvested.counts
    if not counts.used and not ahead.is_again:
        read = f": nights have read {counted(ahead.known, 'session')}, and none is new" if ahead.known else ""
        yield "Reads", [f"nothing new{read}"]
    elif counts.seen:
        which = "session, read before or not" if ahead.is_again else "unread session"
        noun, comma, rest = which.partition(",")
        yield "Reads", [f"{counts.used:,} of {counted(counts.seen, noun)}{comma}{rest}"]
    else:
        yield "Reads", ["no session: there is none like that"]
    for project, count in ahead.projects.most_common():
        yield "", [f"{count:4}  {home_path(project)}"]
    for reason, count in counts.skipped.items():
        how = f" ({INCLUDED})" if reason == LeftOut.HEADLESS else ""
        yield "", [f"{count:4}  left out: {WORDS[LeftOut(reason)]}{how}"]
    if ahead.reviewed:
        yield "", [f"{ahead.reviewed:4}  tasks written by hand"]
    for note in ahead.harvested.notes:
        yield "", [one_line(note.summary, limit=400)]


def _calls(ahead: Ahead) -> str:
    """Say how many calls a night likely makes: as the last nights, or by the requests that were corrected."""
    low, high = ahead.likely
    span = f"about {low:,}" if low == high else f"about {low:,} to {high:,}"
    if ahead.made:
        made = ", ".join(f"{calls:,}" for calls in ahead.made)
        return f"{span} ({'the last night' if len(ahead.made) == 1 else 'the last nights'} made {made})"
    if not ahead.corrected:
        return "few: no request was corrected in these sessions"
    requests = counted(ahead.corrected, "corrected request")
    return f"{span} (measured: {_EACH[0]} to {_EACH[1]} for each of {requests})"


def _minutes(calls: int, last: Sequence[NightReport], settings: Settings, paths: Paths) -> float | None:
    """Return how long so many calls take a server on this machine, by the last nights that were not resumed."""
    if not all(model.is_local for model in of_roles(settings)):
        return None
    name = choose(settings, paths).shown
    nights = [report for report in last if report.run.model == name and not report.run.resumed]
    made = sum(report.spend.calls for report in nights)
    took = sum((report.ended - report.started).total_seconds() for report in nights)
    return calls * took / made / 60 if made else None


def _sent(settings: Settings) -> str:
    """Say what the night would send, and to whom."""
    if not settings.backend.name:
        return "nothing: no backend is chosen yet (skillopt-sleep init)"
    if all(model.name == "simulated" for model in models(settings)):
        return "nothing: the simulated model runs on this machine"
    if not recipients(settings):
        return f"redacted excerpts to: {destination(settings)}; to nobody else"
    return f"redacted excerpts to: {destination(settings)}"


def _look_at_seals(settings: Settings, paths: Paths) -> SealedReplay:
    """Look for an agent and for a seal that holds, by trying it; no model is asked."""
    try:
        return find_sealing(find_actor(settings, choose(settings, paths).target, paths)).told
    except SleepError as error:
        return SealedReplay(why_not=error.message, remedy=error.remedy)


def _sealed_lines(sealed: SealedReplay, budget: BudgetSettings) -> Iterator[str]:
    """Yield who acts in sealed copies and how often at least, or why nobody does and what helps."""
    if sealed.why_not:
        yield f"nothing is tried in a sealed copy: {one_line(sealed.why_not, limit=600)}"
        if sealed.remedy:
            yield f"what helps: {one_line(sealed.remedy, limit=400)}"
        return
    version = f" ({sealed.version})" if sealed.version else ""
    yield f"{sealed.agent}{version} acts in copies of the repository, sealed by {sealed.seal}"
    enough = f"the limit is enough for {budget.calls // TURNS:,} attempts at least"
    yield f"an attempt makes at most {counted(TURNS, 'call')}, so {enough}"
