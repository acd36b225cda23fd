"""What was tried on a document and how its tasks changed, to the optimizer's own notes (SkillOpt's meta skill)."""

from collections.abc import Mapping, Sequence

import msgspec

from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.markdown import fence, one_line
from skillopt_sleep.prompts import fill
from skillopt_sleep.prompts.past import own_notes, tried_before
from skillopt_sleep.protocols import Backend, Pool
from skillopt_sleep.records import Change, Compared, Document, Note, Past, Prompt, Purpose, Split, Task

NOTES_CHARS = 2_000
REQUEST_CHARS = 200


class MetaSkillReply(msgspec.Struct, frozen=True):
    """What the optimizer answers."""

    notes: str
    reasoning: str = ""


def meta_skill(
    compared: Sequence[Compared],
    tasks: Mapping[str, Task],
    document: Document,
    *,
    optimizer: Backend,
    pool: Pool,
    past: Past,
) -> str | Note:
    """The notes as they are now, at most NOTES_CHARS long, or the note of a call that failed: the old ones stay.

    Raises ValueError for a task that isn't on train: what gates an edit must never be seen here.
    """
    for one in compared:
        if tasks[one.task].split is not Split.TRAIN:
            raise ValueError(f"task {one.task} is not on train")
    text = fill(
        "meta_skill",
        limit=f"{NOTES_CHARS:,}",
        document=fence(document.text or "(empty)"),
        notes=own_notes(past),
        tried=tried_before(past),
        compared="\n\n".join(_shown(change, compared, tasks) for change in Change),
    )
    prompt = Prompt(purpose=Purpose.META_SKILL, text=text, schema=MetaSkillReply, project=document.project)

    def ask(prompt: Prompt) -> str | Note:
        try:
            reply = optimizer.complete(prompt).structured
        except ItemError as error:
            return Note(stage="meta_skill", summary=f"{document.id}: {error.message}", remedy=error.remedy)
        assert isinstance(reply, MetaSkillReply)  # noqa: S101 - a backend decodes into the prompt's schema or raises
        return _cut(reply.notes.strip())

    (notes,) = pool.map(ask, (prompt,), label=f"meta skill {document.id}")
    return notes


def _shown(change: Change, compared: Sequence[Compared], tasks: Mapping[str, Task]) -> str:
    asked = [one_line(tasks[one.task].prompt, limit=REQUEST_CHARS) for one in compared if one.change is change]
    return "\n".join([f"## {change}: {len(asked)}", *([fence("\n".join(asked))] if asked else [])])


def _cut(notes: str) -> str:
    """The notes up to the last whole line that fits."""
    if len(notes) <= NOTES_CHARS:
        return notes
    head = notes[: NOTES_CHARS + 1]
    return (head.rpartition("\n")[0] or head[:NOTES_CHARS]).rstrip()
