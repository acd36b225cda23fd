"""What a forked session copied, and what is its own."""

from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.mining.forks import without_copies
from skillopt_sleep.records import ChangedOnDisk, Origin, Role, Session, ToolEvent, Turn, TypedCommand
from tests.builders import NOON, a_session


def begun(name: str, hours: int, *turns: Turn, **fields: Any) -> Session:
    """A session with these turns that began so many hours after noon."""
    when = NOON + timedelta(hours=hours)
    return a_session(*turns, id=name, started=when, ended=when, **fields)


def typed(name: str, text: str = "fix it") -> Turn:
    return Turn(role=Role.USER, origin=Origin.USER, text=text, id=name)


def test_what_a_fork_copied_counts_in_the_earlier_session_only() -> None:
    answer = Turn(role=Role.ASSISTANT, origin=Origin.ASSISTANT, text="done", id="a")
    first = begun("first", 1, typed("1"), answer)
    tools = (ToolEvent(name="Bash", turn=0), ToolEvent(name="Bash", turn=1), ToolEvent(name="Bash", turn=2))
    fork = begun("fork", 2, typed("1"), answer, typed("2", "instead"), tools=tools)
    rest, whole = without_copies([fork, first], ())
    assert whole == first
    assert [turn.text for turn in rest.turns] == ["instead"]
    assert [event.turn for event in rest.tools] == [0]


def test_of_a_fork_only_what_came_after_it_stays_be_it_said_called_or_stopped() -> None:
    """The genuine copy: the same ids in the same order, then what is new."""

    def said(name: str, text: str) -> Turn:
        return Turn(role=Role.ASSISTANT, origin=Origin.ASSISTANT, text=text, id=name)

    def noted(name: str, text: str) -> Turn:
        return Turn(role=Role.USER, origin=Origin.HARNESS, text=text, id=name)

    shared = (typed("1"), said("2", "done"), noted("3", "a note"), said("", "nameless"))
    tools = tuple(ToolEvent(name=f"tool {turn}", turn=turn) for turn in range(6))
    first = begun("first", 1, *shared, tools=tools[:4], stops=(1,))
    turns = (*shared, typed("4", "use pnpm"), said("5", "changed"))
    fork = begun("fork", 2, *turns, tools=tools, stops=(1, 5))
    rest, whole = without_copies([fork, first], ())
    assert whole == first
    assert [turn.text for turn in rest.turns] == ["nameless", "use pnpm", "changed"]
    assert [(event.name, event.turn) for event in rest.tools] == [
        ("tool 3", 0),
        ("tool 4", 1),
        ("tool 5", 2),
    ]
    assert rest.stops == (2,)


def test_turns_without_an_id_are_nobodys_copy() -> None:
    sessions = [begun("a", 1, typed("")), begun("b", 2, typed(""))]
    assert without_copies(sessions, ()) == sessions


def test_a_copy_of_an_earlier_nights_session_has_no_turn_left() -> None:
    first, fork = begun("first", 1, typed("1")), begun("fork", 2, typed("1"))
    (rest,) = without_copies([fork], [first])
    assert rest.turns == ()


def test_a_fork_carries_no_command_and_no_changed_file_of_the_session_it_was_copied_from() -> None:
    def did(turn: int, since: int) -> dict[str, Any]:
        return {
            "commands": (TypedCommand(turn=turn, text=f"make {turn}"),),
            "changed_files": (ChangedOnDisk(turn=turn, since=since, path=f"{turn}.py"),),
        }

    note = Turn(role=Role.USER, origin=Origin.HARNESS, text="<bash-input>make lint</bash-input>", id="n")
    first = begun("first", 1, typed("1"), note, **did(1, 0))
    only_copied = begun("fork", 2, typed("1"), note, typed("2", "now in German"), **did(1, 0))
    with_its_own = begun("other", 3, typed("1"), note, typed("3"), typed("4"), **did(3, 2))
    _, copied, own = without_copies([first, only_copied, with_its_own], ())
    assert (copied.commands, copied.changed_files) == ((), ())
    assert [(command.turn, command.text) for command in own.commands] == [(1, "make 3")]
    assert [(file.turn, file.since, file.path) for file in own.changed_files] == [(1, 0, "3.py")]


def said_in(name: str, hours: int, *texts: str, **fields: Any) -> Session:
    """A session of answered prompts, whose ids are in no other session."""
    turns: list[Turn] = []
    for number, text in enumerate(texts):
        answer = Turn(role=Role.ASSISTANT, origin=Origin.ASSISTANT, text="done", id=f"{name}-a{number}")
        turns += [typed(f"{name}-{number}" if name else "", text), answer]
    return begun(name, hours, *turns, **fields)


RUN, PNPM, TEST = "create a run script", "no, always use pnpm", "add a test"


@pytest.mark.parametrize(
    ("first", "later", "own"),
    [
        ((RUN, PNPM, TEST), (RUN, PNPM, TEST), ()),
        ((RUN, PNPM, TEST), (RUN, PNPM), ()),
        ((RUN, PNPM), (RUN, PNPM, TEST), (TEST,)),
        ((RUN, PNPM), (RUN, TEST), (RUN, TEST)),
        ((RUN, PNPM, TEST), (TEST, PNPM, TEST), (TEST, PNPM, TEST)),
        ((RUN, "continue", TEST), (RUN, "continue"), ()),
        ((RUN, "continue"), (RUN, "continue", PNPM), (PNPM,)),
        (("continue",), ("continue",), ()),
    ],
    ids=["whole", "part", "went on", "one equal text", "begins otherwise", "all of it", "small talk", "one text"],
)
@pytest.mark.parametrize("name", ["codex:later", ""], ids=["with ids", "without"])
def test_a_session_that_begins_as_another_one_is_a_copy_whichever_agent_wrote_it(
    name: str, first: tuple[str, ...], later: tuple[str, ...], own: tuple[str, ...]
) -> None:
    whole, rest = without_copies([said_in("claude_code:first", 1, *first), said_in(name, 2, *later)], ())
    assert whole.typed == first
    assert rest.typed == own
    assert [turn.text for turn in rest.turns[:1]] == list(own[:1])
    (of_another_night,) = without_copies([said_in(name, 2, *later)], [said_in("claude_code:first", 1, *first)])
    assert of_another_night == rest


def test_the_same_words_typed_on_another_day_and_answered_otherwise_are_no_copy() -> None:
    first, later = said_in("", 1, RUN, PNPM, TEST), said_in("", 30, RUN, PNPM, TEST)
    answered = [
        replace(turn, text=f"{turn.text}!") if turn.origin is Origin.ASSISTANT else turn for turn in later.turns
    ]
    sessions = [replace(first, id="first"), replace(later, id="later", turns=tuple(answered))]
    assert without_copies(sessions, ()) == sessions


def test_the_same_words_in_another_project_are_no_copy() -> None:
    sessions = [said_in("first", 1, RUN, PNPM), said_in("other", 2, RUN, PNPM, project="/home/ada/bakery")]
    assert without_copies(sessions, ()) == sessions
