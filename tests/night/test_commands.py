"""Tasks get what can judge them in their repositories, from sessions of both agents and real repositories."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.agents.claude_code.sessions import ClaudeCode
from skillopt_sleep.agents.codex.sessions import Codex
from skillopt_sleep.mining.mined import Mined
from skillopt_sleep.mining.rules import ruled_tasks
from skillopt_sleep.night.commands import with_commands, with_late_commands
from skillopt_sleep.protocols.crew import Crew
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.protocols.sealing import Seal
from skillopt_sleep.records import (
    Calibrations,
    Check,
    Checks,
    Command,
    Op,
    Prompt,
    Purpose,
    Session,
    Snapshot,
    Task,
)
from skillopt_sleep.replay.workshop import SealedWorkshop
from skillopt_sleep.replay.workspaces import Bases
from tests.agents.reading import only_session
from tests.builders import changed
from tests.fakes import NOON, FakeBackend
from tests.graded import shown_items
from tests.nights import a_crew
from tests.replay.plain_seal import PlainSeal
from tests.replay.test_calibrate import MAKEFILE, PROJECT, RIGHT
from tests.replay.workspaces.repositories import commit, repository
from tests.sessions import Exchange, ToolCall, claude_session, codex_session

ASK = "Make the sums of the cart exact."
WRONG = "No, that is wrong: the sums are off."
TESTS = "python3 -m unittest tests.test_money"
PARAMS = pytest.mark.parametrize("agent", ["claude", "codex"])


def dated(minutes: int) -> dict[str, str]:
    moment = (NOON + timedelta(minutes=minutes)).isoformat()
    return {"GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment}


def no_diff_shows_it(prompt: Prompt) -> dict[str, Any]:
    """Whoever writes known answers says that no diff can show what is wanted."""
    numbers = range(1, len(shown_items(prompt.text)) + 1)
    return {"controls": [{"item": number, "needs_repository": True} for number in numbers]}


class Desk:
    """A repository, the sessions in it, and a night's way to judge them."""

    def __init__(self, folder: Path, files: dict[str, str] | None = None) -> None:
        self.folder = folder
        self.root = folder / "shop"
        repository(self.root)
        self.commit = commit(self.root, dict(files or PROJECT), **dated(-10))
        self.sessions: list[Session] = []

    def had(self, agent: str, exchanges: Sequence[Exchange], *, started: datetime = NOON) -> Session:
        home = self.folder / f"home{len(self.sessions)}"
        if agent == "claude":
            claude_session(home / "projects", cwd=str(self.root), started=started, exchanges=exchanges)
            session = only_session(ClaudeCode(home))
        else:
            codex_session(home, cwd=str(self.root), started=started, commit=self.commit, exchanges=exchanges)
            session = only_session(Codex(home))
        self.sessions.append(session)
        return session

    def committed(self, files: dict[str, str], minutes: int = 60) -> None:
        commit(self.root, dict(files), **dated(minutes))

    def crew(self, shop: SealedWorkshop, grader: Backend | None = None) -> Crew:
        return a_crew(workshop=shop, grader=grader or FakeBackend({Purpose.CONTROLS: no_diff_shows_it}))

    def judged(
        self,
        *,
        seal: Seal | None = None,
        snapshots: Sequence[Snapshot] = (),
        waiting: bool = True,
        grader: Backend | None = None,
    ) -> tuple[list[Task], Calibrations]:
        tasks: list[Task] = []
        for session in self.sessions:
            tasks += [changed(task, needs_repository=waiting) for task in ruled_tasks(session).tasks]
        place = self.folder / "replays"
        shop = SealedWorkshop(lambda: (seal, ""), Bases(place, layers=False), place)
        mined = with_commands(Mined(tasks=tuple(tasks)), self.sessions, snapshots, self.crew(shop, grader))
        assert [task.id for task in mined.tasks] == [task.id for task in tasks]
        return list(mined.tasks), mined.calibrations


def ran(command: str, code: int = 0) -> ToolCall:
    return ToolCall(command=command, output="", exit_code=code)


FIXED = [Exchange(ASK, "Done.", [ran(TESTS, 1)]), Exchange(WRONG, "Fixed.", [ran(TESTS, 1), ran(TESTS)])]


@PARAMS
def test_the_test_that_failed_on_tuesday_judges(agent: str, tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.had(agent, FIXED)
    desk.committed({"money.py": RIGHT})
    (task,), account = desk.judged(seal=PlainSeal())
    assert isinstance(task.reference, Command)
    assert task.reference.argv == tuple(TESTS.split())
    assert task.setting.needs_repository
    assert task.setting.workspace is not None
    assert (task.setting.workspace.root, task.setting.workspace.commit) == (str(desk.root), desk.commit)
    assert account == Calibrations(sessions=1, commands=1)


@PARAMS
def test_a_session_whose_work_did_not_survive_keeps_its_reference_and_is_counted(agent: str, tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    before = ruled_tasks(desk.had(agent, FIXED)).tasks[0]
    (task,), account = desk.judged(seal=PlainSeal())
    assert task.reference == before.reference
    assert task.setting.workspace is not None  # its diff can still be graded
    assert account == Calibrations(sessions=1, refused={"no_end_state": 1})
    desk.committed({"other.py": "x = 2\n"})
    assert desk.judged(seal=PlainSeal())[1].refused == {"end_state_red": 1}


@PARAMS
def test_a_command_that_passes_although_nothing_was_done_judges_nothing_and_is_counted(
    agent: str, tmp_path: Path
) -> None:
    desk = Desk(tmp_path, PROJECT | {"money.py": RIGHT})
    before = ruled_tasks(desk.had(agent, FIXED)).tasks[0]
    desk.committed({"other.py": "x = 2\n"})
    (task,), account = desk.judged(seal=PlainSeal())
    assert task.reference == before.reference
    assert account == Calibrations(sessions=1, refused={"always_green": 1})


@PARAMS
def test_a_command_that_does_not_answer_twice_the_same_judges_nothing_and_is_counted(
    agent: str, tmp_path: Path
) -> None:
    count = tmp_path / "count"
    flips = f"""\
import pathlib, unittest
class Flips(unittest.TestCase):
    def test_only_the_first_run_fails(self):
        path = pathlib.Path({str(count)!r})
        seen = path.exists()
        path.touch()
        self.assertTrue(seen)
"""
    desk = Desk(tmp_path, PROJECT | {"tests/test_money.py": flips})
    before = ruled_tasks(desk.had(agent, FIXED)).tasks[0]
    desk.committed({"money.py": RIGHT})
    (task,), account = desk.judged(seal=PlainSeal())
    assert task.reference == before.reference
    assert account == Calibrations(sessions=1, refused={"flaky": 1})
    assert "doesn't answer twice the same" in account.in_words


def test_a_check_of_what_was_done_needs_no_end_state(tmp_path: Path) -> None:
    desk = Desk(tmp_path, PROJECT | {"gen/api.py": "x\n", "Makefile": MAKEFILE})
    wrote = ToolCall(path=f"{desk.root}/gen/api.py", content="y\n")
    desk.had(
        "claude", [Exchange(ASK, "Done.", [wrote]), Exchange("No, don't touch gen/, it is generated.", "Sorry.")]
    )
    desk.had("codex", [Exchange(ASK, "Done."), Exchange("You forgot to run make lint.", "Sorry.")])
    (gen, lint), account = desk.judged(seal=PlainSeal())
    assert gen.reference == Checks(items=(Check(op=Op.FILE_UNTOUCHED, arg="gen"),))
    assert lint.reference == Checks(items=(Check(op=Op.COMMAND_RUN, arg="make lint"),))
    assert account == Calibrations(sessions=2, checks=2)


@pytest.mark.parametrize("typed", ["make lint", "make lint 2>&1 | tail -5"])
def test_a_check_that_the_person_ran_is_tried_in_the_repository_instead_of_in_words(
    tmp_path: Path, typed: str
) -> None:
    desk = Desk(tmp_path, PROJECT | {"Makefile": MAKEFILE})
    desk.had("claude", [Exchange(ASK, "Done."), Exchange(typed, in_shell=True, printed="ok"), Exchange("thanks")])
    (task,), account = desk.judged(seal=PlainSeal(), waiting=False)
    assert task.reference == Checks(items=(Check(op=Op.COMMAND_RUN, arg="make lint"),))
    assert task.setting.needs_repository
    assert account == Calibrations(sessions=1, checks=1)


def test_without_a_seal_every_task_stays_as_it_is_and_the_account_says_why(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    before = ruled_tasks(desk.had("claude", FIXED)).tasks[0]
    (task,), account = desk.judged()
    assert task == changed(before, needs_repository=True)
    assert account == Calibrations(sessions=1, refused={"no_seal": 1})


def test_a_task_that_words_can_show_stays_as_it_is_and_is_not_counted(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    before = ruled_tasks(desk.had("claude", FIXED)).tasks[0]
    (task,), account = desk.judged(seal=PlainSeal(), waiting=False)
    assert task == before
    assert account == Calibrations()


def test_a_repository_that_is_gone_is_counted_with_its_reason(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.had("claude", FIXED)
    desk.root.rename(tmp_path / "moved")
    (task,), account = desk.judged(seal=PlainSeal())
    assert task.setting.workspace is None
    assert account == Calibrations(sessions=1, refused={"no_workspace": 1}, workspaces={"gone": 1})


def test_a_session_that_began_with_uncommitted_work_is_calibrated_from_its_commit(tmp_path: Path) -> None:
    desk = Desk(tmp_path, {"readme.md": "x\n"})
    session = desk.had("claude", FIXED)
    for name, text in PROJECT.items():
        (desk.root / name).parent.mkdir(exist_ok=True)
        (desk.root / name).write_text(text)
    snapshot = Snapshot(session=session.id, root=str(desk.root), commit=desk.commit)
    (task,), account = desk.judged(seal=PlainSeal(), snapshots=[snapshot])
    assert account.commands == 0
    assert task.setting.workspace is None or task.setting.workspace.commit == desk.commit


def test_a_night_that_has_tried_for_long_leaves_the_others_for_later(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    session = desk.had("claude", FIXED)
    desk.committed({"money.py": RIGHT})
    task = changed(ruled_tasks(session).tasks[0], needs_repository=True)
    shop = SealedWorkshop(lambda: (PlainSeal(), ""), Bases(tmp_path / "b", layers=False), tmp_path / "b")
    hours = iter(range(9))
    hurried = a_crew(workshop=shop, clock=lambda: NOON + timedelta(hours=next(hours)))
    found = with_commands(Mined(tasks=(task,)), [session], [], hurried)
    assert found.calibrations.refused == {"later": 1}
    assert found.notes == ()
    assert "another night" in found.calibrations.in_words
    assert found.tasks == (task,)  # it can be tried when it is asked again
    assert with_late_commands([task], [session], [], hurried) == ()
    unhurried = a_crew(workshop=shop)
    (later,) = with_late_commands([task], [session], [], unhurried)
    assert isinstance(later.reference, Command)
    assert later.setting.workspace is not None


def test_a_crew_without_a_workshop_changes_nothing(tmp_path: Path) -> None:
    mined = Mined(tasks=(ruled_tasks(Desk(tmp_path).had("claude", FIXED)).tasks))
    assert with_commands(mined, [], [], a_crew()) is mined
    assert with_late_commands(mined.tasks, [], [], a_crew()) == ()
