"""Say a gain with its n, its interval and where it comes from, and what an open question rules out."""

from collections.abc import Sequence

from skillopt_sleep.records import (
    EditEffect,
    EditOp,
    FreshRound,
    Proposal,
    Solved,
    TestMeans,
    Trial,
    decided_by,
    solved,
    tries,
)

Interval = tuple[float, float]
WIDE = 1.0  # half the scale of a gain: what a wider interval leaves out says nothing


def in_numbers(counts: Solved, *, rules: int = 1, removing: bool = False) -> str:
    """Say how many answers did as the person asked without so many rules and with them, and on how many requests."""
    requests = "1 new request" if counts.requests == 1 else f"{counts.requests} new requests"
    compared = _compared(counts, rules=rules, removing=removing)
    return f"{compared} (on {requests})"


def of_all_rules(proposal: Proposal) -> str:
    """Say the same of what a proposal changes; "" if it isn't known."""
    if not proposal.solved:
        return ""
    return in_numbers(proposal.solved, rules=len(proposal.edits), removing=removes(proposal))


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
    if proposal.solved:
        sentences.append(sentence(of_all_rules(proposal)))
    elif proposal.before is not None and proposal.after is not None:
        grades = f"{proposal.before:.2f} before and {proposal.after:.2f} with the change"
        sentences.append(f"Graded {grades}, where 1 is all that was asked, in {tries(proposal.n)}.")
    if sentences and proposal.judges:
        sentences.append(f"Graded by {decided_by(proposal.judges)}.")
    fresh = solved(proposal.fresh.pairs)
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


def fresh_gain(fresh: FreshRound) -> str:
    """Return what a fresh round measured; "" if it has no pair."""
    if fresh.before is None or fresh.after is None or fresh.interval is None:
        return ""
    gain = with_interval(fresh.after - fresh.before, fresh.interval)
    return f"{fresh.before:.2f} → {fresh.after:.2f} ({tries(fresh.n)}), gain {gain}"


def measured(fresh: FreshRound, *, shrunk: float | None, n: int) -> str:
    """Say what an accepted change gains, by the round after its acceptance, else by the trial that chose it.

    A trial flatters what it chose, so its own figure is `shrunk` and called what it is; "" if there is neither.
    """
    if fresh.n:
        decided = ""
        if fresh.interval is not None and fresh.interval[0] <= 0:
            decided = "; too few to prove anything; the trial did"
        return f"on fresh attempts after the trial {fresh_gain(fresh)}{decided}"
    if shrunk is None:
        return ""
    return f"gain {shrunk:+.2f} ({tries(n)}), shrunk, but possibly flattered: by the very trial that chose it"


def tested(test: TestMeans) -> str:
    """Return the figures on the test tasks; "" if there are none."""
    if test.before is None or test.after is None or test.interval is None:
        return ""
    gain = with_interval(test.after - test.before, test.interval)
    return f"{test.before:.2f} → {test.after:.2f} ({tries(test.n)}), gain {gain}"


def rules_out(interval: Interval | None) -> str:
    """Say what gains and losses an interval leaves out: that much an undecided trial knows."""
    if interval is None or interval[1] - interval[0] > WIDE:
        return "rules out nothing yet"
    low, high = (round(end, 2) for end in interval)
    parts: list[str] = []
    if high < 1:
        parts.append(f"a gain of more than {high:+.2f}")
    if low > -1:
        parts.append(f"a loss of more than {-low:.2f}" if low < 0 else f"a gain of less than {low:+.2f}")
    if not parts:
        return "rules out nothing yet"
    return f"rules out {' and '.join(parts)}"


def ruled_out(trial: Trial) -> str:
    """Say what a trial without a verdict rules out, with its n."""
    if not trial.n:
        return rules_out(None)
    return f"{rules_out(trial.interval)} ({trial.counted})"


def own_part(effect: EditEffect, fresh: FreshRound, *, alone: bool) -> str:
    """Return one rule's own numbers: its effect, and the fresh round on its lessons unless it is all that changed."""
    if effect.before is None or effect.after is None or effect.interval is None:
        return ""
    own = f"by itself {with_interval(effect.after - effect.before, effect.interval)} ({tries(effect.n)})"
    if alone or not effect.edit.lessons:
        return own
    gains = [pair.gain for pair in fresh.of(effect.edit.lessons)]
    if not gains:
        return own
    return f"{own}; on fresh attempts at its lesson {_average(gains):+.2f} ({tries(len(gains))})"


def _average(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def sentence(words: str) -> str:
    """Return words as a sentence of their own."""
    if not words:
        return ""
    return f"{words[:1].upper()}{words[1:].rstrip('.')}."
