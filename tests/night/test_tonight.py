"""A night's tasks have their lesson and their side; those of a lesson that was taken back take no part."""

import json
from pathlib import Path

import msgspec

from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.example.model import SimulatedBackend
from skillopt_sleep.night.tonight import used_sources
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import (
    Completion,
    LeftOut,
    LessonState,
    Packed,
    Prompt,
    Purpose,
    Reading,
    Split,
    Stamp,
    Task,
)
from tests.builders import a_session
from tests.nights import Machine, Watcher
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
    assert {task.wanted.wording for task in tasks} == {"Use spaces, never tabs"}
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


class Unsure:
    """A model that can never tell from one session whether a wish holds from now on."""

    def __init__(self, inner: Backend) -> None:
        self.inner = inner

    def complete(self, prompt: Prompt) -> Completion:
        answer = self.inner.complete(prompt)
        if prompt.purpose is not Purpose.MINE:
            return answer
        lessons = [lesson | {"lasts": "unclear"} for lesson in json.loads(answer.text)["lessons"]]
        said = json.dumps({"lessons": lessons})
        return decoded(prompt, msgspec.structs.replace(answer, text=said, structured=None))


def test_what_one_session_cannot_tell_is_asked_about_only_when_another_shows_it_too(tmp_path: Path) -> None:
    home = Machine(tmp_path, model=Watcher(Unsure(SimulatedBackend(forgets=0.0))))
    home.had(0, said=TABS)
    first = home.night(heuristic=False)

    assert home.model.asked(Purpose.ROLLOUT) == []
    (told,) = [note for note in first.errors if "noticed" in note.summary]
    assert told.expected
    assert "Use tabs" in told.summary
    assert states(home) == {LessonState.NOTICED}

    home.had(1, said=TABS)
    home.night(heuristic=False)

    (prompt,) = home.model.asked(Purpose.MINE)[1:]
    noticed = prompt.text.partition("# Noticed before")[2].partition("# Sessions")[0]
    assert "Use tabs, never spaces" in noticed
    assert states(home) == {LessonState.PROPOSED}
    assert {task.split for task in all_tasks(home)} == {Split.TRAIN, Split.VAL}
    asked = {prompt.text for prompt in home.model.asked(Purpose.ROLLOUT)}
    assert len(asked) >= len(all_tasks(home))


def states(home: Machine) -> set[LessonState]:
    store = home.store()
    with store.open_night() as page:
        lessons = page.lessons.of({task.project for task in store.bank.all_tasks()})
    store.close()
    return {lesson.state for lesson in lessons}


def all_tasks(home: Machine) -> tuple[Task, ...]:
    store = home.store()
    tasks = store.bank.all_tasks()
    store.close()
    return tasks


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
