"""Say what a night used a task for."""

from collections import Counter
from collections.abc import Iterator

from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.words import WIDTH
from skillopt_sleep.records import Split, StepOutcome, Task
from skillopt_sleep.reporters.verdicts import in_a_word


def uses(task: Task, step: StepOutcome) -> Iterator[str]:
    """Yield what the work on a document used the task for."""
    uses = [*_as_test(task, step), *_as_lesson(task, step)]
    yield from uses
    if not uses and task.id in step.later.scores:
        yield f"was asked without a change: {step.later.scores[task.id]:.2f}"
    if task.split is Split.TEST and step.test.n and task.session in step.sessions.ids:
        yield "was a test of an accepted change"


def _as_test(task: Task, step: StepOutcome) -> Iterator[str]:
    """Yield the scores of the task in the trial of a change, equal ones once."""
    scores = Counter[tuple[float, float]]()
    for pair in step.trial.pairs:
        if pair.task == task.id:
            scores[pair.before, pair.after] += 1
    for (before, after), times in scores.items():
        often = f", {times} times" if times > 1 else ""
        yield f"tested a change, {before:.2f} → {after:.2f}{often}"


def _as_lesson(task: Task, step: StepOutcome) -> Iterator[str]:
    """Yield the edits that were written because of the task."""
    for applied in step.tried.edits:
        if task.id in applied.edit.tasks:
            words = one_line(applied.edit.content or applied.edit.target, limit=WIDTH - 6)
            yield f"led to an edit ({applied.fate}, {in_a_word(step.verdict, step.trial)})\n      {words}"
