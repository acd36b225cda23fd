"""Attempt a task with the genuine agent, in a sealed throw-away copy of the repository."""

import hashlib
import tempfile
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from msgspec import MsgspecError

from skillopt_sleep.backends.line import Line, Most
from skillopt_sleep.backends.metered import NightMeter
from skillopt_sleep.backends.relay import Relay
from skillopt_sleep.errors import CallFailed, ItemError, NightError
from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.kit.disk import worded
from skillopt_sleep.kit.files import private_dir
from skillopt_sleep.kit.leftovers import ATTEMPT, SOCKETS, prefix
from skillopt_sleep.kit.process import Ran
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.protocols import Calls
from skillopt_sleep.protocols.acting import Acted, Acting, Given, Inside, Installed, Limits, Way
from skillopt_sleep.protocols.program import Setup
from skillopt_sleep.protocols.sealing import HOME, SOCKET, Policy
from skillopt_sleep.records import (
    SEALED_KEY,
    Command,
    Completion,
    Document,
    Prompt,
    Purpose,
    Task,
    Trajectory,
    wants_a_tool,
)
from skillopt_sleep.replay.checking import CheckRuns
from skillopt_sleep.replay.own_record import own_record
from skillopt_sleep.replay.toolchains import Toolchain, toolchain_of
from skillopt_sleep.replay.workspaces import Base, Copy, WorkspaceRefused


class Agent(NamedTuple):
    """The agent that makes the attempts: how it acts, its program, the login that the relay uses, and its names.

    A person knows it by its `title`. `name` and `version` tell its attempts from those of another; `home` and
    `agent_home` are the user's own, by which a document's place is known.
    """

    acting: Acting
    installed: Installed
    way: Way
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
        agent: Agent,
        checks: CheckRuns,
        relay: Relay,
        *,
        draws: Calls,
        meter: NightMeter,
        folder: Path,
        limits: Limits,
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
        self._limits = limits
        self._night = night
        self._lock = threading.Lock()
        self._running: dict[str, threading.Lock] = {}

    @property
    def text_only(self) -> bool:
        """Return False: the agent has its tools."""
        return False

    def reaches(self, task: Task) -> bool:
        """Return whether the task says where it stands and is judged by what is done there."""
        return task.workspace is not None and wants_a_tool(task.reference)

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
                self._draws.put(key, purpose=Purpose.ROLLOUT, completion=completion)
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
            *task.later,
            to_json(task.workspace).decode(),
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
        if task.workspace is None:
            raise ItemError("it isn't known in which repository the request was made")
        base = self._bases.of(task.workspace)
        with base.copy(layers=self._seal.layers) as copy, self._place() as place, _place_of_socket() as reached:
            home, socket = private_dir(place / "home"), reached / "model.sock"
            inside = Inside(HOME, SOCKET)
            root = PurePosixPath(base.root)
            given = self._give(document, copy, base, home, inside, root=root)
            needs = toolchain_of(base.path, base.dependencies)
            policy = Policy(
                tree=copy.tree,
                root=root,
                cwd=root / task.workspace.folder,
                home=home,
                environ=needs.for_agents,
                reads=self._reads(needs),
                socket=socket,
            )
            most = Most(calls=self._limits.turns, usd=self._limits.usd)
            with self._relay.line(socket, project=task.project, asker=f"{task.id} {sample}", most=most) as line:
                runs, acted = self._act(task, policy, inside)
            self._refuse_failed(task, line, acted)
            self._refuse_unproven(given, line, home)
            return self._trajectory(task, runs, acted, line, copy=copy, base=base)

    def _refuse_unproven(self, given: Given, line: Line, home: Path) -> None:
        """Raise ItemError unless all proofs hold that the document reached the model."""
        transcript = own_record(home, self._agent.acting.sessions)
        arrival = self._agent.acting.arrived(given, first_request=line.first_request, transcript=transcript)
        if not arrival.proven:
            missing = ", ".join(arrival.missing) or "no proof"
            raise ItemError(f"nothing shows that the agent was given {given.place} ({missing})")

    def _trajectory(
        self, task: Task, runs: Sequence[Ran], acted: Acted, line: Line, *, copy: Copy, base: Base
    ) -> Trajectory:
        """Say what happened, and run the task's own command on a copy of what was left."""
        changes = copy.changes()
        checked = None
        if isinstance(task.reference, Command):
            with copy.again(layers=self._seal.layers) as end:
                checked, _ = self._checks.run(task.reference, end, base)
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

    def _give(
        self, document: Document, copy: Copy, base: Base, home: Path, inside: Inside, *, root: PurePosixPath
    ) -> Given:
        """Put the document where the agent loads it, and the files that its throw-away home needs.

        So are the other files that it loads, where they have a place inside. `root` is where the repository stands
        inside.
        """
        agent = self._agent
        for name, data in agent.acting.files.items():
            _write(home / name, data)

        def put(path: str, text: str) -> PurePosixPath | None:
            place = agent.acting.place(
                Path(path), root=base.root, home=agent.home, agent_home=agent.agent_home, inside=inside
            )
            if place is not None and place.is_relative_to(base.root):
                below = place.relative_to(base.root)
                copy.write(below, text.encode())
                return root / below
            if place is not None:
                _write(home / place.relative_to(inside.home), text.encode())
            return place

        for file in document.others:
            with suppress(WorkspaceRefused):  # a link in the copy: it stays as the commit has it
                put(file.path, file.text)
        place = put(document.path, document.text)
        if place is None:
            raise ItemError(f"{agent.name} doesn't read {document.path}, so no attempt with it shows anything")
        return Given(place, document.kind, document.text)

    def _reads(self, needs: Toolchain) -> dict[PurePosixPath, Path]:
        reads = dict(needs.reads)
        for path in self._agent.installed.reads:
            reads[PurePosixPath(path)] = path
        return reads

    def _act(self, task: Task, policy: Policy, inside: Inside) -> tuple[list[Ran], Acted]:
        """Hand the agent the request and the later messages in turn, each when it is done with the one before."""
        agent = self._agent
        runs: list[Ran] = []
        acted = Acted()
        for message in (task.prompt, *task.later):
            turn = agent.acting.turn(
                message,
                agent.installed,
                agent.way,
                setup=agent.setup,
                limits=self._limits,
                inside=inside,
                session=acted.session,
            )
            environ = {**policy.environ, **turn.environ, "PATH": _joined(policy.environ, turn.environ)}
            runs.append(self._seal.run(turn.argv, replace(policy, environ=environ), stdin=turn.stdin))
            acted = agent.acting.read(runs, own_record(policy.home, agent.acting.sessions))
            if acted.problem is not None:
                break
        return runs, acted

    def _refuse_failed(self, task: Task, line: Line, acted: Acted) -> None:
        """Raise what ended the attempt before its own end: it shows nothing then."""
        prompt = Prompt(purpose=Purpose.ROLLOUT, text="", asker=task.id, project=task.project)
        if isinstance(line.failure, NightError):
            raise line.failure
        if line.stopped or acted.stopped_early:
            raise ItemError("the attempt reached its limit before the agent was done")
        failure = line.failure or acted.problem
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


def _joined(*environs: Mapping[str, str]) -> str:
    """Return one PATH, with the folders of the first environment before those of the next."""
    return ":".join(environ["PATH"] for environ in environs if environ.get("PATH"))


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
