from msgspec.structs import fields

from skillopt_sleep.keeping.numbers import numbers
from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.kit.sought import Sought
from skillopt_sleep.records import NightReport, Note, report_data
from tests.builders import a_proposal, a_report, an_outcome

WORDS = "pnpm"


def test_numbers_stay_and_words_go() -> None:
    report = a_report(
        documents=(an_outcome(because=WORDS),),
        proposals=(a_proposal(),),
        because=WORDS,
        errors=(Note(stage="mine", summary=WORDS),),
    )
    sought = Sought(phrases=(WORDS,))
    assert sought.is_in(report_data(report))
    for documents in (True, False):
        left = numbers(report, because="purged", documents=documents)
        assert not sought.is_in(report_data(left)), to_json(report_data(left))
        assert (left.verdict, left.spend, left.sessions) == (report.verdict, report.spend, report.sessions)
        assert len(left.documents) == documents


def test_what_goes_of_a_report_is_decided_for_every_part_of_it() -> None:
    goes = {"remedy", "proposals", "judge", "errors", "others", "sealed", "trend", "schema_version"}
    stays = {"night", "started", "ended", "verdict", "because", "folder", "model", "sessions", "tasks", "documents"}
    stays |= {"spend", "limits", "error_rate", "resumed", "login_needed", "corrections", "calibrations"}
    assert {field.name for field in fields(NightReport)} == goes | stays
