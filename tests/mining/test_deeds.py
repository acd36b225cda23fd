"""What the person did in a session, apart from words."""

from datetime import timedelta
from time import perf_counter

import pytest

from skillopt_sleep.mining.deeds import deeds
from skillopt_sleep.records import ChangedOnDisk, Deed, DeedKind, Origin, Session, ToolEvent, Turn, TypedCommand
from tests.builders import a_session, a_turn
from tests.fakes import NOON

FILE = "/home/ada/shop/src/cart.py"
LATER = NOON + timedelta(minutes=1)


def agent(text: str = "Done.") -> Turn:
    return a_turn(text, origin=Origin.ASSISTANT)


def noted(text: str = "(a command)") -> Turn:
    return a_turn(text, origin=Origin.HARNESS, at=LATER)


def typed(command: str, *, turn: int = 2) -> TypedCommand:
    return TypedCommand(turn=turn, text=command, at=LATER)


def wrote(path: str = FILE, *, turn: int = 0, **fields: object) -> ToolEvent:
    return ToolEvent(name="Edit", turn=turn, brief=path, **fields)  # pyright: ignore[reportArgumentType] - any field


def ran(command: str, *, turn: int = 1, code: int | None = None) -> ToolEvent:
    return ToolEvent(name="Bash", turn=turn, brief=command, error=bool(code), exit_code=code)


def session_of(*more: Turn | str, **fields: object) -> Session:
    """The person asks, the agent answers, and whatever comes then."""
    return a_session("mend the cart", agent(), *more, **fields)


def did(session: Session) -> list[tuple[DeedKind, int, str]]:
    return [(deed.kind, deed.turn, deed.what) for deed in deeds(session)]


def after_command(command: str, *tools: ToolEvent, **fields: object) -> list[tuple[DeedKind, int, str]]:
    return did(session_of(noted(), commands=(typed(command),), tools=tools, **fields))


def test_a_rejected_call_is_a_deed_with_the_call_and_its_time() -> None:
    call = ToolEvent(name="Bash", turn=1, brief="git push -f", error=True, rejected=True, at=LATER)
    session = session_of(tools=(call,))
    assert deeds(session) == (Deed(kind=DeedKind.REJECTED, session=session.id, turn=1, what="git push -f", at=LATER),)


def test_a_rejected_call_without_a_brief_has_its_tools_name() -> None:
    call = ToolEvent(name="ExitPlanMode", turn=1, error=True, rejected=True)
    assert did(session_of(tools=(call,))) == [(DeedKind.REJECTED, 1, "ExitPlanMode")]


def test_a_stop_is_a_deed_with_the_time_of_its_note() -> None:
    session = session_of(noted("[Request interrupted by user]"), stops=(1,))
    assert deeds(session) == (Deed(kind=DeedKind.STOPPED, session=session.id, turn=1, at=LATER),)


def test_a_stop_that_rejected_a_call_is_one_deed() -> None:
    call = ToolEvent(name="Bash", turn=1, brief="git push -f", error=True, rejected=True)
    assert did(session_of("open a PR", stops=(1,), tools=(call,))) == [(DeedKind.REJECTED, 1, "git push -f")]


def test_a_later_stop_is_a_deed_of_its_own() -> None:
    call = ToolEvent(name="Bash", turn=1, brief="git push -f", error=True, rejected=True)
    session = session_of("open a PR", agent(), stops=(3,), tools=(call,))
    assert [kind for kind, _, _ in did(session)] == [DeedKind.REJECTED, DeedKind.STOPPED]


def test_a_command_the_person_ran_is_a_deed() -> None:
    session = session_of(noted(), commands=(typed("gh pr create"),))
    assert deeds(session) == (Deed(kind=DeedKind.RAN, session=session.id, turn=2, what="gh pr create", at=LATER),)


@pytest.mark.parametrize("command", ["git revert HEAD", "git checkout HEAD src/cart.py", "jj undo"])
def test_a_command_of_theirs_that_takes_work_back_undoes(command: str) -> None:
    assert after_command(command) == [(DeedKind.UNDONE, 2, command)]


@pytest.mark.parametrize("command", ["git checkout src/cart.py", "git checkout main src/cart.py", "rm src/cart.py"])
def test_it_undoes_if_it_names_a_file_that_the_agent_wrote(command: str) -> None:
    assert after_command(command, wrote()) == [(DeedKind.UNDONE, 2, command)]
    assert after_command(command) == [(DeedKind.RAN, 2, command)]


@pytest.mark.parametrize("command", ["git checkout main", "git stash pop", "git reset"])
def test_other_work_in_git_is_only_run(command: str) -> None:
    assert after_command(command, wrote()) == [(DeedKind.RAN, 2, command)]


@pytest.mark.parametrize(
    "command",
    [
        "pytest -x",
        "uv run pytest",
        "python3 -m pytest tests",
        "CI=1 npm test",
        "make -C shop check",
        "cd shop; cargo clippy",
        ".venv/bin/ruff check .",
        "npx eslint src",
        "black --check .",
    ],
)
def test_a_test_or_linter_of_theirs_after_an_answer_checks_it(command: str) -> None:
    assert after_command(command) == [(DeedKind.CHECKED, 2, command)]


@pytest.mark.parametrize(
    "command", ["cat tests/pytest.ini", "ruff format .", "git commit -m pytest", "black .", "make"]
)
def test_what_checks_nothing_is_only_run(command: str) -> None:
    assert after_command(command) == [(DeedKind.RAN, 2, command)]


def test_tests_that_are_run_before_the_agent_said_anything_are_only_run() -> None:
    session = a_session("mend it", noted(), commands=(typed("pytest", turn=1),))
    assert did(session) == [(DeedKind.RAN, 1, "pytest")]


@pytest.mark.parametrize("command", ["git checkout .", "git stash", "pytest -x", "gh pr create"])
def test_the_agents_own_commands_are_no_deeds(command: str) -> None:
    assert did(session_of(tools=(ran(command, code=1), ran(command, code=0)))) == []


def test_an_edit_that_the_person_changed_is_a_deed() -> None:
    session = session_of(tools=(wrote(changed=True, at=LATER),))
    assert deeds(session) == (Deed(kind=DeedKind.EDITED, session=session.id, turn=0, what=FILE, at=LATER),)


def on_disk(*more: Turn | str, restored: bool = False, **fields: object) -> list[tuple[DeedKind, int, str]]:
    """What the person did, if a file that the agent wrote after turn 0 changed on disk by the end of turn 2."""
    file = ChangedOnDisk(turn=2, since=0, path=FILE, restored=restored, at=LATER)
    tools = (wrote(), *fields.pop("tools", ()))  # pyright: ignore[reportGeneralTypeIssues] - events
    return did(session_of(*more, changed_files=(file,), tools=tools, **fields))


@pytest.mark.parametrize("words", ["go on", "now add a test to cart.py", "explain src/cart.py"])
def test_a_file_that_only_changed_on_disk_is_no_deed(words: str) -> None:
    assert on_disk(words) == []


@pytest.mark.parametrize(
    "words",
    [
        "I changed cart.py, look at it",
        "no, cart.py must not import the shop",
        "ich habe cart.py selbst geändert",
        "j'ai modifié cart.py",
        "he cambiado cart.py",
        "alterei cart.py",
        "я поправил cart.py",
        "我改了 cart.py",
        "cart.py を直しました",
    ],
)
def test_beside_words_of_theirs_about_it_a_changed_file_is_one(words: str) -> None:
    assert on_disk(words) == [(DeedKind.EDITED, 2, FILE)]


def test_words_that_were_said_before_it_was_written_do_not_count() -> None:
    file = ChangedOnDisk(turn=2, since=1, path=FILE)
    session = a_session("I changed cart.py", agent(), "go on", changed_files=(file,), tools=(wrote(turn=1),))
    assert did(session) == []


def test_a_file_that_is_back_as_it_was_is_undone() -> None:
    assert on_disk("go on", restored=True) == [(DeedKind.UNDONE, 2, FILE)]


def test_not_if_the_agent_put_it_back() -> None:
    assert on_disk("go on", restored=True, tools=(ran("git checkout ."),)) == []


def test_a_command_that_undoes_and_the_file_it_put_back_are_one_deed() -> None:
    found = on_disk(noted(), restored=True, commands=(typed("git checkout ."),))
    assert found == [(DeedKind.UNDONE, 2, "git checkout .")]


def test_the_same_request_after_an_answer_is_asked_again() -> None:
    session = session_of("mend the cart!", agent(), "thanks", agent(), "thanks")
    assert did(session) == [(DeedKind.ASKED_AGAIN, 2, "mend the cart!")]


def test_a_request_that_was_never_answered_is_only_sent_again() -> None:
    assert did(a_session(a_turn("mend the cart"), a_turn("mend the cart"))) == []


@pytest.mark.parametrize(
    "command", ["git " + "-c " * 160, "make " * 99, "git reset " * 50, "npx " * 120, "I have " * 70]
)
def test_a_long_command_takes_no_time(command: str) -> None:
    start = perf_counter()
    after_command(command, ran(command))
    on_disk(command, restored=True, tools=(ran(command),))
    assert perf_counter() - start < 1


def test_a_huge_session_takes_little_time() -> None:
    many = 3_000
    turns = [turn for number in range(many) for turn in (a_turn(f"mend the cart of shop {number}"), agent())]
    session = a_session(
        *turns,
        tools=tuple(wrote(f"/f{n}.py", turn=n, rejected=n % 2 == 0) for n in range(many)),
        stops=tuple(range(2 * many)),
        commands=tuple(typed("git checkout a.py", turn=n) for n in range(many)),
        changed_files=tuple(ChangedOnDisk(turn=2 * n, since=n, path=f"/f{n}.py") for n in range(many)),
    )
    start = perf_counter()
    assert len(deeds(session)) > many
    assert perf_counter() - start < 20


def test_deeds_are_in_the_order_of_turns() -> None:
    session = session_of(
        noted(),
        a_turn("mend the cart"),
        agent(),
        commands=(typed("git stash"),),
        tools=(ToolEvent(name="Bash", turn=1, brief="make", error=True, rejected=True),),
        stops=(4,),
    )
    assert [turn for _, turn, _ in did(session)] == [1, 2, 3, 4]
