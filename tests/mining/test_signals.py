"""What was done in a session is read before any word."""

import pytest

from skillopt_sleep.mining.signals import Signal, signals
from skillopt_sleep.records import Origin, SignalKind, ToolEvent
from tests.builders import a_session, a_turn


def ran(brief: str, *, turn: int = 1, code: int | None = None, rejected: bool = False) -> ToolEvent:
    return ToolEvent(
        name="Bash", turn=turn, brief=brief, error=bool(code) or rejected, exit_code=code, rejected=rejected
    )


def found(*tools: ToolEvent, **fields: object) -> tuple[Signal, ...]:
    return signals(a_session("mend it", "done", tools=tools, **fields))


def test_a_rejected_call_is_a_signal_with_its_command() -> None:
    assert found(ran("git push -f", rejected=True)) == (Signal(1, SignalKind.REJECTED, "git push -f"),)


def test_a_stop_is_a_signal() -> None:
    assert found(stops=(1,)) == (Signal(1, SignalKind.STOPPED),)


@pytest.mark.parametrize(
    "command",
    [
        "git revert HEAD",
        "git restore src",
        "git checkout -- a.py",
        "git checkout .",
        "git reset --hard",
        "git stash drop",
    ],
)
def test_taking_work_back_in_git_is_a_signal(command: str) -> None:
    assert found(ran(command)) == (Signal(1, SignalKind.UNDONE, command),)


@pytest.mark.parametrize("command", ["git checkout -b new", "git checkout main", "git restore --staged", "git log"])
def test_other_work_in_git_is_none(command: str) -> None:
    assert found(ran(command)) == ()


def test_what_the_person_took_back_in_their_own_shell_counts() -> None:
    shell = a_turn("<bash-input>git checkout .</bash-input>", origin=Origin.HARNESS)
    session = a_session(a_turn("mend it"), a_turn("done", origin=Origin.ASSISTANT), shell)
    assert signals(session) == (Signal(2, SignalKind.UNDONE, "git checkout ."),)


def test_a_command_that_fails_and_then_works_was_mended() -> None:
    assert found(ran("uv sync", code=1), ran("uv sync --extra dev")) == ()
    assert found(ran("uv run app --once", code=1), ran("uv run app --twice", code=0)) == (
        Signal(1, SignalKind.FIXED, "uv run app --twice"),
    )


def test_tests_that_turn_are_told_apart_whatever_their_arguments() -> None:
    assert found(ran("pytest tests/a", code=1), ran("pytest -x", code=0)) == (
        Signal(1, SignalKind.TESTS_PASSED, "pytest -x"),
    )


def test_a_success_alone_is_no_signal() -> None:
    assert found(ran("pytest", code=0), ran("ls")) == ()
