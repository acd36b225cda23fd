from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from skillopt_sleep.cli.status import Status, last_closed, show_status
from skillopt_sleep.records import OUTCOMES, Outcome
from skillopt_sleep.settings import Paths, Settings
from skillopt_sleep.stores.bank import WAITING, Decided
from skillopt_sleep.stores.running import Progress, StageProgress
from skillopt_sleep.stores.sqlite import NightLine
from tests.builders import a_proposal

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
LAST = NightLine(id="2026-03-02", started=NOW, closed=NOW, outcome=Outcome.IMPROVED)
OPEN = NightLine(id="2026-03-02-2", started=NOW, closed=None, outcome=None)


def status(**changes: object) -> Status:
    known = Status(nights=(LAST,), waiting=(), progress=None, running=False, because="", prompts=0)
    return known._replace(**changes)


def shown(current: Status, paths: Paths, capfd: pytest.CaptureFixture[str], problem: str = "") -> list[str]:
    show_status(current, paths, Settings(), problem, now=NOW + timedelta(minutes=5))
    return capfd.readouterr().out.splitlines()


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths(config=tmp_path, data=tmp_path)


def test_every_outcome_has_words() -> None:
    assert set(OUTCOMES) == set(Outcome)


def test_the_next_step_is_the_proposal_that_waits(paths: Paths, capfd: pytest.CaptureFixture[str]) -> None:
    lines = shown(status(waiting=(Decided(a_proposal(), WAITING, "", ""),)), paths, capfd)
    assert lines[0].startswith("Last night   today")
    assert lines[0].endswith("(2026-03-02)")
    assert lines[-1].startswith("Next step    skillopt-sleep review")


def test_how_the_last_night_ended_is_said_as_in_its_report(paths: Paths, capfd: pytest.CaptureFixture[str]) -> None:
    failed = LAST._replace(outcome=Outcome.BACKEND_FAILED)
    words = "did not start, the login or key was refused"
    assert words in shown(status(nights=(failed,), ended=words), paths, capfd)[0]


def test_a_night_that_was_cut_off_is_resumed(paths: Paths, capfd: pytest.CaptureFixture[str]) -> None:
    assert "Unfinished   2026-03-02-2: the next run resumes it" in shown(status(nights=(OPEN, LAST)), paths, capfd)
    assert "Running      2026-03-02-2" in shown(status(nights=(OPEN, LAST), running=True), paths, capfd)


def test_settings_that_are_wrong_come_first(paths: Paths, capfd: pytest.CaptureFixture[str]) -> None:
    assert shown(status(), paths, capfd, problem="no")[0] == "Settings     ✗ no"


def test_a_first_step_is_for_who_has_had_no_night(paths: Paths, capfd: pytest.CaptureFixture[str]) -> None:
    assert shown(status(nights=()), paths, capfd)[-1].startswith("Begin with   skillopt-sleep init")
    assert not any("Begin with" in line for line in shown(status(), paths, capfd))


def test_of_several_nights_the_last_closed_one_counts() -> None:
    assert last_closed((OPEN, LAST)) == LAST
    assert last_closed(()) is None


def test_a_running_night_is_told_with_its_time_its_spend_and_what_it_is_at(
    paths: Paths, capfd: pytest.CaptureFixture[str]
) -> None:
    stage = StageProgress(label="rollout shop/CLAUDE.md", done=3, total=12)
    progress = Progress(
        night=OPEN.id,
        process=1,
        started=NOW,
        stages=(stage,),
        calls=37,
        tokens=12_300,
        most_calls=300,
        most_minutes=60,
    )
    lines = shown(status(nights=(OPEN, LAST), running=True, progress=progress), paths, capfd)
    assert "Running      2026-03-02-2, 5 min, at most 55 min left: 37 of at most 300 calls, 12,300 tokens" in lines
    assert "             attempts: shop/CLAUDE.md  3/12" in lines
