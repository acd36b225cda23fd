"""What an agent did without a change and with it stands beside each other in the night's folder."""

import re
import stat
from pathlib import Path

from markdown_it import MarkdownIt
from msgspec.structs import replace

from skillopt_sleep.records import CommandRun, Split, Trajectory
from skillopt_sleep.reporters.morning import render
from skillopt_sleep.reporters.side_by_side import NAME, SideBySideReporter, did
from tests.builders import a_report
from tests.reporters.arms import WITH, WITHOUT, Arms, tried
from tests.reporters.reports import NASTY, SECRET

WORDS = Trajectory(response="I would run it.", text_only=True)


def written(folder: Path, *pairs: Arms) -> str:
    _, report = tried(folder, *pairs)
    path = SideBySideReporter().write(report, folder)
    assert path == folder / NAME
    assert path is not None
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    return path.read_text(encoding="utf-8")


def rows(text: str) -> dict[str, tuple[str, str]]:
    found = re.findall(r"^\| ([^|]+) \| (.+) \| (.+) \|$", text, re.MULTILINE)
    return {label: (before, after) for label, before, after in found}


def test_both_arms_stand_beside_each_other_with_their_diffs_below(tmp_path: Path) -> None:
    text = written(tmp_path, Arms())
    told = rows(text)
    assert told["ran"] == ("nothing", "`make lint` (exit 0)")
    assert told["changed"] == ("`app.py`", "`app.py`")
    assert told["the check"][1] == "the project's own check fails: 9 of 12 tests"
    assert told["turns"] == ("2", "3")
    assert told["said"] == ("Done.", "Done, and linted.")
    assert told["as you asked"][0].startswith("no")
    assert told["as you asked"][1] == "yes"
    assert text.count("+++ b/app.py") == 2
    assert "to decide with" in text


def test_an_arm_that_was_not_graded_says_why(tmp_path: Path) -> None:
    stopped = Trajectory(failure="the attempt reached its limit before the agent was done", seal="bubblewrap")
    told = rows(written(tmp_path, Arms(after=stopped, grades=(0.0, None))))
    assert "reached its limit" in told["ran"][1]
    assert told["ran"][0] == "nothing"


def test_a_night_in_words_writes_no_such_file(tmp_path: Path) -> None:
    proposal, report = tried(tmp_path, Arms(before=WORDS, after=WORDS))
    assert SideBySideReporter().write(report, tmp_path) is None
    assert SideBySideReporter().write(a_report(), tmp_path) is None
    assert not (tmp_path / NAME).exists()
    assert did(proposal, report, tmp_path) == ""
    assert "sealed copy" not in render(report, folder=tmp_path)


def test_the_report_says_in_a_line_what_the_agent_did_without_the_rule_and_with_it(tmp_path: Path) -> None:
    _, report = tried(tmp_path, Arms())
    (line,) = (line for line in render(report, folder=tmp_path).splitlines() if "sealed copy" in line)
    assert line.rstrip() == (
        "Asked «make it new» in a sealed copy: without: edited app.py, said «Done.» · with: edited app.py, ran "
        "`make lint` (0), the project's own check fails: 9 of 12 tests, said «Done, and linted.»."
    )
    assert "sealed copy" not in render(report)


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
    assert len({len(row.split(" | ")) for row in text.splitlines() if row.startswith("| ")}) <= 2


def test_a_request_to_learn_from_is_told_too(tmp_path: Path) -> None:
    _, report = tried(tmp_path, Arms(), splits=[Split.TRAIN])
    path = SideBySideReporter().write(report, tmp_path)
    assert path is not None
    assert "to learn from" in path.read_text(encoding="utf-8")
