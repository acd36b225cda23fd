"""Whole nights on real files with the real store: what each ends as, what it reads, and what it leaves."""

from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from skillopt_sleep.example.model import SimulatedBackend
from skillopt_sleep.kit.codec import from_json
from skillopt_sleep.pools.threads import ThreadPool
from skillopt_sleep.records import (
    EditFate,
    NightReport,
    Note,
    Outcome,
    PlaceKind,
    Purpose,
    Split,
    Task,
    TaskOrigin,
)
from skillopt_sleep.stores.bank import REJECTED, WAITING
from tests.builders import a_session, a_task
from tests.nights import ASKS, HARMFUL, NOTE, RULE, USELESS, Machine, NothingExcluded
from tests.reporters.reports import render


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def banked(machine: Machine) -> tuple[Task, ...]:
    store = machine.store()
    tasks = store.bank.all_tasks()
    store.close()
    return tasks


# improved -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("heuristic", [True, False])
def test_a_recurring_correction_becomes_a_proposal(machine: Machine, heuristic: bool) -> None:
    machine.had(0, 1, 2, 3)
    live = machine.project() / "CLAUDE.md"
    before = live.read_bytes()

    report = machine.night(heuristic=heuristic)

    assert report.verdict is Outcome.IMPROVED
    assert (report.found.sessions.seen, report.found.sessions.used) == (4, 4)
    assert report.found.tasks == {"train": 2, "val": 2, "test": 0, "waiting": 0}
    assert report.errors == ()
    (document,), (proposal,) = report.documents, report.proposals
    assert (document.trial.before, document.trial.after, document.trial.n) == (0.25, 1.0, 2)
    assert [applied.edit.content for applied in document.tried.edits if applied.fate is EditFate.APPLIED] == [RULE]
    assert RULE in (Path(report.run.folder) / "proposals" / proposal.id / "result").read_text(encoding="utf-8")
    assert live.read_bytes() == before
    assert machine.unread() == []


def test_a_night_writes_its_reports_and_its_stages(machine: Machine) -> None:
    machine.had(0, 1, 2, 3)
    report = machine.night()

    folder = Path(report.run.folder)
    names = {"report.md", "report.html", "report.json", "diagnostics.json", "calls.jsonl"}
    stages = {
        f"{stage}.jsonl" for stage in ("sessions", "lessons", "tasks", "rollouts", "patches", "edits", "trials")
    }
    assert {path.name for path in folder.iterdir()} == names | stages | {"proposals"}
    assert from_json((folder / "report.json").read_bytes(), NightReport) == report


def test_the_store_remembers_the_report_and_the_proposal(machine: Machine) -> None:
    machine.had(0, 1, 2, 3)
    report = machine.night()

    store = machine.store()
    assert store.report(report.night) == report
    assert [(decided.proposal, decided.state) for decided in store.bank.proposals()] == [
        (report.proposals[0], WAITING)
    ]
    store.close()


def test_with_four_threads_a_night_ends_as_with_one(tmp_path: Path) -> None:
    reports: list[NightReport] = []
    for pool in (None, ThreadPool(4, lambda label, done, total: None)):
        machine = Machine(tmp_path / str(len(reports)))
        machine.had(0, 1, 2, 3)
        machine.had(0, 1, 2, 3, said=USELESS, name="data")
        reports.append(machine.night(pool=pool))

    one, four = reports
    assert (one.verdict, one.because, one.found.tasks) == (four.verdict, four.because, four.found.tasks)
    assert [d.trial for d in one.documents] == [d.trial for d in four.documents]
    for name in ("rollouts", "patches", "edits", "trials"):
        rows = [(Path(report.run.folder) / f"{name}.jsonl").read_text(encoding="utf-8") for report in reports]
        assert rows[0] == rows[1], name


def test_every_project_is_taught_for_itself(machine: Machine) -> None:
    machine.had(0, 1, 2, 3)
    machine.had(0, 1, 2, 3, said=USELESS, name="data")
    machine.had(0, 1, 2, 3, said=HARMFUL, name="standup", ask=NOTE)

    report = machine.night()

    assert report.verdict is Outcome.IMPROVED
    ends = {outcome.document.id: outcome.outcome for outcome in report.documents}
    assert ends == {
        "shop/CLAUDE.md": Outcome.IMPROVED,
        "data/CLAUDE.md": Outcome.NO_CHANGE,
        "standup/CLAUDE.md": Outcome.NO_CHANGE,
    }
    assert [proposal.document for proposal in report.proposals] == ["shop/CLAUDE.md"]


@pytest.mark.parametrize("heuristic", [True, False])
def test_what_is_said_in_a_third_project_is_one_lesson_of_the_person_with_all_its_tasks(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, *, heuristic: bool
) -> None:
    for number, name in enumerate(("shop", "blog")):
        machine.had(number, name=name)
        assert machine.night(heuristic=heuristic).verdict is Outcome.UNVERIFIED

    machine.had(2, 3, name="wiki")
    report = machine.night(heuristic=heuristic)

    (document,) = report.documents
    assert document.document.id.startswith("~/")
    assert (document.tasks.train, document.tasks.val) == (2, 2)
    assert report.verdict is Outcome.IMPROVED
    store = machine.store()
    (lesson,) = store.lessons.every()
    store.close()
    assert {(task.lesson, task.wanted.holds.kind) for task in banked(machine)} == {(lesson.id, PlaceKind.PERSON)}
    assert len(lesson.sessions) == 4
    (proposal,) = report.proposals
    assert proposal.projects == ("shop", "blog", "wiki")
    monkeypatch.setenv("HOME", proposal.root)
    text = render(report)
    assert "in all your projects: you said it in shop, blog, wiki" in text


OWN_WISHES = {
    "shop": ("write the stand-up note", "too long - always name the ticket, at most 200 characters"),
    "blog": ("draft the post", "no - always begin with a date, never with a greeting"),
    "wiki": ("name the new page", "no - always use kebab-case here, never snake_case"),
}


@pytest.mark.parametrize("nights", [1, 3])
def test_what_is_said_once_in_each_of_three_projects_can_be_proven(machine: Machine, nights: int) -> None:
    """Whatever else came up in these sessions, and whether the projects were known to have it in common."""
    report = None
    for number, (name, (ask, said)) in enumerate(OWN_WISHES.items()):
        machine.had(number, name=name)
        session = machine.shelf.sessions[-1]
        turns = (*a_session(ask, "Done.", said).turns, *session.turns)
        machine.shelf.sessions[-1] = replace(session, turns=turns)
        if nights == 3 or name == "wiki":
            report = machine.night()

    assert report is not None
    assert report.verdict is Outcome.IMPROVED
    common = [task for task in banked(machine) if task.wanted.holds.kind is PlaceKind.PERSON]
    assert [task.split for task in common] == [Split.TRAIN, Split.VAL, Split.VAL]
    sides = {(task.session, task.split) for task in banked(machine) if task.split is not None}
    assert len(sides) == 3


def test_the_same_change_is_not_proposed_twice_while_it_waits(machine: Machine) -> None:
    machine.had(0, 1, 2, 3)
    first = machine.night().proposals
    machine.had(4, 5)
    again = machine.night()

    assert (again.verdict, again.proposals) == (Outcome.NO_CHANGE, ())
    assert f"all that was asked for was proposed already: {first[0].id}" in again.because
    assert "decide on what waits" in again.remedy
    store = machine.store()
    (waits,) = store.bank.proposals()
    store.close()
    assert (waits.proposal.id, waits.proposal.version) == (first[0].id, 1)
    assert waits.proposal.sessions == first[0].sessions + 2


# the other ends -----------------------------------------------------------------------------------------


def test_without_sessions_nothing_is_new_and_nobody_is_asked(machine: Machine) -> None:
    report = machine.night()

    assert report.verdict is Outcome.NOTHING_NEW
    assert "no new sessions" in report.because
    assert machine.model.prompts == []
    assert report.spend.calls == 0


def test_sessions_without_a_correction_are_nothing_new_and_read(machine: Machine) -> None:
    session = a_session("what is 409?", "Conflict.", "thanks", project=str(machine.project()))
    machine.shelf.sessions.append(replace(session, ended=machine.clock() - timedelta(hours=2)))

    report = machine.night()

    assert report.verdict is Outcome.NOTHING_NEW
    assert "1 session" in report.because
    assert machine.unread() == []


@pytest.mark.parametrize(("said", "ask"), [(USELESS, ""), (HARMFUL, NOTE)], ids=["useless", "harmful"])
def test_what_does_not_help_is_dropped(machine: Machine, said: str, ask: str) -> None:
    machine.had(0, 1, 2, 3, said=said, ask=ask)

    report = machine.night()

    assert (report.verdict, report.proposals) == (Outcome.NO_CHANGE, ())
    assert machine.unread() == []


def test_where_the_instructions_say_it_already_there_is_no_headroom(machine: Machine) -> None:
    machine.project(text=f"# Shop\n\n{RULE}\n")
    machine.had(0, 1, 2, 3)

    assert machine.night().verdict is Outcome.NO_HEADROOM


def test_a_correction_seen_once_is_unverified_and_waits(machine: Machine) -> None:
    machine.had(0)

    report = machine.night()

    assert report.verdict is Outcome.UNVERIFIED
    assert [prompt.purpose for prompt in machine.model.prompts] == [Purpose.PREFLIGHT]
    assert machine.unread() == []
    assert [task.split for task in banked(machine)] == [None]


def test_what_waited_is_proved_when_it_comes_up_again(machine: Machine) -> None:
    machine.had(0)
    machine.night()
    machine.clock.pass_by(days=1)
    machine.had(1)

    report = machine.night()

    assert report.verdict is Outcome.IMPROVED
    assert report.found.tasks == {"train": 0, "val": 1, "test": 0, "waiting": 0}
    assert (report.documents[0].tasks.train, report.documents[0].tasks.val) == (1, 1)


# nothing twice ------------------------------------------------------------------------------------------


def test_a_second_night_sees_nothing_new(machine: Machine) -> None:
    machine.had(0, 1, 2, 3)
    machine.night()
    asked = len(machine.model.prompts)

    again = machine.night()

    assert again.verdict is Outcome.NOTHING_NEW
    assert "no new sessions" in again.because
    assert len(machine.model.prompts) == asked
    assert again.night != machine.clock().isoformat()


def test_an_edit_that_was_rejected_is_not_proposed_again(machine: Machine) -> None:
    machine.had(0, 1, 2, 3)
    (proposal,) = machine.night().proposals
    store = machine.store()
    store.bank.decide(proposal.id, REJECTED, at=machine.clock())
    store.close()
    machine.clock.pass_by(days=1)
    machine.had(4, 5)

    report = machine.night()

    assert (report.verdict, report.proposals) == (Outcome.NO_CHANGE, ())
    assert f"you rejected {proposal.id} on 2026-" in report.because
    assert "did not help" not in report.remedy
    assert report.remedy.endswith(f"skillopt-sleep reject --undo {proposal.id}")


def test_a_session_that_went_on_is_read_again(machine: Machine) -> None:
    machine.had(0)
    machine.night()
    session = machine.shelf.sessions[0]
    more = (*session.turns, *a_session(ASKS[3], "Done.", "no, use tabs, never spaces").turns)
    machine.clock.pass_by(days=1)
    machine.shelf.sessions[0] = replace(session, turns=more, ended=machine.clock() - timedelta(hours=1))

    report = machine.night()

    assert report.found.sessions.used == 1
    assert sorted(task.prompt for task in banked(machine)) == sorted([ASKS[0], ASKS[3]])
    assert {task.split for task in banked(machine)} == {None}


# reviewed tasks -----------------------------------------------------------------------------------------


def reviewed(machine: Machine, *numbers: int) -> list[Task]:
    return [
        a_task(
            id=f"r{n}", prompt=ASKS[n], session=f"tasks_file:t#{n}", project=str(machine.project()), source="tasks_file",
            evidence=(), at=machine.clock() + timedelta(seconds=n), origin=TaskOrigin.REAL,
        )
        for n in numbers
    ]  # fmt: skip


def test_reviewed_tasks_alone_are_worth_a_night_and_count_once(machine: Machine) -> None:
    machine.shelf.tasks = reviewed(machine, 0, 1)

    first = machine.night()
    asked = len(machine.model.prompts)
    second = machine.night()

    assert first.found.tasks == {"train": 1, "val": 1, "test": 0, "waiting": 0}
    assert first.documents[0].tasks.train == 1
    assert second.verdict is Outcome.NOTHING_NEW
    assert len(machine.model.prompts) == asked
    assert len(banked(machine)) == 2


def test_a_reviewed_task_that_is_added_later_counts(machine: Machine) -> None:
    machine.shelf.tasks = reviewed(machine, 0)
    machine.night()
    machine.shelf.tasks = reviewed(machine, 0, 1)

    report = machine.night()

    assert report.found.tasks == {"train": 0, "val": 1, "test": 0, "waiting": 0}
    assert report.documents[0].tasks.train == 1


def test_a_reviewed_task_stays_on_the_side_a_person_put_it(machine: Machine) -> None:
    machine.shelf.tasks = [replace(task, split=Split.VAL) for task in reviewed(machine, 0, 1)]

    assert machine.night().found.tasks == {"train": 0, "val": 2, "test": 0, "waiting": 0}


# what is passed on --------------------------------------------------------------------------------------


def test_projects_that_could_not_be_read_are_among_the_errors(machine: Machine) -> None:
    note = Note(stage="harvest", summary="project.toml: unknown key", remedy="mend it")

    assert machine.night(excluded=NothingExcluded(note)).errors == (note,)


def test_a_document_that_can_not_be_used_is_among_the_errors_and_the_night_goes_on(machine: Machine) -> None:
    machine.project(text="<!-- skillopt-sleep:begin -->\nno end\n")
    machine.had(0, 1, 2, 3)

    report = machine.night()

    assert [error.stage for error in report.errors] == ["targets"]
    assert report.verdict is Outcome.IMPROVED
    assert report.documents[0].document.path.endswith(".claude/rules/skillopt-sleep.md")


def test_lessons_of_a_folder_that_is_gone_go_to_the_users_skill(machine: Machine) -> None:
    machine.had(0, 1, 2, 3)
    project = machine.project()
    (project / "CLAUDE.md").unlink()
    project.rmdir()

    report = machine.night()

    assert [outcome.document.id for outcome in report.documents] == ["~/.agents/skills/skillopt-sleep/SKILL.md"]
    assert report.verdict is Outcome.IMPROVED


def test_a_forgetful_target_still_ends_in_a_verdict(machine: Machine) -> None:
    machine.model.inner = SimulatedBackend(seed=3, forgets=0.4)
    machine.had(0, 1, 2, 3, 4, 5)

    report = machine.night(samples=2)

    assert report.verdict in {Outcome.IMPROVED, Outcome.NO_CHANGE, Outcome.NO_HEADROOM}
    assert report.documents[0].trial.n in {0, 3}
