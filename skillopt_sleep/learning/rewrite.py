"""Ask for a rewritten text: one edit puts it in the place of the old one.

There are two ways: from suggestions (the edits that reflection proposed are worked into the text), and in full (each
minibatch of failures is answered by a whole text). What stands in front of the protected block is written anew, and
the rest of the body stays as it is.
"""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from skillopt_sleep.kit.markdown import fence
from skillopt_sleep.learning.asking import Optimizer, Patches, Question, check_train
from skillopt_sleep.prompts.attempts import LearningCase, cases, show
from skillopt_sleep.prompts.past import numbered
from skillopt_sleep.proposals.edited import BLOCK
from skillopt_sleep.records import Edit, EditOp, Note, Patch, Purpose, Rollout, Score, Task, tasks_of


class RewriteReply(msgspec.Struct, frozen=True):
    """What the optimizer answers: the whole editable part."""

    body: str


def rewrite(suggestions: Sequence[Edit], *, optimizer: Optimizer) -> Patches:
    """Work the suggestions into the text by one call; if it fails, they stand as they are."""
    if not suggestions:
        return Patches()

    def ask(edits: Sequence[Edit]) -> Patch | Note:
        return _text(Purpose.REWRITE, {"suggestions": numbered(edits)}, tasks_of(edits), optimizer)

    (answer,) = optimizer.map(ask, [suggestions], label="rewrite")
    if isinstance(answer, Note):
        return Patches(patches=(Patch(edits=tuple(suggestions)),), notes=(answer,))
    return Patches(patches=(answer,))


def rewrite_full(
    rollouts: Sequence[Rollout],
    tasks: Mapping[str, Task],
    *,
    optimizer: Optimizer,
    measure: Callable[[Score], float],
    minibatch: int,
) -> Patches:
    """Ask for a whole text for each minibatch of failures; a failed call loses its batch, which is noted.

    Raises ValueError for a task that isn't on train.
    """
    check_train(tasks[rollout.task] for rollout in rollouts)
    failed, _ = cases(rollouts, tasks, measure=measure, each=False)

    def ask(batch: Sequence[LearningCase]) -> Patch | Note:
        shown = [show(number, case) for number, case in enumerate(batch, start=1)]
        values = {"attempts": str(len(batch)), "trajectories": "\n\n".join(shown)}
        names = tuple(dict.fromkeys(case.task.id for case in batch))
        return _text(Purpose.REWRITE_FULL, values, names, optimizer)

    batches = [failed[i : i + minibatch] for i in range(0, len(failed), minibatch)]
    return Patches.of(optimizer.map(ask, batches, label="rewrite"))


def unite(texts: Sequence[Patch], *, optimizer: Optimizer) -> Patches:
    """Merge several texts into one by another call; if it fails, take the first that changes anything."""
    changing = [patch for patch in texts if patch.edits]
    if len(changing) <= 1:
        return Patches(patches=tuple(changing))
    suggestions: list[Edit] = []
    for patch in changing:
        # The old text is in the prompt already.
        suggestions += [msgspec.structs.replace(edit, target="") for edit in patch.edits]
    written = rewrite(suggestions, optimizer=optimizer)
    if written.notes:
        return Patches(patches=(changing[0],), notes=written.notes)
    return written


def rewritable(body: str) -> str:
    """Return the text in front of the protected block, without the empty lines around it."""
    text = BLOCK.split(body, maxsplit=1)[0]
    if not text.strip():
        return ""
    return text.strip("\n")


def _text(purpose: Purpose, values: Mapping[str, str], tasks: tuple[str, ...], optimizer: Optimizer) -> Patch | Note:
    """Ask for a text; return it as one edit learned from these tasks, or a note if none came."""
    document = optimizer.document
    old = rewritable(document.body)
    shown = dict(values) | {"editable": fence(old or "(empty)")}
    reply = optimizer.ask(Question(purpose, RewriteReply, shown, stage="rewrite"))
    if isinstance(reply, Note):
        return reply
    new = _clean(reply.body, like=old)
    if not new:
        return Note(stage="rewrite", summary=f"{document.id}: the text that came back is empty")
    if new == old:
        return Patch()
    op = EditOp.REPLACE if old else EditOp.APPEND
    edit = Edit(op=op, content=new, target=old, tasks=tasks, support=max(1, len(tasks)))
    return Patch(edits=(edit,))


def _clean(text: str, *, like: str) -> str:
    """Strip made-up protected blocks from a model's text, and a fence around it that the old text doesn't have."""
    bare = BLOCK.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip("\n").rstrip()
    lines = bare.split("\n")
    if len(lines) > 1 and lines[0].startswith("```") and lines[-1] == "```" and not like.startswith("```"):
        return "\n".join(lines[1:-1]).strip("\n").rstrip()
    return bare
