"""Give tasks that only work in the repository can show what can judge them there, proved by their own sessions."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.mining.acting import CandidateReference, acting, could_act, needs_repository
from skillopt_sleep.mining.calibration import calibrate
from skillopt_sleep.mining.mined import Mined
from skillopt_sleep.mining.runners import checkout_of
from skillopt_sleep.protocols.crew import Crew
from skillopt_sleep.protocols.work import Workshop
from skillopt_sleep.records import (
    Calibrations,
    Command,
    NoCommand,
    NoWorkspace,
    Rubric,
    Session,
    Snapshot,
    Task,
    Workspace,
    is_of_changes,
)

MOST_PROOFS = 4  # commands are tried for one task
LONGEST = timedelta(minutes=15)
_NOT_TRIED = frozenset({NoCommand.NO_SEAL, NoCommand.NO_WORKSPACE, NoCommand.LATER})


class _Judged(NamedTuple):
    """A task as it can be asked; if nothing of its own session can judge it, `refused` says why."""

    task: Task
    refused: NoCommand | None = None
    workspace: NoWorkspace | None = None
    command: bool = False
    asked: bool = True


def with_commands(mined: Mined, sessions: Sequence[Session], snapshots: Sequence[Snapshot], crew: Crew) -> Mined:
    """Return the tasks with what can judge them in their repositories, and the account of it.

    A task keeps its id. Where nothing can be sealed, or its repository can't be had, it stays as it is and waits.
    """
    if crew.workshop is None:
        return mined
    work = _Work(crew.workshop, sessions, snapshots, late=_after(crew, LONGEST))
    judged = _or_by_changes(crew.pool.map(work.judged, mined.tasks, label="calibrate"), crew)
    tasks = tuple(one.task for one in judged)
    return replace(mined, tasks=tasks, calibrations=_account(judged))


def with_late_commands(
    waiting: Sequence[Task], sessions: Sequence[Session], snapshots: Sequence[Snapshot], crew: Crew
) -> tuple[Task, ...]:
    """Return those of these tasks of earlier nights that can be tried in their repositories now."""
    if crew.workshop is None or not waiting:
        return ()
    work = _Work(crew.workshop, sessions, snapshots, late=_after(crew, LONGEST))
    judged = _or_by_changes(crew.pool.map(work.judged, waiting, label="calibrate"), crew)
    return tuple(one.task for one in judged if one.refused is None and one.asked)


def _or_by_changes(judged: Sequence[_Judged], crew: Crew) -> Sequence[_Judged]:
    """Let the judge grade the changes of tasks that no command or check of their session can judge."""
    waiting = [one.task for one in judged if one.refused and one.refused not in _NOT_TRIED]
    graded = graded_by_changes(waiting, crew)
    return [_Judged(graded[one.task.id]) if one.task.id in graded else one for one in judged]


def graded_by_changes(tasks: Sequence[Task], crew: Crew) -> Mapping[str, Task]:
    """Return those of these tasks whose demand the judge can grade by a diff, by id.

    It can if it graded diffs whose grade is known rightly. A failed call leaves its tasks waiting for another night.
    """
    asked: list[Task] = []
    for task in tasks:
        # A diff is only needed where words can't show what the task wants.
        if isinstance(task.reference, Rubric) and task.setting.workspace is not None and needs_repository(task):
            rubric = replace(task.reference, of_changes=True)
            setting = replace(task.setting, needs_repository=True)
            asked.append(replace(task, reference=rubric, setting=setting, known_answers=()))
    tried = calibrate(asked, crew.grader, crew.pool)
    left_out = tried.refused | tried.unseen | tried.lost
    return {task.id: replace(task, known_answers=tried.known[task.id]) for task in asked if task.id not in left_out}


def _after(crew: Crew, length: timedelta) -> Callable[[], bool]:
    """Return a function that tells whether this much time has gone by."""
    until = crew.clock() + length
    return lambda: crew.clock() > until


class _Work:
    """Judges one task after the other; any thread may ask."""

    def __init__(
        self,
        workshop: Workshop,
        sessions: Sequence[Session],
        snapshots: Sequence[Snapshot],
        *,
        late: Callable[[], bool],
    ) -> None:
        self._workshop = workshop
        self._sessions: Mapping[str, Session] = {session.id: session for session in sessions}
        self._snapshots = {snapshot.session: snapshot for snapshot in snapshots}
        self._late = late

    def judged(self, task: Task) -> _Judged:
        """Return the task with the first of its proofs that can be trusted."""
        session = self._sessions.get(task.session)
        if session is None or not could_act(task):
            return _Judged(task, asked=False)
        workshop = self._workshop
        if workshop.why_not:
            return _refused(task, NoCommand.NO_SEAL)
        workspace = workshop.stand(session, self._snapshots.get(session.id))
        if not isinstance(workspace, Workspace):
            return _refused(task, NoCommand.NO_WORKSPACE, workspace)
        tree = workshop.files(workspace)
        if isinstance(tree, NoWorkspace):
            return _refused(task, NoCommand.NO_WORKSPACE, tree)
        found = acting(session, task, checkout_of(tree, workspace))
        standing = task
        if needs_repository(task):
            standing = replace(task, setting=replace(task.setting, workspace=workspace, later=found.later))
        refused = NoCommand.NO_COMMAND
        for proof in found.proofs[:MOST_PROOFS]:
            proved = self._proved(workshop, proof, workspace, session)
            if proved is NoCommand.LATER:
                return _refused(task, proved)
            if isinstance(proved, NoCommand):
                refused = proved
                continue
            reference = proved.reference
            setting = replace(task.setting, workspace=workspace, later=found.later, needs_repository=True)
            chosen = replace(task, reference=reference, setting=setting, known_answers=())
            return _Judged(chosen, command=isinstance(reference, Command))
        return _refused(standing, refused)

    def _proved(
        self, workshop: Workshop, proof: CandidateReference, workspace: Workspace, session: Session
    ) -> CandidateReference | NoCommand:
        """Return the proof as it can be used, or why it can't; checks of what was done need no run."""
        if not isinstance(proof.reference, Command):
            return proof
        if self._late():
            return NoCommand.LATER
        command, calibration = workshop.calibrated(proof.reference, workspace, session.ended, whole=proof.whole)
        return calibration.refused or CandidateReference(command)


def _refused(task: Task, code: NoCommand, workspace: NoWorkspace | None = None) -> _Judged:
    return _Judged(task, code, workspace, asked=needs_repository(task))


def _account(judged: Sequence[_Judged]) -> Calibrations:
    """Count each session once: by its best task."""
    best: dict[str, _Judged] = {}
    for one in judged:
        if one.asked and _worth(one) > _worth(best.get(one.task.session)):
            best[one.task.session] = one
    refused = Counter(one.refused.value for one in best.values() if one.refused)
    gone = Counter(one.workspace.value for one in best.values() if one.workspace)
    return Calibrations(
        sessions=len(best),
        commands=sum(one.command for one in best.values()),
        checks=sum(_worth(one) == _BY_ACTS for one in best.values()),
        rubrics=sum(_worth(one) == _BY_CHANGES for one in best.values()),
        refused=dict(refused),
        workspaces=dict(gone),
    )


_BY_CHANGES, _BY_ACTS, _BY_COMMAND = 2, 3, 4


def _worth(one: _Judged | None) -> int:
    if one is None:
        return 0
    if one.refused:
        return 1
    if is_of_changes(one.task.reference):
        return _BY_CHANGES
    return _BY_COMMAND if one.command else _BY_ACTS
