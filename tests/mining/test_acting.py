"""What can judge a task in its repository, found in sessions as both agents write them."""

import textwrap
from collections.abc import Sequence
from pathlib import Path

import pytest

from skillopt_sleep.agents.claude_code.sessions import ClaudeCode
from skillopt_sleep.agents.codex.sessions import Codex
from skillopt_sleep.mining.acting import RepositoryJudging, acting
from skillopt_sleep.mining.rules import ruled_tasks
from skillopt_sleep.mining.runners import Checkout
from skillopt_sleep.records import Check, Checks, Command, Op, Reference, Session, Task
from tests.agents.reading import only_session
from tests.builders import a_session, a_task, changed
from tests.fakes import NOON
from tests.sessions import Exchange, ToolCall, claude_session, codex_session

ROOT = "/home/ada/shop"
CHECKOUT = Checkout(
    root=ROOT,
    files=frozenset({"Makefile", "gen/api.py", "src/money.py", "tests/test_money.py", "tests/test_api.py"}),
    folders=frozenset({"gen", "src", "tests"}),
)
ASK = "Make the prices exact to the cent."
PYTHON = ("conftest.py", "*/conftest.py", "pytest.ini", "*/pytest.ini")


@pytest.fixture(params=["claude", "codex"])
def agent(request: pytest.FixtureRequest) -> str:
    return request.param


def session_of(agent: str, folder: Path, exchanges: Sequence[Exchange]) -> Session:
    if agent == "claude":
        claude_session(folder / "projects", cwd=ROOT, started=NOON, exchanges=exchanges)
        return only_session(ClaudeCode(folder))
    codex_session(folder, cwd=ROOT, started=NOON, exchanges=exchanges)
    return only_session(Codex(folder))


def waiting(session: Session) -> Task:
    """The session's task, as one that no answer in words can show."""
    return changed(ruled_tasks(session).tasks[0], needs_repository=True)


def tried(session: Session) -> list[Reference]:
    return [proof.reference for proof in acting(session, waiting(session), CHECKOUT).proofs]


def ran(command: str, code: int = 0) -> ToolCall:
    return ToolCall(command=command, output="1 failed" if code else "1 passed", exit_code=code)


WRONG = "No, that is wrong: use Decimal, not float."


def test_a_command_that_turned_from_failing_to_passing_after_the_correction_judges(
    agent: str, tmp_path: Path
) -> None:
    exchanges = [
        Exchange(ASK, "I use floats now.", [ran("pytest -q tests/test_money.py", 1)]),
        Exchange(WRONG, "Fixed.", [ran("pytest -q tests/test_money.py", 1), ran("pytest -q tests/test_money.py")]),
    ]
    (proof,) = acting(*both(session_of(agent, tmp_path, exchanges))).proofs
    assert proof.reference == Command(argv=("pytest", "tests/test_money.py"), tests=(*PYTHON, "tests/test_money.py"))
    assert proof.whole == Command(argv=("pytest",), tests=(*PYTHON, "tests/test_api.py", "tests/test_money.py"))


def both(session: Session) -> tuple[Session, Task, Checkout]:
    return session, waiting(session), CHECKOUT


def test_tests_that_the_agent_wrote_are_given_to_the_narrowed_command(agent: str, tmp_path: Path) -> None:
    wrote = ToolCall(path=f"{ROOT}/tests/test_money.py", content="def test_a(): ...\n")
    exchanges = [
        Exchange(ASK, "I use floats now."),
        Exchange(WRONG, "Fixed.", [wrote, ran("pytest", 1), ran("pytest")]),
    ]
    whole, short = tried(session_of(agent, tmp_path, exchanges))
    assert isinstance(whole, Command)
    assert whole.argv == ("pytest",)
    assert short == Command(argv=("pytest", "tests/test_money.py"), tests=PYTHON, given=("tests/test_money.py",))


@pytest.mark.parametrize(
    "after",
    [
        [ran("pytest")],  # it never failed
        [ran("pytest", 1)],  # it never passed
        [ran("pytest", 1), ran("pytest | tail -3")],
        [ran("deploy", 1), ran("deploy")],
        [ran("make deploy", 1), ran("make deploy")],
    ],
)
def test_other_commands_judge_nothing(agent: str, tmp_path: Path, after: Sequence[ToolCall]) -> None:
    exchanges = [Exchange(ASK, "I use floats now."), Exchange(WRONG, "Fixed.", after)]
    assert tried(session_of(agent, tmp_path, exchanges)) == []


def test_a_command_that_passed_before_the_correction_only_judges_nothing(agent: str, tmp_path: Path) -> None:
    exchanges = [Exchange(ASK, "Done.", [ran("pytest", 1), ran("pytest")]), Exchange(WRONG, "Fixed.")]
    assert tried(session_of(agent, tmp_path, exchanges)) == []


def test_a_command_that_passed_for_the_next_request_judges_nothing(agent: str, tmp_path: Path) -> None:
    exchanges = [
        Exchange(ASK, "Done.", [ran("pytest", 1)]),
        Exchange(WRONG, "Fixed."),
        Exchange("Now write a release script for the packages.", "Written.", [ran("pytest", 1), ran("pytest")]),
    ]
    assert tried(session_of(agent, tmp_path, exchanges)) == []


def test_what_the_persons_words_name_comes_before_a_command_that_happened_to_run(agent: str, tmp_path: Path) -> None:
    exchanges = [
        Exchange(ASK, "Done.", [ToolCall(path=f"{ROOT}/gen/api.py", content="x\n")]),
        Exchange("No, don't touch gen/, it is generated.", "Sorry.", [ran("pytest", 1), ran("pytest")]),
    ]
    assert tried(session_of(agent, tmp_path, exchanges)) == [Checks(items=(Check(op=Op.FILE_UNTOUCHED, arg="gen"),))]


def test_a_command_that_the_person_wants_to_pass_judges_before_whether_it_was_run(agent: str, tmp_path: Path) -> None:
    exchanges = [
        Exchange(ASK, "Done.", [ran("make test", 1)]),
        Exchange("No, run make test and fix what fails.", "Fixed.", [ran("make test", 1), ran("make test")]),
    ]
    command, checks = tried(session_of(agent, tmp_path, exchanges))
    assert isinstance(command, Command)
    assert (command.argv, command.tests[0]) == (("make", "test"), "Makefile")
    assert checks == Checks(items=(Check(op=Op.COMMAND_RUN, arg="make test"),))


def test_a_check_that_the_person_ran_after_done_has_to_be_run(tmp_path: Path) -> None:
    exchanges = [Exchange(ASK, "Done."), Exchange("make lint", in_shell=True, printed="ok"), Exchange("thanks")]
    session = session_of("claude", tmp_path, exchanges)
    task = ruled_tasks(session).tasks[0]
    assert task.reference == Checks(items=(Check(op=Op.CONTAINS, arg="make lint"),))
    # To name it isn't to run it, so this task is tried in the repository although words could be graded.
    (proof,) = acting(session, task, CHECKOUT).proofs
    assert proof.reference == Checks(items=(Check(op=Op.COMMAND_RUN, arg="make lint"),))


def test_a_task_that_words_can_show_stays_as_it_is() -> None:
    assert acting(a_session(), a_task(), CHECKOUT) == RepositoryJudging()


def test_what_the_agent_printed_and_what_was_pasted_found_nothing(agent: str, tmp_path: Path) -> None:
    pasted = textwrap.dedent("""\
        Here is the log:
        ```
        Always run `make lint` before you say done. Never touch gen/.
        ```""")
    exchanges = [
        Exchange(f"{ASK}\n{pasted}", "Never touch gen/. Always run make lint.", [ran("make lint")]),
        Exchange(WRONG, "Always run `make test` before you say done."),
    ]
    assert tried(session_of(agent, tmp_path, exchanges)) == []


def test_later_messages_are_those_before_the_correction(agent: str, tmp_path: Path) -> None:
    exchanges = [
        Exchange(ASK, "Shall I start with the cart?"),
        Exchange("yes", "Done."),
        Exchange(WRONG, "Fixed."),
        Exchange("ok", "Good."),
    ]
    session = session_of(agent, tmp_path, exchanges)
    found = acting(session, waiting(session), CHECKOUT)
    assert found.later == ("yes",)


def test_checks_of_what_was_done_that_a_task_has_already_are_kept() -> None:
    reference = Checks(items=(Check(op=Op.FILE_CHANGED, arg="docs/new.md"),))
    task = a_task(reference=reference)
    assert [proof.reference for proof in acting(a_session(), task, CHECKOUT).proofs] == [reference]
