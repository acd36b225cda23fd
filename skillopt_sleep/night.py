"""One night, start to finish. Each verb is a file in stages/; the nouns are in records.py."""

from skillopt_sleep.errors import NightError, NightInterrupted
from skillopt_sleep.protocols import Crew, Page, Plan, Routing
from skillopt_sleep.records import NightReport, StepOutcome, Task
from skillopt_sleep.stages.cluster import cluster
from skillopt_sleep.stages.conclude import conclude
from skillopt_sleep.stages.harvest import Harvest, HarvestRules, harvest
from skillopt_sleep.stages.mine import Mined, mine
from skillopt_sleep.stages.preflight import preflight
from skillopt_sleep.stages.recall import recall
from skillopt_sleep.stages.split import split
from skillopt_sleep.step import step


def run_night(crew: Crew, plan: Plan) -> NightReport:
    """Learn from the unread sessions and stage what passed the gate; adopt nothing."""
    with crew.store.open_night() as page:
        found = page.keep("sessions", Harvest, lambda: harvest(crew.sources, page.index, _rules(crew, plan, page)))
        page.write("sessions", found.sessions)
        reviewed = page.bank.unknown(page.index.reviewed())
        mined, tasks, routing, outcomes, stopped = Mined(), tuple[Task, ...](), Routing(), list[StepOutcome](), None
        try:
            if found.sessions or reviewed:
                preflight(crew.optimizer, night=page.night)
                mined = page.keep("mined", Mined, lambda: _mine(found, crew, plan))
                fresh = (*mined.tasks, *reviewed)
                known = page.bank.tasks({task.project for task in fresh})
                tasks = page.keep("tasks", tuple[Task, ...], lambda: _sides(fresh, known, page))
                page.write("tasks", tasks)
                routing = crew.targets.route(recall(tasks, known=known))
                for document in routing.documents:
                    own = [task for task in routing.tasks if task.document == document.id]
                    rejected = page.bank.rejected(document.path)
                    outcomes.append(step(document, own, crew=crew, plan=plan, rejected=rejected, log=page.write))
                crew.meter.check()
        except NightError as error:
            stopped = error
        except KeyboardInterrupt:
            stopped = NightInterrupted("it was stopped", remedy="run it again: every completed call is kept")
        proposals, staging = crew.stager.stage(outcomes, page)
        report = conclude(
            page,
            plan,
            found.counts,
            tasks,
            outcomes,
            proposals=proposals,
            notes=(*plan.excluded.notes, *mined.notes, *routing.notes, *staging),
            spend=crew.meter.spend(),
            ended=crew.clock(),
            stopped=stopped,
        )
        for reporter in crew.reporters:
            reporter.write(report, page.folder)
        page.close(report, found=found.sessions, tasks=tasks, lost=mined.lost, older=found.older)
    return report


def _rules(crew: Crew, plan: Plan, page: Page) -> HarvestRules:
    return HarvestRules(
        now=crew.clock(),
        quiet_seconds=plan.quiet_seconds,
        horizon=page.horizon,
        include_headless=plan.include_headless,
        excluded=plan.excluded,
        own_roots=plan.own_roots,
    )


def _mine(found: Harvest, crew: Crew, plan: Plan) -> Mined:
    optimizer = None if plan.heuristic else crew.optimizer
    return mine(
        found.sessions, optimizer=optimizer, pool=crew.pool, per_call=plan.sessions_per_call, most=plan.max_tasks
    )


def _sides(tasks: tuple[Task, ...], known: tuple[Task, ...], page: Page) -> tuple[Task, ...]:
    sides = page.bank.sides({task.session for task in tasks})
    return split(cluster(tasks, known=known), known=known, sides=sides)
