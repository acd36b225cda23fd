"""What the scripted optimizers of the simulated worlds write: changes of a skill, and the cases they name for them."""

from collections.abc import Iterable
from typing import NamedTuple


class Edit(NamedTuple):
    """One change of a skill, and the ids of the items that the optimizer says it learned it from."""

    content: str
    items: tuple[str, ...] = ()
    op: str = "append"
    target: str = ""


def written(edits: Iterable[Edit]) -> list[dict[str, str]]:
    """Return edits as an optimizer writes them into its answer."""
    return [{"op": edit.op, "content": edit.content, "target": edit.target} for edit in edits]


def rewritten(skill: str, edits: Iterable[Edit]) -> str:
    """Return the skill with these edits, for an optimizer that writes the whole of it."""
    lines = skill.splitlines()
    for edit in edits:
        if edit.op == "append":
            lines.append(edit.content)
        else:
            lines = [edit.content if line.strip() == edit.target else line for line in lines]
    return "\n".join(line for line in lines if line.strip())
