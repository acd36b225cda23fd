"""diagnostics.json tells how a night ran and why it ended so, also a night without edits."""

import json
from pathlib import Path

import msgspec
import pytest

from skillopt_sleep import __version__
from skillopt_sleep.kit.codec import from_json, schema
from skillopt_sleep.records import NightReport
from skillopt_sleep.reporters.diagnostics import Diagnostics, DiagnosticsReporter, diagnose
from tests.builders import a_report
from tests.reporters.reports import ACCEPTED, REPORTS, SECRET, TRIAL, WHOLE

NOWHERE = Path("nowhere")


def read_back(report: NightReport, folder: Path) -> Diagnostics:
    return from_json(DiagnosticsReporter().write(report, folder).read_bytes(), Diagnostics)


@pytest.mark.parametrize("name", [name for name, report in REPORTS.items() if SECRET not in str(report)])
def test_what_was_written_reads_back_strictly_as_it_was(name: str, tmp_path: Path) -> None:
    assert read_back(REPORTS[name], tmp_path) == diagnose(REPORTS[name], tmp_path)


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_every_night_is_diagnosed(report: NightReport, tmp_path: Path) -> None:
    said = read_back(report, tmp_path)

    assert (said.verdict, said.night, said.run.resumed) == (report.verdict, report.night, report.run.resumed)
    assert len(said.documents) == len(report.documents)
    assert said.because


def test_how_long_it_took_and_what_ran() -> None:
    said = diagnose(WHOLE, NOWHERE)

    assert said.run.seconds == 75
    assert said.run.skillopt_sleep == __version__
    assert said.run.model == "openai:m"
    assert said.run.python.startswith("3.")
    assert said.run.system


def test_a_document_is_told_from_the_inside() -> None:
    document = diagnose(WHOLE, NOWHERE).documents[0]

    tasks = document.tasks
    assert (tasks.train, tasks.val, tasks.test, tasks.text_only) == (3, 3, 1, True)
    assert document.fates == {"applied": 1, "unmatched": 1, "duplicate": 1, "refused": 1}
    assert [one.trial for one in document.trials] == [TRIAL]
    assert (document.test.before, document.test.after, document.test.n) == (0.0, 1.0, 1)
    assert document.verdict == ACCEPTED


def test_spending_limits_sessions_and_errors_are_there() -> None:
    said = diagnose(WHOLE, NOWHERE)

    assert said.spend == WHOLE.spend
    assert said.run.limits == WHOLE.run.limits
    assert said.found.sessions == WHOLE.found.sessions
    assert said.errors == WHOLE.errors
    assert said.proposals == ("P-0001",)


def test_a_night_without_edits_explains_itself() -> None:
    said = diagnose(REPORTS["no headroom"], NOWHERE)

    assert (said.because, said.documents[0].fates, said.documents[0].trials) == ("does it already", {}, ())


def test_the_schema_knows_every_key_that_is_written(tmp_path: Path) -> None:
    generated = schema(Diagnostics)["$defs"]["Diagnostics"]
    data = json.loads(DiagnosticsReporter().write(WHOLE, tmp_path).read_bytes())

    assert set(generated["properties"]) == set(data) == set(generated["required"])


def test_an_unknown_key_is_refused(tmp_path: Path) -> None:
    path = DiagnosticsReporter().write(a_report(), tmp_path)

    with pytest.raises(msgspec.ValidationError, match="colour"):
        from_json(path.read_bytes().replace(b'"night"', b'"colour": "red", "night"', 1), Diagnostics)
