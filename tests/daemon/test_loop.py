import re
import signal
import subprocess
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from skillopt_sleep.daemon.loop import _stop_signals
from skillopt_sleep.daemon.state import Pause
from skillopt_sleep.settings import find_paths
from skillopt_sleep.stores.summary import summarize
from tests.daemon.daemons import AT_ONCE, ON_BATTERY, PATIENCE, Sleeper, until
from tests.server import Asked, Behaviour, ModelServer
from tests.sweeps import WHOLE


@pytest.fixture
def home(tmp_path: Path) -> Sleeper:
    return Sleeper(tmp_path).simulated()


@pytest.mark.slow
def test_a_night_that_is_owed_runs_at_once_and_once(home: Sleeper) -> None:
    home.had_sessions()
    home.owes_a_night()
    with home.daemon():
        last = until(lambda: home.state.backlog().last)
        assert last.verdict == "improved"
        status = home.command("status", "--json").json
        assert status["daemon"]["running"]
        assert status["daemon"]["waiting"] is None
        assert status["daemon"]["last"]["verdict"] == "improved"
        assert datetime.fromisoformat(status["daemon"]["next"]) > datetime.now(UTC)
        assert len(status["waiting"]) == 1
        shown = home.command("status").out
        assert "Next night" in shown
    assert home.begun() == 1
    assert "not scheduled" in home.command("status").out


def test_a_fresh_daemon_owes_nothing(home: Sleeper) -> None:
    home.had_sessions()
    with home.daemon():
        until(home.state.standing)
        assert home.state.backlog().pending is None
    assert home.state.backlog().last is None


@pytest.mark.slow
def test_the_second_daemon_ends_at_once_and_names_the_first(home: Sleeper) -> None:
    with home.daemon(eager=False) as first:
        until(home.state.standing)
        began = time.monotonic()
        second = home.command("daemon")
        assert second.code == 11
        assert f"process {first.pid}" in second.err
        assert time.monotonic() - began < 5
        assert first.poll() is None


@pytest.mark.slow
def test_a_pause_holds_the_night_back_until_someone_resumes(home: Sleeper) -> None:
    home.had_sessions()
    home.owes_a_night()
    assert home.command("pause").code == 0
    with home.daemon():
        until(lambda: (pending := home.state.backlog().pending) and "paused" in pending.waiting)
        assert "paused" in home.command("status").out
        assert home.command("pause", "--off").code == 0
        assert until(lambda: home.state.backlog().last).verdict == "improved"


def test_a_pause_ends_by_itself(home: Sleeper) -> None:
    now = datetime.now(UTC)
    home.owes_a_night()
    home.state.write("pause", Pause(since=now, until=now - timedelta(seconds=1)))
    with home.daemon():
        until(home.begun)


@pytest.mark.slow
def test_a_night_waits_while_an_agent_is_at_work(tmp_path: Path) -> None:
    home = Sleeper(tmp_path).setting(backend_name="simulated")
    home.had_sessions()
    home.owes_a_night()
    home.written_to(minutes_ago=0)
    with home.daemon():
        waiting = until(lambda: (pending := home.state.backlog().pending) and pending.waiting)
        assert "a session was written to" in waiting
        assert not re.search(r"\d\d:\d\d", waiting), "the daemon's time zone need not be the reader's"
        assert f"waiting: {waiting[:40]}" in home.command("status").out
        home.written_to(minutes_ago=60)
        until(lambda: home.state.backlog().last)


@pytest.mark.slow
def test_a_night_waits_for_mains_power_unless_it_need_not(tmp_path: Path) -> None:
    home = Sleeper(tmp_path).simulated()
    home.owes_a_night()
    with home.daemon(ON_BATTERY):
        until(lambda: (pending := home.state.backlog().pending) and "on battery" in pending.waiting)
    with home.simulated(daemon_mains_power="false").daemon(ON_BATTERY):
        until(lambda: home.state.backlog().last)


@pytest.mark.slow
def test_what_the_agents_write_is_in_the_index_long_before_the_night(home: Sleeper) -> None:
    (home.folder / ".claude" / "projects").mkdir(parents=True)
    database = find_paths(home.environment).database

    def indexed() -> int:
        found = summarize(database, month=datetime.now(UTC))
        return len(found.sources) if found else 0

    with home.daemon(AT_ONCE):
        until(home.state.standing)
        until(lambda: home.had_sessions() or indexed())
    assert home.command("status", "--json").json["last_night"] is None


@pytest.mark.slow
def test_a_night_whose_backend_fails_is_tried_again_later_and_says_so(tmp_path: Path) -> None:
    with ModelServer("unauthorized") as server:
        home = Sleeper(tmp_path).openai(server.base_url)
        home.had_sessions()
        home.owes_a_night()
        with home.daemon():
            last = until(lambda: home.state.backlog().last)
            assert last.verdict == "backend_failed"
            pending = home.state.backlog().pending
            assert pending is not None
            assert pending.tries == 1
            assert pending.not_before is not None
            assert timedelta(minutes=50) < pending.not_before - datetime.now(UTC) <= timedelta(hours=1)
            assert "waiting:" in home.command("status").out


def test_settings_that_cannot_be_used_hold_the_night_back_until_they_are_mended(home: Sleeper) -> None:
    home.owes_a_night()
    config = home.folder / "sleep" / "config.toml"
    config.write_text("[daemon]\nat = 'noon'\n", encoding="utf-8")
    with home.daemon():
        until(lambda: (pending := home.state.backlog().pending) and "04:17" in pending.waiting)
        config.unlink()
        until(home.begun)


@pytest.mark.slow
def test_settings_that_cannot_be_used_are_told_of_once_with_no_night_owed_and_the_daemon_goes_on(
    home: Sleeper,
) -> None:
    config = home.folder / "sleep" / "config.toml"
    config.parent.mkdir()
    config.write_text('[daemon]\natt = "12:00"\n', encoding="utf-8")
    with home.daemon():
        standing = until(home.state.standing)
        assert "unknown key 'daemon.att' → did you mean 'daemon.at'?" in standing.settings
        status = home.command("status")
        assert status.code == 2
        assert "daemon.att" in status.out
        assert home.command("status", "--json").json["daemon"]["settings"] == standing.settings
        config.unlink()
        until(lambda: (now := home.state.standing()) and not now.settings)
    told = [line for line in home.told if line["event"] == "settings prevent the night"]
    assert [line["because"] for line in told] == [standing.settings]


@pytest.mark.slow
def test_a_night_without_a_backend_waits_for_one_and_runs_as_soon_as_it_is_named(tmp_path: Path) -> None:
    home = Sleeper(tmp_path).setting()
    home.had_sessions()
    home.owes_a_night()
    with home.daemon():
        pending = until(lambda: (found := home.state.backlog().pending) and found.waiting and found)
        assert "skillopt-sleep init" in pending.waiting
        assert pending.tries == 0
        assert "skillopt-sleep init" in home.command("status").out
        assert home.begun() == 0
        config = home.folder / "sleep" / "config.toml"
        config.write_text('[backend]\nname = "openai"\nconfirmed = true\n', encoding="utf-8")
        pending = until(lambda: (found := home.state.backlog().pending) and found.not_before and found)
        assert "no model is named" in pending.waiting
        assert pending.tries == 0
        config.write_text('[backend]\nname = "simulated"\n', encoding="utf-8")
        assert until(lambda: home.state.backlog().last).verdict == "improved"
    assert home.begun() == 2


class Held:
    """A model whose first answer is held until it is let go."""

    def __init__(self) -> None:
        self.asked, self.go = threading.Event(), threading.Event()

    def __call__(self, asked: Asked) -> Behaviour:
        self.asked.set()
        self.go.wait(PATIENCE)
        return "healthy"


@pytest.mark.slow
def test_sigterm_ends_the_daemon_within_seconds_and_leaves_a_night_that_goes_on(tmp_path: Path) -> None:
    held = Held()
    with ModelServer() as server:
        home = Sleeper(tmp_path).openai(server.base_url)
        home.had_sessions()
        home.owes_a_night()
        server.behaviour = lambda asked: held(asked) if len(server.requests) > 4 else "healthy"
        with home.daemon(eager=False) as process:
            assert held.asked.wait(PATIENCE)
            began = time.monotonic()
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) == 0
            assert time.monotonic() - began < 10
        assert home.command("status", "--json").json["running"] is False
        answered = server.requests[:4]
        held.go.set()
        with home.daemon():
            last = until(lambda: home.state.backlog().last)
        assert last.verdict == "improved"
        for call in answered:
            assert server.prompts.count(call.prompt) == 1, "no completed call is asked again"


@pytest.mark.slow
def test_cancel_stops_the_night_for_good(tmp_path: Path) -> None:
    held = Held()
    with ModelServer(held) as server:
        home = Sleeper(tmp_path).openai(server.base_url)
        home.had_sessions()
        home.owes_a_night()
        with home.daemon():
            assert held.asked.wait(PATIENCE)
            cancelled = home.command("pause", "--now")
            assert cancelled.code == 0, cancelled.err
            assert "Stopped the night" in cancelled.out
            until(lambda: home.state.backlog().last)
            assert home.state.backlog().pending is None
            held.go.set()
    assert home.begun() == 1
    assert "No night is running" in home.command("pause", "--now").out


def a_pair(home: Sleeper, held: Held) -> None:
    """A daemon with a night owed, and a night by hand, begun at once: one works, the other says who does."""
    with home.daemon() as daemon:
        by_hand: subprocess.Popen[str] = home.start("run", "--json")
        assert held.asked.wait(PATIENCE)

        def lost() -> str:
            if by_hand.poll() is not None:
                return "by hand"
            pending = home.state.backlog().pending
            return "daemon" if pending and "another night" in pending.waiting else ""

        loser = until(lost)
        assert daemon.poll() is None
        if loser == "by hand":
            _, err = by_hand.communicate()
            assert by_hand.returncode == 11, err
            assert "a night is already running (process " in err
        else:
            assert f"(process {by_hand.pid}" in home.state.backlog().pending.waiting  # pyright: ignore[reportOptionalMemberAccess]
        held.go.set()
        if loser == "daemon":
            _, err = by_hand.communicate(timeout=PATIENCE)
            assert by_hand.returncode == 0, err
            until(lambda: home.state.backlog().pending is None)
        else:
            until(lambda: home.state.backlog().last)
    nights = home.command("status", "--json").json
    assert nights["last_night"]["verdict"] == "improved"
    assert nights["unfinished"] == []


PAIRS = 20 if WHOLE else 1


@pytest.mark.slow
def test_of_a_daemon_and_a_night_by_hand_exactly_one_works(tmp_path: Path) -> None:
    with ModelServer() as server:
        alone = Sleeper(tmp_path / "alone").openai(server.base_url)
        alone.had_sessions()
        assert alone.command("run").code == 0
        calls = len(server.requests)
    for number in range(PAIRS):
        held = Held()
        with ModelServer(held) as server:
            home = Sleeper(tmp_path / str(number)).openai(server.base_url)
            home.had_sessions()
            home.owes_a_night()
            a_pair(home, held)
            assert len(server.requests) == calls


@pytest.mark.slow
def test_of_two_nights_by_hand_begun_at_once_exactly_one_works(tmp_path: Path) -> None:
    for number in range(PAIRS):
        held = Held()
        with ModelServer(held) as server:
            home = Sleeper(tmp_path / str(number)).openai(server.base_url)
            home.had_sessions()
            pair = [home.start("run", "--json") for _ in range(2)]
            loser = until(lambda pair=pair: next((one for one in pair if one.poll() is not None), None))
            _, err = loser.communicate()
            assert loser.returncode == 11, err
            (winner,) = (one for one in pair if one is not loser)
            assert f"(process {winner.pid}, since" in err
            held.go.set()
            out, err = winner.communicate(timeout=PATIENCE)
            assert winner.returncode == 0, err
            assert '"improved"' in out


def test_a_signal_that_comes_before_the_daemon_waits_for_it_isnt_lost() -> None:
    before = signal.getsignal(signal.SIGTERM)
    try:
        with _stop_signals() as stopped:
            stopped.settimeout(PATIENCE)
            signal.raise_signal(signal.SIGTERM)
            assert stopped.recv(1) == bytes([signal.SIGTERM])
    finally:
        signal.signal(signal.SIGTERM, before)
