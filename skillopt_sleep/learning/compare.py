"""Compare attempts under an earlier version of a document with today's: how each task changed."""

from collections.abc import Sequence

from skillopt_sleep.records import Change, Compared, Rollout

_CHANGES = {
    (False, True): Change.IMPROVED,
    (True, False): Change.REGRESSED,
    (False, False): Change.PERSISTENT_FAIL,
    (True, True): Change.STABLE_SUCCESS,
}


def compare(before: Sequence[Rollout], after: Sequence[Rollout]) -> tuple[Compared, ...]:
    """Compare each task that was scored under both versions, in the order of `after`, as SkillOpt does.

    A task is solved if more than half of its scored attempts are. An unscored attempt doesn't count as a failure.
    """
    earlier = _by_task(before)
    compared: list[Compared] = []
    for task, today in _by_task(after).items():
        if task in earlier:
            then = earlier[task]
            change = _CHANGES[_is_solved(then), _is_solved(today)]
            compared.append(Compared(task=task, change=change, before=_typical(then), after=_typical(today)))
    return tuple(compared)


def _by_task(rollouts: Sequence[Rollout]) -> dict[str, list[Rollout]]:
    scored: dict[str, list[Rollout]] = {}
    for rollout in rollouts:
        if rollout.score is not None:
            scored.setdefault(rollout.task, []).append(rollout)
    return scored


def _passed(rollout: Rollout) -> bool:
    return rollout.score is not None and rollout.score.hard >= 1


def _is_solved(made: Sequence[Rollout]) -> bool:
    return 2 * sum(map(_passed, made)) > len(made)


def _typical(made: Sequence[Rollout]) -> Rollout:
    """Return the first attempt with the same result as most attempts."""
    solved = _is_solved(made)
    return next(rollout for rollout in made if _passed(rollout) is solved)
