"""How often a night may ask at most, from what there is to read; without any call."""

from collections import Counter
from collections.abc import Mapping, Sequence

from skillopt_sleep.mining.mined import batched
from skillopt_sleep.protocols import Plan
from skillopt_sleep.records import Purpose, Session

MOST_EDITS = 8  # that a rewritten text becomes


def forecast(
    sessions: Sequence[Session], *, reviewed: int, known: int, waiting: int, models: int, plan: Plan, proved: int
) -> Mapping[Purpose, int]:
    """Calls by purpose, at most: as if every typed turn after the first were a correction, and each attempt graded.

    `proved` is how many references one call grades; `reviewed` tasks were written by hand, `known` ones are banked in
    these projects, `waiting` candidates go on with their trials, each of `models` is asked whether it answers. Calls
    asked again, because they failed or their reply couldn't be decoded, are not in it; the night's limits hold for
    all.
    """
    heuristic = plan.mine.miner == "heuristic"
    worth = [session for session in sessions if len(session.typed) > 1]
    fresh = min(plan.mine.max_tasks, sum(len(session.typed) - 1 for session in worth))
    projects = Counter(session.project for session in worth)
    tasks = fresh + reviewed + known if fresh or reviewed else 0
    documents = len(projects) + reviewed
    learned = tasks * (1 + plan.step.augment)
    raced = learned * plan.step.samples * plan.step.candidates if plan.step.candidates > 1 else 0
    asked = max(plan.step.samples, _arms(plan, waiting) * plan.gate.rounds, 2)
    attempts = tasks * asked + tasks * plan.step.augment * plan.step.samples + raced
    batches = _batches(learned, plan.step.minibatch) + documents if tasks else 0
    full = plan.step.mode == "full_rewrite"
    alone = learned * plan.step.samples if plan.step.reflection == "shallow" else 0
    reflections = 0 if full else max(batches, alone) + (batches if plan.step.successes else 0)
    deep = plan.step.reflection == "deep" and not full
    rewrites = (
        documents * plan.step.candidates
        if tasks and plan.step.mode == "rewrite"
        else documents
        if full and tasks
        else 0
    )
    found = {
        Purpose.PREFLIGHT: models if sessions or reviewed else 0,
        Purpose.MINE: 0 if heuristic else len(batched(worth, plan.mine.sessions_per_call)),
        Purpose.LESSONS: 0 if heuristic else len(projects),
        Purpose.PROVE: 2 * (_batches(fresh, proved) + documents) if fresh else 0,
        Purpose.ROLLOUT: attempts,
        Purpose.JUDGE: attempts,
        Purpose.REFLECT: reflections,
        Purpose.DIAGNOSE: batches if deep else 0,
        Purpose.REFLECT_DEEP: documents if deep and tasks else 0,
        Purpose.AGGREGATE: reflections,
        Purpose.BUDGET: documents if tasks and not full and plan.step.min_edit_budget < plan.step.edit_budget else 0,
        Purpose.SELECT: documents if tasks and not full else 0,
        Purpose.REWRITE: rewrites,
        Purpose.REWRITE_FULL: batches if full else 0,
        Purpose.VARY: documents if tasks and plan.step.candidates > 1 else 0,
        Purpose.AUGMENT: tasks if plan.step.augment else 0,
        Purpose.SLOW_UPDATE: documents if tasks and plan.step.slow_every else 0,
        Purpose.META_SKILL: documents if tasks and plan.step.slow_every else 0,
    }
    return {purpose: count for purpose, count in found.items() if count}


def _arms(plan: Plan, waiting: int) -> int:
    """How many documents an unseen task may be asked under in each round.

    The bundle, then its halves or what leave-one-outs leave, all against one baseline, but for a last one afresh; on
    some nights guidance and the removal of a rule.
    """
    if plan.gate.name != "sequential":
        return 2
    edits = plan.step.edit_budget if plan.step.mode == "patch" else max(plan.step.edit_budget, MOST_EDITS)
    shorter = max(2, edits + 2) if edits > 1 else 0
    return 2 + shorter + waiting + (3 if plan.step.slow_every else 1)


def _batches(items: int, size: int) -> int:
    return -(-items // size)
