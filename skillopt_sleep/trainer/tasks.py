"""Convert items to Tasks and results to Rollouts, so that training runs on the same stages as a night."""

from datetime import UTC, datetime

from skillopt_sleep.prompts.attempts import RESPONSE_CHARS
from skillopt_sleep.records import Document, DocumentKind, Exact, Rollout, Score, Split, Task, Trajectory
from skillopt_sleep.trainer.env import Item, Result

TURNS_SHOWN = 5  # of the longest
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)  # items have no time of their own


def as_task(item: Item, split: Split, *, source: str) -> Task:
    """Convert an item to a task; each item counts as a session of its own."""
    return Task(
        id=item.id,
        prompt=item.text,
        reference=Exact(answer=""),
        session=item.id,
        project="",
        source=source,
        at=_LONG_AGO,
        lesson=item.kind,
        split=split,
    )


def as_rollout(task: str, document_sha: str, result: Result, *, sample: int) -> Rollout:
    """Convert a result to a rollout; one with a failure has no score."""
    return Rollout(
        task=task,
        document_sha=document_sha,
        sample=sample,
        trajectory=Trajectory(response=shown(result), failure=result.failure),
        score=None if result.failure else Score(hard=result.hard, soft=result.soft, why=result.why),
        note=result.failure,
        failed=bool(result.failure),
    )


def as_document(skill: str) -> Document:
    """Convert a skill to the document being trained."""
    body = skill.rstrip("\n")
    return Document(id="skill", kind=DocumentKind.SKILL, path="", project="", body=body, trail=skill[len(body) :])


def shown(result: Result, *, most: int = RESPONSE_CHARS) -> str:
    """Return the attempt as shown to the optimizer: its turns, long ones with their middle cut."""
    if not result.turns:
        return result.response
    each = most // TURNS_SHOWN
    turns = "\n\n".join(clipped(turn, each) for turn in result.turns)
    if result.response:
        turns += f"\n\nFinal answer: {clipped(result.response, each)}"
    return clipped(turns, most)


def clipped(text: str, most: int) -> str:
    """Return the text, or its head and tail if it is longer than `most` characters."""
    if len(text) <= most:
        return text
    gap = f"\n… {len(text) - most:,} characters left out …\n"
    half = (most - len(gap)) // 2
    return text[:half] + gap + text[-half:]
