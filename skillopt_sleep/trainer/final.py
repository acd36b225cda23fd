"""End a training: measure the best and the final skill, and test both against the initial one."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from statistics import fmean, variance
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.learning.pairs import measure
from skillopt_sleep.learning.statistics import wilson
from skillopt_sleep.records import UNKNOWN, Note, Split
from skillopt_sleep.trainer.epochs import TrainingProgress
from skillopt_sleep.trainer.parts import CONFIRMING, VAL_SAMPLE, Parts, ScoredSkill, scores
from skillopt_sleep.trainer.summary import Reported, Scores, Summary, TestedSkill

Grades = dict[str, list[float]]  # of one text: a val item, and the grades of the attempts at it
_LEAST = 2  # a spread needs as many values


class Gain(NamedTuple):
    """A text's mean gain over the initial skill, with the variance of this mean.

    Of that variance, `noise` is what comes from answers that differ from one time to the next; the rest comes from
    which items val has.
    """

    mean: float
    variance: float
    noise: float


def bias_of_best(parts: Parts, best: ScoredSkill, initial: ScoredSkill) -> float:
    """Return by how much the mean that is reported of the best skill is expected to be above its true quality.

    Passes that chose nothing repeat the bias that comes from val's items, but not that of answers which differ from
    one time to the next.
    """
    chosen, again = _grades(parts)
    return selection_bias(
        chosen, again.get(best.document.sha, {}), best=best.document.sha, initial=initial.document.sha
    )


def selection_bias(chosen: Mapping[str, Grades], again: Grades, *, best: str, initial: str) -> float:
    """Return how much too high the best text's mean is expected to be, as it was chosen for it.

    `chosen` are the grades of all texts that may have chosen the best one, `again` others of that one.
    """
    together = _together(chosen.get(best, {}), again)
    differing = _differing({**chosen, best: together}.values())
    gains: dict[str, Gain] = {}
    for text, grades in chosen.items():
        gain = _gain(grades, chosen.get(initial, {}), differing)
        if gain is not None and text != initial:
            gains[text] = gain
    own = gains.get(best)
    if own is None or len(gains) < _LEAST or not own.variance:
        return 0.0
    means = [gain.mean for gain in gains.values()]
    real = max(0.0, variance(means) - fmean(gain.variance for gain in gains.values()))
    too_high = (own.mean - fmean(means)) * own.variance / (real + own.variance)
    if again:
        too_high *= max(0.0, 1 - own.noise / own.variance)
    return max(0.0, too_high)


def _gain(grades: Grades, initial: Grades, differing: float) -> Gain | None:
    """Return a text's gain on the items that both have a grade of, None if these are too few to tell an error."""
    gains: list[float] = []
    shares: list[float] = []
    for item, own in grades.items():
        before = initial.get(item)
        if before:
            gains.append(fmean(own) - fmean(before))
            shares.append(1 / len(own) + 1 / len(before))
    if len(gains) < _LEAST:
        return None
    n = len(gains)
    return Gain(fmean(gains), variance(gains) / n, differing * fmean(shares) / n)


def _differing(texts: Iterable[Grades]) -> float:
    """Return the variance of grades of one text at one item, 0 if none was attempted twice."""
    squares: list[float] = []
    free = 0
    for grades in texts:
        for own in grades.values():
            middle = fmean(own)
            squares += [(grade - middle) ** 2 for grade in own]
            free += len(own) - 1
    return math.fsum(squares) / free if free else 0.0


def _together(some: Grades, others: Grades) -> Grades:
    """Return the grades of both."""
    both: Grades = {}
    for grades in (some, others):
        for item, own in grades.items():
            both.setdefault(item, []).extend(own)
    return both


def _grades(parts: Parts) -> tuple[dict[str, Grades], dict[str, Grades]]:
    """Return each text's grades on val: those that may have chosen it, and those of passes that chose nothing."""
    chosen: dict[str, Grades] = {}
    again: dict[str, Grades] = {}
    for made in parts.attempts.made([item.id for item in parts.items[Split.VAL]]):
        rollout = made.rollout
        if rollout.score is None:
            continue
        texts = again if rollout.sample == CONFIRMING else chosen
        grades = texts.setdefault(rollout.document_sha, {})
        grades.setdefault(rollout.task, []).append(measure(rollout.score, parts.rule))
    return chosen, again


LEVEL = 0.9  # of the interval of the best skill's quality
_UNCONFIRMED = (
    "the training was ended before the pass over val that reports the best skill: its score is from the passes that "
    "chose it, less an estimate of the luck in them"
)


def final(parts: Parts, course: TrainingProgress, *, env: str, models: Mapping[str, str], planned: int) -> Summary:
    """Summarize the training.

    The test scores belong to exactly the texts the summary names, and equal texts are tested once.
    """
    state, initial, history = course.state, course.initial, course.history
    best = state.best
    others = state.tried - {initial.document.sha}
    confirms, sample = parts.config.of_preset.confirm and bool(others), VAL_SAMPLE
    if confirms and (not parts.attempts.is_over or parts.attempts.known(parts.val_jobs(best.document, CONFIRMING))):
        sample = CONFIRMING  # where nothing was tried, the first pass reports the initial skill
    passes = [parts.val_jobs(best.document, sample)]
    if parts.config.evaluation.test:
        passes += [parts.test_jobs(best.document), parts.test_jobs(state.current.document)]
    for jobs in passes:  # what a limit leaves goes to the most important one
        parts.attempts.make(jobs, label="final")
    tested_best = _tested(parts, best, sample=sample)
    tested_initial, tested_final = (
        _of(skill, tested_best) if skill.document.sha == best.document.sha else _tested(parts, skill)
        for skill in (initial, state.current)
    )
    notes: list[Note] = []
    for record in (*history.steps, *history.epochs):
        notes += record.notes
    if confirms and sample != CONFIRMING:
        notes.append(Note(stage="final", summary=_UNCONFIRMED, expected=True))
    bias = bias_of_best(parts, best, initial)
    return Summary(
        env=env,
        models=dict(models),
        steps=len(history.steps),
        planned=planned,
        initial=tested_initial,
        best=tested_best,
        final=tested_final,
        actions=dict(Counter(step.gated.action.value for step in history.steps)),
        error_rate=_error_rate(parts),
        stopped=course.stopped,
        reported=reported(tested_best.val, bias=bias, tried=len(others), level=LEVEL),
        learned=course.learned,
        costs=parts.costs.by_stage(),
        notes=tuple(notes),
        best_skill=best.document.text,
    )


def reported(val: Scores, *, bias: float, tried: int, level: float) -> Reported | None:
    """Return the mean on val without the bias of its choice; the interval holds for all `tried` texts at once.

    Grades in [0, 1] vary most if they are all 0 or 1, so Wilson's interval for a share holds for their mean, too.
    Several answers to one item count as one, as they may be all alike.
    """
    if val.metric is None or not val.n:
        return None
    texts = max(1, tried)
    low, high = wilson(val.metric, val.items, level=1 - (1 - level) / texts)
    mean = max(low, val.metric - bias)
    return Reported(
        mean=mean, selection_bias=val.metric - mean, interval=(low, high), n=val.items, tried=tried, level=level
    )


def _tested(parts: Parts, skill: ScoredSkill, *, sample: int = VAL_SAMPLE) -> TestedSkill:
    document = skill.document
    jobs = parts.val_jobs(document, sample)
    made = parts.attempts.make(jobs, label="final")
    if len(made) < len(jobs):  # the training was ended before this pass: what trials asked has to do
        asked = parts.attempts.made(item.id for item in parts.items[Split.VAL])
        made = tuple(one for one in asked if one.rollout.document_sha == document.sha)
    test = None
    if parts.config.evaluation.test and parts.attempts.known(parts.test_jobs(document)):
        test = parts.measured(parts.test_jobs(document), label="final")
    val = scores(made, parts.tasks, parts.rule)
    return _of(skill, TestedSkill(version=skill.version, file="", chars=len(document.text), val=val, test=test))


def _of(skill: ScoredSkill, scored: TestedSkill) -> TestedSkill:
    """Return the scores of a text as those of this skill: equal texts have one number."""
    version = replace(skill.version, val=scored.val.metric)
    return replace(scored, version=version, file=f"skills/skill_v{skill.version.number:04d}.md")


def _error_rate(parts: Parts) -> str:
    if parts.rule.name == "strict":
        return UNKNOWN
    rate = f"{100 * parts.config.evaluation.alpha:.3g} %"
    return f"a skill that does nothing is shipped in at most {rate} of runs, by these scores on val"
