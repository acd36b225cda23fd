"""One night, start to finish. The folders are the pipeline, in this order; the nouns are in records/."""

from skillopt_sleep.errors import NightError, NightInterrupted
from skillopt_sleep.mining.mined import Mined
from skillopt_sleep.night.conclude import conclude
from skillopt_sleep.night.documents import learn
from skillopt_sleep.night.follow import follow
from skillopt_sleep.night.harvest import Harvest, harvest
from skillopt_sleep.night.judged import NightJudge, measure, preflight
from skillopt_sleep.night.rate import on_rate
from skillopt_sleep.night.survey import HarvestRules
from skillopt_sleep.night.tonight import Tonight, mined_tasks, tonight, used_sources, wanted_again
from skillopt_sleep.proposals.retire import retire
from skillopt_sleep.protocols import Crew, Plan, Routing
from skillopt_sleep.records import NightReport, StepOutcome


def run_night(crew: Crew, plan: Plan) -> NightReport:
    """Learn from the unread sessions and stage what passed the gate; adopt nothing."""
    with crew.store.open_night() as page:
        rules = HarvestRules.of(plan.sessions, now=crew.clock(), horizon=page.horizon)
        harvested = page.keep("sessions", Harvest, lambda: harvest(crew.sources, page.index, rules))
        harvested = harvested.allowed(plan.sessions.excluded, reviewed=page.bank.unknown(harvested.reviewed))
        page.write("sessions", harvested.sessions)
        plan = on_rate(plan, page)
        if harvested.snapshots:
            page.write("snapshots", harvested.snapshots)
        mined, found, routing, stopped = Mined(), Tonight(), Routing(), None
        outcomes: list[StepOutcome] = []
        judge = NightJudge(crew.judge)
        try:
            if harvested.sessions or harvested.reviewed or wanted_again(plan, page.bank, now=page.started):
                preflight(crew.preflights, night=page.night, until=crew.clock() + plan.longest)
                mined = page.keep("mined", Mined, lambda: mined_tasks(harvested, crew=crew, plan=plan, page=page))
                found = tonight(mined, harvested.reviewed, crew=crew, plan=plan, page=page)
                page.write("lessons", found.lessons)
                used = used_sources(page.index, {source.name for source in crew.sources})
                routing = crew.targets.route(found.asked, used, page.bank.live())
                page.write("tasks", found.routed(routing.tasks))
                judge = measure(routing, mined.refused, crew=crew, page=page)
                tried = judge.tried(routing)
                outcomes.extend(learn(tried, crew=crew, plan=plan, page=page, ended=found.ended, judge=judge))
                crew.meter.check()
        except NightError as error:
            stopped = error
        except KeyboardInterrupt:
            stopped = NightInterrupted("the night was stopped", remedy="run it again: every completed call is kept")
        read = (*harvested.notes, *plan.sessions.excluded.notes, *mined.notes, *routing.notes)
        proposals, staging = crew.stager.stage(outcomes, page, found.lessons)
        removals, retiring = retire(found.lessons, page)
        report = conclude(
            page,
            plan,
            harvested.counts,
            found.tasks,
            outcomes,
            judge=judge.reading,
            corrections=follow(
                found, routing, outcomes, (*proposals, *removals), page.bank.waiting, untried=judge.untried
            ),
            calibrations=mined.calibrations,
            sealed=crew.sealed(),
            proposals=(*proposals, *removals),
            lessons=found.lessons,
            notes=(*read, *judge.notes, *staging, *retiring),
            spend=crew.meter.spend(),
            ended=crew.clock(),
            stopped=stopped,
        )
        for reporter in crew.reporters:
            reporter.write(report, page.folder)
        page.close(
            report,
            found=harvested.sessions,
            tasks=(*found.tasks, *found.changed),
            lessons=found.lessons,
            lost=(*mined.lost, *routing.lost, *judge.lost),
            copies=harvested.copies,
        )
    return report
