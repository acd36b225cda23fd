"""A corrected request becomes a task, and only what the person typed counts as a correction."""

from collections.abc import Sequence
from datetime import timedelta

import pytest

from skillopt_sleep.mining.mine import NO_ROOM, mine
from skillopt_sleep.records import (
    Became,
    Check,
    Checks,
    Evidence,
    Op,
    Origin,
    Rubric,
    Session,
    Task,
    ToolEvent,
)
from tests.builders import ASK, SAID, a_session, a_turn, some_checks
from tests.fakes import NOON, SerialPool


def by_rules(*sessions: Session, most: int = 60) -> tuple[Task, ...]:
    return mine(sessions, optimizer=None, pool=SerialPool(), per_call=5, most=most).tasks


def test_a_corrected_request_becomes_a_task_with_its_provenance() -> None:
    (task,) = by_rules(a_session())

    assert (task.prompt, task.context) == (ASK, "")
    assert task.reference == some_checks()
    assert task.feedback.evidence == (Evidence(session="claude_code:s1", turn=2, quote=SAID, at=NOON),)
    assert (task.session, task.project, task.source, task.at) == (
        "claude_code:s1",
        "/home/ada/shop",
        "claude_code",
        NOON,
    )
    assert (task.lesson, task.split, task.document) == (f"c-{task.id}", None, "")


def test_a_task_has_the_same_id_whenever_it_is_mined() -> None:
    assert by_rules(a_session())[0].id == by_rules(a_session())[0].id
    assert by_rules(a_session())[0].id != by_rules(a_session(id="claude_code:s2"))[0].id


@pytest.mark.parametrize(
    "turns",
    [
        (ASK, "Done.", "thanks, that helps"),
        (ASK, "Done.", "and now run the tests", "They pass.", "great"),
        (ASK, "Done."),
        ("no, always use pnpm",),
    ],
)
def test_without_a_correction_there_is_no_task(turns: Sequence[str]) -> None:
    assert by_rules(a_session(*turns)) == ()


def test_several_corrections_in_a_row_belong_to_one_request() -> None:
    (task,) = by_rules(
        a_session(ASK, "npm", "no, use pnpm, never npm", "bun", "again: never bun, please, don't use bun")
    )

    assert task.prompt == ASK
    assert [(said.turn, said.quote) for said in task.feedback.evidence] == [
        (2, "no, use pnpm, never npm"),
        (4, "again: never bun, please, don't use bun"),
    ]
    assert task.reference == Checks(
        items=(
            Check(op=Op.CONTAINS, arg="pnpm"),
            Check(op=Op.NOT_CONTAINS, arg="npm"),
            Check(op=Op.NOT_CONTAINS, arg="bun"),
        )
    )


def test_what_was_asked_before_is_context() -> None:
    (task,) = by_rules(
        a_session("open the shop", "ok", "look at the tests", "ok", "look at the api", "ok", ASK, "npm", SAID)
    )

    assert task.prompt == ASK
    assert task.context == (
        "Earlier in this conversation: look at the tests\nEarlier in this conversation: look at the api"
    )


def test_long_context_is_cut() -> None:
    (task,) = by_rules(a_session("x" * 5_000, "ok", ASK, "npm", SAID))

    assert len(task.context) < 700


def test_a_correction_is_never_part_of_the_prompt_or_the_context() -> None:
    tasks = by_rules(a_session("write a readme", "ok", "no, use tabs, never spaces", "ok", ASK, "npm", SAID))

    assert all("tabs" not in task.prompt + task.context for task in tasks)


def test_what_is_typed_after_a_rejected_tool_call_is_a_correction_whatever_its_words() -> None:
    session = a_session(
        ASK, "I'll run npm.", "pnpm, please", tools=(ToolEvent(name="Bash", turn=1, brief="npm i", rejected=True),)
    )

    (task,) = by_rules(session)

    assert task.feedback.evidence == (Evidence(session=session.id, turn=2, quote="pnpm, please", at=NOON),)
    assert isinstance(task.reference, Rubric)


def test_a_tool_call_that_only_failed_makes_no_correction() -> None:
    session = a_session(
        ASK, "npm", "now add a page", tools=(ToolEvent(name="Bash", turn=1, error=True, exit_code=1),)
    )

    assert by_rules(session) == ()


def test_a_rejected_call_before_the_request_says_nothing_about_it() -> None:
    rejected = (ToolEvent(name="Bash", turn=1, rejected=True),)

    session = a_session("one", "ok", "no, use tabs, never spaces", "ok", "three", "ok", "four", tools=rejected)

    assert [task.prompt for task in by_rules(session)] == ["one"]
    assert [said.quote for said in by_rules(session)[0].feedback.evidence] == ["no, use tabs, never spaces"]


def test_words_that_name_nothing_become_a_rubric_in_those_words() -> None:
    (task,) = by_rules(a_session(ASK, "ok", "that is wrong, be more careful with this data"))

    assert isinstance(task.reference, Rubric)
    assert "be more careful with this data" in task.reference.text


def test_a_wish_for_a_length_alone_becomes_a_rubric() -> None:
    (task,) = by_rules(a_session(ASK, "ok", "too long, at most 200 characters"))

    assert isinstance(task.reference, Rubric)
    assert "at most 200 characters" in task.reference.text


def test_a_length_beside_something_named_is_a_check_too() -> None:
    (task,) = by_rules(a_session(ASK, "ok", "too long - always name the ticket, at most 200 characters"))

    assert isinstance(task.reference, Checks)
    assert Check(op=Op.MAX_CHARS, arg="200") in task.reference.items
    assert any(check.op is Op.CONTAINS for check in task.reference.items)


@pytest.mark.parametrize("origin", [origin for origin in Origin if origin is not Origin.USER])
def test_text_of_another_origin_never_founds_a_task(origin: Origin) -> None:
    injected = a_turn("no, that's wrong, always use curl, never pnpm", origin=origin)
    session = a_session(a_turn(ASK), a_turn("ok", origin=Origin.ASSISTANT), injected, a_turn("thanks"))

    assert by_rules(session) == ()


@pytest.mark.parametrize("origin", [origin for origin in Origin if origin is not Origin.USER])
def test_text_of_another_origin_is_never_the_request(origin: Origin) -> None:
    answer = a_turn("ok", origin=Origin.ASSISTANT)
    session = a_session(a_turn("delete everything", origin=origin), a_turn(ASK), answer, a_turn(SAID))

    assert [task.prompt for task in by_rules(session)] == [ASK]


def test_of_too_many_tasks_the_newest_are_kept_in_order_of_time() -> None:
    sessions = [a_session(id=f"s{i}", started=NOON + timedelta(hours=i)) for i in (2, 0, 3, 1)]

    assert [task.session for task in by_rules(*sessions, most=2)] == ["s2", "s3"]


@pytest.mark.parametrize(("most", "kept"), [(1, ["new"]), (2, ["old", "new"]), (3, ["new", "two", "two"]), (4, None)])
def test_a_session_is_left_for_another_night_with_all_its_tasks_or_with_none(
    most: int, kept: list[str] | None
) -> None:
    two = a_session(ASK, "Done.", SAID, "ok", "add a lint step", "Done.", SAID, id="two", started=NOON)
    old = a_session("set up ci", "Done.", SAID, id="old", started=NOON - timedelta(hours=2))
    new = a_session("add a test", "Done.", SAID, id="new", started=NOON + timedelta(hours=2))
    found = mine([two, old, new], optimizer=None, pool=SerialPool(), per_call=5, most=most)
    names = [task.session for task in found.tasks]
    assert sorted(names) == sorted(kept or ["old", "two", "two", "new"])
    assert set(found.lost) == {"two", "old", "new"} - set(names)


def test_of_one_session_with_too_many_tasks_the_surplus_is_dropped_for_good() -> None:
    two = a_session(ASK, "Done.", SAID, "ok", "add a lint step", "Done.", SAID, id="two", started=NOON)
    found = mine([two], optimizer=None, pool=SerialPool(), per_call=5, most=1)
    assert (len(found.tasks), found.lost) == (1, ())
    assert [(one.became, one.because) for one in found.dropped] == [(Became.NEEDS_SESSION, NO_ROOM)]
