"""Hold what a night has done so far, whatever ends it, and hand it on to the report and to the store."""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field

from skillopt_sleep.errors import NightError, NightInterrupted, SleepError
from skillopt_sleep.mining.mined import Mined
from skillopt_sleep.night.conclude import Staged
from skillopt_sleep.night.follow import follow
from skillopt_sleep.night.harvest import Harvest, harvest
from skillopt_sleep.night.judge_check import NightJudge
from skillopt_sleep.night.recurrence import recurrences
from skillopt_sleep.night.survey import HarvestRules
from skillopt_sleep.night.tonight import TonightsTasks
from skillopt_sleep.proposals.retire import retire
from skillopt_sleep.protocols.crew import Crew, NightPlan
from skillopt_sleep.protocols.stores import OpenNight
from skillopt_sleep.protocols.work import Routing
from skillopt_sleep.records import NightReport, StepOutcome


@dataclass
class NightWork:
    """What a night has done so far; `stopped` is what ended it early, if anything did."""

    harvested: Harvest
    judge: NightJudge
    mined: Mined = field(default_factory=Mined)
    found: TonightsTasks = field(default_factory=TonightsTasks)
    routing: Routing = field(default_factory=Routing)
    outcomes: list[StepOutcome] = field(default_factory=list)
    stopped: SleepError | None = None

    def learned(self, outcomes: Iterable[StepOutcome]) -> None:
        """Add what documents ended as, each as soon as it is known."""
        for outcome in outcomes:
            self.outcomes.append(outcome)


def unread(crew: Crew, plan: NightPlan, page: OpenNight) -> Harvest:
    """Return the unread sessions and tasks written by hand that the night may use; a resumed night keeps its own."""
    rules = HarvestRules.of(plan.sessions, now=crew.clock(), horizon=page.horizon)
    harvested = page.keep("sessions", Harvest, lambda: harvest(crew.sources, page.index, rules))
    harvested = harvested.allowed(plan.sessions.excluded, reviewed=page.bank.unknown(harvested.reviewed))
    page.write("sessions", harvested.sessions)
    if harvested.snapshots:
        page.write("snapshots", harvested.snapshots)
    return harvested


@contextmanager
def ending(work: NightWork) -> Generator[None]:
    """Keep what ended the night early; what it did until then is staged and reported all the same."""
    try:
        yield
    except NightError as error:
        work.stopped = error
    except KeyboardInterrupt:
        work.stopped = NightInterrupted("the night was stopped", remedy="run it again: every completed call is kept")


def staged(work: NightWork, crew: Crew, plan: NightPlan, page: OpenNight) -> Staged:
    """Stage what passed the gate, and the removal of rules whose lesson was taken back; return the report."""
    found, judge = work.found, work.judge
    proposals, staging = crew.stager.stage(work.outcomes, page, found.lessons)
    removals, retiring = retire(found.lessons, page)
    proposals = (*proposals, *removals)
    done = work.stopped is None
    recurring = recurrences(
        page,
        read=work.harvested.sessions if done else (),
        lessons=found.lessons if done else (),
        tasks=found.tasks if done else (),
        at=page.started,
    )
    read = (*work.harvested.notes, *plan.sessions.excluded.notes, *work.mined.notes, *work.routing.notes)
    return Staged(
        sessions=work.harvested.counts,
        tasks=found.tasks,
        lessons=found.lessons,
        outcomes=work.outcomes,
        proposals=proposals,
        judge=judge.reading,
        corrections=follow(found, work.routing, work.outcomes, proposals, page.bank.waiting, untried=judge.untried),
        calibrations=work.mined.calibrations,
        sealed=crew.sealed(),
        notes=(*read, *judge.notes, *staging, *retiring),
        spend=crew.meter.spend(),
        ended=crew.clock(),
        stopped=work.stopped,
        recurrences=recurring,
    )


def close(work: NightWork, report: NightReport, page: OpenNight) -> None:
    """Close the night's page: what it found is banked, and what it could not use stays unread."""
    found = work.found
    page.close(
        report,
        found=work.harvested.sessions,
        tasks=(*found.tasks, *found.changed),
        lessons=found.lessons,
        lost=(*work.mined.lost, *work.routing.lost, *work.judge.lost),
        copies=work.harvested.copies,
    )
