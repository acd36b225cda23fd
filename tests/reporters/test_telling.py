"""The request that shows best what a rule changed is an unseen one of its lesson."""

from pathlib import Path

from msgspec.structs import replace

from skillopt_sleep.records import Split
from skillopt_sleep.reporters.telling import most_telling
from tests.builders import an_edit
from tests.reporters.arms import Arms, tried


def test_the_arms_that_differ_most_tell_most(tmp_path: Path) -> None:
    same = Arms(grades=(1.0, 1.0), prompt="one")
    proposal, report = tried(tmp_path, same, Arms(prompt="two"), same)
    task = most_telling(proposal, report.documents, tmp_path)
    assert task is not None
    assert task.request == "two"


def test_a_request_that_the_rule_was_written_from_or_of_another_lesson_tells_nothing(tmp_path: Path) -> None:
    proposal, report = tried(tmp_path, Arms(), splits=[Split.TRAIN])
    assert most_telling(proposal, report.documents, tmp_path) is None
    proposal, report = tried(tmp_path, Arms())
    other = replace(proposal, edits=(an_edit(lessons=("another",)),))
    assert most_telling(other, report.documents, tmp_path) is None
    assert most_telling(replace(proposal, path="/else/AGENTS.md"), report.documents, tmp_path) is None
    assert most_telling(proposal, report.documents, tmp_path / "gone") is None
