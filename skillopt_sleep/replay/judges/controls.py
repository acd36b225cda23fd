"""Choose the answers of known worth on which a night's judge is measured."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence

from skillopt_sleep.prompts.grading import lesson_of
from skillopt_sleep.records import AnswerKind, Task
from skillopt_sleep.replay.judges.known_answers import Control, controls_of, in_turn

# As many pass as don't: a judge that passes all answers alike, however many, is right on one half of them. As many
# again are asked of a judge that these leave in doubt.
GOOD = 8
BAD: Mapping[AnswerKind, int] = {AnswerKind.MISSES: 2, AnswerKind.LONGER: 4, AnswerKind.ECHO: 2}
TOLD_APART = 4  # with fewer different answers that pass, too much would hang on each


def chosen(tasks: Iterable[Task], *, night: str) -> tuple[list[Control], list[Control]]:
    """Return sixteen controls, and as many more in case of doubt: a good and a bad one of each lesson, then more.

    Which lessons come first differs from night to night. If there are too few controls, some are asked again.
    """
    lessons: dict[tuple[str, ...], list[Task]] = {}
    for task in sorted(tasks, key=lambda task: hashlib.blake2b(f"{night}\0{task.id}".encode()).digest()):
        lessons.setdefault(lesson_of(task), []).append(task)
    known = [controls_of(members) for members in lessons.values()]
    good = _enough(in_turn([of_lesson[AnswerKind.MEETS] for of_lesson in known]), 2 * GOOD)
    first, more = good[:GOOD], good[GOOD:]
    paired = known[:GOOD]
    for kind, wanted in BAD.items():
        bad = _enough(in_turn([of_lesson[kind] for of_lesson in paired]), 2 * wanted)
        first += bad[:wanted]
        more += bad[wanted:]
        # Those of the next kind go on with the next lessons, or some of eight lessons would have no bad one.
        turned = wanted % max(1, len(paired))
        paired = [*paired[turned:], *paired[:turned]]
    return first, more


def _enough(controls: Sequence[Control], wanted: int) -> list[Control]:
    """Return so many of the controls; one that is asked again ends in another line break, so it is graded again."""
    if not controls:
        return []
    enough: list[Control] = []
    for place in range(wanted):
        again, at = divmod(place, len(controls))
        control = controls[at]
        enough.append(control._replace(response=control.response + "\n" * again))
    return enough
