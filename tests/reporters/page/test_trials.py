from msgspec.structs import replace

from skillopt_sleep.reporters.page.trials import MOST_TRIALS, tried
from tests.builders import a_report, an_outcome
from tests.reporters.reports import TESTED, WHOLE, improved


def test_each_trial_stands_with_its_gain_and_each_edit_that_fell_with_its_reason() -> None:
    document, _ = tried(WHOLE)
    (row,) = document.trials
    assert row.change == "add «Use pnpm, never npm.»"
    assert row.dot is not None
    assert row.dot.told == "grade 0.25 → 1.00 (+0.75), 90 % interval of the gain −0.61 to 1.00, 2 tries"
    assert "replace «Y.» with «X.»" in [edit.change for edit in document.fell]
    assert "its target isn't there" in [edit.why for edit in document.fell]
    assert document.waits == ["add «Waits.» since the night of 2026-03-01"]


def test_a_document_without_a_trial_says_why() -> None:
    (document,) = tried(a_report(documents=(an_outcome(because="no edit was proposed"),)))
    assert document.trials == []
    assert document.because == "No edit was proposed."


def test_long_lists_of_trials_are_cut() -> None:
    outcome = improved()
    many = replace(outcome, tried=replace(outcome.tried, tested=(TESTED,) * (MOST_TRIALS + 2)))
    (document,) = tried(a_report(documents=(many,)))
    assert (len(document.trials), document.more) == (MOST_TRIALS, 2)
