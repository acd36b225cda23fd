"""A trial asks the tasks its edits are about, and few others."""

from datetime import timedelta

from msgspec.structs import replace

from skillopt_sleep.learning.exercise import about, by_use, exercise, in_reach
from skillopt_sleep.records import Check, Checks, Op, Split
from tests.builders import a_task, an_edit
from tests.fakes import NOON, FakeExecutor

EDIT = an_edit(tasks=("a-train",))
TRAIN = [a_task(id=f"{lesson}-train", lesson=lesson, split=Split.TRAIN) for lesson in "abc"]
VAL = [
    a_task(id=f"{lesson}{n}", lesson=lesson, split=Split.VAL, at=NOON + timedelta(days=n))
    for n in range(3)
    for lesson in "abcdef"
]


def test_the_tasks_of_its_own_lessons_are_all_asked_in_their_order() -> None:
    assert [task.id for task in about([EDIT], TRAIN, VAL)] == ["a0", "a1", "a2"]


def test_the_bet_is_on_its_own_lessons_only() -> None:
    assert exercise([EDIT], TRAIN, VAL) == about([EDIT], TRAIN, VAL)


def test_edits_of_several_lessons_ask_all_of_theirs() -> None:
    assert {task.lesson for task in about([EDIT, an_edit(tasks=("b-train",))], TRAIN, VAL)} == {"a", "b"}


def test_where_the_lesson_is_not_known_all_are_asked() -> None:
    assert exercise([an_edit(tasks=("gone",))], TRAIN, VAL) == tuple(VAL)
    assert about([an_edit(tasks=())], TRAIN, VAL) == ()


def test_in_words_what_needs_the_repository_is_not_tried_and_with_tools_all_is() -> None:
    called = Checks(items=(Check(op=Op.TOOL_CALLED, arg="Bash"),))
    tasks = [a_task(id="words"), a_task(id="files", needs_repository=True), a_task(id="tool", reference=called)]

    in_words, waiting = in_reach(tasks, FakeExecutor())

    assert [task.id for task in in_words] == ["words"]
    assert [task.id for task in waiting] == ["files", "tool"]
    assert in_reach(tasks, FakeExecutor(text_only=False)) == (tasks, [])


def test_nothing_is_learned_from_a_task_that_waits_for_its_side() -> None:
    """A person may have put another request of its session on a side while the night ran."""
    waits, decides = a_task(id="w", lesson="own"), a_task(id="v", lesson="own", split=Split.VAL)

    assert by_use([waits], [decides]) == ([], [], set())
    assert by_use([replace(waits, split=Split.TRAIN)], [decides])[0] == [replace(waits, split=Split.TRAIN)]
