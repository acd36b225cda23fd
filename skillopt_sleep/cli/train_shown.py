"""Say how a training ended, with its scores and what failed, and before it begins what it costs."""

from collections.abc import Iterator
from pathlib import Path

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.words import counted
from skillopt_sleep.protocols.models import SpendTally
from skillopt_sleep.trainer import Summary
from skillopt_sleep.trainer.costs import paid_words, spent_line
from skillopt_sleep.trainer.plan import TrainingPlan
from skillopt_sleep.trainer.run import read_paid
from skillopt_sleep.trainer.runs import read
from skillopt_sleep.trainer.summary import ACTIONS, Reported, Rules, RuleWorth, Scores, TestedSkill
from skillopt_sleep.wiring.training import WiredTraining

RULE_CHARS = 60


def summary_lines(summary: Summary, paid: SpendTally | None) -> list[str]:
    """Return a training in a few lines, each score with its n; `paid` is what its folder paid, if known."""
    actions = ", ".join(f"{count} {ACTIONS.get(action, action)}" for action, count in sorted(summary.actions.items()))
    steps = counted(summary.planned, "step")
    if summary.steps < summary.planned:
        steps = f"{summary.steps} of {steps}"
    lines = [": ".join(filter(None, (summary.env, steps, actions))), summary.error_rate]
    for role, tested in _roles(summary):
        lines.append(_skill(role, tested))
    if summary.stopped:
        lines.append(f"ended early: {summary.stopped}")
    if summary.reported:
        lines.append(_reported(summary.reported))
    lines += rule_lines(summary.learned)
    lines.append(spent_line(summary.total, paid))
    lines += [f"note: {note.stage}: {note.summary}" for note in summary.notes if note.stage != "data"]
    return lines


def _reported(found: Reported) -> str:
    """Say what the best skill's quality is, with the interval that holds for all skills that were tried."""
    low, high = found.interval
    mean = f"best on items like val: {found.mean:.3f}"
    if f"{found.selection_bias:.3f}" != "0.000":
        mean += (
            f" ({found.mean + found.selection_bias:.3f} less {found.selection_bias:.3f} for the luck of being chosen)"
        )
    interval = f"{100 * found.level:.0f} % interval {low:.3f} to {high:.3f}"
    return f"{mean}, {interval} (n={found.n}, {counted(found.tried, 'skill')} tried)"


def best_line(summary: Summary, folder: Path) -> str:
    """Say where the best skill is, and whether the training found it."""
    file = folder / "best_skill.md"
    if summary.best.version.step:
        return f"The best skill is in {file}"
    start = "your initial skill" if summary.best.chars else "as empty as the initial skill"
    why = "No step scored better on val than the initial skill" if summary.steps else "No step was made"
    return f"{why}, so {file} is {start}."


def partial(summary: Summary) -> list[str]:
    """Return what failed or has no score, in words; nothing if all went well."""
    problems: list[str] = []
    said = ""
    for role, tested in _roles(summary):
        for split, scores in (("val", tested.val), ("test", tested.test)):
            if scores is not None and scores.unscored:
                total = scores.n + scores.unscored
                which = f"{scores.unscored} of {total} {split} items of the {role} skill"
                why = f" ({scores.because})" if scores.because != said else ""
                problems.append(f"{which} have no score{why}")
                said = scores.because
    failures = [note for note in summary.notes if not note.expected]
    if failures:
        first = failures[0]
        more = f", and {len(failures) - 1} more" if len(failures) > 1 else ""
        problems.append(f"failed on the way: {first.stage}: {first.summary}{more}")
    return problems


def scored(scores: Scores | None) -> str:
    """Return scores with their n, and how many items have none."""
    if scores is None or scores.hard is None:
        return "not measured"
    words = [f"n={scores.items}"]
    if scores.n > scores.items:
        words.append(f"{scores.n} answers")
    if scores.unscored:
        words.append(f"{scores.unscored} not scored")
    mixed = ""
    if scores.metric not in {scores.hard, scores.soft}:
        mixed = f", mixed {scores.metric:.3f}"
    return f"hard {scores.hard:.3f}, soft {scores.soft:.3f}{mixed} ({', '.join(words)})"


def _roles(summary: Summary) -> list[tuple[str, TestedSkill]]:
    return [("initial", summary.initial), ("best", summary.best), ("final", summary.final)]


def _skill(role: str, tested: TestedSkill) -> str:
    test = f"; test {scored(tested.test)}" if tested.test is not None else ""
    return f"{role:8} step {tested.version.step}, {tested.chars:,} characters: val {scored(tested.val)}{test}"


def rule_lines(learned: Rules) -> Iterator[str]:
    """Yield a line for each learned rule with what it is worth, under one that says what became of them."""
    if not learned.rules:
        return
    removed = [worth for worth in learned.rules if worth.removed]
    end = f"{len(removed)} taken out, as nothing was gained with {'it' if len(removed) == 1 else 'them'}"
    if not removed:
        end = "none taken out"
    yield f"rules: {counted(len(learned.rules), 'learned rule')}, {end}; on the train items they were learned from:"
    for worth in learned.rules:
        yield f"  {_gain(worth)}: {one_line(worth.rule, limit=RULE_CHARS)}{' (taken out)' if worth.removed else ''}"


def _gain(worth: RuleWorth) -> str:
    if worth.without is None or worth.with_it is None or worth.interval is None:
        return "not measured"
    low, high = worth.interval
    gain = worth.with_it - worth.without
    return f"{gain:+.2f}, 90 % interval {low:+.2f} to {high:+.2f} (n={worth.n})"


def plan_lines(made: TrainingPlan) -> Iterator[str]:
    """Yield a plan in a few lines: calls by stage with about their tokens and dollars, and how sure the result is."""
    items = ", ".join(f"{size} {split}" for split, size in made.items.items())
    each = "is one call" if made.calls_each == 1 else f"takes up to {made.calls_each} calls"
    yield f"{counted(made.steps, 'step')} over {items} items; about {made.usual:,} calls; an attempt {each}."
    yield "At most, without what is repeated after a failure (tokens are an estimate):"
    rows = [(stage.name, stage.calls, stage.tokens, stage.usd) for stage in made.stages]
    for name, calls, tokens, usd in (*rows, ("total", made.calls, made.tokens, made.usd)):
        noun = "call " if calls == 1 else "calls"
        yield f"  {name:12} {calls:>8,} {noun}  about {tokens:>11,} tokens  {_dollars(usd)}"
    val = counted(made.items["val"], "val item")
    if made.ships:
        known = ", ".join(f"of {gain:.1f} in {100 * share:.0f} %" for gain, share in made.ships)
        yield f"With {val}, a skill with a true gain {known} of trainings would be shipped."
    else:
        yield f'A higher mean on {val} decides; its error rate is unknown. preset = "evidence" has a known one.'


def plan_notices(training: WiredTraining, *, is_named: bool) -> Iterator[str]:
    """Yield why the training refuses to start, or what was paid for it; its model may not be named yet."""
    paid = read_paid(training.folder)
    try:
        training.trainer().check(folder=is_named and paid is not None)
    except ConfigError as error:
        yield f"Train refuses to start: {error.message}; {error.remedy}."
        return
    if paid is not None:
        state = read(training.folder).state()
        yield f"Paid in {training.folder} ({state}): {paid_words(paid)}. None of these answers is paid for again."


def _dollars(usd: float | None) -> str:
    return "dollars unknown" if usd is None else f"${usd:,.2f}"
