"""A rule is tried alone on its own lessons, and what isn't proven goes on another night with what it was worth."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.errors import ItemError
from skillopt_sleep.learning.rule import (
    MOST_ROUNDS,
    CandidateRule,
    TriedRule,
    about,
    effect,
    going_on,
    try_rule,
    waiting,
)
from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    Document,
    Edit,
    EditOp,
    Effect,
    GateRule,
    Judged,
    Lost,
    Metric,
    Note,
    Pair,
    Solved,
    Split,
    Task,
    Trajectory,
    Trial,
    Verdict,
    WaitingCandidate,
)
from skillopt_sleep.replay.text import CANDIDATE_SAMPLES
from tests.builders import a_document, a_task, an_edit
from tests.fakes import FakeExecutor, FakeJudge
from tests.nights import a_crew

GATE = GateRule(metric=Metric.HARD)
DOCUMENT = a_document("- Old.")
EDIT = an_edit("- New.", lessons=("lesson",))
OLD = [a_task(id=f"v{n}", session=f"s{n}", split=Split.VAL, lesson="lesson") for n in range(2)]
FRESH = a_task(id="v9", session="s9", split=Split.VAL, lesson="lesson")
SHARE = 0.02
Grade = Callable[[str, str], float | Exception]


def mends(_task: str, response: str) -> float:
    return float("New" in response)


def never(_task: str, _response: str) -> float:
    return 0.0


def crew(grade: Grade = mends, *, identity: str = "m v", model: str = "") -> tuple[Any, FakeExecutor]:
    def attempt(task: Task, version: Document, sample: int) -> Trajectory:
        return Trajectory(response=f"{task.id}|{version.body}|{sample}", model=model)

    executor = FakeExecutor(attempt)
    judge = FakeJudge(lambda task, trajectory: grade(task.id, trajectory.response))
    return a_crew(executor=executor, judge=judge, identity=lambda: identity), executor


def tried(
    rule: CandidateRule | None = None,
    grade: Grade = mends,
    *,
    base: Document = DOCUMENT,
    gate: GateRule = GATE,
    share: float = SHARE,
    most: int = 10_000,
    **fields: Any,
) -> tuple[TriedRule, FakeExecutor]:
    own, executor = crew(grade, **fields)
    rule = rule or CandidateRule(CandidateKind.RULE, (EDIT,), tuple(OLD))
    return try_rule(base, rule, crew=own, gate=gate, share=share, most=most), executor


# one trial ----------------------------------------------------------------------------------------------


def test_it_is_tried_alone_on_its_own_tasks_with_the_share_it_is_given() -> None:
    found, executor = tried(share=0.05)

    assert (found.won, found.begun, found.tested.verdict.decision) == (True, True, Decision.ACCEPT)
    assert (found.tested.kind, found.tested.edits, found.tested.trial.alpha) == (CandidateKind.RULE, (EDIT,), 0.05)
    assert {(task.id, version.body) for task, version, _ in executor.jobs} == {
        (name, body) for name in ("v0", "v1") for body in ("- Old.", "- Old.\n- New.")
    }
    assert found.tested.trial.lessons == ("lesson",)


def test_what_is_early_has_won_too() -> None:
    found, _ = tried(CandidateRule(CandidateKind.RULE, (EDIT,), (FRESH,)), share=0.05)

    assert (found.won, found.tested.verdict.decision, found.tested.verdict.early) == (True, Decision.UNDECIDED, True)


def test_a_rule_that_does_not_fit_is_not_begun_and_that_is_noted() -> None:
    found, executor = tried(most=8)

    assert (found.begun, found.tested.trial.alpha, executor.jobs) == (False, SHARE, [])
    assert "it doesn't fit beside what was proven tonight" in found.notes[0].summary


def test_one_whose_attempts_could_not_be_scored_counts_as_not_tried() -> None:
    found, _ = tried(grade=lambda task, response: ItemError("can't tell"))

    assert (found.won, found.tested.verdict.decision) == (False, Decision.ABSTAIN)
    assert "it counts as not tried: no unseen task could be scored" in found.notes[0].summary
    kept = waiting(DOCUMENT, found.tested, night="n1", crew=crew()[0])
    assert (kept.tested.verdict.decision, kept.tested.trial.pairs, kept.tested.trial.alpha) == (
        Decision.UNDECIDED,
        (),
        SHARE,
    )


def test_guidance_is_bet_on_with_all_tasks() -> None:
    found, _ = tried(CandidateRule(CandidateKind.GUIDANCE, (EDIT,), (*OLD, replace(FRESH, lesson="other"))))

    assert found.tested.trial.lessons == ()
    assert {pair.lesson for pair in found.tested.trial.own} == {"lesson", "other"}


# between two nights -------------------------------------------------------------------------------------


def a_wait(
    grade: Grade = mends, *, rounds: int = 1, val: Sequence[Task] = OLD, model: str = "", **fields: Any
) -> WaitingCandidate:
    """A rule after a night that couldn't prove it."""
    own, _ = crew(grade, model=model)
    rule = CandidateRule(CandidateKind.RULE, (EDIT,), tuple(val))
    found = try_rule(DOCUMENT, rule, crew=own, gate=replace(GATE, rounds=rounds), share=SHARE, most=10_000)
    return replace(waiting(DOCUMENT, found.tested, night="n1", crew=own), **fields)


def gone_on(
    *waits: WaitingCandidate,
    val: Sequence[Task] = (*OLD, FRESH),
    document: Document = DOCUMENT,
    identity: str = "m v",
    known: Sequence[Task] = (),
    refused: Sequence[Edit] = (),
) -> tuple[list[CandidateRule], list[WaitingCandidate], list[Note]]:
    own, _ = crew(identity=identity)
    keys = {edit.key for edit in refused}
    return going_on(document, waits, val, known=known, crew=own, refused=keys, rounds=1)


def only(*waits: WaitingCandidate, **fields: Any) -> CandidateRule:
    (rule,), rest, notes = gone_on(*waits, **fields)
    assert (rest, notes) == ([], [])
    return rule


def test_a_new_unseen_task_lets_it_go_on_with_its_wealth_and_its_share() -> None:
    wait = a_wait()
    assert wait.tested.verdict.decision is Decision.UNDECIDED

    found, executor = tried(only(wait), share=0.05)

    trial = found.tested.trial
    assert found.tested.verdict.decision is Decision.ACCEPT
    assert (trial.pairs[: wait.tested.trial.n], trial.alpha) == (wait.tested.trial.pairs, SHARE)
    assert {task.id for task, _, _ in executor.jobs} == {"v0", "v1", "v9"}
    assert min(sample % CANDIDATE_SAMPLES for _, _, sample in executor.jobs) == trial.first + wait.tested.trial.rounds


@pytest.mark.parametrize("decision", [Decision.UNDECIDED, Decision.REJECT])
def test_without_a_new_unseen_task_of_its_lesson_it_waits_as_it_is(decision: Decision) -> None:
    wait = a_wait(never if decision is Decision.REJECT else mends, rounds=8 if decision is Decision.REJECT else 2)
    other = replace(FRESH, lesson="other")

    assert wait.tested.verdict.decision is decision
    assert gone_on(wait, val=[*OLD, other]) == ([], [wait], [])


def test_one_that_had_the_rounds_of_one_night_only_goes_on_without_a_new_task() -> None:
    wait = a_wait(rounds=1)

    assert wait.tested.verdict.decision is Decision.UNDECIDED
    assert len(gone_on(wait, val=OLD)[0]) == 1


def test_a_rejected_rule_goes_on_with_its_evidence_when_a_new_unseen_task_comes() -> None:
    wait = a_wait(never, rounds=8)

    found, _ = tried(only(wait), share=0.05)

    before, after = wait.tested.trial, found.tested.trial
    assert wait.tested.verdict.decision is Decision.REJECT
    assert after.pairs[: before.n] == before.pairs
    assert (after.rounds > before.rounds, after.alpha) == (True, SHARE)


def test_what_a_rejected_rule_lost_stays_lost() -> None:
    lost = a_wait(lambda task, response: 1.0 - mends(task, response), rounds=1)
    again, _ = tried(only(lost))
    anew, _ = tried(CandidateRule(CandidateKind.RULE, (EDIT,), (*OLD, FRESH)), share=SHARE)

    assert again.tested.verdict.decision is anew.tested.verdict.decision is Decision.ACCEPT
    assert again.tested.trial.rounds - lost.tested.trial.rounds > anew.tested.trial.rounds


def test_text_around_it_may_change_and_both_versions_have_the_new_one() -> None:
    wait = a_wait()
    living = replace(a_document("- Old.\n- Since then."), lead="# Shop, since this morning\n\n")

    rule = only(wait, document=living)
    found, executor = tried(rule, base=living)

    assert {version.body for _, version, _ in executor.jobs} == {
        "- Old.\n- Since then.",
        "- Old.\n- Since then.\n- New.",
    }
    assert found.tested.trial.pairs[: wait.tested.trial.n] == wait.tested.trial.pairs


def a_proven() -> WaitingCandidate:
    """A rule that won, and whose guard was cut short."""
    wait = a_wait()
    verdict = Verdict(decision=Decision.ACCEPT, reason="better")
    return replace(wait, tested=replace(wait.tested, verdict=verdict))


def test_one_that_has_won_needs_no_new_task_and_asks_nothing() -> None:
    wait = a_proven()

    rule = only(wait, val=OLD)
    found, executor = tried(rule)

    assert (rule.has_won, found.won, executor.jobs) == (True, True, [])
    assert found.tested == wait.tested


@pytest.mark.parametrize(
    ("fields", "because"),
    [
        ({"refused": [EDIT]}, "you have rejected it since"),
        ({"document": a_document("- Old.\n- New.")}, "its document changed, so it doesn't apply any more"),
    ],
)
def test_one_that_can_not_go_on_is_let_go_by_name_and_that_is_no_problem(
    fields: dict[str, Any], because: str
) -> None:
    rules, rest, (note,) = gone_on(a_wait(), **fields)

    assert (rules, rest) == ([], [])
    assert (because in note.summary, "the change of n1" in note.summary, note.expected) == (True, True, True)


@pytest.mark.parametrize(("wait", "goes"), [(a_wait(), False), (a_proven(), True)], ids=["undecided", "won"])
def test_one_that_never_comes_to_an_end_is_let_go_unless_it_has_won(wait: WaitingCandidate, goes: bool) -> None:
    trial = replace(wait.tested.trial, rounds=MOST_ROUNDS)
    endless = replace(wait, tested=replace(wait.tested, trial=trial))

    rules, rest, notes = gone_on(endless)

    assert (len(rules), rest, len(notes)) == (int(goes), [], int(not goes))
    assert all("still undecided after 40 rounds" in note.summary for note in notes)


# another model ------------------------------------------------------------------------------------------


def test_if_others_attempt_and_grade_it_begins_anew_with_its_share_and_says_so() -> None:
    (rule,), _, (note,) = gone_on(a_wait(), identity="m2 v")

    assert rule.wait is not None
    assert (rule.wait.tested.trial.pairs, rule.wait.tested.trial.alpha, rule.wait.crew) == ((), SHARE, "m2 v")
    assert ("its trial begins anew, as m2 v answers now" in note.summary, note.expected) == (True, True)


def test_the_crew_that_began_it_anew_is_the_one_that_is_kept() -> None:
    _, (wait,), _ = gone_on(replace(a_wait(), crew="m0 v"), val=[])

    assert wait.crew == "m v"
    assert gone_on(wait, val=[])[2] == []


@pytest.mark.parametrize(("before", "tonight"), [("m-1", "m-1"), ("", "m-2"), ("m-1", "")])
def test_a_trial_goes_on_while_no_other_model_is_seen_to_answer(before: str, tonight: str) -> None:
    wait = a_wait(model=before)

    found, _ = tried(only(wait), model=tonight)

    assert found.tested.trial.pairs[: wait.tested.trial.n] == wait.tested.trial.pairs
    assert found.tested.trial.models == tuple(filter(None, [tonight or before]))
    assert found.notes == ()


def test_a_model_whose_name_changed_begins_the_trial_anew() -> None:
    wait = a_wait(model="m-1")

    found, executor = tried(only(wait), model="m-2")

    trial = found.tested.trial
    drawn = {sample for _, version, sample in executor.jobs if version == DOCUMENT}
    assert {pair.sample for pair in trial.pairs} == drawn
    assert drawn.isdisjoint(pair.sample for pair in wait.tested.trial.pairs)
    assert (trial.models, trial.alpha, trial.rounds) == (("m-2",), SHARE, len(drawn))
    assert "its trial begins anew: m-1 answered until now, and m-2 tonight" in found.notes[0].summary


# removals and lessons -----------------------------------------------------------------------------------


def test_a_removal_goes_on_with_the_tasks_that_exercise_its_rule_though_none_is_new() -> None:
    known = [a_task(id=f"c{n}", session=f"c{n}", lesson="c", split=Split.VAL if n else Split.TRAIN) for n in range(4)]
    removal = an_edit("", op=EditOp.DELETE, target="- Old.", tasks=("c0",), lessons=("c",))
    wait = a_wait()
    wait = replace(wait, tested=replace(wait.tested, kind=CandidateKind.REMOVAL, edits=(removal,)))

    rule = only(wait, known=(*known, *OLD, FRESH))

    assert [task.id for task in rule.val] == ["c1", "c2", "c3"]
    assert gone_on(wait, known=OLD)[:2] == ([], [wait])


def test_an_edit_is_about_the_tasks_of_its_lessons_and_of_unknown_ones_about_all() -> None:
    tasks = [*OLD, replace(FRESH, lesson="other")]

    assert about([EDIT], tasks) == tuple(OLD)
    assert about([EDIT, an_edit(lessons=("other",))], tasks) == tuple(tasks)
    assert about([an_edit()], tasks) == tuple(tasks)


# what it did --------------------------------------------------------------------------------------------


def judged(
    gains: Sequence[float],
    decision: Decision,
    *,
    kind: CandidateKind = CandidateKind.RULE,
    reason: str = "so it was",
    early: bool = False,
    sessions: int = 99,
    **fields: Any,
) -> Judged:
    pairs = tuple(
        Pair(
            task=f"v{i % sessions}",
            lesson="lesson",
            session=f"s{i % sessions}",
            sample=i,
            before=max(0.0, -gain),
            after=max(0.0, gain),
            solved=(gain < 0, gain > 0),
        )
        for i, gain in enumerate(gains)
    )
    wealth = fields.pop("wealth", (0.0,) * 3)
    values: dict[str, Any] = {
        "lessons": ("lesson",),
        "pairs": pairs,
        "rounds": 1,
        "calls": 2 * len(pairs),
        "wealth": wealth,
    } | fields
    interval = values.pop("interval", (-0.5, 0.5))
    trial = Trial(interval=interval, **values)
    return Judged(
        kind=kind, edits=(EDIT,), trial=trial, verdict=Verdict(decision=decision, reason=reason, early=early)
    )


def told(tested: Judged) -> tuple[Effect, str]:
    found = effect(tested, rule=GATE)
    return found.effect, found.because


def test_an_accepted_rule_helped_with_the_numbers_of_its_trial() -> None:
    found = effect(judged([1.0] * 4, Decision.ACCEPT), rule=GATE)

    assert (found.edit, found.effect, found.because) == (EDIT, Effect.HELPED, "")
    assert (found.n, found.before, found.after, found.calls) == (4, 0.0, 1.0, 8)
    assert found.solved == Solved(before=0, after=4, n=4, requests=4)


@pytest.mark.parametrize(
    ("interval", "shown"),
    [
        ((-0.9, -0.1), Effect.HARMFUL),
        ((-0.1, 0.04), Effect.NEUTRAL),
        ((-0.5, 0.5), Effect.UNDECIDED),
        ((0.1, 0.9), Effect.UNDECIDED),
        (None, Effect.UNDECIDED),
    ],
)
@pytest.mark.parametrize("decision", [Decision.REJECT, Decision.UNDECIDED])
def test_nothing_is_called_harmful_or_useless_without_an_interval_that_says_so(
    interval: tuple[float, float] | None, shown: Effect, decision: Decision
) -> None:
    assert told(judged([0.0] * 2, decision, interval=interval))[0] is shown


def test_a_void_trial_shows_neither_harm_nor_help_and_says_why() -> None:
    void = judged([-1.0] * 9, Decision.ABSTAIN, interval=(-0.9, -0.5), reason="the trial is void")

    assert told(void) == (Effect.UNDECIDED, "the trial is void")


def test_a_removal_that_is_proven_no_loss_did_nothing() -> None:
    assert told(judged([0.0] * 9, Decision.ACCEPT, kind=CandidateKind.REMOVAL))[0] is Effect.NEUTRAL


def test_one_that_harmed_another_lesson_says_so() -> None:
    reason = "better, but it made another lesson worse"

    assert told(judged([1.0] * 9, Decision.REJECT, reason=reason))[1] == reason


UNDECIDED = {
    "one session": (judged([1.0] * 3, Decision.UNDECIDED, sessions=1), "an unseen task of another session"),
    "early": (judged([1.0] * 8, Decision.UNDECIDED, sessions=1, early=True), "early: proven on one of the two"),
    "too narrow": (
        judged([1.0, 0.0, 0.0, 1.0], Decision.UNDECIDED, sessions=3, wealth=(9.0,) * 3),
        "it helped in 1 of 3 sessions; a gain in another would prove it",
    ),
    "too little": (judged([1.0, 1.0], Decision.UNDECIDED, wealth=(0.7, 1.0, 1.3)), "more tries like these"),
    "never": (judged([0.0, 0.0], Decision.UNDECIDED), "not proven yet"),
    "its guard": (
        judged([1.0] * 4, Decision.UNDECIDED, wealth=(9.0,) * 3, reason="better, but nobody knows its harm"),
        "better, but nobody knows its harm",
    ),
    "not tried": (judged([], Decision.UNDECIDED, rounds=0, reason="not tried yet"), "not tried yet"),
}


@pytest.mark.parametrize(("tested", "because"), UNDECIDED.values(), ids=UNDECIDED)
def test_an_undecided_rule_says_what_it_waits_for(tested: Judged, because: str) -> None:
    assert because in told(tested)[1]


def test_attempts_that_ended_without_an_answer_are_no_pairs_of_its_effect() -> None:
    lost = (Pair(task="v", lesson="lesson", session="s", sample=0, before=1.0, after=0.0),)
    found = effect(judged([], Decision.REJECT, lost_attempts=lost, lost=Lost(after=1)), rule=GATE)

    assert (found.n, found.before) == (0, None)
