"""Build answers whose grade is known, for the judge to grade: correct, wrong, padded, and echoing the demand.

Padded and echoing ones are made of a wrong answer, so they are wrong too.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from skillopt_sleep.prompts.grading import lesson_of
from skillopt_sleep.records import AnswerKind, Rubric, Task, Trajectory, graded_by_model, is_of_changes

# As many pass as don't: a judge that passes all answers alike, however many, is right on one half of them. As many
# again are asked of a judge that these leave in doubt.
GOOD = 8
BAD: Mapping[AnswerKind, int] = {AnswerKind.MISSES: 2, AnswerKind.LONGER: 4, AnswerKind.ECHO: 2}
TOLD_APART = 4  # with fewer different answers that pass, too much would hang on each

LONG_CHARS = 800
LONG_TIMES = 4
# No word of these is likely to stand in a demand, so they can't meet one.
_SENTENCES = (
    "So much for that, and now a bit more on it.",
    "It is what it is, and it was done as it was to be done.",
    "One can say a lot of it, and one can say it in a lot of ways.",
    "I went at it bit by bit, and so it went on and on.",
    "As far as I can see, that is all of it, more or less.",
    "It was not hard, and it was not easy, but in the end it was done.",
    "And so on, and so on, for each part of it, one by one.",
    "If I had to say it once more, I'd say it just like that.",
)
_NOTES = "NOTES.md"  # the file that a diff adds with words that do nothing


class Control(NamedTuple):
    """An answer to a task with a rubric, of which it is known whether it passes."""

    task: Task
    kind: AnswerKind
    response: str

    @property
    def attempt(self) -> Trajectory:
        """Return an attempt that ends with this answer."""
        if is_of_changes(self.task.reference):
            return Trajectory(diff=self.response)
        return Trajectory(response=self.response, text_only=True)

    @property
    def passes(self) -> bool:
        """Whether a judge that is right lets it pass."""
        return self.kind is AnswerKind.MEETS


def chosen(tasks: Iterable[Task], *, night: str) -> tuple[list[Control], list[Control]]:
    """Return sixteen controls, and as many more in case of doubt: a good and a bad one of each lesson, then more.

    Which lessons come first differs from night to night. If there are too few controls, some are asked again.
    """
    lessons: dict[tuple[str, ...], list[Task]] = {}
    for task in sorted(tasks, key=lambda task: hashlib.blake2b(f"{night}\0{task.id}".encode()).digest()):
        lessons.setdefault(lesson_of(task), []).append(task)
    known = [controls_of(members) for members in lessons.values()]
    good = _enough(_in_turn([of_lesson[AnswerKind.MEETS] for of_lesson in known]), 2 * GOOD)
    first, more = good[:GOOD], good[GOOD:]
    paired = known[:GOOD]
    for kind, wanted in BAD.items():
        bad = _enough(_in_turn([of_lesson[kind] for of_lesson in paired]), 2 * wanted)
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


def controls_of(tasks: Iterable[Task]) -> dict[AnswerKind, list[Control]]:
    """Return what is known of these tasks, by kind: first one of each task, then a second of each, and so on."""
    by_kind: dict[AnswerKind, list[Sequence[Control]]] = {kind: [] for kind in AnswerKind}
    for task in tasks:
        if isinstance(task.reference, Rubric) and graded_by_model(task):
            for kind, responses in _responses(task, task.reference).items():
                by_kind[kind].append([Control(task, kind, response) for response in responses])
    return {kind: _in_turn(rows) for kind, rows in by_kind.items()}


def _responses(task: Task, rubric: Rubric) -> dict[AnswerKind, Sequence[str]]:
    meets = [known.response for known in task.known_answers if known.kind is AnswerKind.MEETS]
    misses = [known.response for known in task.known_answers if known.kind is AnswerKind.MISSES]
    if not misses and task.feedback.rejected and not rubric.of_changes:
        misses = [task.feedback.rejected]
    echo = _echoed_in_notes if rubric.of_changes else _echoed
    echoes: list[str] = []
    for text in misses:
        echoes += echo(rubric.text, text)
    pad = longer_diff if rubric.of_changes else longer
    return {
        AnswerKind.MEETS: list(dict.fromkeys(meets)),
        AnswerKind.MISSES: list(dict.fromkeys(misses)),
        AnswerKind.LONGER: [pad(text) for text in dict.fromkeys(misses)],
        AnswerKind.ECHO: list(dict.fromkeys(echoes)),
    }


def _echoed(demand: str, misses: str) -> Sequence[str]:
    claim = f"Yes: {demand}"
    return (f"{claim}\n\n{misses}", f"{misses}\n\n{claim}")


def _echoed_in_notes(demand: str, misses: str) -> Sequence[str]:
    claim = f"Yes: {demand}"
    return (with_notes(misses, claim), with_notes("", claim) + misses)


def with_notes(diff: str, text: str) -> str:
    """Return the diff with another file that it adds, of this text."""
    if diff and not diff.endswith("\n"):
        diff += "\n"
    lines = text.strip().splitlines()
    head = f"diff --git a/{_NOTES} b/{_NOTES}\nnew file mode 100644\n--- /dev/null\n+++ b/{_NOTES}\n"
    return f"{diff}{head}@@ -0,0 +1,{len(lines)} @@\n" + "".join(f"+{line}\n" for line in lines)


def longer_diff(diff: str) -> str:
    """Return the diff with a file of sentences that say nothing."""
    return with_notes(diff, longer("").replace(". ", ".\n"))


def longer(text: str) -> str:
    """Return the answer with sentences after it that say nothing."""
    return padded(text, max(LONG_CHARS, LONG_TIMES * len(text)))


def padded(text: str, least: int) -> str:
    """Return the answer with so many sentences after it that it has at least so many characters."""
    made = text
    at = len(text)  # so that not all begin with the same sentence
    while len(made) < least:
        gap = "\n\n" if made == text else " "
        made += gap + _SENTENCES[at % len(_SENTENCES)]
        at += 1
    return made


def _in_turn(rows: Sequence[Sequence[Control]]) -> list[Control]:
    """Return the first of each row, then the second of each, and so on."""
    most = max(map(len, rows), default=0)
    return [row[place] for place in range(most) for row in rows if place < len(row)]
