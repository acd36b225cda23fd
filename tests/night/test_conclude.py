"""Every night ends as one of a closed set, with a sentence and a remedy."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from msgspec.structs import replace

from skillopt_sleep.errors import BackendUnavailable, BudgetExhausted, NightInterrupted, SleepError, StoreError
from skillopt_sleep.night.conclude import (
    BEST_FIRST,
    FIX_ERRORS,
    KEPT,
    NO_CORRECTIONS,
    NOTHING_CALIBRATED,
    REMEDIES,
    THEN_SEALED,
    Staged,
    conclude,
)
from skillopt_sleep.protocols.stores import OpenNight
from skillopt_sleep.records import (
    SEAL_IT,
    Calibrations,
    CandidateKind,
    Corrections,
    Decision,
    Early,
    InForce,
    Judged,
    Lesson,
    LessonTrend,
    ModelChange,
    NightReport,
    Note,
    Outcome,
    Proposal,
    ProposedFile,
    SealedReplay,
    SessionCounts,
    Spend,
    Split,
    StepOutcome,
    StepTasks,
    Task,
    Trend,
    Trial,
    TriedEdits,
    Verdict,
)
from tests.builders import a_document, a_lesson, a_proposal, a_task, a_trial, an_outcome, changed, with_parts
from tests.fakes import NOON
from tests.nights import a_plan


@dataclass
class OpenPage:
    """The parts of a page that a conclusion reads."""

    night: str = "2026-03-02"
    folder: Path = field(default_factory=lambda: Path("/data/nights/2026-03-02"))
    started: datetime = NOON
    resumed: bool = False

    read: Sequence[str] = ()

    @property
    def bank(self) -> "OpenPage":
        return self

    @property
    def index(self) -> "OpenPage":
        return self

    @property
    def trend(self) -> "OpenPage":
        return self

    def until(self, at: datetime, *, lessons: Sequence[Lesson], models: str) -> Trend:
        told = LessonTrend(lesson="", wording=", ".join(one.id for one in lessons), project="", corrections=(1,))
        return Trend(first=at.date(), sessions=(1,), lessons=(told,), models=(ModelChange(week=0, models=models),))

    def lines(self, *, unread: bool) -> Sequence[str]:
        return () if unread else self.read

    def again(self, _state: str = "waiting", /) -> tuple[Proposal, ...]:
        return ()

    def still_waiting(self, lessons: Sequence[Lesson], *, at: datetime) -> tuple[str, ...]:
        return ("P-0007", "P-0001")[: len(lessons)]


TRIED = a_trial((0.5, 0.5))


def ended_as(outcome: Outcome, because: str = "so", name: str = "shop:CLAUDE.md", **fields: Any) -> StepOutcome:
    if outcome is Outcome.NO_CHANGE:
        fields.setdefault("trial", TRIED)
    return an_outcome(document=a_document(id=name), outcome=outcome, because=because, **fields)


def close(
    *outcomes: StepOutcome,
    stopped: SleepError | None = None,
    counts: SessionCounts | None = None,
    tasks: Sequence[Task] | None = None,
    notes: tuple[Note, ...] = (),
    resumed: bool = False,
    proposals: tuple[Proposal, ...] | None = None,
    corrections: Corrections = NO_CORRECTIONS,
    calibrations: Calibrations = NOTHING_CALIBRATED,
    sealed: SealedReplay | None = None,
    lessons: Sequence[Lesson] = (),
) -> NightReport:
    if proposals is None:
        proposals = tuple(a_proposal(path=outcome.document.path) for outcome in outcomes)
    done = Staged(
        sessions=counts or SessionCounts(seen=3, used=2, skipped={"active": 1}),
        tasks=(a_task(split=Split.TRAIN),) if tasks is None else tasks,
        outcomes=outcomes,
        corrections=corrections,
        calibrations=calibrations,
        sealed=sealed,
        proposals=proposals,
        lessons=lessons,
        notes=notes,
        spend=Spend(calls=7),
        ended=NOON + timedelta(minutes=5),
        stopped=stopped,
    )
    plan = a_plan(limits={"calls": 300.0}, model="simulated")
    return conclude(done, cast("OpenNight", OpenPage(resumed=resumed)), plan)


# the outcome --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("better", range(len(BEST_FIRST)))
def test_a_night_is_the_best_of_its_documents(better: int) -> None:
    outcomes = [ended_as(outcome, because=f"because of {outcome}") for outcome in BEST_FIRST[better:]]

    report = close(*outcomes[::-1])

    assert report.verdict is BEST_FIRST[better]
    assert report.because == f"shop:CLAUDE.md: because of {BEST_FIRST[better]}"
    assert report.remedy == REMEDIES[BEST_FIRST[better]]


def test_every_document_that_ended_as_the_night_is_in_its_sentence() -> None:
    report = close(
        ended_as(Outcome.IMPROVED, "0 → 1", "a"),
        ended_as(Outcome.NO_CHANGE, "worse", "b"),
        ended_as(Outcome.IMPROVED, "1 → 2", "c"),
    )

    assert report.because == "a: 0 → 1; c: 1 → 2"


SEEN_ONCE = ended_as(Outcome.UNVERIFIED, "seen in one session only", "a", waiting=1)
LEFT = ended_as(Outcome.UNVERIFIED, "left for another night", "b", train=2, unfinished=True, left=("s",))
UNSCORED = ended_as(Outcome.UNVERIFIED, "none of 6 attempts could be scored", "c", train=2).noted(
    Note(stage="rollout", summary="an attempt failed")
)
UNSEEN = ended_as(Outcome.UNVERIFIED, "its lesson has no unseen task", "c", train=2).noted(
    Note(stage="search", summary="1 edit wasn't tried", expected=True)
)
UNTESTED = replace(
    ended_as(Outcome.UNVERIFIED, "applied without a test", "d", train=2),
    verdict=Verdict(decision=Decision.ACCEPT, reason="applied"),
)


@pytest.mark.parametrize(
    ("outcomes", "remedy"),
    [
        ([SEEN_ONCE], REMEDIES[Outcome.UNVERIFIED]),
        ([LEFT, LEFT], "raise budget.calls"),
        ([UNSCORED], FIX_ERRORS),
        ([UNSEEN], REMEDIES[Outcome.UNVERIFIED]),
        ([with_parts(UNSCORED, unfinished=True)], FIX_ERRORS),
        ([UNTESTED], REMEDIES[Outcome.IMPROVED]),
        ([SEEN_ONCE, replace(SEEN_ONCE, document=a_document(id="b"))], REMEDIES[Outcome.UNVERIFIED]),
        ([SEEN_ONCE, LEFT, UNSCORED], f"raise budget.calls; {FIX_ERRORS}"),
        ([LEFT, ended_as(Outcome.UNDECIDED)], REMEDIES[Outcome.UNDECIDED]),
    ],
)
def test_the_remedy_of_an_unverified_night_is_that_of_its_reasons(outcomes: list[StepOutcome], remedy: str) -> None:
    assert close(*outcomes).remedy == remedy


def test_a_change_that_waits_in_a_proposal_for_several_files_is_staged_for_each() -> None:
    outcome = ended_as(Outcome.IMPROVED, "0 → 1")
    first = a_proposal()
    copy = ProposedFile(document="shop:CLAUDE.md", path=outcome.document.path, base="b", result="r", body="s")
    report = close(outcome, proposals=(changed(first, path="/p/AGENTS.md", copies=(copy,)),))

    assert report.verdict is Outcome.IMPROVED


def test_a_change_that_could_not_be_staged_improves_nothing() -> None:
    report = close(ended_as(Outcome.IMPROVED, "0 → 1"), proposals=())

    assert report.verdict is Outcome.UNVERIFIED
    assert "could not be staged" in report.because
    assert report.remedy == FIX_ERRORS
    assert report.documents[0].sessions.unfinished


STOPPED = {
    Outcome.OVER_BUDGET: BudgetExhausted("the limit of 3 calls is reached", remedy="raise it"),
    Outcome.INTERRUPTED: NightInterrupted("it was stopped", remedy="run it again"),
    Outcome.BACKEND_FAILED: BackendUnavailable("no route", remedy="check the address"),
}


@pytest.mark.parametrize(("outcome", "error"), STOPPED.items())
def test_what_cut_the_night_short_wins_over_its_documents(outcome: Outcome, error: SleepError) -> None:
    report = close(ended_as(Outcome.IMPROVED), stopped=error)

    assert (report.verdict, report.because, report.remedy) == (outcome, error.message, error.remedy)
    assert len(report.documents) == 1


def test_any_other_night_error_counts_as_a_failed_backend() -> None:
    assert close(stopped=StoreError("disk full")).verdict is Outcome.BACKEND_FAILED


@pytest.mark.parametrize("login", [True, False])
def test_a_login_is_asked_for_only_where_it_is_the_reason(login: bool) -> None:
    assert close(stopped=BackendUnavailable("no key", login=login)).run.login_needed is login


def test_a_whole_night_needs_no_login() -> None:
    assert close(ended_as(Outcome.NO_CHANGE)).run.login_needed is False


# nothing new --------------------------------------------------------------------------------------------


def test_no_session_is_nothing_new() -> None:
    report = close(counts=SessionCounts(), tasks=())

    assert report.verdict is Outcome.NOTHING_NEW
    assert "no new sessions" in report.because


def test_where_a_folder_could_not_be_read_nobody_knows_that_there_was_no_session() -> None:
    note = Note(stage="harvest", summary="/x can't be read", remedy="make it readable")
    report = close(counts=SessionCounts(), tasks=(), notes=(note,))
    assert note.summary in report.because
    assert report.remedy == note.remedy


def test_sessions_that_could_not_be_used_are_counted_by_reason() -> None:
    report = close(counts=SessionCounts(seen=5, skipped={"headless": 2, "active": 3}), tasks=())

    assert report.verdict is Outcome.NOTHING_NEW
    assert "2 started by a program, 3 still active" in report.because


def test_sessions_without_a_corrected_request_are_nothing_new() -> None:
    report = close(tasks=())

    assert report.verdict is Outcome.NOTHING_NEW
    assert "2 sessions" in report.because


def test_one_session_is_one_session() -> None:
    report = close(counts=SessionCounts(seen=1, used=1), tasks=())

    assert report.because.endswith(" 1 session")


def test_tasks_without_a_document_are_nothing_new_and_point_at_the_errors() -> None:
    report = close()

    assert report.verdict is Outcome.NOTHING_NEW
    assert "no document" in report.because
    assert "errors" in report.remedy


def test_every_outcome_of_a_whole_night_has_a_remedy() -> None:
    assert set(REMEDIES) == set(BEST_FIRST)
    assert all(REMEDIES.values())


# the record ---------------------------------------------------------------------------------------------


def test_the_report_is_the_night_as_it_was() -> None:
    report = close(ended_as(Outcome.NO_CHANGE), resumed=True)

    assert (report.night, report.run.folder) == ("2026-03-02", "/data/nights/2026-03-02")
    assert (report.started, report.ended) == (NOON, NOON + timedelta(minutes=5))
    assert report.run.resumed is True
    assert report.spend == Spend(calls=7)
    assert report.run.limits == {"calls": 300.0}
    assert report.run.model == "simulated"
    assert report.found.sessions.seen == 3


def test_no_report_keeps_the_texts_of_the_files_beside_a_document() -> None:
    document = a_document(loaded=(InForce(path="/home/ada/.claude/CLAUDE.md", text="My private memory."),))
    judged = Judged(
        kind=CandidateKind.RULE, edits=(), trial=Trial(), verdict=Verdict(decision=Decision.ABSTAIN, reason="")
    )
    tried = TriedEdits(early=(Early(candidate=document, tested=judged),))
    outcome = replace(ended_as(Outcome.UNVERIFIED), document=document, candidate=document, tried=tried)
    assert b"private" not in msgspec.json.encode(close(outcome))


def test_tasks_are_counted_by_side_and_no_side_is_missing() -> None:
    tasks = [a_task(split=side) for side in (Split.TRAIN, Split.TRAIN, Split.VAL)]

    assert close(tasks=tasks).found.tasks == {"train": 2, "val": 1, "test": 0, "waiting": 0}


def test_errors_are_the_notes_of_the_night_and_of_its_documents() -> None:
    first, second = Note(stage="mine", summary="a"), Note(stage="reflect", summary="b")

    assert close(ended_as(Outcome.NO_CHANGE, notes=(second,)), notes=(first,)).errors == (first, second)


def test_a_night_that_could_test_nothing_it_found_says_that_and_not_that_it_found_nothing() -> None:
    left_out = Note(
        stage="prove", summary="20 of 20 tasks dropped, as no test told the rejected answer from a good one"
    )
    report = close(tasks=(), notes=(left_out,))
    assert (report.verdict, report.because) == (Outcome.NOTHING_NEW, left_out.summary)
    assert report.remedy


def test_what_needs_the_repository_is_kept_and_needs_no_second_session() -> None:
    tasks = StepTasks(needs_repository=2)
    assert close(ended_as(Outcome.UNVERIFIED, tasks=tasks)).remedy == SEAL_IT
    seen_once = StepTasks(needs_repository=2, untestable=1)
    assert close(ended_as(Outcome.UNVERIFIED, tasks=seen_once)).remedy == REMEDIES[Outcome.UNVERIFIED]


def test_where_nothing_can_be_sealed_what_needs_the_repository_waits_for_what_helps() -> None:
    waits = ended_as(Outcome.UNVERIFIED, tasks=StepTasks(needs_repository=2))
    broken = SealedReplay(why_not="no seal holds on this machine", remedy="sudo apt-get install -y bubblewrap")
    report = close(waits, sealed=broken)
    assert report.judging.sealed == broken
    assert report.remedy == f"{broken.remedy}; {THEN_SEALED}"
    assert close(waits, sealed=SealedReplay(agent="Codex", seal="bubblewrap")).remedy == KEPT
    assert close(ended_as(Outcome.NO_CHANGE), sealed=broken).remedy == REMEDIES[Outcome.NO_CHANGE]


def test_what_can_be_judged_in_the_repositories_is_part_of_the_report() -> None:
    account = Calibrations(sessions=3, commands=1, refused={"flaky": 2})
    assert close(calibrations=account).judging.calibrations == account


def test_corrections_that_were_found_are_counted_with_what_became_of_them_and_the_next_step() -> None:
    found = Corrections(counts={"unused": 18, "for_once": 2})
    report = close(tasks=(), corrections=found)

    assert report.verdict is Outcome.NOTHING_NEW
    assert report.because.startswith("20 corrections were found, and no rule was tried for them: 18 × no lesson")
    assert "--model NAME --again" in report.remedy


def test_corrections_without_a_lesson_are_told_where_the_model_seems_to_be_the_trouble() -> None:
    for found, tells in ((30, True), (1, False)):
        report = close(UNSCORED, corrections=Corrections(counts={"unused": found}))
        assert (f"{found} × no lesson that can be tested was found" in report.because) is tells
        assert report.remedy == FIX_ERRORS


def test_what_only_waits_asks_for_nothing_while_less_was_lost_than_found() -> None:
    for lost in (1, 2):
        report = close(SEEN_ONCE, corrections=Corrections(counts={"needs_session": 1, "ungraded": lost}))
        assert ("judge.model" in report.remedy) is (lost == 2)
        assert (f"{lost} × only the judge" in report.because) is (lost == 2)
        assert "one more session" not in report.because


def test_nothing_is_to_be_done_only_if_no_document_asks_for_more() -> None:
    report = close(replace(UNSCORED, document=a_document(id="a")), SEEN_ONCE)

    assert report.remedy == FIX_ERRORS


def test_what_else_waited_when_it_ended_is_named_once() -> None:
    lessons = (a_lesson("Be brief."), a_lesson("Be kind."))
    report = close(proposals=(a_proposal(id="P-0001"),), lessons=lessons)
    assert report.others == ("P-0007",)


@pytest.mark.parametrize("stopped", [None, BudgetExhausted("the limit is reached", remedy="raise it")])
def test_the_trend_goes_to_the_end_of_the_night_and_counts_only_lessons_that_are_stored(
    stopped: SleepError | None,
) -> None:
    lesson = a_lesson("Use pnpm")
    trend = close(lessons=[lesson], stopped=stopped).found.trend
    assert trend.first == (NOON + timedelta(minutes=5)).date()
    assert trend.lessons[0].wording == ("" if stopped else lesson.id)
    assert trend.models[0].models == "simulated"
