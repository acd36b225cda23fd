"""What an agent did without a change and with it stands in the night's folder, as attempts.md."""

import stat
from pathlib import Path

from markdown_it import MarkdownIt
from msgspec.structs import replace

from skillopt_sleep.records import CommandRun, Split, Trajectory
from skillopt_sleep.reporters.morning import ATTEMPTS, AttemptsReporter
from tests.builders import a_report
from tests.reporters.arms import WITH, WITHOUT, Arms, tried
from tests.reporters.reports import NASTY, SECRET, render

WORDS = Trajectory(response="I would run it.", text_only=True)


def written(folder: Path, *pairs: Arms) -> str:
    _, report = tried(folder, *pairs)
    path = AttemptsReporter().write(report, folder)
    assert path == folder / ATTEMPTS
    assert path is not None
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    return path.read_text(encoding="utf-8")


def test_both_attempts_stand_below_one_another_with_their_grades_and_their_diffs(tmp_path: Path) -> None:
    text = written(tmp_path, Arms())
    without, _, with_it = text.partition("With the change: ")
    assert "Without the change: not as you asked" in without
    assert "2 turns" in without
    assert "(ran no command)" in without
    assert with_it.startswith("as you asked; 3 turns")
    assert "$ make lint  (exit 0)" in with_it
    assert "the project's own check fails: 9 of 12 tests" in with_it
    assert "It said: Done, and linted." in with_it
    assert text.count("+++ b/app.py") == 2
    assert "to decide with" in text


def test_an_arm_that_was_not_graded_says_why(tmp_path: Path) -> None:
    stopped = Trajectory(failure="the attempt reached its limit before the agent was done", seal="bubblewrap")
    text = written(tmp_path, Arms(after=stopped, grades=(0.0, None)))
    assert "With the change: not graded: the attempt reached its limit" in text


def test_a_night_in_words_writes_no_such_file(tmp_path: Path) -> None:
    _, report = tried(tmp_path, Arms(before=WORDS, after=WORDS))
    assert AttemptsReporter().write(report, tmp_path) is None
    assert AttemptsReporter().write(a_report(), tmp_path) is None
    assert not (tmp_path / ATTEMPTS).exists()
    assert "sealed copy" not in render(report, folder=tmp_path)


def test_what_a_hostile_model_ran_changed_and_said_can_not_pass_for_the_report(tmp_path: Path) -> None:
    nasty = f"{NASTY} ``` {SECRET}"
    hostile = replace(
        WITH,
        response=nasty,
        commands=(CommandRun(text=nasty, status=0, output=nasty),),
        changed_files=(nasty,),
        diff=nasty,
        checked=CommandRun(text="t", status=1, output=nasty),
    )
    text = written(tmp_path, Arms(WITHOUT, hostile, prompt=nasty))
    _, report = tried(tmp_path, Arms(WITHOUT, hostile, prompt=nasty))
    for shown in (text, render(report, folder=tmp_path)):
        assert SECRET not in shown.replace("\\", "")
        assert not {"\u202e", "\u200b", "\x1b"} & set(shown)
        headings = [
            token for token in MarkdownIt().parse(shown) if token.type == "heading_open" and token.tag == "h1"
        ]
        assert len(headings) == 1
        html = MarkdownIt().enable("table").render(shown)
        assert "<img" not in html
        assert 'http://x.example"' not in html


def test_a_request_to_learn_from_is_told_too(tmp_path: Path) -> None:
    _, report = tried(tmp_path, Arms(), splits=[Split.TRAIN])
    path = AttemptsReporter().write(report, tmp_path)
    assert path is not None
    assert "to learn from" in path.read_text(encoding="utf-8")
