"""Which program is asked, and how program and login are checked before the first call."""

import json
import os
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from skillopt_sleep.backends.cli import CliBackend
from skillopt_sleep.errors import BackendUnavailable, Exit, FailureKind
from tests.backends.stand_ins import (
    ACCESS,
    ENDS,
    FLOOD,
    HANG,
    HASTE,
    KEY,
    KEYS,
    PATIENCE,
    SAYS,
    TONIGHT,
    VERSIONS,
    User,
    failed,
)
from tests.builders import a_prompt


def unready(backend: CliBackend, until: datetime = TONIGHT) -> BackendUnavailable:
    with pytest.raises(BackendUnavailable) as caught:
        backend.ready(until)
    assert caught.value.remedy
    return caught.value


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
    assert "is not installed" in unready(user.with_key()).message


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
        "print('2.1.332 (Claude Code)\\ncodex-cli 0.171.0'); sys.exit(1)",
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


@pytest.mark.parametrize(
    ("version", "why"), [(HANG, "timed_out"), pytest.param(FLOOD, "flooded", marks=pytest.mark.slow)]
)
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


def test_a_token_of_a_subscription_is_not_sent_to_another_address(tmp_path: Path) -> None:
    user = User(tmp_path, "claude")
    user.has()
    more = {"CLAUDE_CODE_OAUTH_TOKEN": ACCESS}

    error = unready(user.backend(more=more, base_url="http://127.0.0.1:1"))
    assert "http://127.0.0.1:1" in error.message
    assert "backend.api_key_env" in error.remedy
    assert user.backend(more=more).ready(TONIGHT) is False


def test_a_key_is_sent_to_another_address(user: User) -> None:
    user.has()
    backend = user.backend(more={"MY_KEY": KEY}, base_url="http://127.0.0.1:1", key_env="MY_KEY")
    assert backend.ready(TONIGHT) is False
    assert backend.complete(a_prompt("hello")).text == "hello"
