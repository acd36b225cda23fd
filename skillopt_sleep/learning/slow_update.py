"""Tasks under two versions of a document to guidance for its protected block (SkillOpt's slow update)."""

from collections.abc import Mapping, Sequence

import msgspec

from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.markdown import fence
from skillopt_sleep.kit.protected import guidance
from skillopt_sleep.prompts import fill
from skillopt_sleep.prompts.past import own_notes, tried_before
from skillopt_sleep.protocols import Backend, Pool
from skillopt_sleep.records import (
    Change,
    Compared,
    Document,
    Earlier,
    Edit,
    EditOp,
    EditSource,
    Note,
    Past,
    Prompt,
    Purpose,
    Rollout,
    Split,
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
    reasoning: str = ""


def slow_update(
    compared: Sequence[Compared],
    tasks: Mapping[str, Task],
    document: Document,
    snapshot: Earlier,
    *,
    optimizer: Backend,
    pool: Pool,
    preferences: str,
    past: Past,
) -> Edit | Note | None:
    """The edit of the protected block, the note of a call that failed, or None where nothing lasting is to be said.

    Without a task that fails today nothing is asked. Raises ValueError for a task that isn't on train: what gates an
    edit must never be seen here.
    """
    for one in compared:
        if tasks[one.task].split is not Split.TRAIN:
            raise ValueError(f"task {one.task} is not on train")
    failing = [one for one in compared if one.change in _FAILS]
    if not failing:
        return None
    now = guidance(document.body)
    text = fill(
        "slow_update",
        nights=str(snapshot.nights),
        limit=f"{GUIDANCE_CHARS:,}",
        preferences=preferences.strip() or "None.",
        document=fence(document.text or "(empty)"),
        earlier=fence(snapshot.body or "(empty)"),
        guidance=fence(now) if now else "None.",
        tried=tried_before(past),
        notes=own_notes(past),
        compared="\n\n".join(_shown(change, compared, tasks) for change in _ORDER),
    )
    prompt = Prompt(purpose=Purpose.SLOW_UPDATE, text=text, schema=SlowUpdateReply, project=document.project)

    def ask(prompt: Prompt) -> SlowUpdateReply | Note:
        try:
            reply = optimizer.complete(prompt).structured
        except ItemError as error:
            return Note(stage="slow_update", summary=f"{document.id}: {error.message}", remedy=error.remedy)
        assert isinstance(reply, SlowUpdateReply)  # noqa: S101 - a backend decodes into the prompt's schema or raises
        return reply

    (reply,) = pool.map(ask, (prompt,), label=f"slow update {document.id}")
    if isinstance(reply, Note):
        return reply
    content = reply.guidance.strip()
    return _edit(content, now, failing, reasoning=reply.reasoning) if content not in {"", now} else None


def _edit(content: str, now: str, failing: Sequence[Compared], *, reasoning: str) -> Edit:
    return Edit(
        op=EditOp.REPLACE if now else EditOp.APPEND,
        content=content,
        target=now,
        reason=reasoning,
        source=EditSource.SLOW,
        support=len(failing),
        tasks=tuple(one.task for one in failing),
    )


def _shown(change: Change, compared: Sequence[Compared], tasks: Mapping[str, Task]) -> str:
    """The tasks that changed this way; of those that stay right only what was asked."""
    found = [one for one in compared if one.change is change]
    shown = [_show(one, tasks[one.task]) for one in found]
    return "\n\n".join([f"## {_HEADINGS[change]}: {len(found)}", *shown])


def _show(one: Compared, task: Task) -> str:
    lines = ["### Request", fence(f"{task.context}\n{task.prompt}".strip())]
    if one.change is Change.STABLE_SUCCESS:
        return "\n".join(lines)
    lines += ["### Answer then", *_answer(one.before), "### Answer today", *_answer(one.after)]
    said = [f"- «{evidence.quote}»" for evidence in task.evidence]
    if one.change in _FAILS and said:
        lines += ["What the person said when this went wrong before:", *said]
    return "\n".join(lines)


def _answer(rollout: Rollout) -> list[str]:
    why = rollout.score.why if rollout.score else ""
    return [fence(rollout.trajectory.response[:ANSWER_CHARS]), *([f"What went wrong: {why}"] if why else [])]
