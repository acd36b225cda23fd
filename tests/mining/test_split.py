"""Both sides see what recurs, a session is on one side, and a side never changes once it is given."""

from collections.abc import Sequence
from datetime import timedelta

from hypothesis import given, strategies as st

from skillopt_sleep.mining.split import split
from skillopt_sleep.records import Split, Task
from tests.builders import a_task
from tests.fakes import NOON

TRAIN, VAL, TEST = Split.TRAIN, Split.VAL, Split.TEST

# Cluster, session and request of what comes up, in order of time; the nights that see it.
occurrences = st.tuples(st.sampled_from("abc"), st.integers(0, 7), st.sampled_from(("one", "two")))
histories = st.lists(st.lists(occurrences, max_size=8), max_size=4)


def tasks_of(night: Sequence[tuple[str, int, str]], *, since: int = 0) -> list[Task]:
    return [
        a_task(id=f"t{since + i}", lesson=f"c-{name}", session=f"s{session}", prompt=f"{name} {prompt}", at=NOON + timedelta(hours=since + i))
        for i, (name, session, prompt) in enumerate(night)
    ]  # fmt: skip


def live_through(history: Sequence[Sequence[tuple[str, int, str]]]) -> list[dict[str, Task]]:
    """What was banked after each night, every night knowing what the earlier ones banked."""
    banked: list[dict[str, Task]] = [{}]
    since = 0
    for night in history:
        known = list(banked[-1].values())
        sides = {task.session: task.split.value for task in known if task.split}
        changed = split(tasks_of(night, since=since), known=known, sides=sides)
        banked.append(banked[-1] | {task.id: task for task in changed})
        since += len(night)
    return banked


def at_the_end(history: Sequence[Sequence[tuple[str, int, str]]]) -> list[Task]:
    """What is banked in the end."""
    return list(live_through(history)[-1].values())


def in_one_cluster(count: int) -> list[Task]:
    return [a_task(id=f"t{i}", lesson="c", session=f"s{i}", prompt=f"ask {i}") for i in range(count)]


# invariants ---------------------------------------------------------------------------------------------


@given(histories)
def test_no_session_is_on_two_sides(history: list[list[tuple[str, int, str]]]) -> None:
    sides: dict[str, set[Split | None]] = {}
    for task in at_the_end(history):
        sides.setdefault(task.session, set()).add(task.split)

    assert all(len(side) == 1 for side in sides.values())


@given(histories)
def test_a_session_has_a_side_if_and_only_if_a_lesson_of_it_came_up_in_another_one(
    history: list[list[tuple[str, int, str]]],
) -> None:
    tasks = at_the_end(history)
    sessions: dict[str, set[str]] = {}
    for task in tasks:
        sessions.setdefault(task.lesson, set()).add(task.session)
    several = {session for others in sessions.values() if len(others) > 1 for session in others}

    assert {task.session for task in tasks if task.split is not None} == several


@given(histories)
def test_it_makes_no_difference_where_one_night_ends_and_the_next_begins(
    history: list[list[tuple[str, int, str]]],
) -> None:
    assert at_the_end(history) == at_the_end([[occurrence for night in history for occurrence in night]])


@given(histories, st.lists(occurrences, min_size=1, max_size=6))
def test_a_task_never_changes_sides_when_more_nights_come(
    history: list[list[tuple[str, int, str]]], later: list[tuple[str, int, str]]
) -> None:
    before, after = live_through([*history, later])[-2:]

    assert {task.id: task for task in before.values() if task.split} == {
        name: after[name] for name, task in before.items() if task.split
    }


@given(histories)
def test_equal_requests_of_one_session_count_once_for_a_lesson(history: list[list[tuple[str, int, str]]]) -> None:
    seen = [(task.session, task.prompt) for task in at_the_end(history)]

    assert len(seen) == len(set(seen))
    assert set(seen) == {(f"s{session}", f"{name} {prompt}") for night in history for name, session, prompt in night}


@given(histories)
def test_only_the_side_of_a_task_is_changed(history: list[list[tuple[str, int, str]]]) -> None:
    given_tasks = {task.id: task for task in tasks_of([occurrence for night in history for occurrence in night])}

    for task in at_the_end(history):
        before = given_tasks[task.id]
        assert (task.prompt, task.session, task.lesson, task.reference) == (
            before.prompt,
            before.session,
            before.lesson,
            before.reference,
        )


# who gets which side ------------------------------------------------------------------------------------


def test_the_first_is_train_the_next_two_val_then_in_turn_and_every_sixth_test() -> None:
    sides = [task.split for task in split(in_one_cluster(14), known=(), sides={})]

    assert sides == [TRAIN, VAL, VAL, TRAIN, VAL, TEST, TRAIN, VAL, TRAIN, VAL, TRAIN, TEST, VAL, TRAIN]


def test_two_lessons_of_one_request_are_two_tasks() -> None:
    tasks = [
        a_task(id="a1", lesson="a", session="s1", prompt="1"),
        a_task(id="b1", lesson="b", session="s1", prompt="1"),
    ]

    assert [task.id for task in split(tasks, known=(), sides={})] == ["a1", "b1"]


def test_a_lesson_whose_first_session_is_val_elsewhere_still_gets_a_train_task() -> None:
    first, second, third = split(in_one_cluster(3), known=(), sides={"s0": "val"})

    assert [first.split, second.split, third.split] == [VAL, TRAIN, VAL]


def test_every_cluster_counts_by_itself() -> None:
    tasks = [
        a_task(id="a1", lesson="a", session="s1"),
        a_task(id="b1", lesson="b", session="s2"),
        a_task(id="a2", lesson="a", session="s3"),
        a_task(id="b2", lesson="b", session="s4"),
    ]

    assert [task.split for task in split(tasks, known=(), sides={})] == [TRAIN, TRAIN, VAL, VAL]


def test_a_session_keeps_the_side_of_its_first_task_in_every_cluster() -> None:
    tasks = [
        a_task(id="a1", lesson="a", session="s1", prompt="1"),
        a_task(id="b1", lesson="b", session="s1", prompt="2"),
        a_task(id="b2", lesson="b", session="s2", prompt="3"),
        a_task(id="a2", lesson="a", session="s2", prompt="4"),
    ]

    assert [task.split for task in split(tasks, known=(), sides={})] == [TRAIN, TRAIN, VAL, VAL]


def test_a_lesson_of_one_session_waits_for_its_side_or_has_that_of_the_session() -> None:
    once = a_task(id="a1", lesson="a", session="s1", prompt="1")
    other = a_task(id="b1", lesson="b", session="s1", prompt="2")
    again = a_task(id="b2", lesson="b", session="s2", prompt="3")

    assert [task.split for task in split([once, other], known=(), sides={})] == [None, None]
    assert [task.split for task in split([again], known=[once, other], sides={})] == [TRAIN, TRAIN, VAL]


def test_lessons_that_turn_out_to_be_one_get_their_sides_then() -> None:
    known = [a_task(id=f"t{n}", lesson="own", session=f"s{n}", prompt=f"{n}") for n in range(2)]

    third = a_task(id="t2", lesson="own", session="s2", prompt="2")
    assert [task.split for task in split([third], known=known, sides={})] == [TRAIN, VAL, VAL]


def test_two_requests_of_one_session_are_one_occurrence_of_the_cluster() -> None:
    tasks = [
        a_task(id="a1", lesson="a", session="s1", prompt="1"),
        a_task(id="a2", lesson="a", session="s1", prompt="2"),
        a_task(id="a3", lesson="a", session="s2", prompt="3"),
    ]

    assert [task.split for task in split(tasks, known=(), sides={})] == [TRAIN, TRAIN, VAL]


def test_the_next_night_goes_on_where_the_last_one_stopped() -> None:
    known = split(in_one_cluster(2), known=(), sides={})

    (fresh,) = split([a_task(id="t9", lesson="c", session="s9", prompt="x")], known=known, sides={})

    assert fresh.split is VAL


def test_a_session_that_has_a_side_elsewhere_keeps_it() -> None:
    (task,) = split([a_task(lesson="new", session="s1")], known=(), sides={"s1": "test"})

    assert task.split is TEST


def test_what_is_banked_already_is_not_given_again() -> None:
    known = split(in_one_cluster(1), known=(), sides={})

    assert split(in_one_cluster(1), known=known, sides={}) == ()


def test_a_task_that_a_person_put_on_a_side_stays_there() -> None:
    tasks = [
        a_task(id="a", lesson="c", session="s1", split=VAL),
        a_task(id="b", lesson="c", session="s2", split=VAL),
    ]

    assert [task.split for task in split(tasks, known=(), sides={})] == [VAL, VAL]


def test_nothing_splits_into_nothing() -> None:
    assert split((), known=(), sides={}) == ()
