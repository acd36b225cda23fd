"""A night's tasks have their lesson and their side; those of a lesson that was taken back take no part."""

from pathlib import Path

from skillopt_sleep.night.tonight import used_sources
from skillopt_sleep.records import LeftOut, Packed, Reading, Stamp
from tests.builders import a_session
from tests.nights import Machine
from tests.stores.opening import open_at, put

TABS, SPACES = "no, use tabs, never spaces", "no, use spaces, never tabs"


def test_the_lessons_of_a_night_are_known_to_the_next(tmp_path: Path) -> None:
    home = Machine(tmp_path)
    home.had(0, said=TABS)
    home.night(heuristic=False)
    home.had(1, said=TABS)
    home.night(heuristic=False)

    store = home.store()
    with store.open_night() as page:
        (lesson,) = page.lessons.of({task.project for task in store.bank.all_tasks()})
    store.close()
    assert (lesson.wording, len(lesson.sessions)) == ("Use tabs, never spaces", 2)


def test_the_tasks_of_a_lesson_that_was_taken_back_are_not_learned_from(tmp_path: Path) -> None:
    home = Machine(tmp_path)
    home.had(0, 1, 2, said=TABS)
    home.had(3, said=SPACES)
    report = home.night(heuristic=False)

    store = home.store()
    tasks = store.bank.all_tasks()
    store.close()
    assert {task.wording for task in tasks} == {"Use spaces, never tabs"}
    assert [proposal.summary for proposal in report.proposals] == []
    (told,) = [note for note in report.errors if "taken back" in note.summary]
    assert told.expected
    assert "Use tabs" in told.summary


def test_that_a_lesson_was_taken_back_is_told_once(tmp_path: Path) -> None:
    home = Machine(tmp_path)
    home.had(0, said=TABS)
    home.had(1, said=SPACES)
    home.night(heuristic=False)
    home.had(2, said=SPACES)

    report = home.night(heuristic=False)

    assert not [note for note in report.errors if "taken back" in note.summary]


def test_the_agents_of_a_project_are_known_by_its_sessions_that_a_night_may_use(tmp_path: Path) -> None:
    store = open_at(tmp_path)
    put(
        store,
        a_session(id="claude_code:1", source="claude_code", project="/shop"),
        a_session(id="codex:1", source="codex", project="/shop"),
        a_session(id="codex:2", source="codex", project="/other"),
    )
    robot = Packed.of(a_session(id="codex:3", source="codex", project="/robot"), LeftOut.SUBAGENT)
    store.index.put("codex", [("/sessions/robot.jsonl", Stamp(1, 2, 3), Reading(sessions=(robot,)))])

    both = {"claude_code", "codex"}
    assert used_sources(store.index, both) == {"/shop": both, "/other": {"codex"}}
    assert used_sources(store.index, {"claude_code"}) == {"/shop": {"claude_code"}}
    store.close()
