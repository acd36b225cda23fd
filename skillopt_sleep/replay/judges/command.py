"""Grade an attempt by a command of the project's own, which ran on a copy of what the attempt left."""

from pathlib import PurePosixPath

from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.tests_counted import counted
from skillopt_sleep.records import CheckResult, Command, CommandRun, Score, Trajectory
from skillopt_sleep.replay.judges.acts import names

NAME = "command"
# Folders of what tests read: cases, expected output, snapshots.
_OF_TESTS = frozenset(
    {"test", "tests", "__tests__", "spec", "specs", "testdata", "fixtures", "snapshots", "__snapshots__", "golden"}
)
_MISSING = frozenset({126, 127})  # the shell's codes for a program that isn't there or can't be run


def score_command(reference: Command, trajectory: Trajectory) -> Score:
    """Return hard 1 if the command ended with 0; soft is the share of its tests that passed, if it says how many.

    An attempt that changes the tests fails, and so does one that deletes what they may read. Raises ItemError if the
    command didn't run.
    """
    checked = trajectory.checked
    if checked is None or checked.status is None:
        raise ItemError("the project's own command could not be run on what the attempt left")
    if checked.status in _MISSING:
        raise ItemError("the project's own command was not found in the replay")
    touched = [path for path in trajectory.changed_files if any(names(test, path) for test in reference.tests)]
    if touched:
        return _score(hard=False, soft=0.0, why="it changed the tests that judge it")
    if any(map(_is_of_tests, trajectory.deleted_files)):
        return _score(hard=False, soft=0.0, why="it deleted what the tests that judge it may read")
    if checked.status == 0:
        return _score(hard=True, soft=1.0, why="")
    return _score(hard=False, soft=share_passed(checked), why="the project's own check fails")


def _is_of_tests(path: str) -> bool:
    return not _OF_TESTS.isdisjoint(part.lower() for part in PurePosixPath(path).parts[:-1])


def share_passed(checked: CommandRun) -> float:
    """Return the share of tests that passed, by what the command printed; 0 if it doesn't say."""
    counts = counted(checked.output)
    if counts is None or not counts.passed:
        return 0.0
    return counts.passed / (counts.passed + (counts.failed or 1))


def _score(*, hard: bool, soft: float, why: str) -> Score:
    return Score(hard=float(hard), soft=soft, why=why, checks=(CheckResult(name=NAME, passed=hard),))
