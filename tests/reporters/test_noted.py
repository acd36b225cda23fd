from skillopt_sleep.records import Note, Outcome
from skillopt_sleep.reporters.noted import noted, trouble
from tests.builders import a_report

WENT_WRONG = Note(stage="mine", summary="one call failed", remedy="try again")
LEFT_OUT = Note(stage="mine", summary="said for once", expected=True)


def test_errors_come_before_what_a_rule_left_out() -> None:
    report = a_report(errors=(LEFT_OUT, WENT_WRONG))
    assert noted(report) == [("Errors", (WENT_WRONG,)), ("Left out", (LEFT_OUT,))]
    assert noted(a_report(errors=(LEFT_OUT,))) == [("Left out", (LEFT_OUT,))]
    assert noted(a_report()) == []


def test_what_cut_the_night_short_is_not_told_again() -> None:
    cause = Note(stage="night", summary="the key was refused.")
    report = a_report(verdict=Outcome.BACKEND_FAILED, because="the key was refused", errors=(cause, WENT_WRONG))
    assert trouble(report) == (WENT_WRONG,)
    assert trouble(a_report(because="the key was refused", errors=(cause,))) == (cause,)
