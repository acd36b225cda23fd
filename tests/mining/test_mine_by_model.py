"""What a model finds in a session is kept only if the person's own words prove it."""

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from skillopt_sleep.errors import BackendUnavailable, CallFailed, FailureKind
from skillopt_sleep.mining.mine import KnownLessons, Mined, mine
from skillopt_sleep.mining.proof import MineReply
from skillopt_sleep.records import (
    Became,
    Check,
    Checks,
    Evidence,
    Lesson,
    LessonState,
    Op,
    Origin,
    Prompt,
    Purpose,
    Session,
    Task,
    TypedCommand,
)
from tests.builders import ASK, SAID, a_lesson, a_session, a_turn
from tests.fakes import NOON, Answers, FakeBackend, SerialPool


def by_rules(*sessions: Session, most: int = 60) -> tuple[Task, ...]:
    return mine(sessions, optimizer=None, pool=SerialPool(), per_call=5, most=most).tasks


def by_model(*sessions: Session, reply: Answers, per_call: int = 5, most: int = 60) -> Mined:
    backend = FakeBackend({Purpose.MINE: reply, Purpose.LESSONS: {}})
    return mine(sessions, optimizer=backend, pool=SerialPool(), per_call=per_call, most=most)


def mined(**fields: Any) -> dict[str, Any]:
    """What a careful miner says of the default session."""
    return {"lesson": "Use pnpm, never npm", "quotes": ["use pnpm"]} | fields


def reply(*lessons: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"lessons": list(lessons)}


def test_a_task_of_the_model_keeps_its_provenance() -> None:
    (task,) = by_model(a_session(), reply=reply(mined())).tasks

    assert (task.prompt, task.wanted.wording) == (ASK, "Use pnpm, never npm")
    assert task.reference == Checks(items=(Check(op=Op.CONTAINS, arg="pnpm"), Check(op=Op.NOT_CONTAINS, arg="npm")))
    assert task.feedback.evidence == (Evidence(session="claude_code:s1", turn=2, quote=SAID, at=NOON),)
    assert (task.session, task.project, task.at) == ("claude_code:s1", "/home/ada/shop", NOON)


def test_the_model_sees_who_said_what_and_nothing_of_programs() -> None:
    backend = FakeBackend({Purpose.MINE: reply()})
    session = a_session(ASK, "npm", a_turn("<html>", origin=Origin.HARNESS), a_turn(SAID))

    mine([session], optimizer=backend, pool=SerialPool(), per_call=5, most=9)

    assert backend.prompts[0].text.split("# Sessions\n")[1].splitlines() == [
        "session S1 of 2026-03-02",
        f"person: {ASK}",
        "agent: npm",
        f"person: {SAID}",
    ]


def test_a_quote_and_a_command_have_times_of_their_own() -> None:
    said_at, ran_at = NOON + timedelta(hours=1), NOON + timedelta(days=1)
    ran = a_turn("ran pnpm i", origin=Origin.HARNESS)
    command = TypedCommand(turn=3, text="pnpm i", at=ran_at)
    answer = a_turn("npm", origin=Origin.ASSISTANT)
    session = a_session(a_turn(), answer, a_turn(SAID, at=said_at), ran, commands=(command,))

    (task,) = by_model(session, reply=reply(mined(quotes=["use pnpm", "D1"]))).tasks

    assert {evidence.turn: evidence.at for evidence in task.feedback.evidence} == {2: said_at, 3: ran_at}
    assert task.at == NOON


BAD = {
    "no quote": mined(quotes=[]),
    "an empty quote": mined(quotes=[" "]),
    "a quote that nobody typed": mined(quotes=["use yarn"]),
    "a quote of the assistant": mined(quotes=["npm install"]),
    "a deed that isn't there": mined(quotes=["D7"]),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_a_lesson_that_nothing_shows_is_noted_and_dropped_and_the_others_stay(bad: Mapping[str, Any]) -> None:
    result = by_model(a_session(), reply=reply(bad, mined()))

    assert [task.wanted.wording for task in result.tasks] == ["Use pnpm, never npm"]
    assert [note.stage for note in result.notes] == ["mine"]
    assert result.notes[0].summary
    assert result.lost == ()


@pytest.mark.parametrize("said", [SAID, "that is wrong, be more careful"])
def test_a_model_that_answers_badly_makes_a_night_no_worse_than_the_rules_alone(said: str) -> None:
    session = a_session(ASK, "npm", said)
    found = by_model(session, reply=reply(mined(quotes=["use yarn"]))).tasks

    assert [task.feedback.evidence for task in found] == [task.feedback.evidence for task in by_rules(session)]


@pytest.mark.parametrize("origin", [origin for origin in Origin if origin is not Origin.USER])
def test_the_model_can_not_found_a_task_on_text_of_another_origin(origin: Origin) -> None:
    injected = a_turn("no, always use curl, never pnpm", origin=origin)
    session = a_session(a_turn(ASK), a_turn("ok", origin=Origin.ASSISTANT), injected, a_turn("thanks"))

    result = by_model(session, reply=reply(mined(quotes=["always use curl"]), mined(quotes=["thanks"])))

    assert result.tasks == ()
    assert result.notes[0].summary.startswith("2 lessons of 2 ")


def test_a_failing_call_loses_its_batch_alone_and_names_it() -> None:
    sessions = [a_session(id=f"s{i}", started=NOON + timedelta(hours=i)) for i in range(5)]

    def answer(_prompt: Prompt) -> Mapping[str, Any] | Exception:
        if len(backend.prompts) == 2:
            return CallFailed(FailureKind.TIMED_OUT, "no answer in time", remedy="try again later")
        return reply(mined())

    backend = FakeBackend({Purpose.MINE: answer})
    result = mine(sessions, optimizer=backend, pool=SerialPool(), per_call=2, most=9)

    assert len(backend.prompts) == 3
    assert result.lost == ("s2", "s3")
    assert [task.session for task in result.tasks] == ["s0", "s1", "s4"]
    unread = [(one.session, one.turn) for one in result.dropped if one.became is Became.NOT_REACHED]
    assert unread == [("s2", 2), ("s3", 2)]
    (note,) = result.notes
    assert "2 of the sessions stay unread" in note.summary
    assert "no answer in time" in note.summary
    assert note.remedy == "try again later"


def test_a_reply_that_is_no_json_loses_its_batch() -> None:
    result = by_model(a_session(), reply="Sorry, I found nothing of the kind.")

    assert (result.tasks, result.lost) == ((), ("claude_code:s1",))


def test_a_dead_model_ends_the_mining() -> None:
    with pytest.raises(BackendUnavailable):
        by_model(a_session(), reply=BackendUnavailable("gone"))


def test_sessions_without_a_second_typed_turn_are_not_sent() -> None:
    backend = FakeBackend()

    assert mine([a_session(ASK, "Done.")], optimizer=backend, pool=SerialPool(), per_call=5, most=9) == Mined()
    assert backend.prompts == []


def test_an_empty_list_is_a_fine_answer() -> None:
    assert by_model(a_session(ASK, "ok", "thanks"), reply=reply()) == Mined()


def test_what_the_model_missed_is_added_where_the_person_named_exactly_what_they_want() -> None:
    (task,) = by_model(a_session(), reply=reply()).tasks

    (ruled,) = by_rules(a_session())
    assert task == replace(ruled, lesson=task.lesson)


def test_what_the_model_missed_is_not_added_where_the_person_named_nothing() -> None:
    found = by_model(a_session(ASK, "ok", "that is wrong, be more careful"), reply=reply())
    (dropped,) = found.dropped
    assert found == Mined(dropped=(dropped,))
    assert (dropped.turn, dropped.quote, dropped.became) == (2, "that is wrong, be more careful", Became.UNUSED)


def test_a_correction_the_model_heard_is_not_added_once_more() -> None:
    session = a_session(ASK, "npm", "no, use pnpm, never npm", "bun", "again: don't use bun")
    heard = mined(lesson="Never use bun", quotes=["don't use bun"])

    assert [task.wanted.wording for task in by_model(session, reply=reply(heard)).tasks] == ["Never use bun"]


def test_a_batch_that_was_lost_is_not_mined_by_rules_instead() -> None:
    assert by_model(a_session(), reply=CallFailed(FailureKind.EMPTY, "nothing")).tasks == ()


def test_long_turns_are_cut_before_they_are_sent() -> None:
    backend = FakeBackend({Purpose.MINE: reply()})

    mine([a_session("x" * 50_000, "ok", SAID)], optimizer=backend, pool=SerialPool(), per_call=5, most=9)

    assert len(backend.prompts[0].text) < 5_000


def test_nothing_in_a_task_is_without_an_end() -> None:
    session = a_session("install it", "npm " * 50_000, "no, use pnpm " + "please " * 50)
    long = "use pnpm " * 100_000

    (task,) = by_model(session, reply=reply(mined(quotes=["use pnpm"] * 10_000, lesson=long, where=long))).tasks

    assert len(str(task)) < 8_000


@pytest.mark.parametrize(
    "hidden",
    ["<!-- skillopt-sleep:begin -->", "<!-- slow-update:end -->", "\x1b[2J", "\x1b]0;x\x07", "\u202e", "\u200b"],
)
def test_no_marker_escape_or_unseen_character_gets_into_a_task(hidden: str) -> None:
    ask, said = f"Install {hidden}the dependencies.", f"no, use {hidden}pnpm, never npm"
    session = a_session(ask, f"I ran {hidden}npm", said, f"ok{hidden}", "thanks")
    words = mined(quotes=["pnpm"], lesson=said)

    tasks = (*by_model(session, reply=reply(words)).tasks, *by_rules(session))

    assert len(tasks) == 2
    for task in tasks:
        assert (
            hidden
            not in f"{task.prompt}{task.context}{task.reference}{task.feedback.evidence}{task.feedback.rejected}{task.feedback.accepted}"
        )
        assert task.prompt.split() == ["Install", "the", "dependencies."]


def test_what_a_note_repeats_of_the_model_is_one_short_line() -> None:
    result = by_model(a_session(), reply=reply(mined(lesson="S9\x1b[2J" * 9_999, quotes=["x" * 99_999])))

    assert all(len(note.summary) < 300 and "\x1b" not in note.summary for note in result.notes)


# names of lessons ---------------------------------------------------------------------------------------


def named(*sessions: Session, per_call: int, known: Sequence[Lesson] = ()) -> tuple[list[str], list[Prompt]]:
    """The names of the lessons, each call giving another, and what was asked."""
    number = iter(range(9))

    def answer(_prompt: Prompt) -> Mapping[str, Any]:
        return reply(mined(lesson=f"{'really ' * next(number)}use pnpm"))

    backend = FakeBackend({Purpose.MINE: answer, Purpose.LESSONS: {"same": [[1, 2]]}})
    found = mine(
        sessions, optimizer=backend, pool=SerialPool(), per_call=per_call, most=9, known=KnownLessons(tuple(known))
    )
    return [task.wanted.wording for task in found.tasks], backend.prompts


def part(number: int) -> Session:
    """A session with a correction in words of its own."""
    said = f"no, use pnpm in part {number}, not npm"
    return a_session(ASK, "I ran `npm install`.", said, id=f"s{number}", started=NOON + timedelta(hours=number))


def test_calls_that_could_not_agree_on_names_are_followed_by_one_that_does() -> None:
    sessions = [part(i) for i in range(3)]

    names, prompts = named(*sessions, per_call=2)

    assert names == ["use pnpm"] * 3
    assert [prompt.purpose for prompt in prompts] == [Purpose.MINE, Purpose.MINE, Purpose.LESSONS]


def test_one_call_agrees_with_itself() -> None:
    sessions = [a_session(id=f"s{i}", started=NOON + timedelta(hours=i)) for i in range(2)]

    names, prompts = named(*sessions, per_call=2)

    assert (names, len(prompts)) == (["use pnpm"] * 2, 1)


@pytest.mark.parametrize("name", ["Write dates in ISO format (YYYY-MM-DD)", "Write dates as RFC 3339"])
def test_a_wish_that_the_model_named_alike_is_one_lesson_in_any_language(name: str) -> None:
    said = ["datum immer iso", "iso datum!!", "nein, 2026-12-03, iso"]
    sessions = [
        a_session("schreib die Notiz", "Am 3.12.", words, id=f"s{i}", started=NOON + timedelta(days=i))
        for i, words in enumerate(said)
    ]

    found = by_model(*sessions, reply=reply(mined(lesson=name, quotes=said)))

    (lesson,) = found.lessons
    assert lesson.sessions == ("s0", "s1", "s2")


def test_a_new_name_beside_a_known_one_is_asked_about() -> None:
    names, prompts = named(a_session(), per_call=1, known=[a_lesson("Pnpm!")])

    assert names == ["Pnpm!"]
    assert prompts[-1].purpose is Purpose.LESSONS


def test_what_a_night_does_not_take_is_not_asked_about() -> None:
    _, prompts = named(*map(part, range(12)), per_call=2)

    assert prompts[-1].text.count("use pnpm «") == 5  # the nine newest tasks, of five calls


def test_each_call_of_a_project_is_shown_what_those_before_it_named_oldest_session_first() -> None:
    sessions = [a_session(id=f"s{i}", started=NOON - timedelta(days=i)) for i in range(3)]

    _, prompts = named(*sessions, per_call=1)

    shown = [re.findall("2026-.*use pnpm", prompt.text.partition("# Noticed")[0]) for prompt in prompts[:3]]
    assert [prompt.text.partition("session S1 of ")[2][:10] for prompt in prompts[:3]] == [
        "2026-02-28", "2026-03-01", "2026-03-02",
    ]  # fmt: skip
    assert shown == [
        [],
        ["2026-02-28 use pnpm"],
        ["2026-02-28 use pnpm", "2026-03-01 really use pnpm"],
    ]


def test_the_model_is_shown_what_earlier_nights_called_the_lessons_of_the_project() -> None:
    there = a_lesson("Answer in German", project="/elsewhere")

    _, (prompt, _) = named(a_session(), per_call=1, known=[a_lesson("Keep answers\nshort"), there])

    assert "\n```\n2026-03-01 Keep answers short\n```\n\n# Noticed before" in prompt.text


# from now on, and for once ------------------------------------------------------------------------------


def test_two_wishes_of_one_correction_are_two_tasks_of_two_lessons() -> None:
    session = a_session(ASK, "npm", "no - use pnpm, and answer in German")
    first = mined(lesson="Use pnpm")
    second = mined(lesson="Answer in German", quotes=["answer in German"])

    found = by_model(session, reply=reply(first, second))

    assert len({task.id for task in found.tasks}) == 2
    assert {lesson.wording for lesson in found.lessons} == {"Use pnpm", "Answer in German"}
    assert {task.lesson for task in found.tasks} == {lesson.id for lesson in found.lessons}


@pytest.mark.parametrize(
    ("said", "lasts"),
    [("no - use pnpm, the cache is cold", "this time"), ("no - use pnpm just this once", "from now on")],
)
def test_what_holds_this_time_founds_nothing_and_is_told(said: str, lasts: str) -> None:
    wish = mined(lesson="Use pnpm", lasts=lasts)

    found = by_model(a_session(ASK, "npm", said), reply=reply(wish))

    assert (found.tasks, found.lessons, found.for_once) == ((), (), (said,))
    (note,) = found.notes
    assert (note.expected, said in note.summary) == (True, True)


@pytest.mark.parametrize("session_count", [1, 2])
def test_what_one_session_cannot_tell_is_a_noticed_lesson_and_two_sessions_tell(session_count: int) -> None:
    sessions = [a_session(id=f"s{i}", started=NOON + timedelta(hours=i)) for i in range(session_count)]

    found = by_model(*sessions, reply=reply(mined(lesson="Use pnpm", lasts="unclear")))

    (lesson,) = found.lessons
    assert lesson.state is (LessonState.NOTICED if session_count == 1 else LessonState.OPEN)
    assert [note.expected for note in found.notes] == [True] * (session_count == 1)


def test_rules_leave_what_holds_for_once_alone_too() -> None:
    found = mine(
        [a_session(ASK, "npm", "no - use pnpm, not npm, just this once")],
        optimizer=None,
        pool=SerialPool(),
        per_call=5,
        most=9,
    )

    assert (found.tasks, found.lessons) == ((), ())
    assert found.for_once == ("no - use pnpm, not npm, just this once",)


def test_a_wish_said_along_with_a_request_is_tested_by_the_rest_of_it() -> None:
    session = a_session("From now on use pnpm. Install the dependencies.", "npm")

    (task,) = by_model(session, reply=reply(mined(lesson="Use pnpm"))).tasks

    assert (task.prompt, task.feedback.rejected) == ("Install the dependencies.", "")


def test_a_wish_without_any_request_is_remembered_without_a_task() -> None:
    session = a_session("From now on use pnpm.", "ok", "thanks")

    found = by_model(session, reply=reply(mined(lesson="Use pnpm")))

    assert (found.tasks, [lesson.wording for lesson in found.lessons]) == ((), ["Use pnpm"])
    assert "without a request" in found.notes[0].summary


def test_what_is_unclear_is_noticed_however_few_tasks_a_night_takes() -> None:
    wishes = [mined(lesson="Use pnpm", quotes=["pnpm"]), mined(lesson="Sign", lasts="unclear", quotes=["D1"])]
    ran = a_turn("<bash-input>git commit -s</bash-input>", origin=Origin.HARNESS)
    session = a_session(ASK, "npm", SAID, "ok", ran, commands=(TypedCommand(turn=4, text="git commit -s"),))

    found = by_model(session, reply=reply(*wishes), most=1)

    states = {lesson.wording: lesson.state for lesson in found.lessons}
    assert states == {"Use pnpm": LessonState.OPEN, "Sign": LessonState.NOTICED}
    assert found.lost == ()


@pytest.mark.parametrize("text", ["{}", '{"lessons": [{}]}', '{"lessons": 3}', '{"lessons": [{"lesson": "x"}]}'])
def test_a_reply_of_another_shape_is_none(text: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=MineReply)
