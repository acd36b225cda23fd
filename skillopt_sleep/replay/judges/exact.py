"""Grade an answer that must be a given text."""

from skillopt_sleep.records import CheckResult, Exact, Score, Trajectory


def score_exact(reference: Exact, trajectory: Trajectory) -> Score:
    """Return 1 if the texts are equal, ignoring case and white space, else 0."""
    passed = _plain(reference.answer) == _plain(trajectory.response)
    return Score(
        hard=float(passed),
        soft=float(passed),
        why="" if passed else "the answer is not the one that was wanted",
        checks=(CheckResult(name="exact", passed=passed, arg=reference.answer),),
    )


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
