"""What an agent did without a change and with it is kept in the diagnostics, and can't pass for the report."""

from pathlib import Path

from markdown_it import MarkdownIt
from msgspec.structs import replace

from skillopt_sleep.records import CommandRun, Split, Trajectory
from skillopt_sleep.reporters.diagnostics import diagnose
from tests.reporters.arms import WITH, WITHOUT, Arms, tried
from tests.reporters.reports import NASTY, SECRET, render

WORDS = Trajectory(response="I would run it.", text_only=True)


def test_a_night_in_words_says_nothing_of_sealed_copies(tmp_path: Path) -> None:
    _, report = tried(tmp_path, Arms(before=WORDS, after=WORDS))
    assert "sealed copy" not in render(report, folder=tmp_path)


def test_of_a_sealed_attempt_all_that_is_kept_stands_in_the_diagnostics(tmp_path: Path) -> None:
    _, report = tried(tmp_path, Arms(), splits=[Split.TRAIN])
    (document,) = diagnose(report, tmp_path).documents
    (task,) = document.attempts.listed
    assert task.side is Split.TRAIN
    assert task.before is not None
    assert task.after is not None
    assert task.after.acted is not None
    told = "\n".join(task.after.acted.in_full())
    assert "$ make lint  (exit 0)" in told
    assert "the project's own check fails: 9 of 12 tests" in told
    assert "It said: Done, and linted." in told
    assert "+++ b/app.py" in told
    assert (task.before.hard, task.after.acted.turns) == (0.0, 3)


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
    _, report = tried(tmp_path, Arms(WITHOUT, hostile, prompt=nasty))
    for shown in (render(report, folder=tmp_path), render(report, folder=tmp_path, verbose=True)):
        assert SECRET not in shown.replace("\\", "")
        assert not {"\u202e", "\u200b", "\x1b"} & set(shown)
        headings = [
            token for token in MarkdownIt().parse(shown) if token.type == "heading_open" and token.tag == "h1"
        ]
        assert len(headings) == 1
        html = MarkdownIt().enable("table").render(shown)
        assert "<img" not in html
        assert 'http://x.example"' not in html
