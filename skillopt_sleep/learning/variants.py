"""Turn the chosen edits into the sets of edits to try: as they are, reworded, or worked into the text."""

from collections.abc import Sequence
from typing import NamedTuple

from skillopt_sleep.learning.asking import Optimizer
from skillopt_sleep.learning.rewrite import rewrite
from skillopt_sleep.learning.update import candidate
from skillopt_sleep.learning.vary import vary
from skillopt_sleep.protocols import StepRules
from skillopt_sleep.records import Edit, Note


class Variants(NamedTuple):
    """The sets of edits to race, the preferred one first, and the calls that failed."""

    sets: tuple[tuple[Edit, ...], ...]
    notes: tuple[Note, ...] = ()


def variants(edits: Sequence[Edit], *, optimizer: Optimizer, rules: StepRules) -> Variants:
    """Return at most `rules.candidates` sets of edits, the chosen edits first.

    Mode `rewrite` works each set into the text. With one candidate in another mode no call is made.
    """
    variety = vary(edits, optimizer=optimizer, candidates=rules.candidates, budget=rules.edit_budget)
    if rules.mode != "rewrite" or not edits:
        return Variants(variety.sets, variety.notes)
    written = rewrite(variety.sets, optimizer=optimizer, apply=candidate)
    return Variants(tuple(patch.edits for patch in written.patches), variety.notes + written.notes)
