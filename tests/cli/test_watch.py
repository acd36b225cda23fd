import os
import subprocess
import threading
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from skillopt_sleep.cli.watch import shown, stages
from skillopt_sleep.stores.progress import NAME, Progress, Stage
from tests.command import Home, night_arguments
from tests.server import Asked, Behaviour, ModelServer

STARTED = datetime(2026, 3, 2, 3, tzinfo=UTC)
PROGRESS = Progress(
    night="2026-03-02",
    process=1,
    started=STARTED,
    stages=(Stage(label="rollout shop/CLAUDE.md", done=3, total=12), Stage(label="trial \x1b[31m", done=0, total=4)),
    calls=37,
    tokens=12_300,
    most_calls=300,
    most_minutes=60,
)


def test_a_running_night_is_told_with_its_time_its_spend_and_what_it_is_at() -> None:
    first, *rest = shown(PROGRESS, now=STARTED + timedelta(minutes=3, seconds=20))
    assert first == "Night 2026-03-02, 3 min, at most 56 min left: 37 of at most 300 calls, 12,300 tokens"
    assert rest == ["attempts: shop/CLAUDE.md  3/12", "trying edits: \\u{1B}[31m  0/4"]


@pytest.mark.parametrize(
    ("passed", "words"),
    [(timedelta(seconds=90), "90 s"), (timedelta(hours=2, minutes=5), "2 h 5 min"), (timedelta(seconds=-5), "0 s")],
)
def test_its_time_is_told_as_people_say_it(passed: timedelta, words: str) -> None:
    assert f", {words}, " in shown(PROGRESS, now=STARTED + passed)[0]


def test_between_two_stages_there_is_none_to_tell() -> None:
    assert stages(Progress(night="n", process=1, started=STARTED)) == []


def test_where_no_night_runs_watching_says_so_and_goes_on_to_the_status(tmp_path: Path) -> None:
    done = Home(tmp_path).command("status", "--watch")
    assert done.code == 0
    assert done.err == "No night is running.\n"
    assert done.out.startswith("Last night   none yet")


class Held:
    """A model that answers, but nothing more once a night is at its rollouts, until it is let go on."""

    def __init__(self) -> None:
        self.reached, self.go_on = threading.Event(), threading.Event()

    def __call__(self, asked: Asked) -> Behaviour:
        if "rollout" in str(asked.purpose):
            self.reached.set()
            self.go_on.wait(60)
        return "healthy"


@contextmanager
def a_night(home: Home) -> "Generator[tuple[Held, subprocess.Popen[str]]]":
    """A night that is held at its rollouts."""
    held = Held()
    with ModelServer() as server:
        server.behaviour = held
        night = home.start(*night_arguments(server.base_url))
        try:
            assert held.reached.wait(60)
            yield held, night
        finally:
            held.go_on.set()
            night.communicate(timeout=60)


@pytest.mark.slow
def test_another_terminal_sees_how_far_a_night_is_and_how_it_ends(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    with a_night(home) as (held, night):
        now = home.command("status", "--json").json
        assert now["running"]
        assert now["progress"]["night"] == now["unfinished"][0]
        assert now["progress"]["process"] == night.pid
        watcher = home.start("status", "--watch")
        assert watcher.stderr is not None
        while "attempts: " not in (line := watcher.stderr.readline()):
            assert line, "it ended before the night"
            assert "of at most 300 calls" in line
        assert "Running      20" in home.command("status").out
        held.go_on.set()
        out, _ = watcher.communicate(timeout=60)
    assert "Last night   today" in out
    assert "found something to propose" in out
    assert not (tmp_path / "sleep" / "data" / NAME).exists()


@pytest.mark.slow
def test_a_killed_night_is_not_shown_as_running(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    with a_night(home) as (_, night):
        night.kill()
        night.wait()
        assert (tmp_path / "sleep" / "data" / NAME).exists()
        answer = home.command("status", "--json").json
        assert (answer["running"], answer["progress"]) == (False, None)
        assert "the next run resumes it" in home.command("status").out
        assert home.command("status", "--watch").err == "No night is running.\n"


@pytest.mark.slow
def test_watching_ends_by_ctrl_c_and_the_night_goes_on(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    with a_night(home) as (_, night):
        watcher = home.start("status", "--watch")
        assert watcher.stderr is not None
        watcher.stderr.readline()
        os.kill(watcher.pid, 2)
        _, err = watcher.communicate(timeout=60)
        assert "skillopt-sleep cancel" in err
        assert watcher.returncode == 0
        assert night.poll() is None
