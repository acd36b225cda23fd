from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from skillopt_sleep.mining.task_entries import fields_of, make_task, problem_of
from skillopt_sleep.records import Check, Checks, Exact, Op, Rubric
from tests.builders import a_task
from tests.fakes import NOON

ENTRY = {"prompt": "x", "reference": {"kind": "exact", "answer": "y"}}


@pytest.mark.parametrize(
    ("at", "moment"),
    [
        (datetime(2026, 1, 2, 3), datetime(2026, 1, 2, 3, tzinfo=UTC)),  # noqa: DTZ001 - as a person writes it
        (datetime(2026, 1, 2, 3, tzinfo=timezone(timedelta(hours=1))), datetime(2026, 1, 2, 2, tzinfo=UTC)),
    ],
)
def test_a_time_without_a_zone_is_in_utc(at: datetime, moment: datetime) -> None:
    task = make_task(ENTRY | {"at": at}, session="s", folder=Path("/home/ada"), written=NOON)
    assert (task.at, task.at.tzinfo) == (moment, UTC)


def test_what_is_empty_is_not_written() -> None:
    fields = fields_of(a_task(id="b", reference=Rubric(text="short"), project="", context=""))
    assert fields.keys() == {"id", "at", "prompt", "reference"}
    checks = fields_of(a_task(reference=Checks(items=(Check(op=Op.JSON_VALID),))))
    assert checks["reference"] == {"kind": "checks", "items": [{"op": "json_valid"}]}


def test_a_reference_that_no_file_could_hold_is_told_of() -> None:
    assert problem_of(Exact(answer="pnpm")) == ""
    assert "nothing but a shape" in problem_of(Checks(items=(Check(op=Op.MAX_CHARS, arg="9"),)))
