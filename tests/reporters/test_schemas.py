import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.reporters.data import answer
from skillopt_sleep.reporters.diagnostics import diagnose
from tests.command import Home
from tests.example_night import DOCUMENTS, SCHEMAS, build_schemas
from tests.reporters.reports import REPORTS


def _schema(name: str) -> Any:
    return json.loads((SCHEMAS / f"{name}.schema.json").read_bytes())


def test_the_shipped_schemas_are_generated_from_the_records(tmp_path: Path) -> None:
    build_schemas(tmp_path)
    for name in DOCUMENTS:
        assert (tmp_path / f"{name}.schema.json").read_bytes() == (SCHEMAS / f"{name}.schema.json").read_bytes()


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_every_outcome_is_as_its_schema_says(report: Any, tmp_path: Path) -> None:
    diagnosed = diagnose(report, tmp_path)
    for name, value in (("report", report), ("diagnostics", diagnosed), ("run", answer(report))):
        jsonschema.validate(json.loads(to_json(value)), _schema(name))


def test_a_night_that_waits_for_answers_is_as_the_schema_of_run_says(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    waits = home.command("run", "--backend", "handoff", "--json")
    assert waits.code == 7
    assert waits.json["waiting"] == 1
    jsonschema.validate(waits.json, _schema("run"))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_with_a_hole_or_a_strange_key_is_refused(name: str, tmp_path: Path) -> None:
    report = next(iter(REPORTS.values()))
    whole = {"report": report, "diagnostics": diagnose(report, tmp_path), "run": answer(report)}[name]
    document = json.loads(to_json(whole))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**document, "strange": 1}, _schema(name))
    del document["night"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, _schema(name))
