"""Work out from the trials what each edit contributed."""

import math
from collections.abc import Sequence

import msgspec

from skillopt_sleep.kit.betting import START, bet, gain_interval, pairs_to_go
from skillopt_sleep.kit.stats import mean
from skillopt_sleep.records import CandidateKind, Decision, Edit, EditEffect, Effect, Judged, Trial

SESSIONS = 2  # that a gain must be seen in


def credit(best: Judged, tested: Sequence[Judged]) -> tuple[EditEffect, ...]:
    """Return every tried edit with its effect, measured by the candidate without it, else by its smallest candidate.

    `best` is the candidate to report; an edit that it leaves out is neutral at best, as it does as well without it.
    """
    edits = [edit for one in tested for edit in one.edits]
    distinct = [edit for i, edit in enumerate(edits) if edit not in edits[:i]]
    return tuple(_told(edit, best, tested) for edit in distinct)


def _told(edit: Edit, best: Judged, tested: Sequence[Judged]) -> EditEffect:
    bundle = tested[0]
    without = next((t for t in tested if t.kind is CandidateKind.WITHOUT and edit not in t.edits), None)
    if without is not None:
        told = _by_leaving_out(edit, bundle, without, dropped=edit not in best.edits)
        alone = next((t for t in tested if t.edits == (edit,) and t.verdict.decision is Decision.ACCEPT), None)
        if told.effect is not Effect.UNDECIDED or alone is None:
            return told
        # Of two edits the one that is left when the other isn't tried was proven by itself.
        return msgspec.structs.replace(_by_trial(edit, alone), because="proven by itself, without the others")
    holding = min((t for t in tested if edit in t.edits), key=lambda t: len(t.edits))
    return _by_trial(edit, holding)


def _by_leaving_out(edit: Edit, bundle: Judged, without: Judged, *, dropped: bool) -> EditEffect:
    """Return how much better the bundle did than the bundle without this edit, in the pairs that both have."""
    short = {(pair.task, pair.sample): pair.after for pair in without.trial.pairs}
    both = [
        (short[pair.task, pair.sample], pair.after)
        for pair in bundle.trial.pairs
        if (pair.task, pair.sample) in short
    ]
    interval = gain_interval([after - before for before, after in both])
    low, high = interval or (-1.0, 1.0)
    if high < 0:
        effect, because = Effect.HARMFUL, "the change did better without it"
    elif dropped:
        effect, because = Effect.NEUTRAL, "dropped: the change is proven without it and does about as well"
    elif low > 0:
        effect, because = Effect.HELPED, "the change did worse without it"
    else:
        bets = bet(START, [after - before for before, after in both])
        more = pairs_to_go(bets, pairs=len(both), alpha=0.05)
        tell = "can't be told so far"
        if more:
            tell = f"isn't clear: about {more} more pairs like these would tell"
        effect, because = Effect.UNDECIDED, f"part of the change; its own share {tell}"
    return EditEffect(
        edit=edit,
        effect=effect,
        because=because,
        n=len(both),
        before=mean([before for before, _ in both]),
        after=mean([after for _, after in both]),
        interval=interval,
        calls=without.trial.calls,
    )


def _by_trial(edit: Edit, tested: Judged) -> EditEffect:
    """Return the effect by the candidate's trial, which is the edit's own effect only if it stands alone."""
    trial, alone = tested.trial, len(tested.edits) == 1
    gains = trial.gains
    worse = math.fsum(gains) < -math.sqrt(math.fsum(gain * gain for gain in gains)) if gains else False
    others = len(tested.edits) - 1
    said: list[str] = []
    if not alone:
        said.append(
            "tried together with 1 other edit" if others == 1 else f"tried together with {others} other edits"
        )
    if tested.verdict.decision is Decision.UNDECIDED:
        said.append(_settles(trial))
    elif tested.verdict.decision is Decision.ABSTAIN:
        said.append(tested.verdict.reason)
    removal = tested.kind is CandidateKind.REMOVAL
    match tested.verdict.decision:
        case Decision.ACCEPT if alone:
            effect = Effect.NEUTRAL if removal else Effect.HELPED
        case Decision.REJECT:
            effect = Effect.HARMFUL if worse and alone else Effect.NEUTRAL
        case _:
            effect = Effect.UNDECIDED
    return EditEffect(
        edit=edit,
        effect=effect,
        because="; ".join(said),
        n=trial.n,
        before=trial.before,
        after=trial.after,
        interval=trial.interval,
        calls=trial.calls,
    )


def _settles(trial: Trial) -> str:
    """Say what an undecided trial waits for."""
    if len({pair.session for pair in trial.pairs}) < SESSIONS:
        return "an unseen task of another session would settle it"
    return f"about {trial.more} more pairs like these would settle it" if trial.more else "not proven yet"
