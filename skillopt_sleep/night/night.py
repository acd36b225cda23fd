"""One night, start to finish. The folders are the pipeline, in this order; the nouns are in records/."""

from skillopt_sleep.errors import NightError, NightInterrupted
from skillopt_sleep.mining.cluster import cluster
from skillopt_sleep.mining.mine import mine
from skillopt_sleep.mining.mined import Mined
from skillopt_sleep.mining.prove import prove
from skillopt_sleep.mining.recall import recall
from skillopt_sleep.mining.split import split
from skillopt_sleep.night.conclude import conclude
from skillopt_sleep.night.documents import steps
from skillopt_sleep.night.harvest import Harvest, HarvestRules, harvest
from skillopt_sleep.night.preflight import preflight
from skillopt_sleep.protocols import Crew, Page, Plan, Routing
from skillopt_sleep.records import NightReport, StepOutcome, Task


def run_night(crew: Crew, plan: Plan) -> NightReport:
    """Learn from the unread sessions and stage what passed the gate; adopt nothing."""
    with crew.store.open_night() as page:
        rules = HarvestRules.of(plan.sessions, now=crew.clock(), horizon=page.horizon)
        found = page.keep("sessions", Harvest, lambda: harvest(crew.sources, page.index, rules))
        found = found.allowed(plan.sessions.excluded, reviewed=page.bank.unknown(found.reviewed))
        page.write("sessions", found.sessions)
        if found.snapshots:
            page.write("snapshots", found.snapshots)
        mined, tasks, routing, outcomes, stopped = Mined(), tuple[Task, ...](), Routing(), list[StepOutcome](), None
        try:
            if found.sessions or found.reviewed:
                preflight(crew.preflights, night=page.night, until=crew.clock() + plan.longest)
                mined = page.keep("mined", Mined, lambda: _mine(found, crew, plan, page))
                tasks, asked = _tonight((*mined.tasks, *found.reviewed), plan, page)
                routing = crew.targets.route(asked)
                outcomes.extend(steps(routing, crew=crew, plan=plan, page=page))
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
            notes=(*found.notes, *plan.sessions.excluded.notes, *mined.notes, *routing.notes, *staging),
            spend=crew.meter.spend(),
            ended=crew.clock(),
            stopped=stopped,
        )
        for reporter in crew.reporters:
            reporter.write(report, page.folder)
        lost = (*mined.lost, *(task.session for task in routing.tasks if not task.document))
        page.close(report, found=found.sessions, tasks=tasks, lost=lost, copies=found.copies)
    return report


def _mine(found: Harvest, crew: Crew, plan: Plan, page: Page) -> Mined:
    known = page.bank.tasks({session.project for session in found.sessions})
    model = None if plan.mine.miner == "heuristic" else crew.optimizer
    most, per_call = plan.mine.max_tasks, plan.mine.sessions_per_call
    mined = mine(found.sessions, optimizer=model, pool=crew.pool, per_call=per_call, most=most, known=known)
    return prove(mined, judge=crew.judge, model=crew.grader, pool=crew.pool)


def _tonight(mined: tuple[Task, ...], plan: Plan, page: Page) -> tuple[tuple[Task, ...], tuple[Task, ...]]:
    """Return tonight's tasks with their sides, and the tasks to ask: tonight's and related ones of earlier nights."""
    fresh = {t.id: t for t in page.bank.kept(mined) if not plan.sessions.excluded(t.project, t.project)}
    new = tuple(fresh.values())
    projects = {task.project for task in new}
    known = tuple(task for task in page.bank.tasks(projects) if task.id not in fresh)
    sides = page.bank.sides({task.session for task in new})
    kept = page.keep("tasks", tuple[Task, ...], lambda: split(cluster(new, known=known), known=known, sides=sides))
    tasks = tuple(task for task in page.bank.kept(kept) if task.id in fresh)
    page.write("tasks", tasks)
    pinned, named = page.bank.pinned(), page.history.named()
    return tasks, recall(tasks, known=known, rules=plan.recall, now=page.started, pinned=pinned, named=named)
