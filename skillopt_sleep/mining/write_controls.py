"""Let a model write answers of known worth: for a task's demand, one that meets it and one that doesn't."""

from collections.abc import Sequence
from functools import cache

import msgspec

from skillopt_sleep.mining.mined import ask_model
from skillopt_sleep.prompts import setting, template
from skillopt_sleep.prompts.items import item
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import Note, Purpose, Task, is_of_changes

PER_CALL = 8
MOST_WRITTEN = 3  # so often a night asks for more answers to a project's tasks


# Models read a reply's docstrings: they are in its schema.
class ItemControls(msgspec.Struct, frozen=True):
    """Two answers to one item's request; both are "" if no answer can show whether its demand is met."""

    item: int
    misses: str = ""
    meets: str = ""
    needs_repository: bool = False

    def __post_init__(self) -> None:
        if not self.needs_repository and not (self.misses.strip() and self.meets.strip()):
            raise ValueError("misses or meets is empty")


class ControlsReply(msgspec.Struct, frozen=True):
    """What the model answers that writes the controls."""

    controls: tuple[ItemControls, ...]


@cache
def _controls_of(count: int) -> type[ControlsReply]:
    """Return the schema of a reply with the controls of so many items; any other reply is malformed."""

    class ControlsOfAll(ControlsReply, frozen=True):
        def __post_init__(self) -> None:
            if sorted(control.item for control in self.controls) != list(range(1, count + 1)):
                raise ValueError(f"controls must have one entry for each of the {count} items")

    return ControlsOfAll


def write_controls(tasks: Sequence[Task], model: Backend, *, sample: int = 0) -> ControlsReply | Note:
    """Return for each task of a batch an answer that meets its demand and one that doesn't, or why there are none.

    The answers are diffs if the tasks are graded by what was changed; a batch holds none of both kinds.
    """
    items = [item(number, task, ()) for number, task in enumerate(tasks, start=1)]
    of_changes = is_of_changes(tasks[0].reference)
    return ask_model(
        model,
        Purpose.CONTROLS,
        {
            "setting": setting(of_changes=of_changes),
            "unseen": template("controls_unseen_changes" if of_changes else "controls_unseen").strip(),
            "items": "\n\n".join(items),
        },
        schema=_controls_of(len(tasks)),
        project=tasks[0].project,
        stage="prove",
        failure=f"the call that writes answers to try the tests on failed, so {waiting(len(tasks))}",
        sample=sample,
    )


def waiting(count: int) -> str:
    """Say that so many tasks wait for another night."""
    return "1 task waits for another night" if count == 1 else f"{count} tasks wait for another night"
