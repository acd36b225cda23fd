"""Say the facts of a night, each in one sentence: its sessions, its judge, its error rate, its cost, its errors."""

import math
from collections import defaultdict
from collections.abc import Iterable

from skillopt_sleep.kit.words import counted
from skillopt_sleep.records import (
    CUT_SHORT,
    JudgeReading,
    NightReport,
    Note,
    Record,
    StepOutcome,
    left_out,
    model_names,
)
from skillopt_sleep.reporters.costs import calls, dollars, tokens

OF_NIGHTS = (
    "Nights on which no rule could help proposed one in fewer than 1 of 20 simulated nights, going by this judge's"
    " grades and if the model answers afresh each time."
)
ERRORS, LEFT_OUT = "Errors", "Left out"


def of_night(accepted: Iterable[StepOutcome]) -> str:
    """Return what the error rate of a night's accepted changes is of; "" if none is known.

    Removals claim something else, each in its own words.
    """
    rules = [outcome for outcome in accepted if outcome.verdict.rule.startswith("sequential")]
    return OF_NIGHTS if any(not outcome.trial.margin for outcome in rules) else ""


def of_proposal(claim: str) -> str:
    """Return what the claim about a proposal's error rate means; "" if it claims none."""
    return OF_NIGHTS if "proposed any rule" in claim else ""


def noted(report: NightReport) -> list[tuple[str, tuple[Note, ...]]]:
    """Return the errors, and the notes on what a rule left out, each under its title."""
    expected = tuple(note for note in report.errors if note.expected)
    sections = [(ERRORS, trouble(report)), (LEFT_OUT, expected)]
    return [(title, notes) for title, notes in sections if notes]


def trouble(report: NightReport) -> tuple[Note, ...]:
    """Return the errors without what cut the night short, which its head says."""
    if report.verdict not in CUT_SHORT:
        return report.trouble
    return tuple(note for note in report.trouble if note.summary.rstrip(".") != report.because.rstrip("."))


def judge_in_words(reading: JudgeReading) -> str:
    """Say how often the judge was right on answers of known worth, and what follows if that is too seldom."""
    if not reading.n:
        return f"The judge decides nothing tonight: {_why(reading)}."
    text = f"We gave the judge {reading.n} answers whose grade we know; it got {reading.right} right"
    if reading.kinds and reading.right < reading.n:
        text += f": {reading.by_kind}"
    if reading.because:
        return f"{text}. It decides nothing tonight: {_why(reading)}."
    return f"{text}."


def _why(reading: JudgeReading) -> str:
    """Say why its grades don't count, and how many requests therefore wait for another night."""
    if not reading.untried:
        return reading.because
    return f"{reading.because}; left for another night: {counted(reading.untried, 'request')} that only it can grade"


def sessions_in_words(report: NightReport) -> str:
    """Return the night's sessions and the requests they became, without counts of nothing."""
    counts = report.found.sessions
    if not counts.seen:
        return f"None was new. {_requests(report)}".strip()
    seen = counted(counts.seen, "file")
    omitted = f"; left out: {left_out(counts.skipped)}" if counts.skipped else ""
    if report.verdict in CUT_SHORT:
        unread = f"{counts.used} sessions weren't finished: run again to go on with them"
        if counts.used == 1:
            unread = "1 session wasn't finished: run again to go on with it"
        return f"{seen} seen; {unread}{omitted}."
    became = _requests(report) or "No request to ask again came of that."
    return f"{seen} seen, {counted(counts.used, 'session')} used{omitted}. {became}"


def _requests(report: NightReport) -> str:
    """Count the requests by what they are for, "" if there is none."""
    total = sum(report.found.tasks.values())
    if not total:
        return ""
    learn, decide, kept, waiting = (report.found.tasks.get(side, 0) for side in ("train", "val", "test", "waiting"))
    sides = f"{learn} to learn from, {decide} to decide with, {kept} kept back"
    if waiting:
        sides += f", {waiting} waiting for a second session"
    return f"{counted(total, 'request')} to ask again: {sides}."


def cost_in_short(report: NightReport) -> str:
    """Say on one line what the night cost."""
    return f"The night took {calls(report)}, {dollars(report.spend)}."


def cost_in_full(report: NightReport) -> str:
    """Say all that is known of what the night cost; of a resumed one not the time, as it lay still in between."""
    spend = report.spend
    parts = [calls(report)]
    if spend.repairs:
        parts.append(f"{spend.repairs} to repair replies")
    if spend.odd_events:
        parts.append(f"{spend.odd_events} unknown events from the agent program")
    parts += [tokens(spend), dollars(spend)]
    if not report.run.resumed:
        parts.append(f"{(report.ended - report.started).total_seconds():.0f} s")
    return f"{', '.join(parts)}; model `{model_names(report.run.model) or 'none'}`."


class NoiseFloor(Record, frozen=True, kw_only=True):
    """The standard deviation of repeated baselines, over `n` attempts at `tasks` tasks that were asked repeatedly."""

    spread: float
    n: int
    tasks: int


def noise_floor(outcomes: Iterable[StepOutcome]) -> NoiseFloor | None:
    """Return the spread of the baselines of all trials, each within its task and trial; None if none was repeated."""
    squares: list[float] = []
    free = 0
    tasks: set[tuple[str, str]] = set()
    for outcome in outcomes:
        for tested in outcome.tried.tested:
            grades = defaultdict[str, dict[int, float]](dict)
            for pair in tested.trial.pairs:
                grades[pair.task][pair.sample] = pair.before
            for task, of_samples in grades.items():
                values = list(of_samples.values())
                if len(values) == 1:
                    continue
                average = math.fsum(values) / len(values)
                squares += [(value - average) ** 2 for value in values]
                free += len(values) - 1
                tasks.add((outcome.document.id, task))
    if not free:
        return None
    return NoiseFloor(spread=math.sqrt(math.fsum(squares) / free), n=len(squares), tasks=len(tasks))


def noise_in_words(noise: NoiseFloor | None) -> str:
    """Say the noise floor in one sentence; "" if nothing was repeated."""
    if noise is None:
        return ""
    tasks = "1 request" if noise.tasks == 1 else f"{noise.tasks} requests"
    if not noise.spread:
        return f"Noise floor: 0. All {noise.n} attempts at {tasks}, without a change, got the same grade each time"
    return (
        f"Noise floor: {noise.spread:.2f}, so far apart lie grades of the same request without a change"
        f" (standard deviation, n={noise.n} attempts at {tasks})"
    )
