"""Compare tasks under two versions of a document; write guidance (slow update) and notes (meta skill) from it."""

from collections.abc import Mapping, Sequence

import msgspec

from skillopt_sleep.kit.markdown import fence, one_line
from skillopt_sleep.learning.asking import Optimizer, Question, check_train
from skillopt_sleep.prompts.attempts import feedback_lines
from skillopt_sleep.proposals.edited import guidance
from skillopt_sleep.records import (
    Compared,
    Earlier,
    Edit,
    EditOp,
    EditSource,
    Note,
    Purpose,
    ResultChange,
    Rollout,
    Task,
)

GUIDANCE_CHARS = 1_500
ANSWER_CHARS = 1_500
NOTES_CHARS = 2_000
REQUEST_CHARS = 200
_FAILS = frozenset({ResultChange.REGRESSED, ResultChange.PERSISTENT_FAIL})
_HEADINGS = {
    ResultChange.REGRESSED: "Worse today (regressed)",
    ResultChange.PERSISTENT_FAIL: "Failed both times (persistent_fail)",
    ResultChange.IMPROVED: "Better today (improved)",
    ResultChange.STABLE_SUCCESS: "Right both times (stable_success)",
}
_CHANGES = {
    (False, True): ResultChange.IMPROVED,
    (True, False): ResultChange.REGRESSED,
    (False, False): ResultChange.PERSISTENT_FAIL,
    (True, True): ResultChange.STABLE_SUCCESS,
}


class SlowUpdateReply(msgspec.Struct, frozen=True):
    """What the optimizer answers."""

    guidance: str


def compare(before: Sequence[Rollout], after: Sequence[Rollout]) -> tuple[Compared, ...]:
    """Compare each task that was scored under both versions, in the order of `after`, as SkillOpt does.

    A task is solved if more than half of its scored attempts are. An unscored attempt doesn't count as a failure.
    """
    earlier = _by_task(before)
    compared: list[Compared] = []
    for task, today in _by_task(after).items():
        if task in earlier:
            then = earlier[task]
            change = _CHANGES[_is_solved(then), _is_solved(today)]
            compared.append(Compared(task=task, change=change, before=_typical(then), after=_typical(today)))
    return tuple(compared)


def _by_task(rollouts: Sequence[Rollout]) -> dict[str, list[Rollout]]:
    scored: dict[str, list[Rollout]] = {}
    for rollout in rollouts:
        if rollout.score is not None:
            scored.setdefault(rollout.task, []).append(rollout)
    return scored


def _passed(rollout: Rollout) -> bool:
    return rollout.score is not None and rollout.score.hard >= 1


def _is_solved(made: Sequence[Rollout]) -> bool:
    return 2 * sum(map(_passed, made)) > len(made)


def _typical(made: Sequence[Rollout]) -> Rollout:
    """Return the first attempt with the same result as most attempts."""
    solved = _is_solved(made)
    return next(rollout for rollout in made if _passed(rollout) is solved)


def slow_update(
    compared: Sequence[Compared], tasks: Mapping[str, Task], snapshot: Earlier, *, optimizer: Optimizer
) -> Edit | Note | None:
    """Return the edit of the protected block, the note of a failed call, or None if there is nothing lasting to say.

    No call is made if no task fails today. Raises ValueError for a task that isn't on train.
    """
    check_train(tasks[one.task] for one in compared)
    failing = [one for one in compared if one.change in _FAILS]
    if not failing:
        return None
    now = guidance(optimizer.document.body)
    kinds = [_shown(change, compared, tasks) for change in _HEADINGS]
    values = {
        "nights": str(snapshot.nights),
        "limit": f"{GUIDANCE_CHARS:,}",
        "earlier": fence(snapshot.body or "(empty)"),
        "guidance": fence(now) if now else "",
        "compared": "\n\n".join(kinds),
    }
    reply = optimizer.ask_alone(Question(Purpose.SLOW_UPDATE, SlowUpdateReply, values))
    if isinstance(reply, Note):
        return reply
    content = reply.guidance.strip()
    if content in {"", now}:
        return None
    return Edit(
        op=EditOp.REPLACE if now else EditOp.APPEND,
        content=content,
        target=now,
        source=EditSource.SLOW,
        support=len(failing),
        tasks=tuple(one.task for one in failing),
    )


def _shown(change: ResultChange, compared: Sequence[Compared], tasks: Mapping[str, Task]) -> str:
    """Show the tasks that changed this way; for those that stayed right only the request."""
    shown = [_show(one, tasks[one.task]) for one in compared if one.change is change]
    return "\n\n".join([f"## {_HEADINGS[change]}: {len(shown)}", *shown])


def _show(one: Compared, task: Task) -> str:
    lines = ["### Request", fence(f"{task.context}\n{task.prompt}".strip())]
    if one.change is ResultChange.STABLE_SUCCESS:
        return "\n".join(lines)
    lines += ["### Answer then", *_answer(one.before), "### Answer today", *_answer(one.after)]
    if one.change in _FAILS:
        lines += feedback_lines(task)
    return "\n".join(lines)


def _answer(rollout: Rollout) -> list[str]:
    lines = [fence(rollout.trajectory.told[:ANSWER_CHARS])]
    if rollout.score is not None and rollout.score.why:
        lines.append(f"What went wrong: {rollout.score.why}")
    return lines


class MetaSkillReply(msgspec.Struct, frozen=True):
    """What the optimizer answers."""

    notes: str


def meta_skill(compared: Sequence[Compared], tasks: Mapping[str, Task], *, optimizer: Optimizer) -> str | Note:
    """Return the new notes, at most NOTES_CHARS long, or the note of a failed call: then the old notes stay.

    Raises ValueError for a task that isn't on train.
    """
    check_train(tasks[one.task] for one in compared)
    kinds = [_requests(change, compared, tasks) for change in ResultChange]
    values = {"limit": f"{NOTES_CHARS:,}", "compared": "\n\n".join(kinds)}
    reply = optimizer.ask_alone(Question(Purpose.META_SKILL, MetaSkillReply, values))
    if isinstance(reply, Note):
        return reply
    notes = reply.notes.strip()
    if len(notes) <= NOTES_CHARS:
        return notes
    # Cut after the last whole line that fits.
    head = notes[: NOTES_CHARS + 1]
    return (head.rpartition("\n")[0] or head[:NOTES_CHARS]).rstrip()


def _requests(change: ResultChange, compared: Sequence[Compared], tasks: Mapping[str, Task]) -> str:
    requests = [one_line(tasks[one.task].prompt, limit=REQUEST_CHARS) for one in compared if one.change is change]
    heading = f"## {change}: {len(requests)}"
    if not requests:
        return heading
    return "\n".join([heading, fence("\n".join(requests))])
