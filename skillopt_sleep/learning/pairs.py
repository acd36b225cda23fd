"""Pair the attempts of both arms: which count as evidence, which in the bet only, and which repeat themselves."""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from skillopt_sleep.errors import OF_THE_ATTEMPT
from skillopt_sleep.records import GateRule, Lost, Metric, Pair, Rollout, Score, Task, Trajectory, Trial

DIGEST_BYTES = 8


def measure(score: Score, rule: GateRule) -> float:
    """Return a grade as the one number that is compared, in [0, 1]."""
    if rule.metric is Metric.HARD:
        return score.hard
    if rule.metric is Metric.SOFT:
        return score.soft
    return (1 - rule.mixed_weight) * score.hard + rule.mixed_weight * score.soft


class Paired(NamedTuple):
    """One round's pairs, those of attempts that the candidate lost by itself, and how many pairs don't count."""

    pairs: tuple[Pair, ...] = ()
    lost_attempts: tuple[Pair, ...] = ()
    lost: Lost = Lost()
    repeated: int = 0

    @property
    def only_repeated(self) -> bool:
        """Tell whether nothing of the round counts because all its answers had been given before."""
        return bool(self.repeated) and not self.pairs and not self.lost_attempts


def pair_up(trial: Trial, val: Sequence[Task], rollouts: Sequence[Rollout], rule: GateRule) -> Paired:
    """Pair a round's rollouts, which alternate baseline and candidate, in the order of the tasks.

    Each draw counts once: the sequential rule doesn't count a pair of which both arms have given the answer in an
    earlier round of the trial. Texts are compared, never grades.
    """
    pairs: list[Pair] = []
    lost_attempts: list[Pair] = []
    repeated = lost_before = lost_after = lost_both = 0
    for task, old, new in zip(val, rollouts[::2], rollouts[1::2], strict=True):
        if old.score is None:
            lost_both += new.score is None
            lost_before += new.score is not None
            continue
        before = measure(old.score, rule)
        after = 0.0
        if new.score is not None:
            after = measure(new.score, rule)
        pair = Pair(
            task=task.id,
            lesson=task.lesson,
            session=task.session,
            request=request_of(task),
            sample=old.sample,
            before=before,
            after=after,
            answers=(digest(old.trajectory), digest(new.trajectory)),
            solved=(is_solved(old.score), is_solved(new.score)),
        )
        if new.score is None:
            lost_after += 1
            if failed_by_itself(new.trajectory):
                lost_attempts.append(pair)
        elif rule.name == "sequential" and _is_repeated(pair, trial):
            repeated += 1
        else:
            pairs.append(pair)
    lost = Lost(before=lost_before, after=lost_after, both=lost_both)
    return Paired(tuple(pairs), tuple(lost_attempts), lost, repeated)


def is_solved(score: Score | None) -> bool:
    """Return whether an attempt did all that was asked."""
    return score is not None and score.hard == 1


def failed_by_itself(trajectory: Trajectory) -> bool:
    """Return whether the attempt itself ended without an answer, as opposed to an outage of the model."""
    kind, _, _ = trajectory.failure.partition(":")
    return kind in OF_THE_ATTEMPT


def request_of(task: Task) -> str:
    """Return a digest of what is asked, whatever its case and spacing."""
    asked = " ".join(task.prompt.casefold().split())
    return hashlib.blake2b(asked.encode(), digest_size=DIGEST_BYTES).hexdigest()


def digest(trajectory: Trajectory) -> str:
    """Return a digest of what was answered and done, whatever its case and spacing."""
    said = " ".join(trajectory.response.casefold().split())
    ran = [command.text for command in trajectory.commands]
    done = "\n".join((said, *trajectory.tool_calls, *ran, *trajectory.changed_files, trajectory.diff))
    return hashlib.blake2b(done.encode(), digest_size=DIGEST_BYTES).hexdigest()


def _is_repeated(pair: Pair, trial: Trial) -> bool:
    """Return whether both arms gave this very answer to the task in an earlier round."""
    earlier = [known.answers for known in (*trial.pairs, *trial.lost_attempts) if known.task == pair.task]
    old, new = pair.answers
    return any(answers[0] == old for answers in earlier) and any(answers[1] == new for answers in earlier)
