"""Build the crew and the plan of a night from the settings."""

import logging
import os
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cache, partial
from pathlib import Path

from msgspec.structs import asdict, replace

from skillopt_sleep.backends.cached import Cached
from skillopt_sleep.backends.handoff import Answered, HandoffBackend
from skillopt_sleep.backends.metered import Limits, Metered, NightMeter
from skillopt_sleep.backends.wrappers import Recorded, Redacted, Repaired, Retried, Watched
from skillopt_sleep.keeping.retention import forget_old
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.log import tell
from skillopt_sleep.learning.gate import NO_LOSS_MARGIN
from skillopt_sleep.pools.threads import ThreadPool
from skillopt_sleep.proposals.stage import FolderStager
from skillopt_sleep.proposals.targets import FileTargets
from skillopt_sleep.protocols.crew import Again, Crew, NightPlan, StepRules
from skillopt_sleep.protocols.models import Model, Preflight
from skillopt_sleep.protocols.work import SessionSource
from skillopt_sleep.records import READ_AGAIN, GateRule, Limit, RecallRules, RefusalKind
from skillopt_sleep.replay.judges import ReferenceJudge
from skillopt_sleep.replay.text import SingleShot, TextOrSealed
from skillopt_sleep.reporters import REPORTERS
from skillopt_sleep.settings import (
    BackendSettings,
    BankSettings,
    BudgetSettings,
    Paths,
    Settings,
    read_preferences,
    seconds,
)
from skillopt_sleep.stores.sqlite import SqliteStore, open_store
from skillopt_sleep.wiring import mine_rules, session_rules
from skillopt_sleep.wiring.models import SIMULATED, choose
from skillopt_sleep.wiring.observed import Observed
from skillopt_sleep.wiring.projects import KnownProjects
from skillopt_sleep.wiring.sealed import SealedParts, find_actor

# A removal that loses more than its margin passes on this share of nights.
_REMOVAL_ALPHA = 0.05


def example_settings(settings: Settings) -> Settings:
    """Return settings for the example: the simulated model, which needs no consent, and nothing excluded."""
    return Settings(
        backend=BackendSettings(name=SIMULATED, model=SIMULATED),
        step=settings.step,
        gate=settings.gate,
        bank=settings.bank,
        budget=settings.budget,
    )


@dataclass(frozen=True, kw_only=True)
class WiredNight:
    """Everything needed to run a night."""

    crew: Crew
    plan: NightPlan
    store: SqliteStore


def wire(
    settings: Settings,
    paths: Paths,
    *,
    sources: tuple[SessionSource, ...],
    only: str = "",
    again: Again | None = None,
    fresh: bool = False,
    go_on: str = "",
    read_again: str = READ_AGAIN,
    environ: Mapping[str, str] = os.environ,
) -> WiredNight:
    """Build a night; `only` limits it to one project, `fresh` ignores cached answers of earlier nights.

    `again` names the sessions to read whether earlier nights have read them or not.
    `go_on` is the command that resumes a night which waits for answers, `read_again` as in the plan.
    Raises ConfigError or BackendUnavailable if the backend can't be used as it is configured.
    """
    chosen = choose(settings, paths, environ, handoff=HandoffBackend(paths.handoff, command=go_on))
    store = open_store(settings, paths, only=only, asked=again.asked if again else "", mend=True)
    meter = NightMeter(store.ledger, limits(settings.budget, paths), clock=utc_now)
    preflights: dict[int, Preflight] = {}
    for model in (chosen.optimizer, chosen.target, chosen.judge):
        cached = _cached(model, meter, store, fresh=fresh)
        recorded = Recorded(Watched(Redacted(cached), meter), lambda: store.page.folder)
        preflights.setdefault(id(model), Preflight(model.ready, recorded))
    optimizer = preflights[id(chosen.optimizer)].backend
    target = preflights[id(chosen.target)].backend
    judge = preflights[id(chosen.judge)].backend
    observed = Observed(
        store,
        meter,
        data=paths.data,
        most_calls=settings.budget.calls,
        most_minutes=settings.budget.minutes,
        afterwards=partial(_tidy, store, paths, settings.bank),
    )
    words = SingleShot(target, night=lambda: store.page.drawn)
    sealed: SealedParts | None = None
    if settings.replay.sealed:
        sealed = SealedParts(
            partial(find_actor, settings, chosen.target, paths, environ),
            paths,
            price=chosen.target.price,
            meter=meter,
            store=store,
        )
    crew = Crew(
        sources=sources,
        preflights=tuple(preflights.values()),
        optimizer=optimizer,
        executor=words if sealed is None else TextOrSealed(words, sealed),
        judge=ReferenceJudge(judge),
        grader=judge,
        pool=ThreadPool(settings.night.workers, observed.advance),
        meter=meter,
        store=observed,
        decided=observed.decided,
        targets=FileTargets(Path.home(), environ),
        stager=FolderStager(
            allowed=_let_through(settings),
            most=settings.step.max_chars,
            one_model=chosen.only_model,
            tried_with=chosen.trying_agent,
        ),
        reporters=REPORTERS,
        clock=utc_now,
        workshop=sealed.workshop if sealed else None,
        by_hand=chosen.by_hand,
        sealed=sealed.told if sealed else lambda: None,
        identity=lambda: "; ".join(f"{model.name} {model.version}" for model in (chosen.target, chosen.judge)),
    )
    plan = make_plan(settings, paths, model=chosen.shown, only=only, again=again, read_again=read_again)
    return WiredNight(crew=crew, plan=plan, store=store)


def _tidy(store: SqliteStore, paths: Paths, bank: BankSettings) -> None:
    """Forget what the person doesn't want kept any longer; if the disk refuses, the next night tries again."""
    keep = timedelta(seconds=seconds(bank.keep))
    try:
        forgotten = forget_old(store, paths, keep=keep, now=utc_now())
    except (OSError, sqlite3.OperationalError) as error:
        tell("what is old could not be forgotten", level=logging.WARNING, because=str(error))
        return
    if any(forgotten):
        tell("what is old was forgotten", keep=bank.keep, **forgotten._asdict())


def _cached(model: Model, meter: NightMeter, store: SqliteStore, *, fresh: bool) -> Cached:
    """Wrap the model in what every call goes through: cache, retries, repair, metering."""
    calls = store.calls.of_this_night() if fresh else store.calls
    metered = Metered(model, meter, model=model.name, price=model.price)
    retried = Retried(Repaired(metered))
    if isinstance(model, HandoffBackend):
        # Reserve no budget for an answer that isn't there yet.
        retried = Answered(retried, model)
    return Cached(retried, calls, model=model.name, version=lambda: model.version)


def limits(budget: BudgetSettings, paths: Paths) -> Limits:
    """Return what a night, a month, and a night on one project may spend."""
    project_settings = KnownProjects(paths.projects)

    @cache
    def project(folder: str) -> Limit:
        own = project_settings(folder).budget
        return Limit(own.calls, own.tokens, own.usd)

    return Limits(
        night=Limit(budget.calls, budget.tokens, budget.usd),
        minutes=budget.minutes,
        month_usd=budget.month_usd,
        project=project,
    )


def _let_through(settings: Settings) -> frozenset[str]:
    """Return what the static guard lets through; only `step.max_chars` limits a text that is written as a whole."""
    if settings.step.mode == "patch":
        return frozenset(settings.guard.allow)
    return frozenset((*settings.guard.allow, RefusalKind.LENGTH))


def make_plan(
    settings: Settings,
    paths: Paths,
    *,
    model: str,
    only: str = "",
    again: Again | None = None,
    read_again: str = READ_AGAIN,
) -> NightPlan:
    """Turn the settings into the values that the stages take."""
    step, gate = settings.step, settings.gate
    rule = GateRule(name=gate.rule, metric=gate.metric, alpha=gate.alpha)
    if gate.rule != "sequential":
        rule = replace(rule, rounds=step.samples)
    return NightPlan(
        sessions=session_rules(settings, paths, only=only, again=again),
        mine=mine_rules(settings),
        step=StepRules(**asdict(step)),
        gate=rule,
        removal=replace(rule, alpha=_REMOVAL_ALPHA, margin=NO_LOSS_MARGIN),
        recall=RecallRules(),
        limits={
            "calls": settings.budget.calls,
            "tokens": settings.budget.tokens,
            "usd": settings.budget.usd,
            "minutes": settings.budget.minutes,
        },
        model=model,
        allowed=_let_through(settings),
        preferences=read_preferences(paths.preferences),
        read_again=read_again,
    )
