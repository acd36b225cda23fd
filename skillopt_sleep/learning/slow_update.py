"""Write guidance for a document's protected block from tasks under two versions of it (SkillOpt's slow update)."""

from collections.abc import Mapping, Sequence

import msgspec

from skillopt_sleep.kit.markdown import fence
from skillopt_sleep.kit.protected import guidance
from skillopt_sleep.learning.asking import Optimizer, Question, check_train
from skillopt_sleep.prompts.attempts import said
from skillopt_sleep.records import (
    Change,
    Compared,
    Earlier,
    Edit,
    EditOp,
    EditSource,
    Note,
    Purpose,
    Rollout,
    Task,
)

GUIDANCE_CHARS = 1_500
ANSWER_CHARS = 1_500
_ORDER = (Change.REGRESSED, Change.PERSISTENT_FAIL, Change.IMPROVED, Change.STABLE_SUCCESS)
_FAILS = frozenset({Change.REGRESSED, Change.PERSISTENT_FAIL})
_HEADINGS = {
    Change.REGRESSED: "Worse today (regressed)",
    Change.PERSISTENT_FAIL: "Failed both times (persistent_fail)",
    Change.IMPROVED: "Better today (improved)",
    Change.STABLE_SUCCESS: "Right both times (stable_success)",
}


class SlowUpdateReply(msgspec.Struct, frozen=True):
    """What the optimizer answers."""

    guidance: str


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
    kinds = [_shown(change, compared, tasks) for change in _ORDER]
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


def _shown(change: Change, compared: Sequence[Compared], tasks: Mapping[str, Task]) -> str:
    """Show the tasks that changed this way; for those that stayed right only the request."""
    shown = [_show(one, tasks[one.task]) for one in compared if one.change is change]
    return "\n\n".join([f"## {_HEADINGS[change]}: {len(shown)}", *shown])


def _show(one: Compared, task: Task) -> str:
    lines = ["### Request", fence(f"{task.context}\n{task.prompt}".strip())]
    if one.change is Change.STABLE_SUCCESS:
        return "\n".join(lines)
    lines += ["### Answer then", *_answer(one.before), "### Answer today", *_answer(one.after)]
    if one.change in _FAILS:
        lines += said(task)
    return "\n".join(lines)


def _answer(rollout: Rollout) -> list[str]:
    lines = [fence(rollout.trajectory.told[:ANSWER_CHARS])]
    if rollout.score is not None and rollout.score.why:
        lines.append(f"What went wrong: {rollout.score.why}")
    return lines
