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
    earlier, today = _by_task(before), _by_task(after)
    return tuple(
        Compared(
            task=task,
            change=_CHANGES[_solved(earlier[task]), _solved(made)],
            before=_telling(earlier[task]),
            after=_telling(made),
        )
        for task, made in today.items()
        if task in earlier
    )


def _by_task(rollouts: Sequence[Rollout]) -> dict[str, list[Rollout]]:
    scored: dict[str, list[Rollout]] = {}
    for rollout in rollouts:
        if rollout.score is not None:
            scored.setdefault(rollout.task, []).append(rollout)
    return scored


def _passed(rollout: Rollout) -> bool:
    return rollout.score is not None and rollout.score.hard >= 1


def _solved(made: Sequence[Rollout]) -> bool:
    return 2 * sum(map(_passed, made)) > len(made)


def _telling(made: Sequence[Rollout]) -> Rollout:
    """Return the first attempt with the same result as most attempts."""
    solved = _solved(made)
    return next(rollout for rollout in made if _passed(rollout) is solved)
