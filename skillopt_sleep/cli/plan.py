"""skillopt-sleep run --plan: what a night would read, send and at most spend, without any call."""

import math
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from skillopt_sleep.cli.console import say, say_json
from skillopt_sleep.cli.tasks_shown import counted
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.markdown import one_line, spelled
from skillopt_sleep.records import Purpose
from skillopt_sleep.settings import BackendSettings, BudgetSettings, Paths, Settings

if TYPE_CHECKING:
    from skillopt_sleep.night.harvest import Harvest
    from skillopt_sleep.protocols import Tally


class Ahead(NamedTuple):
    """What a night now would read: `calls` by purpose are what it would ask at most, `most` within the limits.

    `budget` is the night's, as far as the month's limits leave it.
    """

    found: "Harvest"
    projects: Counter[str]
    reviewed: int
    calls: Mapping[Purpose, int]
    most: int
    budget: BudgetSettings


def look_ahead(settings: Settings, paths: Paths, *, only: str = "") -> Ahead:
    """Harvest as a night would, and say what would follow."""
    from skillopt_sleep.backends.metered import month_of
    from skillopt_sleep.mining.prove import PER_CALL
    from skillopt_sleep.night.forecast import forecast
    from skillopt_sleep.night.harvest import HarvestRules, harvest
    from skillopt_sleep.stores.user import open_store
    from skillopt_sleep.wiring import agent_sources, make_plan

    store = open_store(settings, paths)
    try:
        plan = make_plan(settings, paths, store, model="", only=only)
        rules = HarvestRules.of(plan.sessions, now=utc_now(), horizon=store.horizon())
        found = harvest(agent_sources(settings), store.index, rules)
        found = replace(found, notes=(*found.notes, *plan.sessions.excluded.notes))
        projects = Counter(session.project for session in found.sessions)
        reviewed = len(store.bank.unknown(found.reviewed))
        known = len(store.bank.tasks(set(projects)))
        waiting = store.history.count()
        budget = _left(settings.budget, store.ledger.spent_since(month_of(utc_now())))
    finally:
        store.close()
    calls = forecast(
        found.sessions,
        reviewed=reviewed,
        known=known,
        waiting=waiting,
        models=len(_asked(settings)),
        plan=plan,
        proved=PER_CALL,
    )
    return Ahead(found, projects, reviewed, calls, min(sum(calls.values()), budget.calls), budget)


def _left(budget: BudgetSettings, spent: "Tally") -> BudgetSettings:
    """What the month's limits leave of the night's."""
    calls = max(budget.month_calls - spent.calls, 0) if budget.month_calls else budget.calls
    tokens = max(budget.month_tokens - spent.tokens, 0) if budget.month_tokens else budget.tokens
    usd = max(budget.month_usd - spent.dollars, 0.0) if budget.month_usd else math.inf
    night = min(budget.usd or math.inf, usd)
    none = not (calls and tokens and night)
    return replace(
        budget,
        calls=0 if none else min(budget.calls, calls),
        tokens=0 if none else min(budget.tokens, tokens),
        usd=0.0 if none or math.isinf(night) else night,
    )


def show_plan(settings: Settings, paths: Paths, *, only: str, as_json: bool) -> None:
    """What a night would read, send and at most spend."""
    from skillopt_sleep.wiring.models import unconfirmed

    found, projects, reviewed, calls, most, budget = look_ahead(settings, paths, only=only)
    usd = dollars(replace(settings, budget=budget))
    answer = {
        "schema_version": 1,
        "sessions": {"seen": found.counts.seen, "used": found.counts.used, "skipped": found.counts.skipped},
        "projects": dict(projects),
        "reviewed_tasks": reviewed,
        "errors": [note.summary for note in found.notes],
        "sends_to": destination(settings),
        "consent": bool(settings.backend.name) and not unconfirmed(settings),
        "calls": {"at_most": most, "purposes": calls},
        "limits": {"calls": budget.calls, "tokens": budget.tokens, "minutes": budget.minutes, "usd": usd},
    }
    if as_json:
        say_json(answer)
        return
    say(f"A night now would read {found.counts.used} of {found.counts.seen} unread sessions:")
    for project, count in projects.most_common():
        say(f"  {count:4}  {spelled(project)}")
    for reason, count in found.counts.skipped.items():
        say(f"  {count:4}  left out: {reason}")
    if reviewed:
        say(f"  {reviewed:4}  tasks written by hand")
    for note in found.notes:
        say(f"        {one_line(note.summary, limit=400)}")
    say(f"It would send redacted excerpts of them to: {destination(settings)}")
    shown = ", ".join(f"{count} {purpose}" for purpose, count in calls.items())
    say(f"It would ask at most {counted(most, 'time')}{f' ({shown}), and again what fails' if shown else ''}.")
    rest = " (what this month's limits leave)" if budget != settings.budget else ""
    say(
        f"It would spend at most{rest} {budget.calls} calls, {budget.tokens:,} tokens, {budget.minutes} minutes, "
        f"{'dollars unknown: no price is known' if usd is None else f'${usd:,.2f}'}."
    )
    say("It would change no file of yours. Nothing was sent now.")


def recipients(settings: Settings) -> tuple[BackendSettings, ...]:
    """Whom a night would send to: optimizer, target and judge, each once; none where nothing leaves the machine."""
    asked = _asked(settings) if settings.backend.name else ()
    return asked if any(one.name != "simulated" for one in asked) else ()


def destination(settings: Settings) -> str:
    """Who would be asked, and where: every model of the three roles once."""
    if not settings.backend.name:
        return "nobody: no backend is named"
    return ", ".join(dict.fromkeys(_place(backend) for backend in _asked(settings)))


def dollars(settings: Settings) -> float | None:
    """What the tokens of a whole night cost at most, all of them answers of the dearest model.

    None where the price of one isn't known.
    """
    budget = settings.budget
    costs = [_cost(backend, budget.tokens) for backend in _asked(settings)]
    known = [cost for cost in costs if cost is not None]
    if len(known) < len(costs):
        return budget.usd or None
    return min(max(known), budget.usd or math.inf)


def _asked(settings: Settings) -> tuple[BackendSettings, ...]:
    from skillopt_sleep.wiring.models import of_roles

    return tuple(dict.fromkeys(of_roles(settings)))


def _place(backend: BackendSettings) -> str:
    where = backend.base_url or PLACES.get(backend.name, "")
    return " ".join(part for part in (backend.name, backend.model, where and f"at {where}") if part)


def _cost(backend: BackendSettings, tokens: int) -> float | None:
    from skillopt_sleep.backends.prices import price
    from skillopt_sleep.records import Usage

    if backend.name in {"simulated", "handoff"}:
        return 0.0
    return None if backend.base_url else price(backend.name, backend.model, Usage(output_tokens=tokens))


PLACES = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "claude": "its own login",
    "codex": "its own login",
    "auto": "the agent that is logged in",
    "simulated": "nowhere",
    "handoff": "a folder, for you or your agent to answer",
}
