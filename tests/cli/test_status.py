import subprocess
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from skillopt_sleep.stores.running import HOLDER
from tests.command import Home, night_arguments
from tests.server import Asked, Behaviour, ModelServer


def test_status_says_how_to_begin(tmp_path: Path) -> None:
    done = Home(tmp_path).command("status")
    assert done.code == 0
    assert "none yet" in done.out
    assert "run --example" in done.out


def test_status_says_the_last_night_and_what_waits(home: Home) -> None:
    out = home.command("status").out
    assert "found something to propose" in out
    assert "P-0001" in out
    answer = home.command("status", "--json").json
    assert answer["last_night"]["verdict"] == "improved"
    assert [p["id"] for p in answer["waiting"]] == ["P-0001"]
    assert home.command("status", "--exit-code").code == 10


@pytest.mark.slow
def test_status_counts_the_prompts_that_wait_for_an_answer(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    home.command("run", "--backend", "handoff")
    folder = home.folder / "sleep" / "data" / "handoff"
    (prompt,) = (folder / "open").glob("*.md")

    unfinished, told, how = home.command("status").out.splitlines()[1:4]
    assert unfinished.startswith("Unfinished")
    assert told.strip() == f"1 prompt waiting in {folder / 'open'}"
    assert how.strip() == f"how to go on: {folder / 'README.md'}"

    (folder / "answers" / f"{prompt.stem.rpartition('-')[2]}.md").write_text('{"tasks": 1}', encoding="utf-8")
    assert home.command("status", "--json").json["prompts"] == 1
    again = home.command("run", "--backend", "handoff", "--json")
    assert again.json["waiting"] == len(list((folder / "open").iterdir())) == 1
    assert "1 prompt waits" in again.err


@pytest.mark.slow
def test_a_night_that_waited_and_was_overtaken_by_one_of_another_model_is_told(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    home.command("run", "--backend", "handoff")
    home.command("run", "--backend", "simulated")
    given_up = [line for line in home.command("status").out.splitlines() if line.startswith("Not ended")]
    assert len(given_up) == 1
    assert "another night ran with other settings" in given_up[0]
    assert home.command("status", "--json").json["overtaken"] in given_up[0]
    home.command("run", "--backend", "simulated")
    assert "Not ended" not in home.command("status").out
    assert home.command("status", "--json").json["overtaken"] is None


@pytest.mark.slow
def test_a_bad_night_is_told_with_its_reason_and_where_there_is_more(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    with ModelServer("unauthorized") as server:
        assert home.night(server.base_url).code == 4
    because = home.command("report", "--json").json["because"]
    told, why, more = home.command("status").out.splitlines()[:3]
    assert "today" in told
    assert "did not start, the login or key was refused" in told
    assert why.strip()[:60] == because[:60]
    assert "skillopt-sleep report" in more
    assert home.command("status", "--json").json["last_night"]["because"] == because


def test_settings_that_cannot_be_used_hide_nothing_and_are_the_exit_code(home: Home) -> None:
    (home.folder / "sleep" / "config.toml").write_text("[daemon]\natt = 1\n", encoding="utf-8")
    done = home.command("status")
    assert done.code == 2
    assert "unknown key 'daemon.att' → did you mean 'daemon.at'?" in done.out
    assert "P-0001" in done.out
    assert "daemon.att" in home.command("status", "--json").json["settings_error"]


class Held:
    """A model that answers, but nothing more once a night is at its rollouts, until it is let go on."""

    def __init__(self) -> None:
        self.reached, self.go_on = threading.Event(), threading.Event()

    def __call__(self, asked: Asked) -> Behaviour:
        if "rollout" in str(asked.purpose):
            self.reached.set()
            self.go_on.wait(300)
        return "healthy"


@contextmanager
def a_night(home: Home) -> "Generator[tuple[Held, subprocess.Popen[str]]]":
    """A night that is held at its rollouts."""
    held = Held()
    with ModelServer() as server:
        server.behaviour = held
        night = home.start(*night_arguments(server.base_url))
        try:
            assert held.reached.wait(300)
            yield held, night
        finally:
            held.go_on.set()
            night.communicate(timeout=300)


@pytest.mark.slow
def test_another_terminal_sees_how_far_a_night_is(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    with a_night(home) as (_, night):
        now = home.command("status", "--json").json
        assert now["running"]
        assert now["progress"]["night"] == now["unfinished"][0]
        assert now["progress"]["process"] == night.pid
        assert "of at most 300 calls" in home.command("status").out
    assert not (tmp_path / "sleep" / "data" / HOLDER).exists()


@pytest.mark.slow
def test_a_killed_night_is_not_shown_as_running(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    with a_night(home) as (_, night):
        night.kill()
        night.wait()
        assert (tmp_path / "sleep" / "data" / HOLDER).exists()
        answer = home.command("status", "--json").json
        assert (answer["running"], answer["progress"]) == (False, None)
        assert "the next run resumes it" in home.command("status").out
