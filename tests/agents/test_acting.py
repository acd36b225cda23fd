"""Both genuine programs act in a seal, with nothing of the machine but a copy, a throw-away home and the relay."""

import hashlib
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.agents.sealed.arrival import has_arrived
from skillopt_sleep.backends.attempt_socket import AttemptSocket, Upstream
from skillopt_sleep.backends.metered import Limits as NightLimits, NightMeter
from skillopt_sleep.backends.relay import Relay
from skillopt_sleep.errors import FailureKind
from skillopt_sleep.kit.process import ProcessResult
from skillopt_sleep.protocols.acting import Acting, AgentRun, GivenDocument
from skillopt_sleep.protocols.program import Setup
from skillopt_sleep.protocols.sealing import HOME, Policy, Tree
from skillopt_sleep.records import CommandRun, DocumentKind, Limit
from tests.agents.acting_model import LINT, RULE, RuleKeeper, calling
from tests.agents.bwrap import PROGRAM, SECONDS, sealed
from tests.fakes import FakeClock, FakeLedger
from tests.genuine import Programs
from tests.server import ModelServer

pytestmark = [pytest.mark.cli, pytest.mark.skipif(PROGRAM is None, reason="bubblewrap is not installed")]

KEY = "sk-ant-api03-the-real-key-of-the-user"
LOGINS = {"claude": "ANTHROPIC_API_KEY", "codex": "OPENAI_API_KEY"}
MODELS = {"claude": "claude-sonnet-5", "codex": "gpt-5.5"}
MEMORIES = {"claude": "CLAUDE.md", "codex": "AGENTS.md"}
SKILLS = {"claude": ".claude/skills/lint/SKILL.md", "codex": ".agents/skills/lint/SKILL.md"}
NAMES = ("claude", "codex")
LIVE = "# Project\n\n- Be kind to the people who read this.\n"
MARKED = f"# Project\n\n<!-- ours: begin -->\n- {RULE}\n<!-- ours: end -->\n"
SKILL = f"---\nname: lint\ndescription: What to do before you say that you are done\n---\n\n- {RULE}\n"

ROOMY = 40  # answers of the model
ENOUGH = 50


class Attempt:
    """One attempt by a genuine program, on a copy of a small repository."""

    def __init__(self, name: str, program: Path, folder: Path, server: ModelServer) -> None:
        self.acting: Acting = AGENTS[name].acting
        self.name = name
        self.root, self.home = folder / "repository", folder / "home"
        self._server = server
        self._installed = self.acting.installed(program)
        self.runs: list[ProcessResult] = []
        self.line: AttemptSocket | None = None
        self.root.mkdir(parents=True)
        (self.root / "app.txt").write_text("old\n")
        (self.root / "lint.sh").write_text("echo checked app.txt\n")
        for path, data in self.acting.files.items():
            self.write(self.home / path, data.decode())

    def write(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run(self, *messages: str, turns: int = ROOMY, most: int = ENOUGH, seconds: float = SECONDS) -> AgentRun:
        """Say these things one after the other, as long as the program goes on."""
        acted = AgentRun()
        with self._relayed(most) as line:
            self.line = line
            for message in messages:
                self._turn(message, acted.session, turns, line, seconds)
                acted = self.acting.read(self.runs, self.transcript)
                if acted.problem:
                    break
        return acted

    def arrived(self, place: PurePosixPath, text: str) -> bool:
        assert self.line
        kind = DocumentKind.SKILL if place.name == "SKILL.md" else DocumentKind.MEMORY
        return has_arrived(GivenDocument(place, kind, text), self.line.first_request)

    @property
    def transcript(self) -> bytes:
        return b"".join(path.read_bytes() for path in self.home.glob(self.acting.sessions))

    @property
    def setup(self) -> Setup:
        address = self._server.root_url if self.name == "claude" else self._server.base_url
        return Setup(model=MODELS[self.name], base_url=address, key_env=LOGINS[self.name])

    def _turn(self, message: str, session: str, turns: int, line: AttemptSocket, seconds: float) -> None:
        way = self.acting.way({}, {LOGINS[self.name]: KEY}, self.setup)
        turn = self.acting.turn(message, self._installed, way, setup=self.setup, turns=turns, session=session)
        root = PurePosixPath(self.root)
        policy = Policy(
            tree=Tree(upper=self.root),
            root=root,
            cwd=root,
            home=self.home,
            environ=turn.environ,
            reads={PurePosixPath(path): path for path in self._installed.reads},
            socket=self._socket,
        )
        self.runs.append(sealed(turn.argv, policy, stdin=turn.stdin, seconds=seconds))

    @contextmanager
    def _relayed(self, most: int) -> Generator[AttemptSocket]:
        way = self.acting.way({}, {LOGINS[self.name]: KEY}, self.setup)
        meter = NightMeter(FakeLedger(), NightLimits(Limit(100, 0), 60), clock=FakeClock())
        relay = Relay(meter, Upstream(way.address, way.headers), price=lambda _model, _usage: 0.01)
        with tempfile.TemporaryDirectory(prefix="s") as folder:
            self._socket = Path(folder) / "model.sock"
            with relay.line(self._socket, project="p", asker="a", most=most) as line:
                yield line


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        server.acts = RuleKeeper()
        yield server


@pytest.fixture(params=NAMES)
def attempt(request: pytest.FixtureRequest, programs: Programs, tmp_path: Path, server: ModelServer) -> Attempt:
    return Attempt(request.param, getattr(programs, request.param), tmp_path, server)


def statuses(acted: AgentRun) -> list[tuple[str, int | None]]:
    return [(command.text, command.status) for command in acted.commands]


def test_the_rule_in_a_document_is_kept_and_proven_to_have_arrived(attempt: Attempt, server: ModelServer) -> None:
    memory = attempt.root / MEMORIES[attempt.name]
    attempt.write(memory, MARKED)
    acted = attempt.run("Make app.txt new.")
    assert (acted.problem, acted.response, acted.turns) == (None, "Done.", 3)
    assert acted.commands == (CommandRun(text=LINT, status=3, output=acted.commands[0].output),)
    assert acted.commands[0].output.strip() == "checked app.txt"
    assert len(acted.tool_calls) == 2
    assert acted.model in (MODELS[attempt.name], "scripted-1")
    assert (attempt.root / "app.txt").read_text() == "new\n"
    assert attempt.arrived(PurePosixPath(memory), MARKED)
    assert len(server.requests) == 3


def test_without_the_rule_it_is_not_kept_and_no_proof_of_it_holds(attempt: Attempt) -> None:
    memory = attempt.root / MEMORIES[attempt.name]
    attempt.write(memory, LIVE)
    acted = attempt.run("Make app.txt new.")
    assert (acted.problem, acted.commands) == (None, ())
    assert attempt.arrived(PurePosixPath(memory), LIVE)
    assert not attempt.arrived(PurePosixPath(memory), MARKED)
    assert not attempt.arrived(PurePosixPath(memory), LIVE + "- One more rule that nobody wrote.\n")


def test_a_document_of_the_user_is_loaded_from_the_sealed_home(attempt: Attempt, tmp_path: Path) -> None:
    home = tmp_path / "user"
    agent_home = home / f".{attempt.name}"
    document = agent_home / MEMORIES[attempt.name]
    place = attempt.acting.place(document, root=attempt.root, home=home, agent_home=agent_home)
    assert place
    assert place == HOME / f".{attempt.name}" / MEMORIES[attempt.name]
    attempt.write(attempt.home / place.relative_to(HOME), MARKED)
    acted = attempt.run("Make app.txt new.")
    assert statuses(acted) == [(LINT, 3)]
    assert attempt.arrived(place, MARKED)
    assert not home.exists()


def test_what_stands_beside_the_document_is_loaded_too(attempt: Attempt) -> None:
    attempt.write(attempt.root / MEMORIES[attempt.name], LIVE)
    users = attempt.home / f".{attempt.name}" / MEMORIES[attempt.name]
    attempt.write(attempt.root / "CLAUDE.local.md" if attempt.name == "claude" else users, MARKED)
    assert statuses(attempt.run("Make app.txt new.")) == [(LINT, 3)]


def test_a_skill_arrives_by_its_description(attempt: Attempt) -> None:
    skill = attempt.root / SKILLS[attempt.name]
    attempt.write(skill, SKILL)
    acted = attempt.run("Make app.txt new.")
    assert acted.commands == ()  # a skill's rule isn't in the first request
    assert attempt.arrived(PurePosixPath(skill), SKILL)
    other = SKILL.replace("What to do before you say that you are done", "How to write a changelog of a project")
    assert not attempt.arrived(PurePosixPath(skill), other)


def test_messages_follow_one_another_in_one_session(attempt: Attempt, server: ModelServer) -> None:
    server.acts = calling("echo ran")
    acted = attempt.run("Do the first thing.", "/now the second", "And the third.")
    assert acted.problem is None
    assert statuses(acted) == [("echo ran", 0)] * 3
    assert acted.turns == 6
    last = str(server.requests[-1].body)
    assert all(words in last for words in ("Do the first thing.", "/now the second", "And the third."))


def test_how_commands_ended_is_known(attempt: Attempt, server: ModelServer) -> None:
    commands = ("false", "grep nothing app.txt", "kill -9 $$", "seq 1 3000; exit 4")
    server.acts = calling(*commands)
    acted = attempt.run("Run some things.")
    assert [command.text for command in acted.commands] == list(commands)
    found = [command.status for command in acted.commands]
    assert found[0] == found[1] == 1
    assert found[2] not in (0, None)
    assert found[3] == 4
    assert acted.commands[3].output.rstrip().endswith("3000")
    assert len(acted.commands[3].output) <= 4_000


def test_the_key_and_the_machine_are_nowhere_inside(attempt: Attempt, server: ModelServer, tmp_path: Path) -> None:
    secret = tmp_path / "outside.txt"
    secret.write_text("private")
    server.acts = calling(
        "env", f"cat {secret}", "grep -rl the-real-key /home /run /tmp /proc/*/environ /proc/*/cmdline; true"
    )
    acted = attempt.run("Look around.")
    told, read, sought = acted.commands
    assert KEY not in told.output
    assert "the-real-key" not in attempt.transcript.decode().replace("grep -rl the-real-key", "")
    assert read.status == 1
    assert "private" not in read.output
    assert "environ" not in sought.output
    assert {asked.headers.get("X-Api-Key") or asked.headers["Authorization"] for asked in server.requests} <= {
        KEY,
        f"Bearer {KEY}",
    }


@pytest.mark.parametrize(
    ("turns", "most", "kinds"),
    [
        (2, ENOUGH, {"claude": FailureKind.OUT_OF_TURNS}),
        (ROOMY, 2, {"claude": FailureKind.RATE_LIMITED, "codex": FailureKind.RATE_LIMITED}),
    ],
    ids=["turns", "requests"],
)
def test_a_limit_ends_an_attempt_early(
    attempt: Attempt, server: ModelServer, turns: int, most: int, kinds: dict[str, FailureKind]
) -> None:
    if attempt.name not in kinds:
        pytest.skip("codex has no such limit of its own: the relay counts")
    server.acts = calling("echo again", forever=True)
    acted = attempt.run("Go on for ever.", turns=turns, most=most)
    assert acted.problem
    assert acted.problem.kind is kinds[attempt.name]
    assert attempt.line
    assert acted.stopped_early or attempt.line.stopped
    assert statuses(acted)[0] == ("echo again", 0)


def test_time_ends_an_attempt_early(attempt: Attempt, server: ModelServer) -> None:
    endless = "python3 -c 'import time; time.sleep(60)'"
    server.acts = calling(endless)
    acted = attempt.run("Wait.", seconds=12)
    assert acted.problem
    assert (acted.problem.kind, acted.stopped_early) == (FailureKind.TIMED_OUT, True)
    assert statuses(acted) == [(endless, None)]


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [("unauthorized", FailureKind.LOGIN), ("error500", FailureKind.OVERLOADED), ("quota", FailureKind.QUOTA)],
)
def test_a_failing_model_is_a_failure_and_no_early_end(
    attempt: Attempt, server: ModelServer, behaviour: Any, kind: FailureKind
) -> None:
    server.behaviour = behaviour
    acted = attempt.run("Make app.txt new.")
    assert acted.problem
    assert (acted.problem.kind, acted.stopped_early, acted.response) == (kind, False, "")
    assert attempt.line
    assert attempt.line.calls <= 2


def test_what_the_model_kills_is_the_seal_and_the_attempt(attempt: Attempt, server: ModelServer) -> None:
    server.acts = calling("kill -9 -1")
    acted = attempt.run("Kill all.")
    assert acted.problem
    assert acted.problem.kind is FailureKind.KILLED


def test_the_settings_of_a_repository_run_and_change_nothing(attempt: Attempt, server: ModelServer) -> None:
    server.acts = calling("env")
    hook = '{"SessionStart": [{"hooks": [{"type": "command", "command": "touch HOOKED"}]}]}'
    environ = '{"ANTHROPIC_BASE_URL": "http://127.0.0.1:1", "ANTHROPIC_UNIX_SOCKET": "/none", "CLAUDE_CODE_USE_BEDROCK": "1"}'
    settings = f'{{"hooks": {hook}, "apiKeyHelper": "touch HELPED; echo k", "env": {environ}}}'
    attempt.write(attempt.root / ".claude/settings.json", settings)
    attempt.write(attempt.root / ".claude/settings.local.json", settings)
    attempt.write(attempt.root / ".codex/hooks.json", f'{{"hooks": {hook}}}')
    attempt.write(attempt.root / ".codex/config.toml", 'model = "evil"\nmodel_provider = "openai"\n')
    before = _tree(attempt.root)
    acted = attempt.run("Go.")
    assert acted.problem is None
    assert statuses(acted) == [("env", 0)]
    assert _tree(attempt.root) == before


def _tree(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
