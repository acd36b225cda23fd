"""An attempt in a copy: the agent acts, nothing of it stays, and only what is proven counts.

The agent here is a small script and the seal a plain process in a whole copy; the genuine ones are tested elsewhere.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.backends.attempt_socket import Upstream
from skillopt_sleep.backends.metered import Limits as MeterLimits, NightMeter
from skillopt_sleep.backends.relay import Relay
from skillopt_sleep.errors import BudgetExhausted
from skillopt_sleep.kit.process import ProcessResult, run
from skillopt_sleep.protocols.acting import AgentRun, Installed, ProgramCommand, RelayRoute
from skillopt_sleep.protocols.program import Setup
from skillopt_sleep.protocols.sealing import Policy, Probe
from skillopt_sleep.records import Check, Checks, Command, CommandRun, InForce, Limit, Op, Task, Workspace
from skillopt_sleep.replay.checking import CheckRuns
from skillopt_sleep.replay.sealed import SealedAgent, SealedCopy
from skillopt_sleep.replay.workspaces import Bases
from tests.builders import a_document, a_task
from tests.fakes import FakeCalls, FakeClock, FakeLedger
from tests.server import ModelServer

# It obeys a rule only if the rule reached it, as a model would.
SCRIPT = r"""
import http.client, json, os, pathlib, socket, subprocess, sys
class Wire(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(os.environ["SOCKET"])
rules = pathlib.Path("AGENTS.md").read_text() if pathlib.Path("AGENTS.md").exists() else ""
if os.environ["BLIND"]:
    rules = ""
message = sys.stdin.read()
wire = Wire("localhost")
body = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": rules + "\n" + message}]}
wire.request("POST", "/v1/messages", json.dumps(body), {"content-type": "application/json"})
status = wire.getresponse().status
ran = []
if status == 200 and "fix" in rules:
    pathlib.Path("code.py").write_text("VALUE = 2\n")
if status == 200 and "lint" in rules:
    ran.append("make lint")
pathlib.Path("notes.txt").write_text(message)
print(json.dumps({"status": status, "ran": ran}))
"""


class PlainSeal:
    """Runs the program in the whole copy, unsealed."""

    name = "plain"

    def __init__(self) -> None:
        self.ran: list[tuple[str, ...]] = []

    def probe(self, folder: Path, /) -> Probe:
        return Probe(self.name)

    def run(self, argv: Sequence[str], policy: Policy, *, stdin: bytes = b"") -> ProcessResult:
        self.ran.append(tuple(argv))
        cwd = policy.tree.upper / policy.cwd.relative_to(policy.root)
        environ = {**policy.environ, "SOCKET": str(policy.socket), "PATH": os.environ["PATH"]}
        return run(argv, stdin=stdin, cwd=cwd, environ=environ, timeout=60)


class ScriptedAgent:
    """Acts by the script above."""

    files: Mapping[PurePosixPath, bytes] = {PurePosixPath("settings.json"): b"{}"}
    sessions = "*.jsonl"

    def __init__(self) -> None:
        self.blind = ""
        self.says = "Done."

    def installed(self, program: Path, /) -> Installed:
        return Installed((str(program),), frozenset())

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
        return ProgramCommand((sys.executable, "-c", SCRIPT), message.encode(), {"BLIND": self.blind})

    def read(self, runs: Sequence[ProcessResult], transcript: bytes, /) -> AgentRun:
        said: list[dict[str, Any]] = [json.loads(ran.stdout) for ran in runs]
        commands = tuple(CommandRun(text=line, status=0) for one in said for line in one["ran"])
        return AgentRun(response=self.says, commands=commands, turns=len(runs), session="s")

    def place(self, document: Path, /, *, root: Path, home: Path, agent_home: Path) -> PurePosixPath | None:
        return PurePosixPath(document) if document.is_relative_to(root) else None

    def way(self, files: Mapping[str, bytes], environ: Mapping[str, str], setup: Setup) -> RelayRoute:
        return RelayRoute()


class Place:
    """A repository whose check fails, and everything to attempt a task in it."""

    def __init__(self, folder: Path, server: ModelServer) -> None:
        self.root = folder / "shop"
        self.root.mkdir()
        (self.root / "code.py").write_text("VALUE = 1\n")
        (self.root / "check.py").write_text("import code_under; raise SystemExit(0)\n")
        for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "one"]):
            self.git(*words)
        self.commit = self.git("rev-parse", "HEAD").strip()
        self.folder = folder / "replays"
        self.server = server
        self.ledger = FakeLedger()
        self.draws = FakeCalls()
        self.seal = PlainSeal()
        self.agent = ScriptedAgent()

    def git(self, *words: str) -> str:
        fixed = ["-c", "user.name=n", "-c", "user.email=n@example.org"]
        return subprocess.run(
            ["git", *fixed, *words], cwd=self.root, capture_output=True, text=True, check=True
        ).stdout

    def executor(self, *, calls: int = 100, turns: int = 40, night: str = "n1") -> SealedCopy:
        meter = NightMeter(self.ledger, MeterLimits(Limit(calls), 60), clock=FakeClock())
        relay = Relay(meter, Upstream(self.server.root_url, {"x-api-key": "k"}), price=lambda _model, _usage: 0.5)
        agent = SealedAgent(
            self.agent,
            Installed((), frozenset()),
            RelayRoute(),
            Setup(),
            "Scripted",
            "scripted",
            "1",
            Path("/home/me"),
            Path("/home/me/.a"),
        )
        return SealedCopy(
            agent,
            CheckRuns(self.seal, Bases(self.folder / "bases", layers=False), self.folder / "a"),
            relay,
            draws=self.draws,
            meter=meter,
            folder=self.folder / "a",
            turns=turns,
            night=lambda: night,
        )

    def task(self, **fields: Any) -> Task:
        wants = Checks(items=(Check(op=Op.COMMAND_RUN, arg="make lint"),))
        workspace = Workspace(root=str(self.root), commit=self.commit)
        at = datetime(2026, 3, 2, tzinfo=UTC)
        return a_task(**{"reference": wants, "workspace": workspace, "at": at, "project": str(self.root), **fields})

    def document(self, body: str) -> Any:
        return a_document(body, path=f"{self.root}/AGENTS.md", project=str(self.root))


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with ModelServer() as server:
        yield Place(tmp_path, server)


def test_the_agent_does_the_task_in_a_copy_and_what_it_did_is_told(place: Place) -> None:
    before = place.git("status", "--porcelain"), (place.root / "code.py").read_bytes()
    done = place.executor().run(place.task(), place.document("- lint and fix.\n"), sample=0)

    assert (done.failure, done.response, done.seal, done.turns) == ("", "Done.", "plain", 1)
    assert [command.text for command in done.commands] == ["make lint"]
    assert done.changed_files == ("code.py", "notes.txt")
    assert "+VALUE = 2" in done.diff
    assert not done.text_only
    assert (place.git("status", "--porcelain"), (place.root / "code.py").read_bytes()) == before


def test_both_arms_differ_in_the_document_alone(place: Place) -> None:
    executor = place.executor()
    without = executor.run(place.task(), place.document(""), sample=0)
    with_it = executor.run(place.task(), place.document("- lint first.\n"), sample=0)
    assert [len(done.commands) for done in (without, with_it)] == [0, 1]


def test_both_arms_have_the_other_files_that_the_agent_loads(place: Place) -> None:
    loaded = (
        InForce(path=f"{place.root}/CLAUDE.local.md", text="mine"),
        InForce(path=f"{place.root}/AGENTS.md", text=""),
        InForce(path="/elsewhere/CLAUDE.md", text="has no place in the copy"),
    )
    document = replace(place.document("- fix it\n"), loaded=loaded)
    passes = (sys.executable, "-c", "import sys; sys.exit(open('CLAUDE.local.md').read() != 'mine')")
    done = place.executor().run(place.task(reference=Command(argv=passes)), document, sample=0)
    assert done.checked
    assert done.checked.status == 0
    assert "CLAUDE.local.md" not in done.changed_files
    place.executor().run(place.task(), replace(document, loaded=()), sample=0)
    place.executor().run(place.task(), document, sample=0)
    assert len(place.server.requests) == 3


def test_messages_that_followed_come_in_turn(place: Place) -> None:
    done = place.executor().run(place.task(later=("and now?", "go on")), place.document("- lint\n"), sample=0)
    assert (done.turns, "+go on" in done.diff) == (3, True)
    assert len(place.server.requests) == 3


def test_the_projects_own_command_runs_on_a_copy_of_what_was_left_without_the_model(place: Place) -> None:
    passes = (sys.executable, "-c", "raise SystemExit('2' not in open('code.py').read())")
    task = place.task(reference=Command(argv=passes))
    executor = place.executor()
    red = executor.run(task, place.document(""), sample=0)
    green = executor.run(task, place.document("- fix it\n"), sample=0)
    assert [done.checked.status for done in (red, green) if done.checked] == [1, 0]
    assert len(place.server.requests) == 2


def test_a_completed_attempt_is_never_paid_twice(place: Place) -> None:
    task, document = place.task(), place.document("- lint\n")
    first = place.executor().run(task, document, sample=0)
    again = place.executor().run(task, document, sample=0)
    assert (again, len(place.server.requests)) == (first, 1)
    place.executor().run(task, document, sample=1)
    place.executor(night="n2").run(task, document, sample=0)
    assert len(place.server.requests) == 3


def test_an_attempt_without_proof_that_the_document_arrived_is_unscored_and_made_again(place: Place) -> None:
    place.agent.blind = "yes"
    done = place.executor().run(place.task(), place.document("- lint\n"), sample=0)
    assert "nothing shows that the agent was given" in done.failure
    assert place.draws.kept == {}


def test_an_agent_that_did_and_said_nothing_has_failed(place: Place) -> None:
    place.agent.says = " "
    done = place.executor().run(place.task(), place.document("- lint\n"), sample=0)
    assert "did and said nothing" in done.failure
    assert place.draws.kept == {}


def test_an_attempt_at_its_limit_is_unscored(place: Place) -> None:
    done = place.executor(turns=1).run(place.task(later=("more",)), place.document("- lint\n"), sample=0)
    assert "reached its limit" in done.failure


def test_a_night_out_of_budget_ends(place: Place) -> None:
    with pytest.raises(BudgetExhausted):
        place.executor(calls=1).run(place.task(later=("more",)), place.document("- lint\n"), sample=0)


def test_an_outage_is_a_failure_and_no_score(place: Place) -> None:
    place.server.behaviour = "overloaded"
    done = place.executor().run(place.task(), place.document("- lint\n"), sample=0)
    assert done.failure
    assert place.draws.kept == {}


def test_a_disk_that_fails_leaves_an_attempt_unscored_and_no_more(place: Place) -> None:
    executor = place.executor()
    place.folder.mkdir(exist_ok=True)
    (place.folder / "a").write_text("in the way")
    done = executor.run(place.task(), place.document("- lint\n"), sample=0)
    assert "a" in done.failure
    assert (done.seal, place.draws.kept) == ("plain", {})
    (place.folder / "a").unlink()
    assert executor.run(place.task(), place.document("- lint\n"), sample=0).failure == ""


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"workspace": None}, "isn't known in which repository"),
        ({"workspace": Workspace(root="/nowhere/at/all", commit="0" * 40)}, ""),
    ],
)
def test_a_task_that_stands_nowhere_is_not_tried(place: Place, fields: dict[str, Any], words: str) -> None:
    done = place.executor().run(place.task(**fields), place.document("- lint\n"), sample=0)
    assert done.failure
    assert words in done.failure
    assert place.server.requests == []


def test_a_document_that_the_agent_does_not_read_shows_nothing(place: Place) -> None:
    elsewhere = a_document("- lint\n", path="/elsewhere/AGENTS.md")
    assert "doesn't read" in place.executor().run(place.task(), elsewhere, sample=0).failure


def test_nothing_of_an_attempt_stays(place: Place) -> None:
    place.executor().run(place.task(reference=Command(argv=("true",))), place.document("- lint\n"), sample=0)
    assert list((place.folder / "a").iterdir()) == []
    assert not [path for path in (place.folder / "bases").iterdir() if "copy" in path.name]
