"""What every reporter promises."""

import stat
from pathlib import Path

import pytest

from skillopt_sleep.protocols.work import Reporter
from skillopt_sleep.records import OUTCOMES, NightReport, Outcome
from skillopt_sleep.reporters import REPORTERS
from tests.builders import a_report
from tests.reporters.reports import REPORTS, SECRET


@pytest.fixture(params=REPORTERS, ids=lambda reporter: type(reporter).__name__)
def reporter(request: pytest.FixtureRequest) -> Reporter:
    return request.param


def written(reporter: Reporter, report: NightReport, folder: Path) -> Path:
    path = reporter.write(report, folder)
    assert path is not None
    return path


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_every_night_can_be_told(reporter: Reporter, report: NightReport, tmp_path: Path) -> None:
    path = written(reporter, report, tmp_path)

    assert path.parent == tmp_path
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    text = path.read_text(encoding="utf-8")
    assert text.endswith("\n")
    assert report.night in text
    told = OUTCOMES[report.verdict] if path.suffix in {".md", ".html"} else f'"{report.verdict.value}"'
    assert told in text


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_no_secret_is_told(reporter: Reporter, report: NightReport, tmp_path: Path) -> None:
    text = written(reporter, report, tmp_path).read_text(encoding="utf-8")

    # Markdown writes its underscore with a backslash.
    assert SECRET not in text.replace("\\", "")


def test_what_it_writes_is_private(reporter: Reporter, tmp_path: Path) -> None:
    assert stat.S_IMODE(written(reporter, a_report(), tmp_path).stat().st_mode) == 0o600


def test_writing_again_replaces_the_file(reporter: Reporter, tmp_path: Path) -> None:
    first = written(reporter, a_report(night="2026-03-02"), tmp_path)
    again = written(reporter, a_report(night="2026-03-03"), tmp_path)

    assert first == again
    assert "2026-03-02" not in again.read_text(encoding="utf-8").split("\n")[0]
    assert len(list(tmp_path.iterdir())) == 1


def test_every_outcome_is_among_the_reports() -> None:
    assert {report.verdict for report in REPORTS.values()} == set(Outcome)
