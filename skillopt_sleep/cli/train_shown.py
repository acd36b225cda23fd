"""Say how a training ended: its scores with their n, what may be reported of its best skill, and what failed."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.words import counted

if TYPE_CHECKING:
    from skillopt_sleep.trainer import Summary
    from skillopt_sleep.trainer.run import Paid
    from skillopt_sleep.trainer.summary import Reported, Rules, RuleWorth, Scores, Tested

RULE_CHARS = 60


def summary_lines(summary: "Summary", paid: "Paid | None") -> list[str]:
    """Return a training in a few lines, each score with its n; `paid` is what its folder paid, if known."""
    from skillopt_sleep.trainer.spent import spent_line
    from skillopt_sleep.trainer.summary import ACTIONS

    actions = ", ".join(f"{count} {ACTIONS.get(action, action)}" for action, count in sorted(summary.actions.items()))
    epochs, steps = counted(summary.epochs, "epoch"), counted(summary.steps, "step")
    lines = [f"{summary.env}: {epochs}, {steps}: {actions}", f"gate {summary.gate}: {summary.error_rate}"]
    for role, tested in _roles(summary):
        lines.append(_skill(role, tested))
    if summary.promoted:
        lines.append("at the end val found the final skill better than the best so far, so it is the best")
    if summary.stopped:
        lines.append(f"ended early: {summary.stopped}")
    if summary.reported:
        lines.append(_reported(summary.reported))
    lines += rule_lines(summary.learned)
    lines.append(spent_line(summary.total, paid))
    lines += [f"note: {note.stage}: {note.summary}" for note in summary.notes]
    return lines


def _reported(found: "Reported") -> str:
    """Say what the best skill's quality is, with the interval that holds for all skills that were tried."""
    low, high = found.interval
    mean = f"best on items like val: {found.mean:.3f}"
    if _is_lucky(found):
        mean += f" ({found.mean + found.luck:.3f} less {found.luck:.3f} for the luck of being chosen)"
    interval = f"{100 * found.level:.0f} % interval {low:.3f} to {high:.3f}"
    return f"{mean}, {interval} (n={found.n}, {counted(found.tried, 'skill')} tried)"


def _is_lucky(found: "Reported") -> bool:
    """Return whether what was taken off for luck can be seen in three decimals."""
    return f"{found.luck:.3f}" != "0.000"


def best_val(summary: "Summary") -> str:
    """Return the best skill's scores on val, and what may be reported of it if luck was taken off."""
    found = summary.reported
    said = f"best val {scored(summary.best.val)}"
    if found is not None and _is_lucky(found):
        said += f", {found.mean:.3f} without the luck of being chosen"
    return said


def best_line(summary: "Summary", folder: Path) -> str:
    """Say where the best skill is, and whether the training found it."""
    file = folder / "best_skill.md"
    if summary.best.standing.step:
        return f"The best skill is in {file}"
    start = "your initial skill" if summary.best.chars else "as empty as the initial skill"
    return f"No step scored better on val than the initial skill, so {file} is {start}."


def partial(summary: "Summary") -> list[str]:
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


def scored(scores: "Scores | None") -> str:
    """Return scores with their n, and how many items have none."""
    if scores is None or scores.hard is None:
        return "not measured"
    words = [f"n={scores.size}"]
    if scores.n > scores.size:
        words.append(f"{scores.n} answers")
    if scores.unscored:
        words.append(f"{scores.unscored} not scored")
    mixed = ""
    if scores.metric not in {scores.hard, scores.soft}:
        mixed = f", mixed {scores.metric:.3f}"
    return f"hard {scores.hard:.3f}, soft {scores.soft:.3f}{mixed} ({', '.join(words)})"


def _roles(summary: "Summary") -> list[tuple[str, "Tested"]]:
    return [("initial", summary.initial), ("best", summary.best), ("final", summary.final)]


def _skill(role: str, tested: "Tested") -> str:
    test = f"; test {scored(tested.test)}" if tested.test is not None else ""
    return f"{role:8} step {tested.standing.step}, {tested.chars:,} characters: val {scored(tested.val)}{test}"


def rule_lines(learned: "Rules") -> Iterator[str]:
    """Yield a line for each learned rule with what it is worth, under one that says what became of them."""
    if not learned.rules:
        return
    removed = [worth for worth in learned.rules if worth.removed]
    end = f"{len(removed)} taken out, as nothing was gained with {'it' if len(removed) == 1 else 'them'}"
    if not removed:
        end = "none taken out"
        if learned.gated:
            end = f"none taken out, by val: {learned.gated.reason}"
    yield f"rules: {counted(len(learned.rules), 'learned rule')}, {end}; on the train items they were learned from:"
    for worth in learned.rules:
        yield f"  {_gain(worth)}: {one_line(worth.rule, limit=RULE_CHARS)}{' (taken out)' if worth.removed else ''}"


def _gain(worth: "RuleWorth") -> str:
    if worth.without is None or worth.with_it is None or worth.interval is None:
        return "not measured"
    low, high = worth.interval
    gain = worth.with_it - worth.without
    return f"{gain:+.2f}, 90 % interval {low:+.2f} to {high:+.2f} (n={worth.n})"
