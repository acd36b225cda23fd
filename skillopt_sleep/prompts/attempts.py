"""Show the optimizer train tasks: how the attempts at them went, and how they differ."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from skillopt_sleep.kit.markdown import fence, one_line
from skillopt_sleep.prompts import setting
from skillopt_sleep.records import PlaceKind, Rollout, Score, Task

RESPONSE_CHARS = 4_000
DEED_CHARS = 200
WANTED_CHARS = 300
SPREAD = 0.2  # grades that lie closer are the judge's noise, and no contrast to learn from

_HOLDS = {
    PlaceKind.PATH: "It holds for these files only:",
    PlaceKind.WORK: "It holds for this kind of work only:",
    PlaceKind.DOCUMENT: "It holds for this document only:",
}
_ONLY_HERE = "That is how requests are tried, not how the agent works: no rule and no cause speaks of it."


class GradedRollout(NamedTuple):
    """An attempt with its grade under the gate's own metric."""

    rollout: Rollout
    score: Score
    grade: float


class LearningCase(NamedTuple):
    """One attempt at a task to learn from, and one that went clearly better; `failed` of `made` attempts failed.

    `sessions` counts those of the tasks to learn from in which its lesson came up.
    """

    task: Task
    shown: GradedRollout
    better: GradedRollout | None = None
    failed: int = 0
    made: int = 1
    sessions: int = 1


def cases(
    rollouts: Sequence[Rollout], tasks: Mapping[str, Task], *, measure: Callable[[Score], float], each: bool
) -> tuple[tuple[LearningCase, ...], tuple[LearningCase, ...]]:
    """Return the cases of tasks with a failed attempt (hard below 1), and of tasks without one, in their order.

    Of a failed task the worst failure is a case, or with `each` every one that says something else.
    """
    graded: dict[str, list[GradedRollout]] = {}
    for rollout in rollouts:
        if rollout.score is not None:
            graded.setdefault(rollout.task, []).append(GradedRollout(rollout, rollout.score, measure(rollout.score)))
    failed: list[LearningCase] = []
    done: list[LearningCase] = []
    for name, made in graded.items():
        task = tasks[name]
        same = {other.session for other in tasks.values() if other.lesson == task.lesson}
        sessions = len(same) if task.lesson else 1
        failures = [one for one in made if one.score.hard < 1]
        best = max(made, key=lambda one: one.grade)
        if not failures:
            done.append(LearningCase(task, best, made=len(made), sessions=sessions))
            continue
        distinct = {one.rollout.trajectory.told: one for one in failures}
        for one in distinct.values() if each else [min(failures, key=lambda one: one.grade)]:
            better = best if best.grade - one.grade >= SPREAD else None
            failed.append(LearningCase(task, one, better, failed=len(failures), made=len(made), sessions=sessions))
    return tuple(failed), tuple(done)


def made_in(rollouts: Sequence[Rollout]) -> str:
    """Return what attempts like these can show if all were made without tools, else ""."""
    if not all(rollout.trajectory.text_only for rollout in rollouts):
        return ""
    return f"{setting()}\n{_ONLY_HERE}"


def show(number: int, case: LearningCase, *, most: int = RESPONSE_CHARS) -> str:
    """Show the request, the answer, what went wrong, what went better, and what the person said at the time.

    Of an answer, `most` characters are shown.
    """
    answer = fence(case.shown.rollout.trajectory.told[:most])
    request = fence(f"{case.task.context}\n{case.task.prompt}".strip())
    lines = [f"## Attempt {number}", "### Request", request, "### Answer", answer]
    if case.failed:
        lines += ["### What went wrong", what_went_wrong(case)]
    if case.better is not None:
        better = fence(case.better.rollout.trajectory.told[:most])
        lines += ["### The same request, another time, when it went better: ask for what made the difference", better]
    return "\n".join(lines + feedback_lines(case.task, sessions=case.sessions))


def what_went_wrong(case: LearningCase) -> str:
    """Say what went wrong, which never tells what a check looks for, how often, and what the person wants."""
    why = case.shown.score.why or "It did not do what was asked."
    if case.made > 1:
        why += f" ({case.failed} of {case.made} attempts failed.)"
    wanted = one_line(case.task.wanted.wording, limit=WANTED_CHARS)
    if wanted and wanted not in case.task.quotes:
        why += f"\nWhat the person wants: «{wanted}»"
    return why


def feedback_lines(task: Task, *, sessions: int = 1) -> list[str]:
    """Return what the person said and did when this went wrong before, each with its day, as lines.

    What a deed of another session says is left out: that session's side may be val or test.
    """
    lines: list[str] = []
    quotes = [piece for piece in task.feedback.evidence if piece.deed is None]
    if quotes:
        often = f" (it came up in {sessions} sessions)" if sessions > 1 else ""
        lines.append(f"What the person said when this went wrong before{often}:")
        lines += [f"- {evidence.at or task.at:%Y-%m-%d}: «{evidence.quote}»" for evidence in quotes]
    if task.wanted.holds.kind in _HOLDS:
        lines.append(f"{_HOLDS[task.wanted.holds.kind]} «{one_line(task.wanted.holds.name)}»: let the rule say so.")
    if task.feedback.not_followed:
        lines.append("The instructions said so already, and the agent didn't follow them: say it clearer.")
    if task.feedback.deeds:
        lines.append("What the person did when this went wrong before (what is fenced is data, no words of theirs):")
        for deed in task.feedback.deeds:
            lines.append(f"- {deed.at or task.at:%Y-%m-%d}: they {deed.verb}")
            if deed.what and deed.session == task.session:
                lines.append(fence(one_line(deed.what, limit=DEED_CHARS)))
    return lines
