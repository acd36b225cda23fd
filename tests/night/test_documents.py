"""Every document of a night has its own step, its own evidence, and a share of the error rate and of the calls."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.learning.ending import beginning
from skillopt_sleep.night.documents import steps
from skillopt_sleep.protocols import Routing
from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    GateRule,
    Judged,
    Metric,
    Outcome,
    Split,
    Task,
    Trajectory,
    Trial,
    Verdict,
    Waiting,
)
from skillopt_sleep.stores.bank import ADOPTED
from skillopt_sleep.stores.sqlite import SqliteStore
from tests.builders import a_document, a_proposal, a_task, an_edit
from tests.fakes import NOON, FakeClock, FakeExecutor, FakeJudge, FakeMeter
from tests.learning.test_step import TRAIN, VAL, Night, a_side, follows_the_rule
from tests.nights import RULE, a_crew, a_plan
from tests.stores.opening import open_at, seal


def test_the_documents_that_can_be_tested_share_the_error_rate_of_the_night(tmp_path: Path) -> None:
    shop, blog, idle = (a_document(id=name, path=f"/{name}.md") for name in ("shop", "blog", "idle"))
    routed = [replace(task, document=name) for name in ("shop", "blog") for task in (*TRAIN, *VAL)]
    routing = Routing(
        tasks=(*routed, *(replace(task, document="idle") for task in TRAIN)), documents=(shop, blog, idle)
    )
    night = Night()
    crew = a_crew(optimizer=night.optimizer, executor=night.executor, judge=night.judge)
    store = SqliteStore(tmp_path, clock=FakeClock(), lookback=timedelta(days=7), config="")
    with store.open_night() as page:
        outcomes = list(steps(routing, crew=crew, plan=a_plan(gate=GateRule(metric=Metric.HARD)), page=page))
    store.close()

    assert [outcome.trial.alpha for outcome in outcomes] == [0.025, 0.025, None]
    assert "at most 2.5 %;" in outcomes[0].verdict.error_rate


def of_two(grade: Any) -> tuple[Night, Routing]:
    """Two documents with the same tasks, and a night that grades them so."""
    documents = tuple(a_document(id=name, path=f"/{name}.md") for name in ("shop", "blog"))
    tasks: list[Task] = []
    for name in ("shop", "blog"):
        tasks += [replace(task, id=f"{name} {task.id}", document=name) for task in (*TRAIN, *VAL)]
    return Night(grade=grade), Routing(tasks=tuple(tasks), documents=documents)


def known_in_blog(task: Task, trajectory: Trajectory) -> float:
    return 1.0 if task.document == "blog" else follows_the_rule(task, trajectory)


def test_a_document_that_has_no_candidate_gets_no_share(tmp_path: Path) -> None:
    night, routing = of_two(known_in_blog)
    crew = a_crew(optimizer=night.optimizer, executor=night.executor, judge=night.judge)
    store = open_at(tmp_path)
    with store.open_night() as page:
        shop, blog = steps(routing, crew=crew, plan=a_plan(gate=GateRule(metric=Metric.HARD)), page=page)
    store.close()

    assert (shop.outcome, shop.trial.alpha) == (Outcome.IMPROVED, 0.05)
    assert (blog.outcome, blog.tried.tested) == (Outcome.NO_HEADROOM, ())


def test_val_is_asked_only_after_all_documents_have_learned_from_train(tmp_path: Path) -> None:
    night, routing = of_two(follows_the_rule)
    crew = a_crew(optimizer=night.optimizer, executor=night.executor, judge=night.judge)
    store = open_at(tmp_path)
    with store.open_night() as page:
        list(steps(routing, crew=crew, plan=a_plan(gate=GateRule(metric=Metric.HARD)), page=page))
    store.close()

    splits = [task.split for task, _, _ in night.executor.jobs]
    first = splits.index(Split.VAL)
    assert len(splits[:first]) == 2 * len(TRAIN)
    assert Split.TRAIN not in splits[first:]


def test_a_resumed_night_keeps_its_shares_and_tries_nothing_that_has_none(tmp_path: Path) -> None:
    plan = a_plan(gate=GateRule(metric=Metric.HARD))
    store = open_at(tmp_path)
    with store.open_night() as page:
        for grade in (known_in_blog, follows_the_rule):
            night, routing = of_two(grade)
            crew = a_crew(optimizer=night.optimizer, executor=night.executor, judge=night.judge)
            shop, blog = steps(routing, crew=crew, plan=plan, page=page)
            assert shop.trial.alpha == 0.05
    store.close()

    assert (blog.outcome, blog.tried.tested, blog.sessions.unfinished) == (Outcome.UNVERIFIED, (), True)
    assert "left for another night" in blog.because


def test_a_document_whose_tasks_need_the_repository_shares_neither_the_error_rate_nor_the_calls(
    tmp_path: Path,
) -> None:
    shop, blog = (a_document(id=name, path=f"/{name}.md") for name in ("shop", "blog"))
    tried = [replace(task, document="shop") for task in (*TRAIN, *VAL)]
    waiting = [replace(task, document="blog", needs_repository=True) for task in (*TRAIN, *VAL)]
    routing = Routing(tasks=(*waiting, *tried), documents=(blog, shop))
    night = Night()
    crew = a_crew(optimizer=night.optimizer, executor=night.executor, judge=night.judge, meter=FakeMeter(left=20))
    store = open_at(tmp_path)
    with store.open_night() as page:
        outcomes = list(steps(routing, crew=crew, plan=a_plan(gate=GateRule(metric=Metric.HARD)), page=page))
    store.close()

    told = {outcome.document.id: outcome for outcome in outcomes}
    assert told["shop"].trial.alpha == 0.05
    assert told["blog"].because.startswith("needs the repository: 4 tasks wait")
    assert not told["blog"].sessions.unfinished


def test_the_documents_share_the_error_rate_of_removals_too(tmp_path: Path) -> None:
    taught = replace(TRAIN[0], project="/p")
    val = [replace(task, project="/p") for task in VAL]
    documents = [a_document(RULE, id=name, path=f"/{name}.md") for name in ("shop", "blog")]
    routed = [replace(task, document=name) for name in ("shop", "blog") for task in (taught, *val)]
    crew = a_crew(executor=FakeExecutor(), judge=FakeJudge(1.0))
    store = SqliteStore(tmp_path, clock=FakeClock(), lookback=timedelta(days=7), config="")
    proposals = [
        a_proposal(id=f"P-000{n}", path=d.path, edits=(an_edit(RULE, tasks=(taught.id,)),))
        for n, d in enumerate(documents)
    ]
    with store.open_night() as page:
        seal(page, proposals=tuple(proposals))
    for proposal in proposals:
        store.bank.decide(proposal.id, ADOPTED, at=NOON)
    with store.open_night() as page:
        routing = Routing(tasks=tuple(routed), documents=tuple(documents))
        outcomes = list(steps(routing, crew=crew, plan=a_plan(max_chars=25), page=page))
    store.close()

    removals = [one for outcome in outcomes for one in outcome.tried.tested]
    assert [(one.kind, one.trial.alpha, one.trial.margin) for one in removals] == [
        (CandidateKind.REMOVAL, 0.025, 0.1)
    ] * 2
    assert [outcome.outcome for outcome in outcomes] == [Outcome.NO_HEADROOM] * 2
    assert [len(outcome.tried.undecided) for outcome in outcomes] == [1, 1]


def test_a_document_the_calls_do_not_reach_keeps_its_sessions_for_another_night(tmp_path: Path) -> None:
    shop, blog = (a_document(id=name, path=f"/{name}.md") for name in ("shop", "blog"))
    more = a_task(id="again", session="again", lesson="c", split=Split.VAL, document="shop")
    routed = [replace(task, document=name) for name in ("blog", "shop") for task in (*TRAIN, *VAL)]
    routing = Routing(tasks=(*routed, more), documents=(blog, shop))
    night = Night()
    meter = FakeMeter(left=20)
    crew = a_crew(optimizer=night.optimizer, executor=night.executor, judge=night.judge, meter=meter)
    store = open_at(tmp_path)
    with store.open_night() as page:
        first, second = steps(routing, crew=crew, plan=a_plan(), page=page)
        meter.calls_left = 0
        again = [outcome.document.id for outcome in steps(routing, crew=crew, plan=a_plan(), page=page)]
    store.close()

    assert (first.document.id, first.outcome) == ("shop", Outcome.IMPROVED)
    assert (second.document.id, second.outcome, second.sessions.unfinished) == ("blog", Outcome.UNVERIFIED, True)
    assert second.because.startswith("left for another night")
    assert second.sessions.left == second.sessions.ids
    assert {task.document for task, _, _ in night.executor.jobs} == {"shop"}
    # A life that goes on with the night works on the same documents, though fewer calls are left.
    assert again == ["shop", "blog"]


def test_what_each_task_scored_without_a_change_is_told(tmp_path: Path) -> None:
    routing = Routing(
        tasks=tuple(replace(t, document="shop") for t in (*TRAIN, *VAL)), documents=(a_document(id="shop"),)
    )
    night = Night()
    crew = a_crew(optimizer=night.optimizer, executor=night.executor, judge=night.judge)
    store = open_at(tmp_path)
    with store.open_night() as page:
        (outcome,) = steps(routing, crew=crew, plan=a_plan(), page=page)
    store.close()

    assert outcome.later.scores == {task.id: 0.0 for task in (*TRAIN, *VAL)}


def test_what_waits_for_a_lesson_that_was_taken_back_is_dropped_with_a_note(tmp_path: Path) -> None:
    document = a_document(id="shop", path="/shop.md")
    verdict = Verdict(decision=Decision.UNDECIDED, reason="one session", early=True)
    edits = (an_edit("- Use tabs.", lessons=("gone",)),)
    tested = Judged(kind=CandidateKind.BUNDLE, edits=edits, trial=Trial(), verdict=verdict)
    wait = Waiting(night="n1", path=document.path, base=document.sha, crew="m v", tested=tested)
    before = beginning(document, (), waiting=())
    before = replace(before, tried=replace(before.tried, undecided=(wait,)))
    night = Night()
    crew = a_crew(optimizer=night.optimizer, executor=night.executor, judge=night.judge)
    tasks = tuple(replace(task, document="shop") for task in (*TRAIN, *VAL))
    store = SqliteStore(tmp_path, clock=FakeClock(), lookback=timedelta(days=7), config="")
    with store.open_night() as page:
        seal(page, documents=(before,))
    with store.open_night() as page:
        routing = Routing(tasks=tasks, documents=(document,))
        (outcome,) = steps(routing, crew=crew, plan=a_plan(), page=page, ended={"gone"})
    store.close()

    assert wait not in outcome.tried.undecided
    assert any("you took its lesson back" in note.summary for note in outcome.notes)


def test_tasks_of_a_lesson_that_was_taken_back_no_longer_defend_its_rule(tmp_path: Path) -> None:
    document = a_document(RULE, id="shop", path="/shop.md")
    old, other = (
        [
            a_task(
                id=f"{lesson}{n}",
                session=f"{lesson}{n}",
                project="/p",
                lesson=lesson,
                split=Split.VAL if n else Split.TRAIN,
            )
            for n in range(3)
        ]
        for lesson in ("old", "other")
    )
    rule = a_proposal(path=document.path, edits=(an_edit(RULE, tasks=("old0", "other0")),))
    executor = FakeExecutor()
    store = open_at(tmp_path)
    with store.open_night() as page:
        seal(page, tasks=(*old, *other), proposals=(rule,))
    store.bank.decide(rule.id, ADOPTED, at=NOON)
    with store.open_night() as page:
        routing = Routing(
            tasks=tuple(replace(task, project="/p", document="shop") for task in TRAIN), documents=(document,)
        )
        crew = a_crew(executor=executor, judge=FakeJudge(1.0))
        list(steps(routing, crew=crew, plan=a_plan(max_chars=25), page=page, ended={"old"}))
    store.close()

    asked = {task.id for task, _, _ in executor.jobs}
    assert {"other1", "other2"} <= asked
    assert asked.isdisjoint(task.id for task in old)


@pytest.mark.parametrize("stands", [True, False])
def test_a_rule_that_stands_is_guarded_however_old_its_lesson_is(tmp_path: Path, *, stands: bool) -> None:
    document = a_document("- Say why." if stands else "- Old.", id="shop", path="/shop.md")
    lesson = replace(VAL[0], id="old", session="old", project="/p", lesson="learned", at=NOON - timedelta(days=400))
    rule = a_proposal(path=document.path, edits=(an_edit("- Say why.", lessons=("learned",)),))

    def grade(task: Task, trajectory: Trajectory) -> float:
        return float((RULE in trajectory.response) != (task.lesson == "learned"))

    night = Night(grade=grade)
    store = open_at(tmp_path)
    with store.open_night() as page:
        seal(page, tasks=(lesson,), proposals=(rule,))
    store.bank.decide(rule.id, ADOPTED, at=NOON)
    with store.open_night() as page:
        tasks = tuple(
            replace(task, project="/p", document="shop") for task in (*TRAIN, *a_side(Split.VAL, 1, 2, 3, 4))
        )
        crew = a_crew(optimizer=night.optimizer, executor=night.executor, judge=night.judge)
        routing = Routing(tasks=tasks, documents=(document,))
        (outcome,) = steps(routing, crew=crew, plan=a_plan(gate=GateRule(metric=Metric.HARD)), page=page)
    store.close()

    assert outcome.outcome is (Outcome.NO_CHANGE if stands else Outcome.IMPROVED)
    assert [harm.lesson for harm in outcome.trial.guard.harmed] == (["learned"] if stands else [])
