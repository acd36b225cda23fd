"""The user's agent program as a backend: what it gets, what it leaves behind, and what it answers."""

import hashlib
import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from textwrap import dedent

import pytest

from skillopt_sleep.agents.claude_code.program import Claude
from skillopt_sleep.agents.codex.program import CodexProgram
from skillopt_sleep.backends.cli import PASSED, CliBackend
from skillopt_sleep.errors import ConfigError, FailureKind
from skillopt_sleep.protocols.program import Setup
from skillopt_sleep.records import Purpose, Usage
from tests.agents.claude_outcomes import Word
from tests.backends.stand_ins import (
    DIALECTS,
    DIE,
    ECHO,
    ENDINGS,
    FLOOD,
    HANDED,
    HANG,
    HASTE,
    HOME_ENVS,
    KEEP,
    KEY,
    KEYS,
    LOGIN_FILES,
    PATIENCE,
    REFRESH,
    TOKENS,
    TONIGHT,
    WAITS,
    User,
    failed,
)
from tests.builders import a_prompt

# What goes in.

PLACES = {"claude": "claude_code", "codex": "codex"}


def test_a_prompt_goes_in_by_stdin_only_whatever_its_size(user: User) -> None:
    text = "".join(f"line {number}: ünïcödé and 'quotes'\n" for number in range(60_000))
    assert len(text.encode()) > 2_000_000

    told = user.told(user.with_key(), text)

    assert told["stdin"] == [len(text.encode()), hashlib.sha256(text.encode()).hexdigest()]
    assert not any("ünïcödé" in argument for argument in told["argv"])
    assert sum(map(len, told["argv"])) < 10_000


def test_a_temperature_that_the_program_has_no_way_to_keep_is_refused_before_it_is_started(user: User) -> None:
    with pytest.raises(ConfigError, match="can't be given a temperature"):
        user.with_key().complete(a_prompt(temperature=0.0))


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
    assert "ANTHROPIC_API_KEY" not in PASSED | CodexProgram.passed
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
    assert TOKENS[user.name] in text
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
    token = TOKENS[user.name].encode()
    assert [path for path in tmp_path.rglob("*") if path.is_file() and token in path.read_bytes()] == [kept]


def test_what_a_killed_night_left_is_swept_by_the_next(user: User, tmp_path: Path) -> None:
    user.subscribes()
    asked = tmp_path / "asked"
    os.mkfifo(asked)
    user.has(f"Path({str(asked)!r}).write_text('asked')\n{HANG}")
    program = {"claude": "Claude", "codex": "CodexProgram"}[user.name]
    code = f"""
        import sys
        sys.path[:0] = {sys.path!r}
        from pathlib import Path
        from skillopt_sleep.backends.cli import CliBackend
        from skillopt_sleep.agents.{PLACES[user.name]}.program import {program}
        from skillopt_sleep.protocols.program import Setup
        from skillopt_sleep.records import Prompt, Purpose
        CliBackend({program}(), setup=Setup(), program="", environ={user.environ!r}, timeout=60,
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


# Keys.


def test_a_key_of_another_name_is_handed_on_as_the_program_knows_it(user: User) -> None:
    user.subscribes()
    theirs = {KEYS[user.name]: "another", HANDED[user.name]: "another"}

    told = user.told(user.backend(more={"MY_KEY": KEY, **theirs}, key_env="MY_KEY"))

    assert told["environ"][HANDED[user.name]] == KEY
    assert "MY_KEY" not in told["environ"]
    assert told["trees"][2] == {}


def test_a_key_that_the_program_knows_by_its_name_is_passed_on_as_it_is(tmp_path: Path) -> None:
    user = User(tmp_path, "claude")
    more = {"ANTHROPIC_AUTH_TOKEN": KEY, "ANTHROPIC_API_KEY": "another"}

    environ = user.told(user.backend(more=more, key_env="ANTHROPIC_AUTH_TOKEN"))["environ"]

    assert environ["ANTHROPIC_AUTH_TOKEN"] == KEY
    assert not environ["ANTHROPIC_API_KEY"]


def test_a_key_is_not_handed_on_under_two_names(tmp_path: Path) -> None:
    user = User(tmp_path, "codex")
    environ = user.told(user.backend(more={"CODEX_API_KEY": KEY}, key_env="CODEX_API_KEY"))["environ"]
    assert [name for name, value in environ.items() if value == KEY] == ["CODEX_API_KEY"]


# What comes out.


def test_the_answer_of_the_genuine_program_is_an_answer(user: User) -> None:
    user.recorded("answered")
    answered = user.with_key(model="m-1").complete(a_prompt("hello"))

    assert answered.text == {"claude": "pong", "codex": "hello there"}[user.name]
    assert answered.model == {"claude": "claude-opus-5-5", "codex": "m-1"}[user.name]
    assert answered.usage
    assert (answered.usd is None) == (user.name == "codex")
    assert answered.structured is None


def test_an_answer_in_structure_is_an_instance_of_the_schema(tmp_path: Path) -> None:
    user = User(tmp_path, "claude")
    user.recorded("answered_in_structure")
    answered = user.with_key().complete(a_prompt("hello", purpose=Purpose.JUDGE, schema=Word))
    assert answered.structured == Word("pong")


def test_the_schema_goes_in_by_a_file_where_the_program_wants_one(tmp_path: Path) -> None:
    user = User(tmp_path, "codex")
    user.has(f"assert 'word' in Path('schema.json').read_text()\n{ECHO}")
    answered = user.with_key().complete(a_prompt('{"word": "pong"}', schema=Word))
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
