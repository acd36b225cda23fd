"""Every fault that a model may have: a night never takes it for an answer, and loses neither sessions nor money.

Each row of the table has its tests, named after it; those that a row needs twice are its other half.
"""

import hashlib
import json
import os
import re
import select
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import stamina

from skillopt_sleep.agents.claude_code.sessions import ClaudeCode
from skillopt_sleep.agents.codex.sessions import Codex
from skillopt_sleep.backends.cli import CliBackend
from skillopt_sleep.backends.wrappers import ATTEMPTS
from skillopt_sleep.cli.run import _exit_code as exit_code
from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.night.night import run_night
from skillopt_sleep.protocols.program import Setup
from skillopt_sleep.records import NightReport, Outcome, Purpose
from skillopt_sleep.settings import find_paths, load
from skillopt_sleep.stores.sqlite import SqliteStore
from skillopt_sleep.wiring.night import wire
from tests.agents_at_night import AGENTS, CLAUDE, CODEX, Agent, Person, section, shell, stand_in, starts
from tests.builders import a_prompt
from tests.command import ASKS, KEY
from tests.server import Asked, Behaviour, ModelServer
from tests.sweeps import thinned

ROWS = {
    "F80": "the server refuses, is busy or can't be reached",
    "F81": "the program's status and its words contradict each other",
    "F82": "the program or the server answers with nothing, or with no answer",
    "F83": "the program hangs, and what it started does",
    "F84": "the program floods us",
    "F85": "the program is missing, another, or wants to talk to a person",
    "F86": "the prompt is longer than an argument may be",
    "F87": "the environment of a scheduler",
    "F88": "one prompt can't be answered",
    "F89": "the money is at its end, or can't be counted",
}
MEGABYTES = 20
SECONDS, DEAD_WITHIN = 3, 2.0
CALLS = 8  # of a whole night of these sessions; a program is asked for a word first
FRESH = 6  # more, for what is proven, on fresh attempts
HTTP = ("openai", "anthropic")
# The real command without the waits between retries; at its end it tells how much memory it took at most.
COMMAND = f"""\
import re, resource, sys, stamina
stamina.set_testing(True, attempts={ATTEMPTS}, cap=True)
from skillopt_sleep.cli import main
try:
    main()
finally:
    # Not ru_maxrss, which on Linux begins with what the parent took.
    try:
        most = int(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1]) << 10
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print("most:", most, file=sys.stderr)
"""

by_agent = pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
nights_by_agent = pytest.mark.parametrize("agent", thinned(AGENTS, every=2), ids=lambda agent: agent.name)
# One round decides: these nights are about what a failure or a limit does to them.
ONCE = section("gate", rule="strict")


class Sleeper(Person):
    """Whose nights run in this process, by the real wiring on the real store."""

    def sleep(self) -> NightReport:
        """One night by the configuration."""
        paths = find_paths(self.environment)
        night = wire(
            load(paths, environ={}),
            paths,
            sources=(ClaudeCode(self.folder / ".claude"), Codex(self.folder / ".codex")),
            environ=self.environment,
        )
        try:
            return run_night(night.crew, night.plan)
        finally:
            night.store.close()

    def has_program(self, agent: Agent, program: Path, *more: str, **keys: Any) -> None:
        """The configuration that asks this program; its limit is generous, where the test names none."""
        self.configured(
            section("backend", name=agent.name, program=program, **{"timeout": "60s", **keys}) + ONCE + "".join(more)
        )

    def has_server(self, name: str, server: ModelServer, *more: str, **keys: Any) -> None:
        """The configuration that asks this server."""
        address = server.root_url if name == "anthropic" else server.base_url
        named = {"name": name, "model": "scripted-1", "base_url": address, "timeout": "60s", "confirmed": True}
        named["api_key_env"] = f"{name.upper()}_API_KEY"  # so it counts as any model, not as one at home
        self.configured(section("backend", **named | keys) + ONCE + "".join(more))

    def commanded(self, *arguments: str, environ: dict[str, str] | None = None) -> "subprocess.CompletedProcess[str]":
        """The real command, without waits."""
        argv = [sys.executable, "-c", COMMAND, *arguments]
        env = self.environment if environ is None else environ
        return subprocess.run(
            argv, env=env, cwd=self.folder, capture_output=True, text=True, timeout=120, check=False
        )

    def rows(self, query: str) -> list[Any]:
        """What the store says."""
        with sqlite3.connect(self.data / "sleep.db") as connection:
            return connection.execute(query).fetchall()

    @property
    def kept(self) -> int:
        """Answers that are stored."""
        return self.rows("SELECT count(*) FROM calls")[0][0]

    @property
    def reserved(self) -> int:
        """Calls that the ledger knows of."""
        return self.rows("SELECT count(*) FROM ledger")[0][0]

    @property
    def unread(self) -> int:
        """Sessions that no night has used."""
        store = SqliteStore(self.data, clock=utc_now, lookback=timedelta(days=7), config="")
        try:
            return len(store.index.lines(unread=True))
        finally:
            store.close()

    def next_night_improves(self) -> NightReport:
        """Nothing was lost: a night with a model that is well again uses every session."""
        report = self.sleep()
        assert (report.verdict, report.found.sessions.used) == (Outcome.IMPROVED, len(ASKS))
        return report


@pytest.fixture(autouse=True)
def no_waiting() -> Iterator[None]:
    """Retries as they are, without the waits between them."""
    with stamina.set_testing(True, attempts=ATTEMPTS, cap=True):
        yield


@pytest.fixture
def sleeper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sleeper:
    monkeypatch.setenv("HOME", str(tmp_path))
    sleeper = Sleeper(tmp_path, {"CODEX_API_KEY": KEY})
    sleeper.had_sessions()
    # A file that every agent reads: a trial with another agent proves nothing.
    (sleeper.project / "CLAUDE.md").rename(sleeper.project / "AGENTS.md")
    return sleeper


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def ended(report: NightReport, *codes: int) -> None:
    """The night failed, says why and what to do, and its exit status is one of these."""
    assert report.verdict is Outcome.BACKEND_FAILED, report.because
    assert exit_code(report) in codes
    assert report.because
    assert report.remedy


# F80 -------------------------------------------------------------------------------------------------------

SERVER_FAULTS: dict[str, tuple[Behaviour, int]] = {
    "401": ("unauthorized", 4),
    "403": ("forbidden", 4),
    "429 with retry-after": ("rate_limited", 1),
    "429 without money": ("quota", 1),
    "500": ("error500", 1),
    "503 or 529": ("overloaded", 1),
    "reset": ("reset", 1),
    "slow drip": ("slow_drip", 1),
}


@pytest.mark.parametrize("name", thinned(HTTP, every=len(HTTP)))
@pytest.mark.parametrize("fault", thinned(SERVER_FAULTS.values(), every=2), ids=SERVER_FAULTS)
@pytest.mark.parametrize("from_the_start", [True, False], ids=["from the start", "in the middle"])
def test_f80_a_server_that_fails_ends_the_night_and_the_next_one_uses_all(
    sleeper: Sleeper, server: ModelServer, name: str, fault: tuple[Behaviour, int], from_the_start: bool
) -> None:
    behaviour, code = fault

    def fails(asked: Asked) -> Behaviour:
        return "healthy" if asked.purpose in (Purpose.PREFLIGHT, Purpose.MINE) else behaviour

    server.behaviour = behaviour if from_the_start else fails
    sleeper.has_server(name, server, timeout="1s" if behaviour == "slow_drip" else "60s")
    ended(sleeper.sleep(), code)
    assert len(server.requests) <= 4 * ATTEMPTS
    paid = sleeper.kept
    assert paid == (0 if from_the_start else 1)
    server.behaviour = "healthy"
    server.requests.clear()
    sleeper.has_server(name, server)
    sleeper.next_night_improves()
    assert sum(asked.purpose == Purpose.MINE for asked in server.requests) == 1 - paid


def dying_after(server: ModelServer, answered: int) -> Callable[[Asked], Behaviour]:
    """Answers so many questions, then none."""
    return lambda _asked: "healthy" if len(server.requests) <= answered else "error500"


@pytest.mark.parametrize("answered", thinned(range(1, CALLS - 2), every=3))
def test_f80_a_server_that_dies_before_anything_is_proven_costs_no_session(
    sleeper: Sleeper, server: ModelServer, answered: int
) -> None:
    server.behaviour = dying_after(server, answered)
    sleeper.has_server("openai", server, section("night", workers=1))
    report = sleeper.sleep()
    assert report.verdict is Outcome.BACKEND_FAILED, report.because
    assert "500" in report.because
    assert report.remedy
    assert (sleeper.unread, sleeper.kept) == (len(ASKS), answered)
    server.behaviour = "healthy"
    sleeper.next_night_improves()


@pytest.mark.parametrize("answered", [CALLS - 2, CALLS - 1])
def test_f80_a_server_that_dies_after_the_proof_loses_no_proven_result(
    sleeper: Sleeper, server: ModelServer, answered: int
) -> None:
    server.behaviour = dying_after(server, answered)
    sleeper.has_server("openai", server, section("night", workers=1))
    report = sleeper.sleep()
    assert (report.verdict, exit_code(report)) == (Outcome.IMPROVED, 3)
    assert "solved 0 of 2 before and 2 of 2" in report.because, "a pair that wasn't answered is no pair"
    assert any("500" in note.summary for note in report.errors)


@pytest.mark.parametrize("answered", thinned(range(CALLS, CALLS + FRESH), every=3))
def test_f80_a_server_that_dies_in_the_fresh_round_costs_only_its_number(
    sleeper: Sleeper, server: ModelServer, answered: int
) -> None:
    server.behaviour = dying_after(server, answered)
    sleeper.has_server("openai", server, section("night", workers=1))
    report = sleeper.sleep()
    assert (report.verdict, exit_code(report), len(report.proposals)) == (Outcome.IMPROVED, 3, 1)
    assert report.documents[0].fresh.n == (answered - CALLS) // 2
    assert any("500" in note.summary for note in report.errors)


@pytest.mark.parametrize("name", thinned(HTTP, every=len(HTTP)))
@pytest.mark.parametrize("fault", ["TLS", "DNS", "nobody there"])
def test_f80_a_server_that_cannot_be_reached(sleeper: Sleeper, server: ModelServer, name: str, fault: str) -> None:
    plain = server.base_url if name == "openai" else server.root_url
    address = {
        "TLS": plain.replace("http://", "https://"),
        "DNS": "http://model.invalid/v1",
        "nobody there": "http://127.0.0.1:9/v1",
    }[fault]
    sleeper.has_server(name, server, base_url=address)
    ended(sleeper.sleep(), 1)
    sleeper.has_server(name, server)
    sleeper.next_night_improves()


@pytest.mark.slow
def test_f80_the_command_says_so_by_its_status(sleeper: Sleeper, server: ModelServer) -> None:
    server.behaviour = "error500"
    sleeper.has_server("openai", server)
    done = sleeper.commanded("run", "--json")
    assert (done.returncode, json.loads(done.stdout)["verdict"]) == (1, "backend_failed")


# F81 -------------------------------------------------------------------------------------------------------

NO_RESULT = '{"type":"result","subtype":"success","is_error":true,"result":"Overloaded","api_error_status":529}'
TURN_FAILED = '{"type":"turn.started"}\\n{"type":"turn.failed","error":{"message":"at capacity"}}'
CONTRADICTIONS: dict[str, dict[str, str]] = {
    "an answer, then a failing status": dict.fromkeys(("claude", "codex"), "say(answer); sys.exit(3)"),
    "words on stdout and a failing status": dict.fromkeys(("claude", "codex"), "print(answer); sys.exit(1)"),
    "words of an error and status 0": dict.fromkeys(("claude", "codex"), "print('Credit balance is too low')"),
    "an event of an error and status 0": {"claude": f"print('{NO_RESULT}')", "codex": f"print('{TURN_FAILED}')"},
}


@by_agent
@pytest.mark.parametrize("does", CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_f81_what_a_failing_program_says_is_never_an_answer(
    sleeper: Sleeper, agent: Agent, does: dict[str, str]
) -> None:
    sleeper.has_program(agent, stand_in(sleeper.folder, agent, does[agent.name]))
    ended(sleeper.sleep(), 1, 4)
    assert (sleeper.kept, sleeper.unread) == (0, len(ASKS))


@pytest.mark.slow
@nights_by_agent
def test_f81_the_night_after_uses_every_session(sleeper: Sleeper, agent: Agent) -> None:
    sleeper.has_program(agent, stand_in(sleeper.folder, agent, "say(answer); sys.exit(3)"))
    ended(sleeper.sleep(), 1)
    sleeper.has_program(agent, stand_in(sleeper.folder, agent))
    sleeper.next_night_improves()


# F82 -------------------------------------------------------------------------------------------------------

NO_ANSWERS = {
    "nothing": "",
    "blanks": "printf '  \\n\\n\\t '",
    "garbage": "head -c 20000 /dev/urandom",
    "half of the JSON, and killed": """printf '{"type":"result","subtype":"succ'; kill -KILL $$""",
    "a page": "echo '<!doctype html><html><body>Please sign in.</body></html>'",
}
SERVED: tuple[Behaviour, ...] = ("empty", "empty_body", "garbage", "garbage_body", "half_json", "html", "cut_stream")


@by_agent
@pytest.mark.parametrize("does", NO_ANSWERS.values(), ids=NO_ANSWERS)
def test_f82_a_program_that_says_nothing_of_use_fails_the_night(sleeper: Sleeper, agent: Agent, does: str) -> None:
    sleeper.has_program(agent, shell(sleeper.folder, agent, does))
    ended(sleeper.sleep(), 1)
    assert (sleeper.kept, sleeper.unread) == (0, len(ASKS))


@pytest.mark.parametrize("behaviour", thinned(SERVED, every=3))
def test_f82_a_server_that_says_nothing_of_use_fails_the_night(
    sleeper: Sleeper, server: ModelServer, behaviour: Behaviour
) -> None:
    server.behaviour = behaviour
    sleeper.has_server("openai", server)
    ended(sleeper.sleep(), 1)
    assert sleeper.kept == 0
    server.behaviour = "healthy"
    sleeper.next_night_improves()


@pytest.mark.parametrize("behaviour", ["empty", "empty_body", "garbage_body", "half_json", "html"])
def test_f82_one_attempt_without_an_answer_is_unscored_and_not_a_zero(
    sleeper: Sleeper, server: ModelServer, behaviour: Behaviour
) -> None:
    server.behaviour = once(behaviour)
    sleeper.has_server("openai", server)
    report = sleeper.sleep()
    rollouts = [json.loads(line) for line in (Path(report.run.folder) / "rollouts.jsonl").read_text().splitlines()]
    (failed,) = [rollout for rollout in rollouts if rollout["failed"]]
    assert failed["score"] is None
    assert failed["note"]
    assert all(rollout["score"] for rollout in rollouts if rollout is not failed)


def once(behaviour: Behaviour, purpose: Purpose = Purpose.ROLLOUT) -> Callable[[Asked], Behaviour]:
    """Fails one question of this purpose, however often it is asked."""
    chosen: list[str] = []

    def fails(asked: Asked) -> Behaviour:
        if asked.purpose == purpose and not chosen:
            chosen.append(asked.prompt)
        return behaviour if asked.prompt in chosen else "healthy"

    return fails


# F83 -------------------------------------------------------------------------------------------------------

HANGS = {
    "hangs": "sleep 600",
    "ignores SIGTERM": "trap '' TERM; while :; do sleep 600; done",
    "its grandchild holds the pipes": "(trap '' TERM; sleep 600; sleep 600) & sleep 600",
    "ends while its grandchild holds the pipes": "sleep 600 & exit 0",
}


@pytest.mark.slow
@pytest.mark.parametrize("does", thinned(HANGS.values(), every=3), ids=HANGS)
def test_f83_all_of_a_hanging_group_are_dead_soon_after_the_time_out(tmp_path: Path, does: str) -> None:
    with ThreadPoolExecutor() as both:
        for left in both.map(lambda agent: alive_after(tmp_path / agent.name, agent, does), AGENTS):
            assert left == b"", "one of them is alive"


def alive_after(folder: Path, agent: Agent, does: str) -> bytes:
    """Let the program hang into its time-out; returns nothing if all that held the pipe it opened are dead by then."""
    life = folder / "life"
    folder.mkdir()
    os.mkfifo(life)
    handle = os.open(life, os.O_RDONLY | os.O_NONBLOCK)
    program = shell(folder, agent, f'exec 9>"{life}"; echo . >&9; {does}')
    began = time.monotonic()
    with pytest.raises(CallFailed) as failed:
        asked(folder, agent, program, timeout=SECONDS).complete(a_prompt())
    assert time.monotonic() - began < SECONDS + DEAD_WITHIN
    assert failed.value.kind in (FailureKind.TIMED_OUT, FailureKind.EMPTY, FailureKind.KILLED)
    assert os.read(handle, 2) == b".\n"
    select.select([handle], [], [], max(0.0, began + SECONDS + DEAD_WITHIN - time.monotonic()))
    try:
        return os.read(handle, 1)
    except BlockingIOError:
        return b"alive"
    finally:
        os.close(handle)


@pytest.mark.slow
@nights_by_agent
def test_f83_a_night_with_a_program_that_hangs_fails(sleeper: Sleeper, agent: Agent) -> None:
    sleeper.has_program(agent, shell(sleeper.folder, agent, HANGS["its grandchild holds the pipes"]), timeout="1s")
    began = time.monotonic()
    ended(sleeper.sleep(), 1)
    assert time.monotonic() - began < 1 + DEAD_WITHIN + 3
    sleeper.has_program(agent, stand_in(sleeper.folder, agent))
    sleeper.next_night_improves()


def asked(folder: Path, agent: Agent, program: Path, *, timeout: float = 60) -> CliBackend:
    environ = {"PATH": os.environ["PATH"], "ANTHROPIC_API_KEY": KEY, "CODEX_API_KEY": KEY}
    return CliBackend(
        agent.dialect, setup=Setup(), program=str(program), environ=environ, home=folder, folder=folder / "replays",
        timeout=timeout,
    )  # fmt: skip


# F84 -------------------------------------------------------------------------------------------------------

GIB = 1 << 30
FLOODS = {
    "1 GiB on stdout": f"exec head -c {GIB} /dev/zero",
    "1 GiB on stderr": f"exec head -c {GIB} /dev/zero >&2",
    "a million lines": 'yes \'{"type":"system"}\' | head -n 1000000',
    "a million lines that fit": "yes 1234567 | head -n 1000000",
    "a million events that fit": "yes '{\"a\":1}' | head -n 1000000",
}


@pytest.mark.slow
@nights_by_agent
@pytest.mark.parametrize("does", thinned(FLOODS.values(), every=4), ids=FLOODS)
def test_f84_a_flood_takes_little_memory_and_fails_the_night(sleeper: Sleeper, agent: Agent, does: str) -> None:
    most: list[int] = []
    for lines in ("", does):
        sleeper.has_program(agent, shell(sleeper.folder, agent, lines))
        done = sleeper.commanded("run", "--json", "--backend", agent.name)
        assert (done.returncode, json.loads(done.stdout)["verdict"]) == (1, "backend_failed")
        most.append(int(re.findall(r"most: (\d+)", done.stderr)[0]))
    assert (most[1] - most[0]) / (1 << 20) <= MEGABYTES
    assert (starts(sleeper.folder), sleeper.unread) == (2, len(ASKS))


# F85 -------------------------------------------------------------------------------------------------------

ASKS_A_PERSON = "printf 'Update available. Install it? [Y/n] '; read -r answer; echo \"$answer\"; exit"
ASKS_ON_TTY = "printf 'Password: ' >/dev/tty && read -r answer </dev/tty; exit 1"
NOT_USABLE: dict[str, Callable[[Path, Agent], Path]] = {
    "missing": lambda folder, agent: folder / "nowhere" / agent.name,
    "not executable": lambda folder, agent: _without_x(shell(folder, agent, "")),
    "another program": lambda folder, agent: shell(folder, agent, "", version="echo 'Python 3.11.7'; exit"),
    "too old": lambda folder, agent: shell(folder, agent, "", version=f"echo '{OLD[agent.name]}'; exit"),
    "no program at all": lambda folder, agent: _broken(shell(folder, agent, "")),
    "asks whether to update": lambda folder, agent: shell(folder, agent, "", version=ASKS_A_PERSON),
    "asks for a login on the terminal": lambda folder, agent: shell(folder, agent, "", version=ASKS_ON_TTY),
}
OLD = {"claude": "1.0.128 (Claude Code)", "codex": "codex-cli 0.47.0"}


def _without_x(program: Path) -> Path:
    program.chmod(0o644)
    return program


def _broken(program: Path) -> Path:
    program.write_bytes(b"\x7fELF and nothing more")
    return program


@by_agent
@pytest.mark.parametrize("make", NOT_USABLE.values(), ids=NOT_USABLE)
def test_f85_a_program_that_cannot_be_used_fails_the_night_at_once_and_without_a_call(
    sleeper: Sleeper, agent: Agent, make: Callable[[Path, Agent], Path]
) -> None:
    sleeper.has_program(agent, make(sleeper.folder, agent))
    began = time.monotonic()
    ended(sleeper.sleep(), 1, 4)
    assert time.monotonic() - began < 2
    assert (starts(sleeper.folder), sleeper.reserved, sleeper.unread) == (0, 0, len(ASKS))


@nights_by_agent
def test_f85_no_login_fails_the_night_at_once_and_without_a_call(sleeper: Sleeper, agent: Agent) -> None:
    sleeper.left_out = {"ANTHROPIC_API_KEY", "CODEX_API_KEY"}
    sleeper.has_program(agent, stand_in(sleeper.folder, agent))
    began = time.monotonic()
    report = sleeper.sleep()
    assert time.monotonic() - began < 2
    ended(report, 4)
    assert report.run.login_needed
    assert (starts(sleeper.folder), sleeper.reserved) == (0, 0)
    sleeper.left_out = set()
    sleeper.next_night_improves()


@nights_by_agent
def test_f85_on_a_terminal_too_a_program_has_nobody_to_ask(sleeper: Sleeper, agent: Agent) -> None:
    """`codex` and `claude` could reach the person at a terminal past stdin and stdout."""
    sleeper.has_program(agent, shell(sleeper.folder, agent, "", version=ASKS_ON_TTY), confirmed=True)
    command = [sys.executable, "-c", COMMAND, "run", "--json"]
    out = sleeper.folder / "out"
    at_terminal = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"
    shown = subprocess.run(
        [sys.executable, "-c", at_terminal, "/bin/sh", "-c", f'"$@" >"{out}"', "sh", *command],
        env=sleeper.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (shown.returncode, json.loads(out.read_bytes())["verdict"]) == (1, "backend_failed")
    assert "most:" in shown.stdout, "the terminal shows what is said on stderr"
    assert "Password" not in shown.stdout
    assert sleeper.reserved == 0


# F86 -------------------------------------------------------------------------------------------------------

TELLS = "say(json.dumps([max(map(len, sys.argv)), len(told), hashlib.sha256(told).hexdigest()]))"


@by_agent
@pytest.mark.parametrize("size", [131_071, 131_072, 2_000_000])
def test_f86_a_long_prompt_goes_in_by_stdin_and_never_by_an_argument(tmp_path: Path, agent: Agent, size: int) -> None:
    prompt = "0123456789abcdef" * (size // 16) + "x" * (size % 16)
    answer = asked(tmp_path, agent, stand_in(tmp_path, agent, TELLS)).complete(a_prompt(prompt))
    longest, length, digest = json.loads(answer.text)
    assert longest < 10_000
    assert (length, digest) == (size, hashlib.sha256(prompt.encode()).hexdigest())


# F87 -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", thinned(["claude", "codex", "openai"], every=3))
@pytest.mark.parametrize(
    "without", thinned([{"HOME", "PATH"}, {"PATH"}], every=2), ids=["no PATH and no HOME", "no PATH"]
)
def test_f87_in_a_schedulers_environment_the_night_is_the_same(
    sleeper: Sleeper, server: ModelServer, name: str, without: set[str]
) -> None:
    agent = next((agent for agent in AGENTS if agent.name == name), None)
    if agent:
        sleeper.has_program(agent, stand_in(sleeper.folder, agent), confirmed=True)
    else:
        sleeper.has_server(name, server)
    named = ("SKILLOPT_SLEEP_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "HOME", "ANTHROPIC_API_KEY", "CODEX_API_KEY")
    bare = {key: sleeper.environment[key] for key in named if key not in without}
    done = sleeper.commanded("run", "--json", environ={**bare, "LANG": "C"})
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert (answer["verdict"], answer["sessions"]["used"]) == ("improved", len(ASKS))


@nights_by_agent
def test_f87_a_program_that_a_scheduler_cannot_find_fails_the_night(sleeper: Sleeper, agent: Agent) -> None:
    sleeper.configured(section("backend", name=agent.name, confirmed=True))
    bare = {"SKILLOPT_SLEEP_HOME": sleeper.environment["SKILLOPT_SLEEP_HOME"], "HOME": str(sleeper.folder)}
    done = sleeper.commanded("run", "--json", environ={**bare, "LANG": "C"})
    assert (done.returncode, json.loads(done.stdout)["verdict"]) == (1, "backend_failed")
    assert sleeper.reserved == 0


# F88 -------------------------------------------------------------------------------------------------------

OF_ONE_PROMPT: dict[Behaviour, str] = {
    "not_found": "model",
    "context_too_long": "too_long",
    "refusal": "refused",
}


@pytest.mark.parametrize("name", thinned(HTTP, every=len(HTTP)))
@pytest.mark.parametrize(("behaviour", "kind"), OF_ONE_PROMPT.items())
def test_f88_one_prompt_that_fails_is_typed_and_the_night_goes_on(
    sleeper: Sleeper, server: ModelServer, name: str, behaviour: Behaviour, kind: str
) -> None:
    server.behaviour = once(behaviour)
    sleeper.has_server(name, server)
    report = sleeper.sleep()
    assert (report.verdict, exit_code(report)) == (Outcome.IMPROVED, 3)
    assert "1 of" in report.errors[0].summary
    calls = [json.loads(line) for line in (Path(report.run.folder) / "calls.jsonl").read_text().splitlines()]
    assert [call["failure"].split(":")[0] for call in calls if call["failure"]] == [kind]


@pytest.mark.parametrize("name", HTTP)
def test_f88_a_model_that_is_gone_fails_the_night(sleeper: Sleeper, server: ModelServer, name: str) -> None:
    server.behaviour = "not_found"
    sleeper.has_server(name, server)
    ended(sleeper.sleep(), 1)
    assert sleeper.kept == 0


# F89 -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cap", thinned(range(1, CALLS + 1), every=8))
@pytest.mark.slow
def test_f89_at_every_limit_of_calls_the_night_stops_and_later_ones_go_on(
    sleeper: Sleeper, server: ModelServer, cap: int
) -> None:
    sleeper.has_server("openai", server, section("budget", calls=cap))
    nights: list[NightReport] = []
    while not nights or nights[-1].verdict is Outcome.OVER_BUDGET:
        before = len(server.requests)
        nights.append(sleeper.sleep())
        assert 0 < len(server.requests) - before <= cap
        assert nights[-1].spend.calls == len(server.requests) - before
    assert (nights[-1].verdict, nights[-1].found.sessions.used) == (Outcome.IMPROVED, len(ASKS))
    assert [len(report.proposals) for report in nights] == [0] * (len(nights) - 1) + [1]
    assert len(nights) == -(-CALLS // cap)
    # The fresh round has what the last night leaves.
    asked = min(len(nights) * cap, CALLS + FRESH)
    assert len(server.requests) == len(set(server.prompts)) == asked
    last = 0 if asked == CALLS + FRESH else 3
    assert [exit_code(report) for report in nights] == [5] * (len(nights) - 1) + [last]


@pytest.mark.slow
@pytest.mark.parametrize("cap", thinned(range(1, CALLS + FRESH + 2), every=8))
def test_f89_at_every_limit_of_dollars_the_night_stops(sleeper: Sleeper, cap: int) -> None:
    limits = section("budget", usd=0.25 * cap) + section("night", workers=1)
    sleeper.has_program(CLAUDE, stand_in(sleeper.folder, CLAUDE, usd=0.25), limits)
    report = sleeper.sleep()
    assert (report.spend.calls, report.spend.usd) == (cap, 0.25 * cap)
    assert starts(sleeper.folder) == cap
    proven = (Outcome.IMPROVED, 0 if cap == CALLS + 1 + FRESH else 3)
    assert (report.verdict, exit_code(report)) == (proven if cap > CALLS else (Outcome.OVER_BUDGET, 5))
    assert report.found.sessions.used == len(ASKS)
    assert report.remedy


@pytest.mark.slow
def test_f89_a_night_at_its_limit_of_dollars_is_gone_on_with_by_the_next(sleeper: Sleeper) -> None:
    sleeper.has_program(CLAUDE, stand_in(sleeper.folder, CLAUDE, usd=0.25), section("budget", usd=1.0))
    nights = [sleeper.sleep()]
    while nights[-1].verdict is Outcome.OVER_BUDGET:
        nights.append(sleeper.sleep())
    assert (nights[-1].verdict, nights[-1].found.sessions.used) == (Outcome.IMPROVED, len(ASKS))
    asked = starts(sleeper.folder) - len(nights)
    assert CALLS <= asked <= CALLS + FRESH, "nothing is asked again but for a word first"
    assert starts(sleeper.folder) == 4 * len(nights)


def test_f89_an_unknown_price_stops_a_night_that_is_limited_in_dollars(sleeper: Sleeper) -> None:
    sleeper.has_program(CODEX, stand_in(sleeper.folder, CODEX), section("budget", usd=100.0))
    report = sleeper.sleep()
    assert (report.verdict, exit_code(report), report.spend.calls) == (Outcome.OVER_BUDGET, 5, 1)
    assert report.spend.usd is None
    assert "isn't known" in report.because
    sleeper.has_program(CODEX, stand_in(sleeper.folder, CODEX))
    assert sleeper.next_night_improves().spend.usd is None


def test_f89_without_usage_tokens_are_unknown_and_what_was_asked_and_answered_counts(
    sleeper: Sleeper, server: ModelServer
) -> None:
    server.behaviour = "no_usage"
    sleeper.has_server("openai", server, section("budget", tokens=1500) + section("night", workers=1))
    report = sleeper.sleep()
    assert (report.verdict, exit_code(report)) == (Outcome.OVER_BUDGET, 5)
    assert (report.spend.tokens, report.spend.unnamed) == (None, len(server.requests))
    held = [tokens for (tokens,) in sleeper.rows("SELECT held_tokens FROM ledger ORDER BY id")]
    assert sum(held[:-1]) < 1500 <= sum(held)
    assert all(tokens > len(prompt) // 4 for tokens, prompt in zip(held, server.prompts, strict=True))
    sleeper.has_server("openai", server)
    sleeper.next_night_improves()


@pytest.mark.parametrize("workers", thinned([1, 4], every=2))
@pytest.mark.slow
def test_f89_ten_times_the_usage_stops_the_night_ten_times_earlier(sleeper: Sleeper, workers: int) -> None:
    limits = section("budget", tokens=2400) + section("night", workers=workers)
    sleeper.has_program(CLAUDE, stand_in(sleeper.folder, CLAUDE, tokens=1200), limits)
    report = sleeper.sleep()
    assert (report.verdict, exit_code(report)) == (Outcome.OVER_BUDGET, 5)
    assert report.spend.calls == starts(sleeper.folder) == 2
    assert report.spend.tokens == 2400
    sleeper.has_program(CLAUDE, stand_in(sleeper.folder, CLAUDE))
    calls = sleeper.next_night_improves().spend.calls
    assert calls == CALLS + FRESH, "a word first, and mining was paid for"


# The table ---------------------------------------------------------------------------------------------------


def test_every_row_of_the_table_has_tests_and_none_of_them_is_skipped() -> None:
    found: dict[str, list[Any]] = {row: [] for row in ROWS}
    for name, test in globals().items():
        if named := re.match(r"test_(f\d+)_", name):
            found[named[1].upper()].append(test)
    assert all(found.values())
    marks = [mark for tests in found.values() for test in tests for mark in getattr(test, "pytestmark", [])]
    assert {mark.name for mark in marks} <= {"parametrize", "slow"}
    assert all(len(list(mark.args[1])) > 0 for mark in marks if mark.name == "parametrize")
