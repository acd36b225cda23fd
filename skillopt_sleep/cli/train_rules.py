"""Say what a training found out about its learned rules."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.words import counted

if TYPE_CHECKING:
    from skillopt_sleep.trainer.summary import Rules, RuleWorth

RULE_CHARS = 60


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
