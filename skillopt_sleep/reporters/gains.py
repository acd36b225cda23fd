"""Say a gain with its n, its interval and where it comes from."""

from skillopt_sleep.kit.words import counted
from skillopt_sleep.records import (
    EditEffect,
    EditOp,
    FreshRound,
    Proposal,
    Solved,
    Trial,
    decided_by,
    solved,
    tries,
)

Interval = tuple[float, float]


def in_numbers(counts: Solved, *, rules: int = 1, removing: bool = False) -> str:
    """Say how many answers did as the person asked without so many rules and with them, and on how many requests."""
    requests = counted(counts.requests, "new request")
    compared = _compared(counts, rules=rules, removing=removing)
    return f"{compared} (on {requests})"


def of_all_rules(proposal: Proposal) -> str:
    """Say the same of what a proposal changes; "" if it isn't known."""
    if not proposal.tested.solved:
        return ""
    return in_numbers(proposal.tested.solved, rules=len(proposal.edits), removing=removes(proposal))


def _compared(counts: Solved, *, rules: int, removing: bool) -> str:
    """Say how many answers did as the person asked without the change and with it."""
    named, again = ("the rule", "it") if rules == 1 else ("the rules", "them")
    old, new = ("with", "without") if removing else ("without", "with")
    answers = "answer" if counts.n == 1 else "answers"
    return (
        f"{old} {named} {counts.before} of {counts.n} {answers} did as you asked,"
        f" {new} {again} {counts.after} of {counts.n}"
    )


def shown_gain(proposal: Proposal) -> list[str]:
    """Return in sentences what the trial of a proposal showed, in whole numbers; without a trial there are none."""
    sentences: list[str] = []
    if proposal.tested.solved:
        sentences.append(sentence(of_all_rules(proposal)))
    elif proposal.tested.before is not None and proposal.tested.after is not None:
        grades = f"{proposal.tested.before:.2f} before and {proposal.tested.after:.2f} with the change"
        sentences.append(f"Graded {grades}, where 1 is all that was asked, in {tries(proposal.tested.n)}.")
    if sentences and proposal.tested.judges:
        sentences.append(f"Graded by {decided_by(proposal.tested.judges)}.")
    fresh = solved(proposal.tested.fresh.pairs)
    if fresh:
        count = len(proposal.edits)
        again = _compared(fresh, rules=count, removing=removes(proposal))
        sentences.append(f"Asked once more after {'it was' if count == 1 else 'they were'} chosen: {again}.")
    return sentences


def removes(proposal: Proposal) -> bool:
    """Return whether a proposal only removes rules."""
    return bool(proposal.edits) and all(edit.op is EditOp.DELETE for edit in proposal.edits)


def both_arms(counts: Solved) -> str:
    """Return in a few words what was solved without the change and with it."""
    return f"{counts.before} of {counts.n} → {counts.after} of {counts.n}"


def with_interval(gain: float, interval: Interval) -> str:
    """Return a gain with its interval."""
    low, high = interval
    return f"{gain:+.2f} (90 % interval {low:+.2f} to {high:+.2f})"


def in_grades(measured: Trial | FreshRound) -> str:
    """Say the mean grades without the change and with it, and the gain, with n and interval; "" if there are none."""
    if measured.before is None or measured.after is None:
        return ""
    gain = measured.after - measured.before
    shown = with_interval(gain, measured.interval) if measured.interval else f"{gain:+.2f} (no interval)"
    n = measured.counted if isinstance(measured, Trial) else tries(measured.n)
    return f"{measured.before:.2f} → {measured.after:.2f}, gain {shown}, {n}"


def own_part(effect: EditEffect, fresh: FreshRound) -> str:
    """Return one rule's own numbers: its effect, and the fresh round on its lessons."""
    if effect.before is None or effect.after is None or effect.interval is None:
        return ""
    own = f"by itself {with_interval(effect.after - effect.before, effect.interval)} ({tries(effect.n)})"
    gains = [pair.gain for pair in fresh.of(effect.edit.lessons)]
    if not gains:
        return own
    return f"{own}; on fresh attempts at its lesson {sum(gains) / len(gains):+.2f} ({tries(len(gains))})"


def sentence(words: str) -> str:
    """Return words as a sentence of their own."""
    if not words:
        return ""
    return f"{words[:1].upper()}{words[1:].rstrip('.')}."
