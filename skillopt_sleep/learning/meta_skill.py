"""Write the optimizer's own notes from past edits and how tasks changed (SkillOpt's meta skill)."""

from collections.abc import Mapping, Sequence

import msgspec

from skillopt_sleep.kit.markdown import fence, one_line
from skillopt_sleep.learning.asking import Optimizer, Question, check_train
from skillopt_sleep.records import Change, Compared, Note, Purpose, Task

NOTES_CHARS = 2_000
REQUEST_CHARS = 200


class MetaSkillReply(msgspec.Struct, frozen=True):
    """What the optimizer answers."""

    notes: str


def meta_skill(compared: Sequence[Compared], tasks: Mapping[str, Task], *, optimizer: Optimizer) -> str | Note:
    """Return the new notes, at most NOTES_CHARS long, or the note of a failed call: then the old notes stay.

    Raises ValueError for a task that isn't on train.
    """
    check_train(tasks[one.task] for one in compared)
    kinds = [_shown(change, compared, tasks) for change in Change]
    values = {"limit": f"{NOTES_CHARS:,}", "compared": "\n\n".join(kinds)}
    reply = optimizer.ask_alone(Question(Purpose.META_SKILL, MetaSkillReply, values))
    if isinstance(reply, Note):
        return reply
    return _cut(reply.notes.strip())


def _shown(change: Change, compared: Sequence[Compared], tasks: Mapping[str, Task]) -> str:
    requests = [one_line(tasks[one.task].prompt, limit=REQUEST_CHARS) for one in compared if one.change is change]
    heading = f"## {change}: {len(requests)}"
    if not requests:
        return heading
    return "\n".join([heading, fence("\n".join(requests))])


def _cut(notes: str) -> str:
    """Cut the notes after the last whole line that fits."""
    if len(notes) <= NOTES_CHARS:
        return notes
    head = notes[: NOTES_CHARS + 1]
    return (head.rpartition("\n")[0] or head[:NOTES_CHARS]).rstrip()
