"""Ask the optimizer once about edits that name what the project doesn't have."""

from collections.abc import Callable, Sequence

import msgspec

from skillopt_sleep.kit.markdown import fence
from skillopt_sleep.learning.asking import Edits, Optimizer, Question
from skillopt_sleep.records import Edit, EditOp, Note, Purpose


class FittedEdit(msgspec.Struct, frozen=True):
    """The revised content of one edit."""

    number: int
    content: str


class FitReply(msgspec.Struct, frozen=True):
    """The optimizer's answer: the content of each edit, revised or as it was."""

    edits: tuple[FittedEdit, ...]


def fit(edits: Sequence[Edit], *, optimizer: Optimizer, lacks: Callable[[str], Sequence[str]]) -> Edits:
    """Return the edits, those that name what is missing as the optimizer writes them when it is told so.

    `lacks` says what of a rule's text is missing; if nothing is, no call is made. An edit whose content is gone is
    dropped; if the call fails, all stay as they are.
    """
    missing: dict[int, Sequence[str]] = {}
    for number, edit in enumerate(edits):
        things = () if edit.op is EditOp.DELETE else lacks(edit.content)
        if things:
            missing[number] = things
    if not missing:
        return Edits(edits=tuple(edits))
    shown: list[str] = []
    for number, things in missing.items():
        lines = "\n".join(f"- {thing}" for thing in things)
        shown.append(f"## Edit {number}\n{fence(edits[number].content)}\nMissing:\n{fence(lines)}")
    reply = optimizer.ask_alone(Question(Purpose.FIT, FitReply, {"edits": "\n\n".join(shown)}))
    if isinstance(reply, Note):
        return Edits(edits=tuple(edits), notes=(reply,))
    anew = {one.number: one.content.strip() for one in reply.edits if one.number in missing}
    fitted: list[Edit] = []
    for number, edit in enumerate(edits):
        content = anew.get(number, edit.content)
        if content or edit.op is EditOp.DELETE:
            fitted.append(msgspec.structs.replace(edit, content=content))
    return Edits(edits=tuple(fitted))
