"""A command of the project's own grades an attempt by how it ended on a copy of what the attempt left."""

import pytest

from skillopt_sleep.errors import ItemError
from skillopt_sleep.records import Command, CommandRun, Trajectory
from skillopt_sleep.replay.judges.checks import score_command


def acted(
    *, changed: tuple[str, ...] = (), gone: tuple[str, ...] = (), checked: CommandRun | None = None
) -> Trajectory:
    return Trajectory(response="Done.", changed_files=(*changed, *gone), deleted_files=gone, checked=checked)


@pytest.mark.parametrize(
    ("gone", "hard"),
    [
        ("tests/data/case-7.json", 0.0),
        ("src/__snapshots__/page.snap", 0.0),
        ("pkg/testdata/in.txt", 0.0),
        ("src/api.py", 1.0),
        ("src/latest/old.py", 1.0),
    ],
)
def test_an_attempt_that_deletes_what_tests_read_fails_though_they_pass(gone: str, hard: float) -> None:
    reference = Command(argv=("pytest", "-q"), tests=("tests/test_api.py",))
    done = acted(gone=(gone,), checked=CommandRun(text="pytest -q", status=0))
    assert score_command(reference, done).hard == hard


@pytest.mark.parametrize(
    ("output", "soft"),
    [
        ("=== 9 passed, 3 failed in 1.2s ===", 0.75),
        ("3 failed, 9 passed", 0.75),
        ("test result: FAILED. 1 passed; 3 failed; 0 ignored", 0.25),
        ("Segmentation fault", 0.0),
        ("=== 4 passed, 1 error in 0.1s ===", 0.8),
    ],
)
def test_a_failing_command_scores_the_share_of_its_tests_that_pass(output: str, soft: float) -> None:
    reference = Command(argv=("pytest", "-q"), tests=("tests/",))
    score = score_command(reference, acted(checked=CommandRun(text="pytest -q", status=1, output=output)))
    assert (score.hard, score.soft) == (0.0, soft)


def test_a_command_that_ends_with_zero_passes() -> None:
    reference = Command(argv=("pytest", "-q"))
    score = score_command(reference, acted(checked=CommandRun(text="pytest -q", status=0)))
    assert (score.hard, score.soft, score.why) == (1.0, 1.0, "")


def test_an_attempt_that_changes_the_tests_fails_though_they_pass() -> None:
    reference = Command(argv=("pytest", "-q"), tests=("tests/",))
    done = acted(changed=("tests/test_api.py",), checked=CommandRun(text="pytest -q", status=0))
    assert score_command(reference, done).hard == 0.0


@pytest.mark.parametrize("checked", [None, CommandRun(text="x"), CommandRun(text="x", status=127)])
def test_a_command_that_did_not_run_gives_no_score(checked: CommandRun | None) -> None:
    with pytest.raises(ItemError):
        score_command(Command(argv=("x",)), acted(checked=checked))
