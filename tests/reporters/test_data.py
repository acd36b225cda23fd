"""report.json is the report; the short answer has exactly the keys that programs rely on."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from skillopt_sleep.kit.codec import from_json, schema, to_json
from skillopt_sleep.records import NightReport, Outcome
from skillopt_sleep.reporters.data import DataReporter, RunAnswer, answer
from tests.builders import a_report
from tests.reporters.reports import REPORTS, SECRET, WHOLE

KEYS = {
    "schema_version", "night", "verdict", "because", "remedy", "folder", "sessions", "tasks", "documents", "proposals",
    "spend", "errors",
}  # fmt: skip


def written(report: NightReport, folder: Path) -> bytes:
    return DataReporter().write(report, folder).read_bytes()


def plain(report: NightReport) -> dict[str, Any]:
    """The short answer as a program reads it."""
    return json.loads(to_json(answer(report)))


# report.json --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_report_json_reads_back_as_a_report(report: NightReport, tmp_path: Path) -> None:
    back = from_json(written(report, tmp_path), NightReport)

    assert (back.night, back.verdict, len(back.documents), len(back.proposals)) == (
        report.night,
        report.verdict,
        len(report.documents),
        len(report.proposals),
    )


@pytest.mark.parametrize("name", [name for name, report in REPORTS.items() if SECRET not in str(report)])
def test_where_there_is_no_secret_it_reads_back_as_it_was(name: str, tmp_path: Path) -> None:
    assert from_json(written(REPORTS[name], tmp_path), NightReport) == REPORTS[name]


def test_a_secret_is_redacted_and_all_around_it_stays(tmp_path: Path) -> None:
    back = from_json(written(REPORTS["backend failed"], tmp_path), NightReport)

    assert back.because == "the key was refused [redacted:github-token]"


def test_it_is_called_report_json_and_reads_well(tmp_path: Path) -> None:
    path = DataReporter().write(WHOLE, tmp_path)

    assert path == tmp_path / "report.json"
    assert path.read_text(encoding="utf-8").startswith('{\n  "schema_version": 1,\n')


def test_an_unknown_key_in_report_json_is_refused(tmp_path: Path) -> None:
    data = written(a_report(), tmp_path).replace(b'"night"', b'"colour": "red", "night"', 1)

    with pytest.raises(msgspec.ValidationError, match="colour"):
        from_json(data, NightReport)


def test_a_missing_key_in_report_json_is_refused(tmp_path: Path) -> None:
    data = json.loads(written(a_report(), tmp_path))
    del data["because"]

    with pytest.raises(msgspec.ValidationError, match="because"):
        from_json(json.dumps(data), NightReport)


# the short answer ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_the_answer_has_exactly_its_keys(report: NightReport) -> None:
    said = plain(report)

    assert set(said) == KEYS
    assert set(said["sessions"]) == {"seen", "used", "skipped"}
    assert set(said["spend"]) == {"calls", "tokens", "usd"}
    for document in said["documents"]:
        assert set(document) == {
            "id", "path", "kind", "verdict", "outcome", "because", "before", "after", "n", "edits",
        }  # fmt: skip
        assert all(set(edit) == {"op", "content", "target", "fate", "because"} for edit in document["edits"])
    for proposal in said["proposals"]:
        assert set(proposal) == {
            "id", "version", "proof", "document", "path", "also", "read_by", "summary", "warnings", "one_model", "folder",
        }  # fmt: skip
    for error in said["errors"]:
        assert set(error) == {"stage", "summary", "remedy", "expected"}


def test_the_answer_of_a_night() -> None:
    said = plain(WHOLE)
    document = said["documents"][0]

    assert (said["verdict"], said["night"], said["folder"]) == ("improved", "2026-03-02", "/data/nights/2026-03-02")
    assert said["sessions"] == {"seen": 9, "used": 6, "skipped": {"headless": 2, "active": 1}}
    assert said["tasks"] == {"train": 3, "val": 3, "test": 1}
    assert said["spend"] == {"calls": 41, "tokens": 12_345, "usd": 0.5}
    assert (document["verdict"], document["outcome"], document["kind"]) == ("accept", "improved", "memory")
    assert (document["before"], document["after"], document["n"]) == (0.25, 1.0, 2)
    assert [edit["fate"] for edit in document["edits"]] == ["applied", "unmatched", "duplicate", "refused"]
    assert said["proposals"][0]["folder"] == "/data/nights/2026-03-02/proposals/P-0001"


def test_unknown_is_null_and_never_zero() -> None:
    said = plain(REPORTS["nasty"])

    assert said["spend"] == {"calls": 1, "tokens": None, "usd": None}
    assert (said["documents"][0]["before"], said["documents"][0]["after"]) == (None, None)


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_the_answer_reads_back_strictly_as_what_its_schema_says(report: NightReport) -> None:
    said = answer(report)

    assert from_json(to_json(said), RunAnswer) == said
    generated = schema(RunAnswer)["$defs"]["RunAnswer"]
    assert set(generated["properties"]) == set(generated["required"]) == KEYS
    assert generated["additionalProperties"] is False


def test_every_verdict_is_in_the_schema() -> None:
    assert set(schema(RunAnswer)["$defs"]["Outcome"]["enum"]) == {outcome.value for outcome in Outcome}
