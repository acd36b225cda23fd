"""Sessions that earlier nights have read are read again when a person asks for it."""

import shlex
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.cli.again import session_named
from skillopt_sleep.cli.continued import AskedAgain, NightOptions, command_of, read_again
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.records import NEXT_STEPS
from skillopt_sleep.stores.sqlite import SqliteStore
from tests.command import Home
from tests.stores.opening import open_at

IDS = ("codex:abc-1", "codex:abc-12", "claude_code:x-1")


def planned(home: Home, *options: str) -> dict[str, Any]:
    return home.command("run", "--plan", "--json", *options).json["sessions"]


def banked(home: Home) -> dict[str, str | None]:
    store: SqliteStore = open_at(home.folder / "sleep" / "data")
    try:
        return {task.id: task.split for task in store.bank.all_tasks()}
    finally:
        store.close()


@pytest.mark.slow
def test_what_a_night_has_read_is_read_again_only_when_asked_for(home: Home) -> None:
    assert planned(home)["seen"] == 0
    assert planned(home, "--again")["used"] == 5
    assert "5 of 5 sessions, read before or not" in home.command("run", "--plan", "--again").out


@pytest.mark.slow
def test_only_the_named_sessions_are_read_again(home: Home) -> None:
    ids = [session["id"] for session in home.command("harvest", "--json").json["sessions"]]
    assert planned(home, "--session", ids[0], "--session", ids[1].partition(":")[2][:20]) == {
        "seen": 2,
        "used": 2,
        "skipped": {},
    }


@pytest.mark.slow
def test_a_night_that_reads_again_keeps_the_tasks_and_their_sides(home: Home) -> None:
    before = banked(home)
    assert before

    done = home.command("run", "--again", "--backend", "simulated", "--json")

    assert done.code == 0, done.err
    assert done.json["sessions"]["used"] == 5
    assert banked(home) == before
    assert planned(home)["seen"] == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--session", "nothing-like-it"), "no session's id begins with that"),
        (("--session", ""), "no session's id begins with that"),
    ],
)
@pytest.mark.parametrize("mode", [("--plan",), ("--backend", "simulated")])
def test_what_is_not_known_is_named_with_a_remedy(
    tmp_path: Path, mode: tuple[str, ...], options: tuple[str, ...], words: str
) -> None:
    done = Home(tmp_path).command("run", *mode, *options)
    assert done.code == 2
    assert words in done.err
    assert "→ " in done.err


@pytest.mark.parametrize(
    ("name", "found"), [("codex:abc-1", IDS[0]), ("abc-1", IDS[0]), ("abc-12", IDS[1]), ("x", IDS[2]), ("cl", IDS[2])]
)
def test_a_session_is_named_by_its_id_or_by_the_start_of_it(name: str, found: str) -> None:
    assert session_named(name, IDS) == found


def test_a_name_of_several_sessions_names_them() -> None:
    with pytest.raises(ConfigError, match="2 sessions' ids begin with that: codex:abc-1, codex:abc-12"):
        session_named("abc", IDS)


def test_a_night_that_waits_goes_on_with_the_same_sessions() -> None:
    again = AskedAgain(again=True, sessions=("codex:abc-1", "x"))
    command = command_of(NightOptions(again=again), environ={})
    assert command.endswith("run --again --session codex:abc-1 --session x")


@pytest.mark.slow
def test_a_night_that_finds_nothing_new_prints_a_command_that_reads_it_again_as_printed(home: Home) -> None:
    words = ("run", "--backend", "simulated", "--json")
    assert home.command(*words).code == 0
    remedy = home.command(*words).json["remedy"]

    again = home.command(*shlex.split(remedy.partition("skillopt-sleep ")[2]))

    assert "--again" in remedy
    assert again.code == 0, again.err


def test_every_printed_command_that_reads_again_names_a_backend_or_is_the_one_given_before() -> None:
    for step in NEXT_STEPS.values():
        assert "skillopt-sleep run --again" not in step


def test_the_printed_command_keeps_project_and_model_of_its_night_without_a_password() -> None:
    night = NightOptions(
        "/work/shop api", "openai", "m-1", "http://ada:hunter2secret@10.0.0.5/v1", fresh=True, as_json=True
    )
    options = shlex.split(read_again(night))
    assert options[:8] == [
        "skillopt-sleep",
        "run",
        "--project",
        "/work/shop api",
        "--backend",
        "openai",
        "--model",
        "m-1",
    ]
    assert options[-1] == "--again"
    assert "hunter2secret" not in read_again(night)
