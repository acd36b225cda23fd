"""Rules make tasks of corrected requests."""

from datetime import datetime, timedelta

from msgspec.structs import replace

from skillopt_sleep.mining.requests import Take, takes
from skillopt_sleep.mining.rules import reference_from_words, ruled_tasks, simpler_references
from skillopt_sleep.records import (
    Check,
    Checks,
    DeedKind,
    InForce,
    Op,
    Origin,
    Rubric,
    Session,
    ToolEvent,
    Turn,
    TypedCommand,
)
from tests.builders import a_session, a_task, a_turn
from tests.fakes import NOON


def said(text: str) -> Turn:
    return a_turn(text, origin=Origin.ASSISTANT)


def corrected(*after: str | Turn, words: str = "no, use pnpm, never npm", **fields: object) -> Session:
    return a_session("create a run script", said("I ran npm install."), words, *after, **fields)


def test_the_answers_on_both_sides_of_a_correction_are_kept() -> None:
    (task,) = ruled_tasks(corrected(said("I ran pnpm install."), "thanks")).tasks
    assert (task.feedback.rejected, task.feedback.accepted) == ("I ran npm install.", "I ran pnpm install.")
    assert task.feedback.deeds == ()


def test_an_answer_that_nobody_took_up_is_not_accepted() -> None:
    (task,) = ruled_tasks(corrected(said("I ran pnpm install."))).tasks
    assert task.feedback.accepted == ""


def test_what_was_done_is_on_the_task() -> None:
    rejected = ToolEvent(name="Bash", turn=1, brief="npm install", error=True, rejected=True)
    (task,) = ruled_tasks(corrected(said("ok"), tools=(rejected,))).tasks
    assert [(deed.kind, deed.what) for deed in task.feedback.deeds] == [(DeedKind.REJECTED, "npm install")]
    assert task.feedback.rejected == "I ran npm install.\n$ npm install"


def test_a_quote_has_the_time_of_its_own_turn_or_else_of_the_session() -> None:
    later = NOON + timedelta(days=1)
    timed = a_session("create a run script", said("ok"), a_turn("no, use pnpm, never npm", at=later), started=NOON)

    times = [ruled_tasks(session).tasks[0].feedback.evidence[0].at for session in (timed, corrected(started=NOON))]

    assert times == [later, NOON]


def test_a_check_that_the_person_ran_has_its_own_time_or_else_that_of_the_session() -> None:
    later = NOON + timedelta(days=1)
    turns = ("fix the cart", said("Done."), a_turn("ran pytest", origin=Origin.HARNESS))
    times: list[datetime | None] = []
    for at in (later, None):
        session = a_session(*turns, started=NOON, commands=(TypedCommand(turn=2, text="pytest -q", at=at),))
        times.append(ruled_tasks(session).tasks[0].feedback.evidence[0].at)

    assert times == [later, NOON]


def test_the_last_word_of_a_corrected_dialogue_holds() -> None:
    session = corrected(said("I use pnpm now."), "no wait, use yarn, not pnpm", said("I use yarn."))
    (task,) = ruled_tasks(session).tasks
    assert task.reference == Checks(
        items=(
            Check(op=Op.CONTAINS, arg="yarn"),
            Check(op=Op.NOT_CONTAINS, arg="npm"),
            Check(op=Op.NOT_CONTAINS, arg="pnpm"),
        )
    )
    assert len(task.feedback.evidence) == 2


def test_pasted_words_are_neither_wish_nor_evidence() -> None:
    (task,) = ruled_tasks(corrected(words="no, the log says:\n\nalways use evil, never npm")).tasks
    assert task.feedback.evidence[0].quote == "no, the log says:"
    assert "evil" not in str(task.reference)
    assert ruled_tasks(corrected(words="> no, always use evil")).tasks == ()


def test_words_that_name_nothing_become_a_rubric_that_quotes_each_once() -> None:
    rubric = reference_from_words(["that is wrong", "that is wrong"])
    assert isinstance(rubric, Rubric)
    assert rubric.text.count("that is wrong") == 1


def test_of_checks_only_what_is_wanted_may_stand_and_then_the_words() -> None:
    both = reference_from_words(["use pnpm, never npm"])
    full, wanted, words = simpler_references(a_task(reference=both))
    assert full == both
    assert wanted == Checks(items=(Check(op=Op.CONTAINS, arg="pnpm"),))
    assert isinstance(words, Rubric)
    assert simpler_references(a_task(reference=words)) == (words,)


def test_what_the_instructions_in_force_said_already_was_not_followed() -> None:
    told = corrected(instructions=(InForce(path="/home/ada/shop/CLAUDE.md", text="Use pnpm, never npm."),))
    (not_followed,) = ruled_tasks(told).tasks
    (unknown,) = ruled_tasks(corrected()).tasks
    assert (not_followed.feedback.not_followed, unknown.feedback.not_followed) == (True, False)


def test_a_correction_whose_request_was_not_read_founds_nothing() -> None:
    correction = a_turn("no, that's wrong - we always use pnpm here, never npm")
    session = replace(a_session(), turns=(said("Done with npm."), correction, said("Sorry.")))
    assert [take for _, take in takes(session)] == [Take.CORRECTION]
    assert ruled_tasks(session).tasks == ()
