"""Attempt a task with the genuine agent, in a sealed throw-away copy of the repository."""

import hashlib
import tempfile
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from msgspec import MsgspecError

from skillopt_sleep.agents.sealed.arrival import has_arrived
from skillopt_sleep.backends.attempt_socket import AttemptSocket
from skillopt_sleep.backends.metered import NightMeter
from skillopt_sleep.backends.relay import Relay
from skillopt_sleep.errors import CallFailed, FailureKind, ItemError, NightError
from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.kit.files import private_dir, readable, worded
from skillopt_sleep.kit.process import ProcessResult
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.kit.scratch import ATTEMPT, SOCKETS, prefix
from skillopt_sleep.protocols.acting import Acting, AgentRun, GivenDocument, Installed, RelayRoute
from skillopt_sleep.protocols.models import Calls
from skillopt_sleep.protocols.program import Setup
from skillopt_sleep.protocols.sealing import HOME, Policy
from skillopt_sleep.records import (
    SEALED_KEY,
    Command,
    Completion,
    Document,
    Prompt,
    Purpose,
    Task,
    Trajectory,
)
from skillopt_sleep.replay.checking import CheckRuns
from skillopt_sleep.replay.toolchains import toolchain_of
from skillopt_sleep.replay.workspaces import Base, Copy, WorkspaceRefused

_MOST_RECORD = 64 * 1024 * 1024
_MOST_RECORDS = 1_000


class SealedAgent(NamedTuple):
    """The agent that makes the attempts: how it acts, its program, the login that the relay uses, and its names.

    A person knows it by its `title`. `name` and `version` tell its attempts from those of another; `home` and
    `agent_home` are the user's own, by which a document's place is known.
    """

    acting: Acting
    installed: Installed
    way: RelayRoute
    setup: Setup
    title: str
    name: str
    version: str
    home: Path
    agent_home: Path


class SealedCopy:
    """Lets the agent do the task in a copy of the repository; nothing of it stays but what happened.

    A completed attempt is kept in `draws` before it is used, so a night that is resumed doesn't pay for it again.
    `folder` is where throw-away homes and sockets are made.
    """

    def __init__(
        self,
        agent: SealedAgent,
        checks: CheckRuns,
        relay: Relay,
        *,
        draws: Calls,
        meter: NightMeter,
        folder: Path,
        turns: int,
        night: Callable[[], str],
    ) -> None:
        self._agent = agent
        self._checks = checks
        self._seal = checks.seal
        self._bases = checks.bases
        self._relay = relay
        self._draws = draws
        self._meter = meter
        self._folder = folder
        self._turns = turns
        self._night = night
        self._lock = threading.Lock()
        self._running: dict[str, threading.Lock] = {}

    def run(self, task: Task, document: Document, *, sample: int) -> Trajectory:
        """Make one attempt, or return the one that was completed before this night was interrupted."""
        document = document.tried_in(task.project)
        key = self._key(task, document, sample)
        with self._lock:
            alone = self._running.setdefault(key, threading.Lock())
        with alone:
            kept = self._draws.get(key)
            if kept is not None:
                with suppress(MsgspecError):  # an earlier version kept it
                    return from_json(kept.text.encode(), Trajectory)
            trajectory = self._attempted(task, document, sample)
            if not trajectory.failure:
                completion = Completion(
                    text=to_json(trajectory).decode(), usage=trajectory.usage, model=trajectory.model
                )
                self._draws.put(key, completion)
            return trajectory

    def _key(self, task: Task, document: Document, sample: int) -> str:
        """Return what tells this attempt from others: all that can change what happens in it."""
        parts = (
            self._night(),
            self._agent.name,
            self._agent.version,
            self._seal.name,
            task.id,
            task.prompt,
            *task.setting.later,
            to_json(task.setting.workspace).decode(),
            to_json(task.reference).decode(),
            document.path,
            document.text,
            to_json(document.others).decode(),
            str(sample),
        )
        digest = hashlib.blake2b(digest_size=20)
        for part in parts:
            digest.update(f"{len(part)}:{part}".encode())
        return f"{SEALED_KEY}{digest.hexdigest()}"

    def _attempted(self, task: Task, document: Document, sample: int) -> Trajectory:
        try:
            return self._attempt(task, document, sample)
        except NightError:
            raise
        except ItemError as error:
            return Trajectory(failure=error.message, seal=self._seal.name)
        except OSError as error:  # of our own disk, or of what was left in the copy
            what, _ = worded(error, remedy="")
            return Trajectory(failure=what, seal=self._seal.name)

    def _attempt(self, task: Task, document: Document, sample: int) -> Trajectory:
        if task.setting.workspace is None:
            raise ItemError("it isn't known in which repository the request was made")
        base = self._bases.of(task.setting.workspace)
        with base.copy() as copy, self._place() as place, _place_of_socket() as reached:
            home, socket = private_dir(place / "home"), reached / "model.sock"
            root = PurePosixPath(base.root)
            given = self._give(document, copy, base, home, root=root)
            needs = toolchain_of(base.path, base.dependencies)
            policy = Policy(
                tree=copy.tree,
                root=root,
                cwd=root / task.setting.workspace.folder,
                home=home,
                environ=needs.for_agents,
                reads={**needs.reads, **{PurePosixPath(path): path for path in self._agent.installed.reads}},
                socket=socket,
            )
            asker, most = f"{task.id} {sample}", self._turns
            with self._relay.line(socket, project=task.project, asker=asker, most=most) as line:
                runs, acted = self._act(task, policy)
            self._refuse_failed(task, line, acted)
            if not has_arrived(given, line.first_request):
                raise ItemError(f"nothing shows that the agent was given {given.place}")
            return self._trajectory(task, runs, acted, line, copy=copy, base=base)

    def _trajectory(
        self,
        task: Task,
        runs: Sequence[ProcessResult],
        acted: AgentRun,
        line: AttemptSocket,
        *,
        copy: Copy,
        base: Base,
    ) -> Trajectory:
        """Say what happened, and run the task's own command on what was left."""
        changes = copy.changes()
        checked = None
        if isinstance(task.reference, Command):
            checked, _ = self._checks.run(task.reference, copy, base)
        return Trajectory(
            response=redact(acted.response),
            tool_calls=acted.tool_calls,
            commands=acted.commands,
            changed_files=changes.files,
            deleted_files=changes.gone,
            diff=changes.diff,
            checked=checked,
            turns=acted.turns,
            seal=self._seal.name,
            seconds=sum(ran.seconds for ran in runs),
            usage=line.usage,
            model=acted.model or line.model,
        )

    @contextmanager
    def _place(self) -> Generator[Path]:
        """Have a folder for one attempt."""
        with tempfile.TemporaryDirectory(
            prefix=prefix(ATTEMPT), dir=private_dir(self._folder), ignore_cleanup_errors=True
        ) as name:
            yield Path(name)

    def _give(self, document: Document, copy: Copy, base: Base, home: Path, *, root: PurePosixPath) -> GivenDocument:
        """Put the document where the agent loads it, and the files that its throw-away home needs.

        So are the other files that it loads, where they have a place inside. `root` is where the repository stands
        inside.
        """
        agent = self._agent
        for name, data in agent.acting.files.items():
            _write(home / name, data)

        def put(path: str, text: str) -> PurePosixPath | None:
            place = agent.acting.place(Path(path), root=base.root, home=agent.home, agent_home=agent.agent_home)
            if place is not None and place.is_relative_to(base.root):
                below = place.relative_to(base.root)
                copy.write(below, text.encode())
                return root / below
            if place is not None:
                _write(home / place.relative_to(HOME), text.encode())
            return place

        for file in document.others:
            with suppress(WorkspaceRefused):  # a link in the copy: it stays as the commit has it
                put(file.path, file.text)
        place = put(document.path, document.text)
        if place is None:
            raise ItemError(f"{agent.name} doesn't read {document.path}, so no attempt with it shows anything")
        return GivenDocument(place, document.kind, document.text)

    def _act(self, task: Task, policy: Policy) -> tuple[list[ProcessResult], AgentRun]:
        """Hand the agent the request and the later messages in turn, each when it is done with the one before."""
        agent = self._agent
        runs: list[ProcessResult] = []
        acted = AgentRun()
        for message in (task.prompt, *task.setting.later):
            turn = agent.acting.turn(
                message,
                agent.installed,
                agent.way,
                setup=agent.setup,
                turns=self._turns,
                session=acted.session,
            )
            environ = {
                **policy.environ,
                **turn.environ,
                "PATH": ":".join(
                    environ["PATH"] for environ in (policy.environ, turn.environ) if environ.get("PATH")
                ),
            }
            runs.append(self._seal.run(turn.argv, replace(policy, environ=environ), stdin=turn.stdin))
            acted = agent.acting.read(runs, record_of(policy.home, agent.acting.sessions))
            if acted.problem is not None:
                break
        return runs, acted

    def _refuse_failed(self, task: Task, line: AttemptSocket, acted: AgentRun) -> None:
        """Raise what ended the attempt before its own end: it shows nothing then."""
        prompt = Prompt(purpose=Purpose.ROLLOUT, text="", asker=task.id, project=task.project)
        if isinstance(line.failure, NightError):
            raise line.failure
        if line.stopped or acted.stopped_early:
            raise ItemError("the attempt reached its limit before the agent was done")
        failure = line.failure or acted.problem
        if failure is None and not acted.response.strip() and not acted.tool_calls:
            failure = CallFailed(FailureKind.EMPTY, f"{self._agent.title}'s model did and said nothing")
        if isinstance(failure, CallFailed):
            self._meter.failed(prompt, failure)
            raise failure
        if failure is not None:
            raise failure
        self._meter.answered(prompt)


@contextmanager
def _place_of_socket() -> Generator[Path]:
    """Have a folder of our own for a socket, whose path may be no longer than a hundred characters."""
    with tempfile.TemporaryDirectory(prefix=prefix(SOCKETS), ignore_cleanup_errors=True) as name:
        yield Path(name)


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def record_of(home: Path, pattern: str) -> bytes:
    """Return what a sealed agent noted of its session: the newest plain file of this pattern, b"" without one.

    No link is followed, neither to a file nor to a folder.
    """
    real = home.resolve()
    found: list[tuple[float, Path]] = []
    for path in islice(home.glob(pattern), _MOST_RECORDS):
        own = real / path.relative_to(home)
        try:
            if path.resolve() == own and own.is_file():
                found.append((own.lstat().st_mtime, own))
        except (OSError, RuntimeError):
            continue  # it leads nowhere, or round in circles
    if not found:
        return b""
    return readable(max(found)[1], most=_MOST_RECORD, inside=real)
