"""Turn a night's sessions into its tasks: mined, proved, each with its lesson and its side, and those recalled."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from skillopt_sleep.mining.acting import could_act
from skillopt_sleep.mining.cluster import cluster
from skillopt_sleep.mining.lessons import with_evidence
from skillopt_sleep.mining.mine import KnownLessons, mine
from skillopt_sleep.mining.mined import Mined, corrections_of
from skillopt_sleep.mining.own_lessons import with_own
from skillopt_sleep.mining.prove import prove
from skillopt_sleep.mining.split import recall, split
from skillopt_sleep.night.commands import with_commands, with_late_commands
from skillopt_sleep.night.harvest import Harvest
from skillopt_sleep.protocols.crew import Crew, NightPlan
from skillopt_sleep.protocols.stores import Bank, Index, OpenNight
from skillopt_sleep.protocols.work import Routing
from skillopt_sleep.records import Became, Correction, Lesson, LessonState, PlaceKind, Split, Task, wants_a_tool


class TonightsTasks(NamedTuple):
    """Tonight's tasks, those that are asked tonight, and the lessons that are new or changed.

    Asked are tonight's tasks and those recalled from earlier nights, but none of a lesson that was only noticed.
    `changed` are tasks of earlier nights that waited for their side or their repository and have it now. `ended` are
    the ids of the lessons that were taken back, `dropped` the corrections that aren't behind any task.
    """

    tasks: tuple[Task, ...] = ()
    asked: tuple[Task, ...] = ()
    changed: tuple[Task, ...] = ()
    lessons: tuple[Lesson, ...] = ()
    ended: frozenset[str] = frozenset()
    dropped: tuple[Correction, ...] = ()

    def routed(self, routed: Sequence[Task]) -> tuple[Task, ...]:
        """Return tonight's tasks and those recalled, each with its document if it has one."""
        return tuple(({task.id: task for task in self.tasks} | {task.id: task for task in routed}).values())


def mined_tasks(harvested: Harvest, *, crew: Crew, plan: NightPlan, page: OpenNight) -> Mined:
    """Mine the sessions, and keep the tasks whose reference can be trusted, in words or in the repository."""
    sessions = harvested.sessions
    projects = {session.project for session in sessions}
    excluded = plan.sessions.excluded
    lessons = (lesson for lesson in page.lessons.every() if not excluded(lesson.project, lesson.project))
    known = KnownLessons(tuple(lessons), page.bank.tasks(projects))
    model = None if plan.mine.miner == "heuristic" else crew.optimizer
    size, most = plan.mine.sessions_per_call, plan.mine.max_tasks
    mined = mine(sessions, optimizer=model, pool=crew.pool, per_call=size, most=most, known=known)
    proven = prove(mined, judge=crew.judge, model=crew.grader, pool=crew.pool)
    return with_commands(proven, sessions, harvested.snapshots, crew)


def tonight(mined: Mined, reviewed: Sequence[Task], *, crew: Crew, plan: NightPlan, page: OpenNight) -> TonightsTasks:
    """Return tonight's tasks, each on its side; those of a lesson that was taken back take no part."""
    found = (*mined.tasks, *reviewed)
    wanted = wanted_again(plan, page.bank, now=page.started)
    kept = [task for task in page.bank.kept(found) if not plan.sessions.excluded(task.project, task.project)]
    projects = {task.project for task in (*kept, *wanted)}
    lessons = {lesson.id: lesson for lesson in (*page.lessons.of(projects), *mined.lessons)}
    ended = _in_state(LessonState.TAKEN_BACK, lessons.values())
    noticed = _in_state(LessonState.NOTICED, lessons.values())
    fresh = with_own(_of_others(ended, kept), lessons.values())
    again = {task.lesson for task in (*fresh, *wanted)}
    own = [lesson for lesson in lessons.values() if lesson.id in again and lesson.holds.kind is PlaceKind.PERSON]
    shared = page.bank.tasks_of({name for lesson in own for name in (lesson.id, *lesson.joins)})
    shared = [task for task in shared if not plan.sessions.excluded(task.project, task.project)]
    banked = {task.id: task for task in (*page.bank.tasks(projects), *shared)}
    known = _of_others(ended, with_own(banked.values(), lessons.values()))
    sided = _sided(fresh, known, page)
    ids = {task.id for task in fresh}
    tasks = with_own((task for task in sided if task.id in ids), lessons.values())
    changed = {task.id: task for task in sided if task.id not in ids}
    known = tuple(changed.get(task.id, task) for task in known if task.id not in ids)
    asked = recall(
        _of_others(noticed, tasks),
        known=_of_others(noticed, known),
        rules=plan.recall,
        now=page.started,
        pinned=page.bank.pinned(),
        named=page.history.named(),
        wanted={task.lesson for task in wanted} | {lesson.id for lesson in own},
    )
    by_hand = [task for task in tasks if task.lesson not in lessons]
    equipped = page.keep(
        "equipped", tuple[Task, ...], lambda: _equipped(asked, tasks, crew=crew, plan=plan, page=page)
    )
    changed |= {task.id: task for task in equipped}
    return TonightsTasks(
        tasks=tasks,
        asked=tuple(changed.get(task.id, task) for task in asked),
        changed=tuple(changed.values()),
        lessons=(*mined.lessons, *with_evidence(by_hand, ())),
        ended=ended,
        dropped=(*mined.dropped, *_dropped(mined.tasks, kept, ended)),
    )


def _equipped(
    asked: Sequence[Task], tasks: Sequence[Task], *, crew: Crew, plan: NightPlan, page: OpenNight
) -> tuple[Task, ...]:
    """Return the recalled tasks that had to wait for their repository when they were banked, and can be tried now."""
    fresh = {task.id for task in tasks}
    waiting = [task for task in asked if task.id not in fresh and task.setting.workspace is None and could_act(task)]
    held = {line.id for line in page.index.lines(unread=False)} if waiting else set[str]()
    names = tuple(dict.fromkeys(task.session for task in waiting if task.session in held))
    sessions = [session for session in page.index.sessions(names) if not session.is_emptied]
    spool = plan.sessions.spool
    snapshots = [spool.snapshot(name) for name in names] if spool else []
    found = with_late_commands(waiting, sessions, [one for one in snapshots if one], crew)
    # What is judged by acts already was chosen, maybe by the person: it only lacked the repository.
    chosen = {task.id: task.reference for task in waiting if wants_a_tool(task.reference)}
    return tuple(task for task in found if chosen.get(task.id, task.reference) == task.reference)


def wanted_again(plan: NightPlan, bank: Bank, *, now: datetime) -> tuple[Task, ...]:
    """Return the earlier tasks of the rules that the person wants tested again in their own words.

    A lesson without an unseen task that is new enough to come back has none.
    """
    lessons: set[str] = set()
    for proposal in bank.again():
        lessons.update(proposal.lessons)
    tasks: list[Task] = []
    for task in bank.tasks_of(lessons):
        if now - task.at <= plan.recall.retire and not plan.sessions.excluded(task.project, task.project):
            tasks.append(task)
    unseen = {task.lesson for task in tasks if task.split is Split.VAL}
    return tuple(task for task in tasks if task.lesson in unseen)


def _in_state(state: LessonState, lessons: Iterable[Lesson]) -> frozenset[str]:
    """Return the ids of the lessons in this state."""
    return frozenset(lesson.id for lesson in lessons if lesson.state is state)


def _of_others(lessons: Collection[str], tasks: Iterable[Task]) -> tuple[Task, ...]:
    """Return the tasks of other lessons than these."""
    return tuple(task for task in tasks if task.lesson not in lessons)


def _sided(fresh: tuple[Task, ...], banked: Sequence[Task], page: OpenNight) -> tuple[Task, ...]:
    """Return tonight's tasks with their lesson and side, and those of earlier nights that get their side tonight.

    A resumed night keeps what it gave them first, but for what a person changed since.
    """
    ids = {task.id for task in fresh}
    known = tuple(task for task in banked if task.id not in ids)
    sides = page.bank.sides({task.session for task in (*fresh, *known) if task.split is None})
    sided = page.keep("tasks", tuple[Task, ...], lambda: split(cluster(fresh, known=known), known=known, sides=sides))
    return page.bank.kept(sided)


def _dropped(mined: Sequence[Task], kept: Sequence[Task], ended: Collection[str]) -> Iterator[Correction]:
    """Yield the corrections behind mined tasks that a person dropped, or that are of a lesson they took back."""
    ids = {task.id for task in kept}
    turns = {(piece.session, piece.turn) for task in kept for piece in task.feedback.evidence}
    for task in mined:
        # A task that a person edited may have come back under another id.
        edited = any((piece.session, piece.turn) in turns for piece in task.feedback.evidence)
        if task.id not in ids and not edited:
            yield from corrections_of(
                [task], Became.TAKEN_BACK, "its task was dropped by hand, or its project is excluded"
            )
    yield from corrections_of((task for task in kept if task.lesson in ended), Became.TAKEN_BACK)


def route(found: TonightsTasks, crew: Crew, page: OpenNight) -> Routing:
    """Return the tasks that are asked tonight, each with the document that it teaches."""
    page.write("lessons", found.lessons)
    used = used_sources(page.index, {source.name for source in crew.sources})
    routing = crew.targets.route(found.asked, used, page.bank.live())
    page.write("tasks", found.routed(routing.tasks))
    return routing


def used_sources(index: Index, sources: Collection[str]) -> dict[str, set[str]]:
    """Return which of these sources each project's sessions came from, without sessions that no night may use."""
    used: dict[str, set[str]] = {}
    for line in index.lines(unread=False):
        if line.left_out is None and line.source in sources:
            used.setdefault(line.project, set()).add(line.source)
    return used
