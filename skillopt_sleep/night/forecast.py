"""Forecast how many calls a night makes at most, from what there is to read. No model is asked for it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from skillopt_sleep.learning.gate import EARLY_ROUNDS
from skillopt_sleep.learning.harm import MOST_ATTEMPTS
from skillopt_sleep.learning.screen import PAIRS
from skillopt_sleep.mining.acting import needs_repository
from skillopt_sleep.mining.calibration import MOST_WRITTEN
from skillopt_sleep.mining.requests import may_hold_a_lesson, most_tasks
from skillopt_sleep.mining.shown import sessions_by_call
from skillopt_sleep.prompts.grading import ANSWERS_PER_CALL
from skillopt_sleep.protocols import Plan
from skillopt_sleep.records import Purpose, Session, Task
from skillopt_sleep.replay.judges.known_answers import BAD, GOOD

MOST_EDITS = 8  # the most edits that a rewritten text is broken up into
MOST_LEFT = 2  # candidates made of the rules that are left: those that helped in two sessions, and those proven
ON_TRAIN = PAIRS * (1 + MOST_EDITS)  # attempts at a train task: without the edits of a draft and with each
TASKS_PER_PROOF = 4  # of answers as long as they get no more fit in a call
FRESH_ROUND = 2  # attempts at each task of an accepted change, after it was accepted


class Workload(NamedTuple):
    """The amount of work for a night, estimated high: every session founds as many tasks as it may.

    `sessions` are those that are mined, `mined` is the number of tasks found in them. `tasks` counts all tasks of the
    night: the mined ones, those written by hand and those banked earlier. So many of them may be `acting`: tried in a
    sealed copy of their repository.
    """

    sessions: Sequence[Session]
    projects: int
    mined: int
    tasks: int
    documents: int
    acting: int = 0


def forecast(
    sessions: Sequence[Session],
    *,
    reviewed: int,
    known: Sequence[Task],
    waiting: int,
    models: int,
    plan: Plan,
    proved: int,
    again: int = 0,
    turns: int = 0,
) -> Mapping[Purpose, int]:
    """Return the most calls a night can make, by purpose.

    `reviewed` is the number of tasks written by hand, `known` are those banked for these projects, `waiting` counts
    candidates whose trials are still undecided, `again` rules that are tested again in the person's own words. Each
    of `models` gets one preflight call. An attempt in a sealed copy makes up to `turns` calls, 0 if none can be made.
    One call proves `proved` references. Calls that are repeated because they failed, or because their reply couldn't
    be decoded, don't count; the night's limits hold in any case.
    """
    work = _workload(sessions, reviewed=reviewed, known=known, plan=plan, again=again)
    if turns and work.tasks:
        work = work._replace(acting=work.mined + sum(map(is_for_a_copy, known)))
    calls = Counter[Purpose]()
    if sessions or reviewed or again:
        calls[Purpose.PREFLIGHT] = models
    calls.update(_mining(work, plan, proved))
    if work.tasks:
        calls.update(_attempts(work, plan, waiting, again, turns))
        calls.update(_learning(work, plan))
        calls.update(_measuring(work))
    return {purpose: calls[purpose] for purpose in Purpose if calls[purpose]}


def _workload(
    sessions: Sequence[Session], *, reviewed: int, known: Sequence[Task], plan: Plan, again: int
) -> Workload:
    heard = [session for session in sessions if may_hold_a_lesson(session)]
    projects = {session.project for session in heard}
    mined = min(plan.mine.max_tasks, sum(map(most_tasks, heard)))
    tasks = 0
    if mined or reviewed or again:
        tasks = mined + reviewed + len(known)
    documents = len(_documents((*heard, *known))) + reviewed
    return Workload(heard, len(projects), mined, tasks, documents)


def _documents(sources: Iterable[Session | Task]) -> set[tuple[str, str]]:
    """Return each project, for its memory, and each skill that was used in it, for the skill's own file."""
    documents: set[tuple[str, str]] = set()
    for source in sources:
        documents.add((source.project, ""))
        for skill in source.skills:
            documents.add((source.project, skill))
    return documents


def _mining(work: Workload, plan: Plan, proved: int) -> dict[Purpose, int]:
    """Count the calls that turn sessions into tasks and check the tasks' references."""
    calls: dict[Purpose, int] = {}
    if plan.mine.miner != "heuristic":
        calls[Purpose.MINE] = sum(map(len, sessions_by_call(work.sessions, plan.mine.sessions_per_call)))
        calls[Purpose.LESSONS] = work.projects + (work.projects > 1)
    if work.mined:
        calls[Purpose.CONTROLS] = _batches(work.mined, proved) + work.documents
        # The sessions' answers, the written ones, and once more what was near to passing.
        calls[Purpose.PROVE] = 3 * (_batches(work.mined, TASKS_PER_PROOF) + work.documents)
    return calls


def is_for_a_copy(task: Task) -> bool:
    """Tell whether a task of an earlier night is tried in a sealed copy of its repository."""
    return task.workspace is not None and needs_repository(task)


def most_per_task(plan: Plan, *, waiting: int, again: int) -> int:
    """Return how often a task may be attempted in a night, to learn from it or to decide with it."""
    on_train = plan.step.samples + ON_TRAIN + PAIRS * again
    return max(on_train, _most_attempts(plan, waiting, again) + FRESH_ROUND)


def _attempts(work: Workload, plan: Plan, waiting: int, again: int, turns: int) -> dict[Purpose, int]:
    """Count the attempts at tasks; each is one call to make and one to grade, or up to `turns` in a sealed copy."""
    made_up = work.tasks * plan.step.augment
    per_task = most_per_task(plan, waiting=waiting, again=again)
    attempts = work.tasks * per_task + made_up * plan.step.samples
    if plan.step.candidates > 1:
        # Several candidates are first compared with each other on the train tasks.
        attempts += (work.tasks + made_up) * plan.step.samples * plan.step.candidates
    more = work.acting * per_task * max(turns - 1, 0)
    return {Purpose.ROLLOUT: attempts + more, Purpose.JUDGE: attempts}


def _measuring(work: Workload) -> dict[Purpose, int]:
    """Count the calls for answers of known worth, which show how often the judge is right."""
    grades = _batches(2 * (GOOD + sum(BAD.values())), ANSWERS_PER_CALL) + 2 * work.projects
    return {Purpose.CONTROLS: MOST_WRITTEN * work.projects, Purpose.JUDGE: grades}


def _learning(work: Workload, plan: Plan) -> dict[Purpose, int]:
    """Count the optimizer's calls, which turn what went wrong into candidates and guidance."""
    train = work.tasks * (1 + plan.step.augment)
    minibatches = _batches(train, plan.step.minibatch) + work.documents
    if plan.step.mode == "full_rewrite":
        calls = {Purpose.REWRITE: work.documents, Purpose.REWRITE_FULL: minibatches}
    else:
        calls = _edits(work, plan, train, minibatches)
    if plan.step.candidates > 1:
        calls[Purpose.VARY] = work.documents
    if plan.step.augment:
        calls[Purpose.AUGMENT] = work.tasks
    if plan.step.slow_every:
        calls[Purpose.SLOW_UPDATE] = work.documents
        calls[Purpose.META_SKILL] = work.documents
    return calls


def _edits(work: Workload, plan: Plan, train: int, minibatches: int) -> dict[Purpose, int]:
    """Count the calls that propose edits, merge them, choose among them and work them into the text."""
    reflections = minibatches
    if plan.step.reflection == "shallow":
        reflections = max(minibatches, train * plan.step.samples)  # one call for each attempt
    if plan.step.successes:
        reflections += minibatches
    calls = {
        Purpose.REFLECT: reflections,
        Purpose.AGGREGATE: reflections,
        Purpose.SELECT: work.documents,
        Purpose.FIT: work.documents,
    }
    if plan.step.reflection == "deep":
        calls[Purpose.DIAGNOSE] = minibatches
        calls[Purpose.REFLECT_DEEP] = work.documents
    if plan.step.min_edit_budget < plan.step.edit_budget:
        calls[Purpose.BUDGET] = work.documents
    if plan.step.mode == "rewrite":
        calls[Purpose.REWRITE] = work.documents * plan.step.candidates
    return calls


def _most_attempts(plan: Plan, waiting: int, again: int) -> int:
    """Return how often one task may be attempted in trials; each trial draws both versions of it itself.

    The sequential gate tries the candidate, then each of its rules on top of the others and what is left of them.
    Candidates that waited may be tried as one once more. A night may also try
    slow-update guidance and the removal of a rule. What wins is asked about tasks of other lessons too.
    """
    rounds = plan.gate.rounds
    if plan.gate.name != "sequential":
        return 2 * rounds
    rounds = max(rounds, EARLY_ROUNDS)
    edits = plan.step.edit_budget
    if plan.step.mode != "patch":
        edits = max(edits, MOST_EDITS)
    edits += again
    parts, whole = 0, 2 + waiting  # the candidate, and the removal of a rule
    if edits > 1:
        parts = edits
        whole += MOST_LEFT
    if waiting > 1:
        whole += 1
    if plan.step.slow_every:
        whole += 1
    return 2 * (parts * rounds + whole * max(rounds, MOST_ATTEMPTS))


def _batches(items: int, size: int) -> int:
    return -(-items // size)
