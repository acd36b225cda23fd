"""Show the optimizer proposed edits to choose from."""

from collections.abc import Sequence

from skillopt_sleep.kit.markdown import fence
from skillopt_sleep.records import Edit


def numbered(edits: Sequence[Edit]) -> str:
    """List the edits, each with its number from 0, what it was learned from and how many attempts support it."""
    return fence(
        "\n".join(
            f"{i}. ({e.source}, support {e.support}) {e.op} {e.target!r}: {e.content}" for i, e in enumerate(edits)
        )
    )
