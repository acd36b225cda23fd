"""Have repositories as they were, and try commands in sealed copies of them."""

from datetime import datetime
from pathlib import Path

from skillopt_sleep.protocols.sealing import Seal
from skillopt_sleep.records import Calibration, Command, NoCommand, NoWorkspace, Session, Snapshot, Workspace
from skillopt_sleep.replay.calibrate import Kept, calibrate
from skillopt_sleep.replay.checking import CheckRuns
from skillopt_sleep.replay.survived import survived
from skillopt_sleep.replay.workspaces import Bases, WorkspaceRefused, workspace_of

CALIBRATIONS = "calibrations"


class SealedWorkshop:
    """The bases in one folder, and a seal to run commands in; without one nothing is tried, and `why_not` says so."""

    def __init__(self, seal: Seal | None, bases: Bases, folder: Path, *, why_not: str = "") -> None:
        self._bases = bases
        self._folder = folder
        self._runs = CheckRuns(seal, bases, folder) if seal else None
        self._kept = Kept(folder / CALIBRATIONS)
        self.why_not = "" if seal else why_not or "nothing can be sealed on this machine"

    def stand(self, session: Session, snapshot: Snapshot | None, /) -> Workspace | NoWorkspace:
        """Return where the session's agent stood, or why that can't be had again."""
        return workspace_of(session, snapshot, folder=self._folder)

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
        if self._runs is None:
            return command, Calibration(refused=NoCommand.NO_SEAL, because=self.why_not)
        ends = survived(workspace, ended, folder=self._folder)
        try:
            return calibrate(command, workspace, ends, self._runs, whole=whole, kept=self._kept)
        except WorkspaceRefused as refused:
            return command, Calibration(refused=NoCommand.NOT_RUN, because=refused.message)
