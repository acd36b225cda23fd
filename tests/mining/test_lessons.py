"""One wish is one lesson, in every call of a night and on every night; a later wish may take it back."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.errors import BackendUnavailable, BudgetExhausted, CallFailed, FailureKind
from skillopt_sleep.mining.lessons import Found, find_lessons, lessons_by_words, with_evidence
from skillopt_sleep.records import Deed, DeedKind, Evidence, Lesson, LessonState, Purpose, Task
from tests.builders import a_lesson, a_task
from tests.fakes import NOON, Answers, FakeBackend, SerialPool

SHOP = "/home/ada/shop"
PNPM, NEVER_NPM, SHORT = "Use pnpm", "Never use npm, use pnpm", "Keep answers short"


def named(*wordings: str, project: str = SHOP, **fields: Any) -> list[Task]:
    return [
        a_task(id=f"t{n}", session=f"s{n}", project=project, wording=wording, at=NOON + timedelta(hours=n), **fields)
        for n, wording in enumerate(wordings)
    ]


def heard(wording: str, *, days_ago: int, **fields: Any) -> Lesson:
    at = NOON - timedelta(days=days_ago)
    return a_lesson(wording, first=at, last=at, **fields)


def found(
    tasks: Sequence[Task], reply: Answers, *, several: Sequence[str] = (SHOP,), known: Sequence[Lesson] = ()
) -> tuple[Found, list[str]]:
    """The tasks with their lessons, and what the model was shown."""
    backend = FakeBackend({Purpose.LESSONS: reply})
    made = find_lessons(tasks, known=known, several=several, optimizer=backend, pool=SerialPool())
    return made, [prompt.text.split("# Names\n```\n", 1)[1].split("\n```\n")[0] for prompt in backend.prompts]


def ids(tasks: Sequence[Task]) -> list[str]:
    return [task.lesson for task in tasks]


def states(made: Found) -> dict[str, LessonState]:
    return {lesson.wording: lesson.state for lesson in made.lessons}


# the same lesson ----------------------------------------------------------------------------------------


def test_names_that_mean_the_same_are_one_lesson_with_the_first_of_them() -> None:
    made, shown = found(named(SHORT, PNPM, NEVER_NPM, PNPM), {"same": [[3, 2]]})

    assert ids(made.tasks) == ["l-t0", "l-t1", "l-t1", "l-t1"]
    assert [task.wording for task in made.tasks] == [SHORT, PNPM, PNPM, PNPM]
    assert [line.split(" (")[0] for line in shown[0].splitlines()] == [f"1. {SHORT}", f"2. {PNPM}", f"3. {NEVER_NPM}"]


def test_groups_that_share_a_number_are_one() -> None:
    made, _ = found(named(PNPM, NEVER_NPM, SHORT, "Install with pnpm"), {"same": [[1, 2], [3], [4, 2]]})

    assert ids(made.tasks) == ["l-t0", "l-t0", "l-t2", "l-t0"]


def test_the_same_words_are_one_lesson_without_a_call() -> None:
    made, shown = found(named(PNPM, "use  pnpm."), {}, several=())

    assert (ids(made.tasks), shown) == (["l-t0", "l-t0"], [])


def test_a_known_lesson_goes_on_under_its_own_name() -> None:
    made, _ = found(named(PNPM, NEVER_NPM), {"same": [[1, 2]]}, known=[a_lesson(NEVER_NPM)], several=())

    assert ids(made.tasks) == [f"l-{NEVER_NPM}"] * 2
    (lesson,) = made.lessons
    assert (lesson.wording, lesson.last) == (NEVER_NPM, NOON + timedelta(hours=1))


def test_two_known_lessons_stay_apart_whatever_a_later_call_says() -> None:
    made, _ = found(named(NEVER_NPM), {"same": [[1, 2, 3]]}, known=[heard(PNPM, days_ago=2), a_lesson(SHORT)])

    assert ids(made.tasks) == [f"l-{PNPM}"]


def test_what_the_model_leaves_without_a_name_is_a_lesson_of_its_own() -> None:
    made, shown = found([*named("", "")], {}, several=())

    assert (ids(made.tasks), shown) == (["l-t0", "l-t1"], [])


def test_a_correction_without_a_name_may_get_one() -> None:
    quotes = (Evidence(session="s9", turn=2, quote="too long"), Evidence(session="s9", turn=4, quote="shorter"))
    unnamed = a_task(id="t9", prompt="what does\nparse() do", evidence=quotes, rejected="It parses.")
    backend = FakeBackend({Purpose.LESSONS: {"same": [[1, 4]]}})

    made = find_lessons(
        [*named("", PNPM, SHORT), unnamed], known=(), several=[SHOP], optimizer=backend, pool=SerialPool()
    )

    assert ids(made.tasks) == ["l-t0", "l-t1", "l-t2", "l-t1"]
    shown = backend.prompts[0].text.split("# Corrections without a name\n```\n")[1]
    assert shown.splitlines()[1].startswith("4. 2026-03-02 «too long / shorter», said of the answer «It parses.» to")


@pytest.mark.parametrize(
    ("wordings", "known"), [((PNPM, PNPM), ()), ((PNPM, SHORT), (SHORT, PNPM)), ((), (PNPM, SHORT))]
)
def test_where_no_new_name_stands_beside_another_nothing_is_asked(
    wordings: Sequence[str], known: Sequence[str]
) -> None:
    _, shown = found(named(*wordings), {"same": [[1, 2]]}, known=[a_lesson(name) for name in known])

    assert shown == []


def test_each_project_is_asked_about_by_itself_if_calls_could_differ_in_it() -> None:
    tasks = [*named(PNPM, NEVER_NPM), *named(PNPM, SHORT, project="/web"), *named(NEVER_NPM, project="/known")]
    tasks = [task if task.project == SHOP else a_copy(task) for task in tasks]

    made, shown = found(tasks, {"same": [[1, 2]]}, known=[a_lesson(PNPM, project="/known")])

    assert ids(made.tasks) == ["l-t0", "l-t0", "l-t0/web", "l-t1/web", f"l-{PNPM}"]
    assert len(shown) == 2


def a_copy(task: Task) -> Task:
    return a_task(id=f"{task.id}{task.project}", project=task.project, wording=task.wording, at=task.at)


@pytest.mark.parametrize("same", [[], [[1]], [[2, 2]], [[0, -1, 9]], [[9, 2]], [[]]], ids=str)
def test_numbers_that_make_no_sense_join_nothing(same: Any) -> None:
    made, _ = found(named(PNPM, NEVER_NPM, SHORT), {"same": same, "instead": [[0, 9], [2, 2]]})

    assert ids(made.tasks) == ["l-t0", "l-t1", "l-t2"]
    assert set(states(made).values()) == {LessonState.OPEN}


@pytest.mark.parametrize(
    "reply",
    [
        CallFailed(FailureKind.EMPTY, "nothing came", remedy="again"),
        "no JSON",
        {"instead": [[1]]},
        {"instead": [[1, 2, 3]]},
    ],
    ids=str,
)
def test_where_the_call_fails_nothing_is_joined_and_it_is_noted(reply: Answers) -> None:
    made, _ = found(named(PNPM, NEVER_NPM), reply)

    assert ids(made.tasks) == ["l-t0", "l-t1"]
    (note,) = made.notes
    assert (note.stage, "lessons" in note.summary) == ("mine", True)


def test_where_the_budget_ends_nothing_is_joined_and_it_is_noted() -> None:
    made, _ = found(named(PNPM, NEVER_NPM), BudgetExhausted("100 calls are spent", remedy="raise it"))

    (note,) = made.notes
    assert note.remedy == "raise it"


def test_where_the_backend_is_gone_the_night_ends() -> None:
    with pytest.raises(BackendUnavailable):
        found(named(PNPM, NEVER_NPM), BackendUnavailable("no login", remedy="log in"))


# what was taken back ------------------------------------------------------------------------------------


def test_a_later_wish_takes_an_earlier_one_back() -> None:
    made, _ = found(named("Use spaces"), {"instead": [[2, 1]]}, known=[a_lesson("Use tabs")], several=())

    assert states(made) == {"Use tabs": LessonState.TAKEN_BACK, "Use spaces": LessonState.OPEN}
    assert {lesson.takes_back for lesson in made.lessons} == {"", "l-Use tabs"}


def test_the_miner_names_what_is_taken_back_in_the_same_night() -> None:
    tasks = [*named("Use tabs"), *named("Use tabs", "Use spaces", takes_back="use tabs.")[1:]]

    made, _ = found(tasks, {}, several=())

    assert states(made) == {"Use tabs": LessonState.TAKEN_BACK, "Use spaces": LessonState.OPEN}


WORDS = (Evidence(session="s", turn=2, quote="say the price in cents", at=NOON),)


def test_the_miner_alone_ends_no_lesson_of_which_the_person_did_not_speak() -> None:
    known = [heard("Wrap lines at 100", days_ago=2), heard("Show prices in francs", days_ago=2)]
    told = named("Name the price in cents", takes_back="Wrap lines at 100", evidence=WORDS)

    made, _ = found(told, {}, known=known)
    assert set(states(made).values()) == {LessonState.OPEN}

    (made, _) = found(told, {"instead": [[3, 1]]}, known=known)
    assert states(made)["Wrap lines at 100"] is LessonState.TAKEN_BACK

    told = named("Name the price in cents", takes_back="Show prices in francs", evidence=WORDS)
    made, _ = found(told, {}, known=known)
    assert states(made)["Show prices in francs"] is LessonState.TAKEN_BACK


def test_the_comparison_alone_ends_no_such_lesson_where_it_was_shown_more_than_names() -> None:
    known = [heard("Wrap lines at 100", days_ago=2)]
    told = named("Name the price in cents", evidence=WORDS)
    unnamed = named("", evidence=WORDS)

    made, _ = found([*told, *unnamed], {"instead": [[2, 1]]}, known=known)
    assert set(states(made).values()) == {LessonState.OPEN}

    made, _ = found(told, {"instead": [[2, 1]]}, known=known)
    assert states(made)["Wrap lines at 100"] is LessonState.TAKEN_BACK


def test_a_project_in_which_something_is_taken_back_is_asked_about() -> None:
    tasks = [*named("Use tabs"), *named("Use tabs", "Use spaces", takes_back="Use tabs")[1:]]

    _, shown = found(tasks, {}, several=())

    assert len(shown) == 1


def test_of_two_lessons_of_earlier_nights_nothing_is_decided_again() -> None:
    known = [a_lesson("Use tabs"), a_lesson("Use spaces", state=LessonState.TAKEN_BACK)]

    made, _ = found(named("Sign off every commit"), {"instead": [[1, 2], [2, 1]]}, known=known)

    assert states(made) == {"Sign off every commit": LessonState.OPEN}


def test_an_earlier_wish_never_takes_a_later_one_back() -> None:
    made, _ = found(named("Use tabs", "Use spaces"), {"instead": [[1, 2]]})

    assert set(states(made).values()) == {LessonState.OPEN}


def test_of_two_wishes_of_one_moment_that_are_said_to_take_each_other_back_neither_ends() -> None:
    tabs, spaces = named("Use tabs", "Use spaces")
    tasks = [tabs, replace(spaces, at=tabs.at)]

    made, _ = found(tasks, {"instead": [[1, 2], [2, 1]]})
    assert set(states(made).values()) == {LessonState.OPEN}
    assert {lesson.takes_back for lesson in made.lessons} == {""}

    made, _ = found(tasks, {"instead": [[2, 1]]})
    assert states(made) == {"Use tabs": LessonState.TAKEN_BACK, "Use spaces": LessonState.OPEN}


def test_what_was_taken_back_and_comes_up_again_is_open_and_ends_the_other() -> None:
    known = [heard("Use tabs", days_ago=2, state=LessonState.TAKEN_BACK), a_lesson("Use spaces")]

    made, _ = found(named("Use tabs"), {"instead": [[1, 2]]}, known=known)
    assert states(made) == {"Use tabs": LessonState.OPEN}

    made, _ = found(named("Use tabs", takes_back="Use spaces"), {"instead": [[1, 2]]}, known=known)
    assert states(made) == {"Use tabs": LessonState.OPEN, "Use spaces": LessonState.TAKEN_BACK}


# what is remembered of them -----------------------------------------------------------------------------


def test_a_lesson_holds_every_quote_and_deed_once_with_the_days_it_came_up() -> None:
    quote = Evidence(session="s1", turn=2, quote="pnpm", at=NOON)
    deed = Deed(kind=DeedKind.RAN, session="s2", turn=3, what="pnpm install", at=NOON)
    tasks = [
        a_task(id="t1", lesson="l", wording=PNPM, evidence=(quote,), at=NOON),
        a_task(id="t2", lesson="l", wording=PNPM, evidence=(quote,), deeds=(deed,), at=NOON + timedelta(days=1)),
    ]

    (lesson,) = with_evidence(tasks, ())

    assert (lesson.quotes, lesson.deeds, lesson.sessions) == ((quote,), (deed,), ("s1", "s2"))
    assert (lesson.first, lesson.last) == (NOON, NOON + timedelta(days=1))
    assert with_evidence(tasks, [lesson]) == (lesson,)


def test_without_a_model_nearly_the_same_words_are_one_lesson() -> None:
    said = (Evidence(session="s", turn=2, quote="no - use pnpm, never npm"),)
    tasks = [a_task(id=f"t{n}", session=f"s{n}", evidence=said, at=NOON + timedelta(hours=n)) for n in range(2)]

    made = lessons_by_words(tasks, earlier=(), known=())

    assert ids(made.tasks) == ["c-t0", "c-t0"]
    (lesson,) = made.lessons
    assert lesson.wording == "no - use pnpm, never npm"
