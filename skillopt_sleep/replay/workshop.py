"""Have repositories as they were, and try in sealed copies of them whether a command can judge a session's work.

A command must fail if nothing is done, and pass on what the session left.
"""

import hashlib
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

import msgspec
from msgspec.structs import replace

from skillopt_sleep.errors import SealBroken
from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.kit.files import private_dir, read_plain, write_atomic
from skillopt_sleep.kit.tests_counted import count_tests
from skillopt_sleep.protocols.sealing import Seal
from skillopt_sleep.records import (
    Calibration,
    Command,
    CommandRun,
    NoCommand,
    NoWorkspace,
    Session,
    Snapshot,
    Workspace,
)
from skillopt_sleep.replay.checking import CheckRuns
from skillopt_sleep.replay.workspaces import Bases, WorkspaceRefused, ends_of, workspace_of

CALIBRATIONS = "calibrations"  # the folder of earlier results
VERSION = "1"  # raise it when a command is calibrated in another way
MOST_ENDS = 3
MOST_KEPT = 64 * 1024
_NOT_FOUND = frozenset({126, 127})
# What pytest says by its status: it broke, it can't read its arguments, it found no test.
_PYTEST_SAYS_NOTHING = frozenset({3, 4, 5})
# Time may tell otherwise: the program is installed, the work is committed.
_NOT_KEPT = frozenset({NoCommand.NOT_RUN, NoCommand.NO_END_STATE})


class SealedWorkshop:
    """The bases in one folder, and a seal to run commands in; without one nothing is tried.

    `find` returns the seal, or why there is none; it is only called once something is to be tried.
    """

    def __init__(self, find: Callable[[], tuple[Seal | None, str]], bases: Bases, folder: Path) -> None:
        self._find = find
        self._bases = bases
        self._folder = folder
        self._kept = CalibrationFiles(folder / CALIBRATIONS)

    @property
    def why_not(self) -> str:
        """Why nothing can be tried once more here, "" if it can."""
        seal, why_not = self._find()
        return "" if seal else why_not or "nothing can be sealed on this machine"

    def stand(self, session: Session, snapshot: Snapshot | None, /) -> Workspace | NoWorkspace:
        """Return where the session's agent stood, or why that can't be had again."""
        return workspace_of(session, snapshot)

    def files(self, workspace: Workspace, /) -> Path | NoWorkspace:
        """Return a folder with the files of this state, which nobody may write to, or why it can't be had."""
        try:
            return self._bases.of(workspace).path
        except WorkspaceRefused as refused:
            return refused.code

    def calibrated(
        self, command: Command, workspace: Workspace, ended: datetime, /, *, whole: Command | None = None
    ) -> tuple[Command, Calibration]:
        """Try whether the command tells the work of a session that ended then from none."""
        seal, _ = self._find()
        if seal is None:
            return command, Calibration(refused=NoCommand.NO_SEAL, because=self.why_not)
        ends = ends_of(workspace, ended)
        try:
            runs = CheckRuns(seal, self._bases, self._folder)
            return calibrate(command, workspace, ends, runs, whole=whole, kept=self._kept)
        except WorkspaceRefused as refused:
            return command, Calibration(refused=NoCommand.NOT_RUN, because=refused.message)


class CalibrationFiles:
    """The results of earlier nights, by the content of what was tried, as files in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def of(self, key: str, made: Callable[[], Calibration]) -> Calibration:
        """Return the result that is kept for this key, or make one and keep it if it won't change by itself."""
        path = self._folder / f"{key}.json"
        try:
            return from_json(read_plain(path, most=MOST_KEPT), Calibration)
        except (OSError, msgspec.MsgspecError):
            pass
        result = made()
        if result.refused not in _NOT_KEPT:
            private_dir(self._folder)
            write_atomic(path, to_json(result))
        return result


def calibrate(
    command: Command,
    workspace: Workspace,
    ends: Sequence[Workspace],
    runs: CheckRuns,
    *,
    whole: Command | None = None,
    kept: CalibrationFiles | None = None,
) -> tuple[Command, Calibration]:
    """Return the command as a task may use it, and whether it tells the session's work from none, in a seal.

    `ends` are states that may hold what the session ended with; the first with which the command passes is taken, and
    its tests are those that are given. `whole` runs the tests that the command leaves out: what passed before must
    pass at the end. Raises WorkspaceRefused if the workspace can't be had.
    """
    trial = _Tries(command, workspace, ends[:MOST_ENDS], runs, whole)
    calibration = kept.of(trial.key, trial.outcome) if kept else trial.outcome()
    if command.given and calibration.end is not None:
        command = replace(command, given_from=calibration.end)
    return command, calibration


class _Refused(Exception):
    """The command can't be trusted."""

    def __init__(self, code: NoCommand, because: str = "") -> None:
        super().__init__(code)
        self.code = code
        self.because = because


class _Tries:
    """One command on one workspace."""

    def __init__(
        self,
        command: Command,
        workspace: Workspace,
        ends: Sequence[Workspace],
        runs: CheckRuns,
        whole: Command | None,
    ) -> None:
        self._command = command
        self._workspace = workspace
        self._ends = ends
        self._runs = runs
        self._whole = whole

    @property
    def key(self) -> str:
        """A name for all that the result depends on."""
        states = [(state.root, state.commit) for state in (self._workspace, *self._ends)]
        content = to_json((VERSION, self._command, self._whole, states, self._runs.seal.name))
        return hashlib.sha256(content).hexdigest()[:40]

    def outcome(self) -> Calibration:
        """Return whether the command can be trusted, and why not."""
        try:
            end = self._tried()
        except _Refused as refused:
            return Calibration(refused=refused.code, because=refused.because)
        return Calibration(end=end)

    def _tried(self) -> Workspace:
        """Return the end state with which the command passes; raise _Refused."""
        ends = [end for end in self._ends if self._can_be_had(end)]
        if not ends:
            self._run(self._command, self._workspace)  # that it doesn't run at all is the better reason
            raise _Refused(NoCommand.NO_END_STATE)
        before: CommandRun | None = None
        red: CommandRun | None = None
        for end in ends:
            command = replace(self._command, given_from=end) if self._command.given else self._command
            if before is None or command.given:
                before = self._run(command, self._workspace)
            if before.status == 0:
                raise _Refused(NoCommand.ALWAYS_GREEN)
            after = self._run(command, end)
            if after.status:
                red = after
                continue
            self._again(command, self._workspace, before)
            self._again(command, end, after)
            self._refuse_if_others_suffer(before, after, end)
            return end
        raise _Refused(NoCommand.END_STATE_RED, _last_line(red))

    def _can_be_had(self, end: Workspace) -> bool:
        try:
            self._runs.bases.of(end)
        except WorkspaceRefused:
            return False
        return True

    def _run(self, command: Command, state: Workspace) -> CommandRun:
        try:
            checked, ran = self._runs.on(command, state)
        except SealBroken as error:
            raise _Refused(NoCommand.NOT_RUN, error.message) from error
        if ran.stopped == "timed_out":
            raise _Refused(NoCommand.TOO_SLOW)
        if checked.status is None:
            raise _Refused(NoCommand.NOT_RUN, ran.stopped or "it was killed")
        if _was_not_found(command, checked):
            raise _Refused(NoCommand.NOT_RUN, _last_line(checked))
        return checked

    def _again(self, command: Command, state: Workspace, first: CommandRun) -> None:
        """Run it once more on the same state; raise _Refused if it answers otherwise."""
        second = self._run(command, state)
        if (second.status, count_tests(second.output)) != (first.status, count_tests(first.output)):
            raise _Refused(NoCommand.FLAKY)

    def _refuse_if_others_suffer(self, before: CommandRun, after: CommandRun, end: Workspace) -> None:
        """Raise _Refused if tests that passed before are gone or fail at the end, where the runner counts them."""
        _compare(before, after)
        if self._whole is not None:
            _compare(self._run(self._whole, self._workspace), self._run(self._whole, end))


def _compare(before: CommandRun, after: CommandRun) -> None:
    was, now = count_tests(before.output), count_tests(after.output)
    if was is not None and now is not None and (now.passed < was.passed or now.failed > was.failed):
        raise _Refused(NoCommand.BREAKS_OTHERS, f"{was.passed} passed before, {now.passed} after")


def _was_not_found(command: Command, checked: CommandRun) -> bool:
    """Tell whether it was the runner that couldn't be run, not its checks that failed."""
    if checked.status in _NOT_FOUND:
        return True
    is_module = command.argv[1:2] == ("-m",)
    name = command.argv[2] if is_module else command.argv[0]
    if name == "pytest" and checked.status in _PYTEST_SAYS_NOTHING:
        return True
    return is_module and f"No module named {name}" in checked.output


def _last_line(checked: CommandRun | None) -> str:
    lines = checked.output.strip().splitlines() if checked else []
    return lines[-1][:200] if lines else ""
