"""The answer must be one text."""

from skillopt_sleep.records import CheckResult, Exact, Score, Trajectory


def score_exact(reference: Exact, trajectory: Trajectory) -> Score:
    """1 where the texts are equal up to case and white space, else 0."""
    passed = _plain(reference.answer) == _plain(trajectory.response)
    return Score(
        hard=float(passed),
        soft=float(passed),
        why="" if passed else "the answer is not the one that was wanted",
        checks=(CheckResult(name="exact", passed=passed, arg=reference.answer),),
    )


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
