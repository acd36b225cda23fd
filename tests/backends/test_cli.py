"""The user's agent program as a backend: small programs stand in for it, and its genuine dialects speak to them."""

import base64
import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from skillopt_sleep.backends.cli import PASSED, CliBackend
from skillopt_sleep.dialects.claude import Claude
from skillopt_sleep.dialects.codex import Codex
from skillopt_sleep.dialects.dialect import Setup
from skillopt_sleep.errors import BackendUnavailable, CallFailed, Exit, FailureKind
from skillopt_sleep.kit.process import MOST
from skillopt_sleep.records import Purpose, Usage
from tests.builders import a_prompt
from tests.dialects.claude_outcomes import CREDENTIALS, Word

RECORDED = Path(__file__).parent.parent / "dialects" / "recorded"
DIALECTS = {"claude": Claude, "codex": Codex}
VERSIONS = {"claude": "2.1.329", "codex": "0.169.0"}
SAYS = {"claude": "2.1.329 (Claude Code)", "codex": "codex-cli 0.169.0"}
KEYS = {"claude": "ANTHROPIC_API_KEY", "codex": "CODEX_API_KEY"}
HANDED = {"claude": "ANTHROPIC_API_KEY", "codex": "OPENAI_API_KEY"}
AGENT_HOMES = {"claude": ".claude", "codex": ".codex"}
HOME_ENVS = {"claude": "CLAUDE_CONFIG_DIR", "codex": "CODEX_HOME"}
LOGIN_FILES = {"claude": ".credentials.json", "codex": "auth.json"}
ENDS = datetime(2100, 1, 1, tzinfo=UTC)
TONIGHT = datetime(2099, 12, 31, tzinfo=UTC)
REFRESH = "made-up-refresh-token"
ACCESS = "made-up-access-token"
KEY = "made-up-key"
# It has no network and waits for one.
WAITS = ("codex", "port_closed")
PATIENCE = 60.0
HASTE = 2.0

# What every stand-in can do: it counts its starts, tells its version, and speaks as the genuine program does.
STAND_IN = """\
#!{python} -IS
import hashlib, json, os, signal, sys, time
from pathlib import Path
HOME_ENV = {home_env!r}
def count(what):
    with open({counts!r} + "/" + what, "a") as file:
        file.write(".")
def say(text, usd=0.25):
    spent = dict(inputTokens=10, outputTokens=5, costBasis="list")
    claude = [dict(type="result", subtype="success", is_error=False, result=text, stop_reason="end_turn",
        total_cost_usd=usd, modelUsage=dict([("claude-stand-in", spent)]))]
    codex = [dict(type="thread.started"), dict(type="turn.started"),
        dict(type="item.completed", item=dict(type="agent_message", text=text)),
        dict(type="turn.completed", usage=dict(input_tokens=10, output_tokens=5))]
    for event in dict(claude=claude, codex=codex)[{name!r}]:
        print(json.dumps(event))
def tree(folder):
    return dict((str(path.relative_to(folder)), [oct(path.stat().st_mode)[-3:], path.is_file() and path.read_text()])
        for path in sorted(folder.rglob("*")))
if sys.argv[1:] == ["--version"]:
    count("versions")
    {version}
    sys.exit()
count("calls")
"""
ECHO = "say(sys.stdin.read())"
# Tells all that it is given and where it is.
TELL = """
places = [os.environ["HOME"], os.environ["TMPDIR"], os.environ[HOME_ENV], os.getcwd()]
told = sys.stdin.buffer.read()
say(json.dumps(dict(argv=sys.argv, environ=dict(os.environ), places=places,
    modes=[oct(os.stat(place).st_mode)[-3:] for place in places],
    trees=[tree(Path(place)) for place in places],
    stdin=[len(told), hashlib.sha256(told).hexdigest()])))
"""
# Keeps a history wherever it can, as the genuine programs do.
KEEP = """
for place in (os.environ["HOME"], os.environ["TMPDIR"], os.environ[HOME_ENV], "."):
    Path(place, "sessions", "today").mkdir(parents=True)
    Path(place, "sessions", "today", "history.jsonl").write_text(sys.stdin.read() + "kept")
    Path(place, "sessions", "today").chmod(0o500)
say("done")
"""
HANG = "time.sleep(600)"
FLOOD = f"sys.stdout.write('x' * {MOST + 1000}); sys.stdout.flush(); time.sleep(600)"
DIE = "os.kill(os.getpid(), signal.SIGKILL)"
ENDINGS = {
    "hangs": HANG,
    "floods": FLOOD,
    "is killed": DIE,
    "fails": "sys.exit(1)",
    "answers": ECHO,
    "garbage": "print('\\0{')",
}


def jwt(**claims: object) -> str:
    parts = ({"alg": "none"}, claims, ACCESS)
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)


def login_of(name: str) -> str:
    """What the program keeps of a subscription."""
    if name == "claude":
        oauth = {**CREDENTIALS["claudeAiOauth"], "accessToken": ACCESS, "refreshToken": REFRESH}
        return json.dumps({"claudeAiOauth": oauth})
    tokens = {"id_token": jwt(), "access_token": jwt(exp=int(ENDS.timestamp())), "refresh_token": REFRESH}
    return json.dumps({"auth_mode": "chatgpt", "tokens": tokens, "last_refresh": "2026-01-01T00:00:00Z"})


class User:
    """Someone with a HOME, an agent and a login, all below one folder."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name = name
        self.home, self.bin, self.replays = folder / "home", folder / "bin", folder / "data" / "replays"
        self._counts = folder / "counts"
        for made in (self.home, self.bin, self._counts):
            made.mkdir()
        self.environ = {"PATH": f"{self.bin}{os.pathsep}/usr/bin{os.pathsep}/bin", "LC_ALL": "C.UTF-8"}

    def has(self, does: str = ECHO, *, at: Path | None = None, version: str = "") -> Path:
        """Install a program that does this where it is asked something."""
        path = at or self.bin / self.name
        path.parent.mkdir(parents=True, exist_ok=True)
        version = version or f"print({SAYS[self.name]!r})"
        given = {"name": self.name, "home_env": HOME_ENVS[self.name], "counts": str(self._counts)}
        head = STAND_IN.format(python=sys.executable, version=version, **given)
        path.write_text(head + dedent(does), encoding="utf-8")
        path.chmod(0o755)
        return path

    def subscribes(self, *, at: Path | None = None) -> Path:
        path = (at or self.home / AGENT_HOMES[self.name]) / LOGIN_FILES[self.name]
        path.parent.mkdir(exist_ok=True)
        path.write_text(login_of(self.name), encoding="utf-8")
        path.chmod(0o600)
        return path

    def backend(
        self, *, program: str = "", timeout: float = PATIENCE, more: Mapping[str, str] | None = None, **setup: str
    ) -> CliBackend:
        return CliBackend(
            DIALECTS[self.name](),
            setup=Setup(**setup),
            program=program,
            environ={**self.environ, **(more or {})},
            home=self.home,
            folder=self.replays,
            timeout=timeout,
        )

    def with_key(self, **how: Any) -> CliBackend:
        return self.backend(more={KEYS[self.name]: KEY}, **how)

    def told(self, backend: CliBackend, text: str = "hello") -> dict[str, Any]:
        """What the program says that it was given."""
        self.has(TELL)
        return json.loads(backend.complete(a_prompt(text)).text)

    def recorded(self, outcome: str) -> None:
        """Install a program that says what the genuine one was recorded to say."""
        kept = json.loads((RECORDED / f"{self.name}-{VERSIONS[self.name]}" / f"{outcome}.json").read_text())
        said = [f"print({line!r})" for line in kept["stdout"]] + [
            f"print({line!r}, file=sys.stderr)" for line in kept["stderr"]
        ]
        end = kept["status"]
        dies = f"os.kill(os.getpid(), {-end})" if end < 0 else f"sys.exit({end})"
        self.has("\n".join((*said, "sys.stdout.flush()", HANG if kept.get("stopped") else dies)))

    def count(self, what: str) -> int:
        path = self._counts / what
        return path.stat().st_size if path.exists() else 0

    def kept(self) -> dict[str, tuple[int, int, bytes]]:
        """Everything in HOME, with its last change."""
        found = {path: path.stat() for path in self.home.rglob("*")}
        return {
            str(path): (info.st_mode, info.st_mtime_ns, path.read_bytes() if path.is_file() else b"")
            for path, info in found.items()
        }

    def left(self) -> list[Path]:
        """What is left of calls."""
        return sorted(self.replays.rglob("*"))


@pytest.fixture(params=DIALECTS)
def user(request: pytest.FixtureRequest, tmp_path: Path) -> User:
    return User(tmp_path, request.param)


@pytest.fixture
def claude_user(tmp_path: Path) -> User:
    return User(tmp_path, "claude")


@pytest.fixture
def codex_user(tmp_path: Path) -> User:
    return User(tmp_path, "codex")


def unready(backend: CliBackend, until: datetime = TONIGHT) -> BackendUnavailable:
    with pytest.raises(BackendUnavailable) as caught:
        backend.ready(until)
    assert caught.value.remedy
    return caught.value


def failed(backend: CliBackend, **prompt: Any) -> CallFailed:
    with pytest.raises(CallFailed) as caught:
        backend.complete(a_prompt("hello", **prompt))
    assert caught.value.remedy
    return caught.value


# What goes in.


def test_a_prompt_goes_in_by_stdin_only_whatever_its_size(user: User) -> None:
    text = "".join(f"line {number}: ünïcödé and 'quotes'\n" for number in range(60_000))
    assert len(text.encode()) > 2_000_000

    told = user.told(user.with_key(), text)

    assert told["stdin"] == [len(text.encode()), hashlib.sha256(text.encode()).hexdigest()]
    assert not any("ünïcödé" in argument for argument in told["argv"])
    assert sum(map(len, told["argv"])) < 10_000


def test_the_environment_is_the_allow_list_and_nothing_else(user: User) -> None:
    given = {
        "TZ": "UTC",
        "HTTPS_PROXY": "http://127.0.0.1:1",
        "NODE_EXTRA_CA_CERTS": "/etc/ca.pem",
        KEYS[user.name]: KEY,
    }
    secret = {
        "GITHUB_TOKEN": "x",
        "DATABASE_URL": "x",
        "SSH_AUTH_SOCK": "x",
        "NODE_OPTIONS": "--inspect",
        "LD_LIBRARY_PATH": "/x",
        "CLAUDECODE": "1",
        "CLAUDE_CODE_ENTRYPOINT": "cli",
        "CODEX_SANDBOX": "x",
        "XDG_CONFIG_HOME": "/x",
        "USER": "ada",
        "MY_KEY": "x",
        "SKILLOPT_SLEEP_HOME": "/x",
        "no_proxy": "",
    }
    environ = user.told(user.backend(more={**given, **secret}))["environ"]

    own = {name: environ.pop(name) for name in ("HOME", "TMPDIR", HOME_ENVS[user.name])}
    assert all(str(user.replays) in path for path in own.values())
    assert environ.pop("PATH").startswith(user.environ["PATH"])
    set_by_us = DIALECTS[user.name]().call(a_prompt("hello"), Setup()).environ
    assert environ == {"LC_ALL": "C.UTF-8", **given, **set_by_us}


def test_the_key_of_the_other_provider_is_not_passed_on() -> None:
    assert "ANTHROPIC_API_KEY" not in PASSED | Codex.passed
    assert "OPENAI_API_KEY" not in PASSED | Claude.passed


def test_home_agent_home_and_temporary_folder_are_its_own_and_private_and_gone_afterwards(user: User) -> None:
    before = user.kept()
    told = user.told(user.with_key())

    places = [Path(place) for place in told["places"]]
    assert len({*places}) == 4
    assert len({place.parent for place in places}) == 1
    assert all(place.is_relative_to(user.replays) for place in places)
    assert told["modes"] == ["700"] * 4
    home, temporary, agent, work = told["trees"]
    assert home == temporary == agent == {}
    assert work.keys() == DIALECTS[user.name]().call(a_prompt("hello"), Setup()).files.keys()
    assert user.left() == []
    assert user.kept() == before


def test_a_login_is_handed_on_read_only_and_without_what_renews_it(user: User) -> None:
    kept = user.subscribes()
    before = user.kept()

    told = user.told(user.backend())

    ((name, (mode, text)),) = told["trees"][2].items()
    assert (name, mode) == (kept.name, "400")
    assert ACCESS in text or jwt(exp=int(ENDS.timestamp())) in text
    assert REFRESH not in json.dumps(told)
    assert REFRESH in kept.read_text()
    assert user.kept() == before


def test_a_login_in_an_agent_home_elsewhere_is_found(user: User, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    user.subscribes(at=elsewhere)

    told = user.told(user.backend(more={HOME_ENVS[user.name]: str(elsewhere)}))

    assert told["trees"][2].keys() == {LOGIN_FILES[user.name]}
    assert told["places"][2] != str(elsewhere)
    assert [path.name for path in elsewhere.iterdir()] == [LOGIN_FILES[user.name]]


def test_what_the_program_keeps_for_itself_is_gone_with_its_folder(user: User) -> None:
    user.subscribes()
    before = user.kept()
    user.has(KEEP)

    assert user.backend().complete(a_prompt("hello")).text == "done"
    assert user.kept() == before
    assert user.left() == []


@pytest.mark.parametrize("ending", ENDINGS)
def test_nothing_of_a_login_is_left_however_the_call_ends(user: User, ending: str, tmp_path: Path) -> None:
    kept = user.subscribes()
    user.has(
        f"assert {LOGIN_FILES[user.name]!r} in os.listdir(os.environ[{HOME_ENVS[user.name]!r}])\n{ENDINGS[ending]}"
    )
    backend = user.backend(timeout=HASTE if ending == "hangs" else PATIENCE)

    if ending == "answers":
        backend.complete(a_prompt("hello"))
    else:
        failed(backend)

    assert user.count("calls") == 1
    assert user.left() == []
    token = (ACCESS if user.name == "claude" else jwt(exp=int(ENDS.timestamp()))).encode()
    assert [path for path in tmp_path.rglob("*") if path.is_file() and token in path.read_bytes()] == [kept]


def test_what_a_killed_night_left_is_swept_by_the_next(user: User, tmp_path: Path) -> None:
    user.subscribes()
    asked = tmp_path / "asked"
    os.mkfifo(asked)
    user.has(f"Path({str(asked)!r}).write_text('asked')\n{HANG}")
    code = f"""
        import sys
        sys.path[:0] = {sys.path!r}
        from pathlib import Path
        from skillopt_sleep.backends.cli import CliBackend
        from skillopt_sleep.dialects.{user.name} import {user.name.title()}
        from skillopt_sleep.dialects.dialect import Setup
        from skillopt_sleep.records import Prompt, Purpose
        CliBackend({user.name.title()}(), setup=Setup(), program="", environ={user.environ!r}, timeout=60,
            home=Path({str(user.home)!r}), folder=Path({str(user.replays)!r}),
        ).complete(Prompt(purpose=Purpose.ROLLOUT, text="hello"))
    """
    with subprocess.Popen([sys.executable, "-c", dedent(code)]) as night:
        assert asked.read_text() == "asked"
        night.send_signal(signal.SIGKILL)
    assert LOGIN_FILES[user.name] in [path.name for path in user.left()]

    other = user.replays / "something-else"
    other.mkdir()
    user.backend().ready(TONIGHT)
    assert user.left() == [other]


# Which program.


def test_the_program_is_found_in_the_path(user: User) -> None:
    path = user.has()
    assert user.with_key().program == str(path)


@pytest.mark.parametrize("named", ["{absolute}", "elsewhere/agent", "./elsewhere/agent", "~/tools/agent", "agent"])
def test_the_program_may_be_named(user: User, named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in (tmp_path / "elsewhere", user.home / "tools", user.bin):
        user.has(f"say({str(folder)!r})", at=folder / "agent")
    wanted = {"{absolute}": tmp_path / "elsewhere", "~/tools/agent": user.home / "tools", "agent": user.bin}
    folder = wanted.get(named, tmp_path / "elsewhere")

    backend = user.with_key(program=named.format(absolute=tmp_path / "elsewhere" / "agent"))

    assert backend.version == VERSIONS[user.name]
    assert backend.complete(a_prompt("hello")).text == str(folder)


def test_a_program_in_the_current_folder_is_not_looked_for_in_the_path(
    user: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    user.has("say('in the path')")
    here = user.has("say('here')", at=tmp_path / user.name)

    assert user.with_key(program=f"./{user.name}").program == str(here)
    # Nor is the current folder ever a part of the path, which an empty entry would make it.
    user.environ["PATH"] = os.pathsep
    assert "not found" in unready(user.with_key()).message


def test_a_folder_of_the_path_may_be_relative(user: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    user.has()
    user.environ["PATH"] = "bin"
    assert user.with_key().complete(a_prompt("hello")).text == "hello"


@pytest.mark.parametrize("path", [None, "", "/usr/bin:/bin"])
def test_a_scheduler_that_knows_no_path_finds_the_program_and_what_runs_it(user: User, path: str | None) -> None:
    places = user.home / ".local" / "bin"
    genuine = user.has(at=places / "genuine")
    runner = places / "a-runner"
    runner.write_text(f'#!/bin/sh\nshift\nexec "{genuine}" "$@"\n')
    runner.chmod(0o755)
    program = places / user.name
    program.write_text("#!/usr/bin/env a-runner\n")
    program.chmod(0o755)
    del user.environ["PATH"]
    if path is not None:
        user.environ["PATH"] = path

    backend = user.with_key()

    assert backend.ready(TONIGHT) is False
    assert backend.complete(a_prompt("hello")).text == "hello"


# What is looked at before anything is asked.


def test_a_program_with_a_login_is_ready_and_only_a_call_tells_of_the_model(user: User) -> None:
    user.has()
    user.subscribes()

    assert user.backend().ready(TONIGHT) is False
    assert user.count("calls") == 0
    assert user.left() == []


def test_the_version_is_asked_once(user: User) -> None:
    user.has()
    backend = user.with_key()
    backend.ready(TONIGHT)
    backend.complete(a_prompt("hello"))

    assert (backend.version, backend.version) == (VERSIONS[user.name],) * 2
    assert user.count("versions") == 1


def test_the_version_is_told_without_a_login_or_a_key(user: User) -> None:
    seen = user.bin / "seen"
    told = f"Path({str(seen)!r}).write_text(json.dumps([dict(os.environ), tree(Path(os.environ[HOME_ENV]))]))"
    user.has(version=f"{told}; print({SAYS[user.name]!r})")
    user.subscribes()

    assert user.backend().version
    environ, agent_home = json.loads(seen.read_text())
    assert agent_home == {}
    assert str(user.home) != environ["HOME"]


def test_a_program_that_is_missing_is_named_with_a_remedy(user: User) -> None:
    for program in ("", "/nowhere/agent", "~/agent", "~nobody-here/agent", "no-such-agent", str(user.home)):
        error = unready(user.with_key(program=program))

        assert (program or user.name) in error.message
        assert "backend.program" in error.remedy
        assert error.exit_code is Exit.FAILED


def test_a_program_that_may_not_be_run_is_none(user: User) -> None:
    path = user.has()
    path.chmod(0o644)

    assert "can't be run" in unready(user.with_key()).message
    assert "can't be run" in unready(user.with_key(program=str(path))).message


def test_a_file_that_is_no_program_is_none(user: User) -> None:
    path = user.has()
    path.write_bytes(b"\x7fELF but not really")

    assert str(path) in unready(user.with_key()).message
    path.write_text("#!/nowhere/at/all\n")
    assert "can't be started" in unready(user.with_key()).message


@pytest.mark.parametrize(
    "version",
    [
        "pass",
        "print('garbage')",
        "print('\\0\\0')",
        "print('v22.1.0')",
        "sys.exit(3)",
        "print('2.1.329 (Claude Code)\\ncodex-cli 0.169.0'); sys.exit(1)",
        "print('2.0.1 (Claude Code)' if HOME_ENV.startswith('CLAUDE') else 'codex-cli 0.1.0')",
        "os.kill(os.getpid(), signal.SIGSEGV)",
    ],
)
def test_a_program_that_tells_no_version_of_use_is_not_asked(user: User, version: str) -> None:
    user.has(version=version)
    error = unready(user.with_key())

    assert user.name in error.message
    assert error.exit_code is Exit.FAILED
    assert user.count("calls") == 0
    assert user.left() == []


@pytest.mark.parametrize(("version", "why"), [(HANG, "timed_out"), (FLOOD, "flooded")])
def test_a_program_whose_version_does_not_end_is_ended(user: User, version: str, why: str) -> None:
    user.has(version=version)
    error = unready(user.with_key(timeout=HASTE if version == HANG else PATIENCE))

    assert why in error.message
    assert user.count("calls") == 0
    assert user.left() == []


def test_without_a_login_nothing_is_asked(user: User) -> None:
    user.has()
    error = unready(user.backend())

    assert error.exit_code is Exit.LOGIN
    assert error.message.startswith(f"{user.name} {VERSIONS[user.name]}: ")
    assert failed(user.backend()).kind is FailureKind.LOGIN
    assert user.count("calls") == 0


def test_a_key_that_is_named_must_be_set(user: User) -> None:
    user.has()
    user.subscribes()
    for more in ({}, {"MY_KEY": ""}, {KEYS[user.name]: KEY}):
        error = unready(user.backend(more=more, key_env="MY_KEY"))
        assert error.message.endswith("MY_KEY is not set")
        assert error.exit_code is Exit.LOGIN


def test_a_login_that_ends_before_the_night_is_told(user: User) -> None:
    user.has()
    user.subscribes()

    assert user.backend().ready(ENDS) is False
    error = unready(user.backend(), ENDS + timedelta(seconds=1))

    assert "2100-01-01 00:00 UTC" in error.message
    assert "budget.minutes" in error.remedy
    assert error.exit_code is Exit.LOGIN
    assert user.count("calls") == 0


def test_a_login_is_looked_at_anew_for_every_call(user: User) -> None:
    user.has()
    backend = user.backend()
    assert failed(backend).kind is FailureKind.LOGIN
    kept = user.subscribes()
    assert backend.complete(a_prompt("hello")).text == "hello"
    kept.unlink()
    assert failed(backend).kind is FailureKind.LOGIN


def test_a_subscription_is_not_sent_to_another_address(user: User) -> None:
    user.has()
    user.subscribes()
    backend = user.backend(base_url="http://127.0.0.1:1")

    assert unready(backend).exit_code is Exit.LOGIN
    assert failed(backend).kind is FailureKind.LOGIN
    assert user.count("calls") == 0


def test_a_token_of_a_subscription_is_not_sent_to_another_address(claude_user: User) -> None:
    claude_user.has()
    more = {"CLAUDE_CODE_OAUTH_TOKEN": ACCESS}

    error = unready(claude_user.backend(more=more, base_url="http://127.0.0.1:1"))
    assert "http://127.0.0.1:1" in error.message
    assert "backend.api_key_env" in error.remedy
    assert claude_user.backend(more=more).ready(TONIGHT) is False


def test_a_key_is_sent_to_another_address(user: User) -> None:
    user.has()
    backend = user.backend(more={"MY_KEY": KEY}, base_url="http://127.0.0.1:1", key_env="MY_KEY")
    assert backend.ready(TONIGHT) is False
    assert backend.complete(a_prompt("hello")).text == "hello"


# Keys.


def test_a_key_of_another_name_is_handed_on_as_the_program_knows_it(user: User) -> None:
    user.subscribes()
    theirs = {KEYS[user.name]: "another", HANDED[user.name]: "another"}

    told = user.told(user.backend(more={"MY_KEY": KEY, **theirs}, key_env="MY_KEY"))

    assert told["environ"][HANDED[user.name]] == KEY
    assert "MY_KEY" not in told["environ"]
    assert told["trees"][2] == {}


def test_a_key_that_the_program_knows_by_its_name_is_passed_on_as_it_is(claude_user: User) -> None:
    more = {"ANTHROPIC_AUTH_TOKEN": KEY, "ANTHROPIC_API_KEY": "another"}

    environ = claude_user.told(claude_user.backend(more=more, key_env="ANTHROPIC_AUTH_TOKEN"))["environ"]

    assert environ["ANTHROPIC_AUTH_TOKEN"] == KEY
    assert not environ["ANTHROPIC_API_KEY"]


# What comes out.


def test_the_answer_of_the_genuine_program_is_an_answer(user: User) -> None:
    user.recorded("answered")
    answered = user.with_key(model="m-1").complete(a_prompt("hello"))

    assert answered.text == {"claude": "pong", "codex": "hello there"}[user.name]
    assert answered.model == {"claude": "claude-opus-5-5", "codex": "m-1"}[user.name]
    assert answered.usage
    assert (answered.usd is None) == (user.name == "codex")
    assert answered.structured is None


def test_an_answer_in_structure_is_an_instance_of_the_schema(claude_user: User) -> None:
    claude_user.recorded("answered_in_structure")
    answered = claude_user.with_key().complete(a_prompt("hello", purpose=Purpose.JUDGE, schema=Word))
    assert answered.structured == Word("pong")


def test_the_schema_goes_in_by_a_file_where_the_program_wants_one(codex_user: User) -> None:
    codex_user.has(f"assert 'word' in Path('schema.json').read_text()\n{ECHO}")
    answered = codex_user.with_key().complete(a_prompt('{"word": "pong"}', schema=Word))
    assert answered.structured == Word("pong")


def test_an_answer_that_is_not_of_the_schema_is_a_failure_that_was_paid_for(user: User) -> None:
    user.has()
    error = failed(user.with_key(), schema=Word)

    assert error.kind is FailureKind.MALFORMED
    assert error.tokens == (10, 5, 0)
    assert error.usd == (0.25 if user.name == "claude" else None)
    user.subscribes()
    assert failed(user.backend(), schema=Word).usd == 0.0


def test_what_a_subscription_covers_costs_nothing(user: User) -> None:
    user.subscribes()
    user.has()
    answered = user.backend().complete(a_prompt("hello"))

    assert answered.usd == 0.0
    assert answered.usage == Usage(input_tokens=10, output_tokens=5)
    user.recorded("empty" if user.name == "claude" else "empty_text")
    assert failed(user.backend()).usd == 0.0


def test_what_a_failure_cost_is_told(user: User) -> None:
    user.recorded("empty" if user.name == "claude" else "empty_text")
    error = failed(user.with_key())

    assert error.kind is FailureKind.EMPTY
    assert error.tokens
    assert all(error.tokens[:2])
    assert bool(error.usd) == (user.name == "claude")


def test_only_the_program_tells_what_it_costs(user: User) -> None:
    assert user.with_key().price("m-1", Usage(input_tokens=10)) is None


@pytest.mark.parametrize(
    ("name", "outcome", "kind"),
    [
        ("claude", "overloaded", FailureKind.OVERLOADED),
        ("claude", "rate_limited", FailureKind.RATE_LIMITED),
        ("claude", "limit_reached", FailureKind.QUOTA),
        ("claude", "unauthorized", FailureKind.LOGIN),
        ("claude", "no_model", FailureKind.MODEL),
        ("claude", "refused", FailureKind.REFUSED),
        ("claude", "too_long", FailureKind.TOO_LONG),
        ("claude", "port_closed", FailureKind.UNREACHABLE),
        ("claude", "killed", FailureKind.KILLED),
        ("claude", "unknown_option", FailureKind.NOT_INSTALLED),
        ("codex", "http_529", FailureKind.OVERLOADED),
        ("codex", "http_429_usage_limit", FailureKind.QUOTA),
        ("codex", "http_401", FailureKind.LOGIN),
        ("codex", "http_404", FailureKind.MODEL),
        ("codex", "failed_policy", FailureKind.REFUSED),
        ("codex", "http_400_too_long", FailureKind.TOO_LONG),
        ("codex", "port_closed", FailureKind.UNREACHABLE),
        ("codex", "killed", FailureKind.KILLED),
    ],
)
def test_a_failure_of_the_genuine_program_has_its_type(
    tmp_path: Path, name: str, outcome: str, kind: FailureKind
) -> None:
    user = User(tmp_path, name)
    user.recorded(outcome)

    assert failed(user.with_key(timeout=HASTE if (name, outcome) == WAITS else PATIENCE)).kind is kind
    assert user.count("calls") == 1


def test_a_program_that_does_not_end_is_ended_in_time(user: User) -> None:
    user.has(HANG)
    assert failed(user.with_key(timeout=HASTE)).kind is FailureKind.TIMED_OUT


def test_a_program_that_says_too_much_is_ended(user: User) -> None:
    user.has(FLOOD)
    assert failed(user.with_key()).kind is FailureKind.FLOODED


def test_a_program_that_someone_kills_is_told_as_killed(user: User) -> None:
    user.has(DIE)
    assert failed(user.with_key()).kind is FailureKind.KILLED


def test_a_program_that_is_removed_during_the_night_is_told_as_missing(user: User) -> None:
    path = user.has()
    backend = user.with_key()
    backend.ready(TONIGHT)
    path.unlink()

    assert failed(backend).kind is FailureKind.NOT_INSTALLED
    assert user.left() == []


def test_many_threads_may_ask_at_once(user: User) -> None:
    user.subscribes()
    user.has("place = Path(os.environ['HOME'], 'mine'); place.touch(exist_ok=False); " + ECHO)
    backend = user.backend()
    prompts = [a_prompt(f"hello {number}") for number in range(8)]

    with ThreadPoolExecutor(4) as pool:
        answers = [answered.text for answered in pool.map(backend.complete, prompts)]

    assert answers == [prompt.text for prompt in prompts]
    assert user.left() == []


# Names.


def test_answers_are_kept_apart_by_program_model_and_address(tmp_path: Path) -> None:
    names = [
        CliBackend(
            dialect(), setup=setup, program="", environ={}, home=tmp_path, folder=tmp_path / "replays", timeout=1
        ).name
        for dialect in DIALECTS.values()
        for setup in (
            Setup(),
            Setup(model="m-1"),
            Setup(model="m-2"),
            Setup(model="m-1", base_url="http://127.0.0.1:1"),
        )
    ]
    assert len({*names}) == len(names)
    assert names[:2] == ["claude:default", "claude:m-1"]
