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
from skillopt_sleep.records import NightReport, Session, StepOutcome, Task


def run_night(crew: Crew, plan: Plan) -> NightReport:
    """Learn from the unread sessions and stage what passed the gate; adopt nothing."""
    with crew.store.open_night() as page:
        rules = HarvestRules.of(plan.sessions, now=crew.clock(), horizon=page.horizon)
        harvested = page.keep("sessions", Harvest, lambda: harvest(crew.sources, page.index, rules))
        harvested = harvested.allowed(plan.sessions.excluded, reviewed=page.bank.unknown(harvested.reviewed))
        page.write("sessions", harvested.sessions)
        if harvested.snapshots:
            page.write("snapshots", harvested.snapshots)
        mined, routing, stopped = Mined(), Routing(), None
        tasks, outcomes = tuple[Task, ...](), list[StepOutcome]()
        try:
            if harvested.sessions or harvested.reviewed:
                preflight(crew.preflights, night=page.night, until=crew.clock() + plan.longest)
                mined = page.keep("mined", Mined, lambda: _mine(harvested.sessions, crew, plan, page))
                tasks, recalled = _tasks((*mined.tasks, *harvested.reviewed), plan, page)
                routing = crew.targets.route(recalled)
                outcomes.extend(steps(routing, crew=crew, plan=plan, page=page))
                crew.meter.check()
        except NightError as error:
            stopped = error
        except KeyboardInterrupt:
            stopped = NightInterrupted("the night was stopped", remedy="run it again: every completed call is kept")
        proposals, staging = crew.stager.stage(outcomes, page)
        report = conclude(
            page,
            plan,
            harvested.counts,
            tasks,
            outcomes,
            proposals=proposals,
            notes=(*harvested.notes, *plan.sessions.excluded.notes, *mined.notes, *routing.notes, *staging),
            spend=crew.meter.spend(),
            ended=crew.clock(),
            stopped=stopped,
        )
        for reporter in crew.reporters:
            reporter.write(report, page.folder)
        lost = (*mined.lost, *routing.lost)
        page.close(report, found=harvested.sessions, tasks=tasks, lessons=(), lost=lost, copies=harvested.copies)
    return report


def _mine(sessions: tuple[Session, ...], crew: Crew, plan: Plan, page: Page) -> Mined:
    known = page.bank.tasks({session.project for session in sessions})
    model = None if plan.mine.miner == "heuristic" else crew.optimizer
    size, most = plan.mine.sessions_per_call, plan.mine.max_tasks
    mined = mine(sessions, optimizer=model, pool=crew.pool, per_call=size, most=most, known=known)
    return prove(mined, judge=crew.judge, model=crew.grader, pool=crew.pool)


def _tasks(mined: tuple[Task, ...], plan: Plan, page: Page) -> tuple[tuple[Task, ...], tuple[Task, ...]]:
    """Return tonight's tasks, each on its side, and the same tasks with those recalled from earlier nights."""
    fresh = tuple(task for task in page.bank.kept(mined) if not plan.sessions.excluded(task.project, task.project))
    ids = {task.id for task in fresh}
    banked = page.bank.tasks({task.project for task in fresh})
    known = tuple(task for task in banked if task.id not in ids)
    sides = page.bank.sides({task.session for task in fresh})
    kept = page.keep("tasks", tuple[Task, ...], lambda: split(cluster(fresh, known=known), known=known, sides=sides))
    tasks = tuple(task for task in page.bank.kept(kept) if task.id in ids)
    page.write("tasks", tasks)
    pinned, named = page.bank.pinned(), page.history.named()
    return tasks, recall(tasks, known=known, rules=plan.recall, now=page.started, pinned=pinned, named=named)
