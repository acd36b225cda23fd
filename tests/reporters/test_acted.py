"""What an agent did in a sealed copy is told in a few lines, and in full."""

import pytest
from msgspec.structs import replace

from skillopt_sleep.records import CommandRun, Trajectory
from skillopt_sleep.reporters.acted import DIFF_CHARS, MOST_COMMANDS, MOST_FILES, OUTPUT_CHARS, Acted, acted
from tests.reporters.arms import DIFF, WITH
from tests.reporters.reports import SECRET


def done(trajectory: Trajectory) -> Acted:
    told = acted(trajectory)
    assert told is not None
    return told


def test_an_answer_in_words_and_an_attempt_that_failed_did_nothing_to_tell() -> None:
    assert acted(Trajectory(response="$ make lint", text_only=True)) is None
    assert acted(replace(WITH, failure="the attempt reached its limit")) is None


def test_of_many_commands_and_files_the_last_and_first_are_told_and_the_others_counted() -> None:
    commands = tuple(CommandRun(text=f"step {number}", status=number % 3) for number in range(MOST_COMMANDS + 5))
    many = replace(WITH, commands=commands, changed_files=tuple(f"f{number}.py" for number in range(MOST_FILES + 4)))
    told = done(many)
    assert (len(told.commands), told.more_commands) == (MOST_COMMANDS, 5)
    assert (len(told.files), told.more_files) == (MOST_FILES, 4)
    assert told.in_lines()[0] == f"({MOST_COMMANDS + 2} commands before)"
    assert told.in_lines()[3] == "$ step 24  (exit 0)"
    assert f"edited f0.py, f1.py, f2.py and {MOST_FILES + 1} more" in told.in_lines()
    assert "(5 commands before)" in list(told.in_full())


@pytest.mark.parametrize(
    ("status", "output", "said"),
    [
        (0, "== 12 passed in 1s ==", "the project's own check passes: 12 of 12 tests"),
        (2, "error: no rule", "the project's own check fails"),
        (None, "", "the project's own check could not be run"),
    ],
)
def test_the_check_is_told_by_its_outcome_and_its_tests_and_never_by_its_name(
    status: int | None, output: str, said: str
) -> None:
    told = done(
        replace(WITH, checked=CommandRun(text="python3 -m pytest secret_tests", status=status, output=output))
    )
    assert told.check == said
    assert "secret_tests" not in "\n".join(told.in_full())


def test_the_whole_has_the_output_the_diff_and_the_failing_check() -> None:
    told = "\n".join(done(WITH).in_full())
    assert told.startswith("$ make lint  (exit 0)\n    clean\n(the project's own check fails: 9 of 12 tests)\n")
    assert "3 failed, 9 passed" in told
    assert told.endswith(DIFF.rstrip())
    assert list(done(Trajectory(seal="s")).in_full()) == ["(ran no command)", "(said nothing)", "(changed no file)"]


def test_nothing_that_is_told_is_secret_unseen_or_without_an_end() -> None:
    unseen = "\u202e\u200b\x1b[31m"
    nasty = f"{unseen}{SECRET}"
    told = done(
        Trajectory(
            response=nasty,
            seal="bubblewrap",
            commands=(CommandRun(text=f"cat {nasty}\nls", status=1, output=nasty + "x" * 9_000),),
            changed_files=(f"{nasty}.py",),
            diff=nasty + "y" * 90_000,
            checked=CommandRun(text="t", status=1, output=nasty),
        )
    )
    for text in ("\n".join(told.in_full()), "\n".join(told.in_lines())):
        assert SECRET not in text
        assert not set(unseen[:3]) & set(text)
    assert len(told.diff) <= DIFF_CHARS + 50
    assert len(told.commands[0].output) <= OUTPUT_CHARS
    assert "\n" not in told.commands[0].text
