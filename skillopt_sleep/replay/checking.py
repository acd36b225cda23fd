"""Run a command of a project's own in a seal without network, on a copy of the repository."""

import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from skillopt_sleep.kit.files import private_dir, read_plain
from skillopt_sleep.kit.process import ProcessResult
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.kit.scratch import SCRATCH, prefix, remove_tree
from skillopt_sleep.protocols.sealing import Bounds, Policy, Seal
from skillopt_sleep.records import Command, CommandRun, Workspace
from skillopt_sleep.replay.toolchains import toolchain_of
from skillopt_sleep.replay.workspaces import Base, Bases, Copy

BOUNDS = Bounds(seconds=180, cpu_seconds=360, memory=4 * 1024**3, output=4 * 1024**2)
MOST_OUTPUT = 4_000
MOST_TEST = 1024 * 1024


class CheckRuns:
    """Runs commands on copies, each in a seal of its own; `folder` is where their throw-away homes are made."""

    def __init__(self, seal: Seal, bases: Bases, folder: Path, *, bounds: Bounds = BOUNDS) -> None:
        self.seal = seal
        self.bases = bases
        self._folder = folder
        self._bounds = bounds

    def on(self, command: Command, workspace: Workspace) -> tuple[CommandRun, ProcessResult]:
        """Run the command on this state of the repository; raise WorkspaceRefused or SealBroken."""
        base = self.bases.of(workspace)
        with base.copy() as copy:
            return self.run(command, copy, base)

    def run(self, command: Command, copy: Copy, base: Base) -> tuple[CommandRun, ProcessResult]:
        """Run the command on a copy of the base, in which nothing runs any more; its given tests are put there first.

        The status is None if it had to be ended, or was killed.
        """
        for path, content in self._given(command).items():
            copy.overwrite(path, content)
        home = Path(tempfile.mkdtemp(prefix=prefix(SCRATCH), dir=private_dir(self._folder)))
        try:
            ran = self.seal.run(command.argv, self._policy(command, copy, base, home))
        finally:
            remove_tree(home)
        status = None if ran.stopped or ran.status < 0 else ran.status
        printed = "\n".join(part.decode(errors="replace") for part in (ran.stdout, ran.stderr) if part)
        return CommandRun(text=" ".join(command.argv), status=status, output=end_of(printed)), ran

    def _policy(self, command: Command, copy: Copy, base: Base, home: Path) -> Policy:
        root = PurePosixPath(base.root)
        needs = toolchain_of(base.path, base.dependencies)
        return Policy(
            tree=copy.tree,
            root=root,
            cwd=root / command.folder,
            home=home,
            environ=needs.environ,
            reads=needs.reads,
            bounds=self._bounds,
        )

    def _given(self, command: Command) -> Mapping[str, bytes]:
        """Return the tests that the session wrote, as they are in the state that its command was calibrated with."""
        if not command.given or command.given_from is None:
            return {}
        tree = self.bases.of(command.given_from).path
        given: dict[str, bytes] = {}
        for path in command.given:
            try:
                given[path] = read_plain(tree / path, most=MOST_TEST, inside=tree)
            except OSError:
                continue  # it didn't survive, or is a link
        return given


def end_of(printed: str) -> str:
    """Truncate and redact program output, without what a terminal would act on."""
    plain = "".join(letter for letter in printed if letter.isprintable() or letter in "\n\t")
    return redact(plain[-4 * MOST_OUTPUT :])[-MOST_OUTPUT:]
