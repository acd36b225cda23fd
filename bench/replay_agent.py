"""A fast scripted agent for sealed attempts: a small program that asks its model through the relay, and obeys."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from skillopt_sleep.backends.attempt_socket import Upstream
from skillopt_sleep.backends.metered import NightMeter
from skillopt_sleep.backends.relay import Relay
from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.kit.process import ProcessResult
from skillopt_sleep.protocols.acting import AgentRun, Installed, ProgramCommand, RelayRoute
from skillopt_sleep.protocols.models import Calls
from skillopt_sleep.protocols.program import Setup
from skillopt_sleep.protocols.sealing import SOCKET, Seal
from skillopt_sleep.records import CommandRun, Task
from skillopt_sleep.replay.checking import CheckRuns
from skillopt_sleep.replay.sealed import SealedAgent, SealedCopy
from skillopt_sleep.replay.seals.probe import interpreter
from skillopt_sleep.replay.workspaces import Bases

CHECK = "sh check.sh"
TURNS = 40
# It parses the answer by hand, as importing a client would take longer than all the rest of an attempt.
# What it is told: `linted` says whether to run the check, by which `line`, and `passed` how many `of` the tests (four)
# will pass. `writes` and `removes` are files to write (name and
# text) and to delete; if told to `die`, it kills itself. An agent that is `AGENT_BLIND` doesn't read its rules.
SCRIPT = r"""
import json, os, socket, sys, time
rules = ""
for name in ("CLAUDE.md", "AGENTS.md", ".claude/rules/skillopt-sleep.md", ".agents/skills/skillopt-sleep/SKILL.md"):
    if os.path.exists(name) and not os.environ.get("AGENT_BLIND"):
        with open(name) as file:
            rules += file.read()
time.sleep(float(os.environ["AGENT_SECONDS"]))
where = os.environ["AGENT_MODEL"]
talk = rules + "\n" + sys.stdin.read()
body = json.dumps({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": talk}]})
if where.startswith("/"):
    wire = socket.socket(socket.AF_UNIX)
    wire.connect(where)
else:
    host, _, port = where.partition(":")
    wire = socket.create_connection((host, int(port)))
asked = f"POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {len(body.encode())}\r\n\r\n"
wire.sendall(asked.encode() + body.encode())
answer = b""
while piece := wire.recv(65536):
    answer += piece
text = answer.decode()
said = json.loads(text[text.index('{"linted"') if '{"linted"' in text else text.index('{\\"linted\\"'):].replace('\\"', '"').partition("}")[0] + "}")
if said.get("die"):
    os.kill(os.getpid(), 9)
with open("work.txt", "w") as file:
    file.write("%d passed, %d failed\n" % (said["passed"], said.get("of", 4) - said["passed"]))
for name, written in said.get("writes", []):
    with open(name, "w") as file:
        file.write(written)
for name in said.get("removes", []):
    os.remove(name)
print(json.dumps({"ran": [said.get("line", "sh check.sh")] if said["linted"] else [], "said": said["words"], "turns": 1}))
"""
TREE: Mapping[str, str] = {
    "CLAUDE.md": "# Shop\n",
    "check.sh": "cat work.txt\nif grep -q ' 0 failed' work.txt; then exit 0; fi\nexit 1\n",
    "work.txt": "0 passed, 4 failed\n",
}


class FastAgent:
    """Acts by the script above, after so many seconds in which it does nothing."""

    files: Mapping[PurePosixPath, bytes] = {}
    sessions = "*.jsonl"

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds

    def installed(self, program: Path, /) -> Installed:
        """Return the interpreter, and what it reads."""
        found, reads = interpreter()
        return Installed((found or sys.executable,), frozenset(reads.values()))

    def turn(
        self,
        message: str,
        installed: Installed,
        way: RelayRoute,
        *,
        setup: Setup,
        turns: int,
        session: str,
    ) -> ProgramCommand:
        """Return the script's command line."""
        environ = {"PATH": "/usr/bin:/bin", "AGENT_SECONDS": str(self.seconds), "AGENT_MODEL": str(SOCKET)}
        return ProgramCommand((*installed.command, "-I", "-S", "-c", SCRIPT), message.encode(), environ)

    def read(self, runs: Sequence[ProcessResult], transcript: bytes, /) -> AgentRun:
        """Return what the script says that it did, or that it was killed before it said anything."""
        if not all(ran.stdout for ran in runs):
            return AgentRun(problem=CallFailed(FailureKind.KILLED, "the agent was killed before it answered"))
        told: list[dict[str, Any]] = [json.loads(ran.stdout) for ran in runs]
        commands = tuple(CommandRun(text=line, status=0) for one in told for line in one["ran"])
        return AgentRun(
            response=told[-1]["said"],
            commands=commands,
            turns=sum(one["turns"] for one in told),
            session="s",
            model="m",
        )

    def place(self, document: Path, /, *, root: Path, home: Path, agent_home: Path) -> PurePosixPath | None:
        """Return the document's own place in the repository."""
        return PurePosixPath(document) if document.is_relative_to(root) else None

    def way(self, files: Mapping[str, bytes], environ: Mapping[str, str], setup: Setup) -> RelayRoute:
        """Return that any key does."""
        return RelayRoute()


class Place(NamedTuple):
    """Where and by whom attempts are made: the repository's files, the agent, and the most turns of one attempt.

    The ids of the tasks end with `mark`: a night's own chance hangs on them, and is another one on each night.
    """

    tree: Mapping[str, str] = TREE
    acting: FastAgent = FastAgent()
    turns: int = TURNS
    mark: str = ""


USUAL = Place()


class ActingCopy(SealedCopy):
    """A sealed copy that is asked for every task of a repository, as the wiring of a real night has it."""

    def reaches(self, task: Task) -> bool:
        """Return whether the task is about a repository."""
        return task.setting.workspace is not None


def sealed_copy(
    seal: Seal,
    address: str,
    folder: Path,
    *,
    draws: Calls,
    meter: NightMeter,
    night: str,
    acting: FastAgent | None = None,
    turns: int = TURNS,
) -> ActingCopy:
    """Return the executor of sealed attempts, as a night has it, with the fast agent in it."""
    acting = acting or FastAgent()
    relay = Relay(meter, Upstream(address, {"x-api-key": "k"}), price=lambda _model, _usage: 0.0)
    agent = SealedAgent(
        acting,
        acting.installed(Path()),
        RelayRoute(),
        Setup(),
        "Scripted",
        "scripted",
        "1",
        Path("/nowhere"),
        Path("/nowhere/a"),
    )
    bases = Bases(folder / "bases")
    return ActingCopy(
        agent,
        CheckRuns(seal, bases, folder),
        relay,
        draws=draws,
        meter=meter,
        folder=folder,
        turns=turns,
        night=lambda: night,
    )
