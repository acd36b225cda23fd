"""Choose what the page shows of what was tried: each trial with its gain, and why edits fell without one."""

from typing import NamedTuple

from skillopt_sleep.pages.interval import Dot, dot
from skillopt_sleep.records import Edit, NightReport, StepOutcome, Trial
from skillopt_sleep.reporters.escaping import change, plain_rule
from skillopt_sleep.reporters.gains import sentence
from skillopt_sleep.reporters.tried import every_trial, in_short, says_nothing_more

MOST_TRIALS = 12  # of a document


class Trialled(NamedTuple):
    """A trial in words; without a gain there is no `dot`."""

    change: str
    verdict: str
    solved: str
    dot: Dot | None


class Fell(NamedTuple):
    """An edit that is not proposed, and why."""

    change: str
    why: str


class Tried(NamedTuple):
    """A document with its trials, the edits that fell, and what waits for more evidence."""

    document: str
    verdict: str
    because: str
    trials: list[Trialled]
    more: int
    fell: list[Fell]
    waits: list[str]


def tried(report: NightReport, head: str = "") -> list[Tried]:
    """Return what was tried on each document of a night, without those of which the `head` of the report says all."""
    return [_of(one, report.night, head) for one in report.documents if not says_nothing_more(one, head)]


def in_words(edit: Edit) -> str:
    """Say in words what an edit changes, as plain text."""
    return change(edit, plain_rule)


def _of(outcome: StepOutcome, night: str, head: str) -> Tried:
    trials = [
        Trialled(row.change, row.verdict, row.solved, _dot(tested.trial))
        for row, tested in zip(every_trial(outcome, plain_rule), outcome.tried.tested, strict=True)
    ]
    waits: list[str] = []
    for wait in outcome.tried.undecided:
        since = "" if wait.night == night else f"since the night of {wait.night}"
        for edit in wait.tested.edits:
            waits.append(f"{in_words(edit)} {since}".strip())
    return Tried(
        document=outcome.document.id,
        verdict=in_short(outcome),
        because="" if outcome.because.rstrip(".") in head else sentence(outcome.because),
        trials=trials[:MOST_TRIALS],
        more=len(trials[MOST_TRIALS:]),
        fell=_fell(outcome),
        waits=waits,
    )


def _fell(outcome: StepOutcome) -> list[Fell]:
    """Return the edits that could not be applied, and those of which more is known than their trial shows."""
    fell = [
        Fell(in_words(applied.edit), applied.because or applied.fate.value.replace("_", " "))
        for applied in outcome.tried.edits
        if applied.fate.value != "applied"
    ]
    for effect in outcome.tried.effects:
        if effect.because:
            fell.append(Fell(in_words(effect.edit), effect.because))
    return fell


def _dot(trial: Trial) -> Dot | None:
    if trial.before is None or trial.after is None:
        return None
    return dot(trial.before, trial.after, trial.interval, trial.counted)
