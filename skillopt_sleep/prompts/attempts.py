"""Show the optimizer train tasks: how the attempts at them went, and how they differ."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from skillopt_sleep.kit.markdown import fence
from skillopt_sleep.records import Rollout, Score, Task

RESPONSE_CHARS = 4_000
SPREAD = 0.2  # grades that lie closer are the judge's noise, and no contrast to learn from


class Graded(NamedTuple):
    """An attempt with its grade under the gate's own metric."""

    rollout: Rollout
    score: Score
    grade: float


class Case(NamedTuple):
    """One attempt at a task to learn from, and one that went clearly better; `failed` of `made` attempts failed."""

    task: Task
    shown: Graded
    better: Graded | None = None
    failed: int = 0
    made: int = 1


def cases(
    rollouts: Sequence[Rollout], tasks: Mapping[str, Task], *, measure: Callable[[Score], float], each: bool
) -> tuple[tuple[Case, ...], tuple[Case, ...]]:
    """Return the cases of tasks with a failed attempt (hard below 1), and of tasks without one, in their order.

    Of a failed task the worst failure is a case, or with `each` every one that says something else.
    """
    graded: dict[str, list[Graded]] = {}
    for rollout in rollouts:
        if rollout.score is not None:
            graded.setdefault(rollout.task, []).append(Graded(rollout, rollout.score, measure(rollout.score)))
    failed: list[Case] = []
    done: list[Case] = []
    for name, made in graded.items():
        failures = [one for one in made if one.score.hard < 1]
        best = max(made, key=lambda one: one.grade)
        if not failures:
            done.append(Case(tasks[name], best, made=len(made)))
            continue
        distinct = {one.rollout.trajectory.response: one for one in failures}
        for one in distinct.values() if each else [min(failures, key=lambda one: one.grade)]:
            better = best if best.grade - one.grade >= SPREAD else None
            failed.append(Case(tasks[name], one, better, failed=len(failures), made=len(made)))
    return tuple(failed), tuple(done)


def show(number: int, case: Case) -> str:
    """Show the request, the answer, what went wrong, what went better, and what the person said at the time."""
    answer = fence(case.shown.rollout.trajectory.response[:RESPONSE_CHARS])
    request = fence(f"{case.task.context}\n{case.task.prompt}".strip())
    lines = [f"## Attempt {number}", "### Request", request, "### Answer", answer]
    if case.failed:
        lines += ["### What went wrong", what_went_wrong(case)]
    if case.better is not None:
        better = fence(case.better.rollout.trajectory.response[:RESPONSE_CHARS])
        lines += ["### The same request, another time, when it went better: ask for what made the difference", better]
    return "\n".join(lines + said(case.task))


def what_went_wrong(case: Case) -> str:
    """Say what went wrong in the judge's words, which never tell what it looks for, and how often."""
    why = case.shown.score.why or "It did not do what was asked."
    return why if case.made == 1 else f"{why} ({case.failed} of {case.made} attempts failed.)"


def said(task: Task) -> list[str]:
    """Return the person's words from when this went wrong before, as lines."""
    quotes = [f"- «{evidence.quote}»" for evidence in task.evidence]
    return ["What the person said when this went wrong before:", *quotes] if quotes else []
