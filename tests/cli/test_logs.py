import shutil
import signal
import subprocess
from datetime import datetime
from pathlib import Path

import pytest

from skillopt_sleep.cli.logs import Followed, lines
from skillopt_sleep.kit.log import log_to, stop_logging, tell
from tests.command import PROGRAM, Home


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    home = Home(tmp_path_factory.mktemp("home"))
    home.had_sessions()
    assert home.command("run", "--backend", "simulated").code == 0
    return home


def test_before_the_first_night_it_says_where_the_log_will_be(tmp_path: Path) -> None:
    done = Home(tmp_path).command("logs")
    assert (done.code, done.out) == (0, "")
    assert "skillopt-sleep.jsonl" in done.err


@pytest.mark.slow
def test_a_night_is_told_from_its_beginning_to_its_end(home: Home) -> None:
    first, *between, last = home.command("logs").out.splitlines()
    assert "night begins" in first
    assert "outcome: improved" in last
    assert any("stage ends" in line and "seconds: " in line for line in between)


def test_following_prints_what_is_there_and_then_what_comes(home: Home, tmp_path: Path) -> None:
    copy = tmp_path / "sleep"
    shutil.copytree(home.folder / "sleep", copy)
    log = copy / "data" / "state" / "logs" / "skillopt-sleep.jsonl"
    follower = subprocess.Popen(
        [str(PROGRAM), "logs", "-f"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**home.environment, "SKILLOPT_SLEEP_HOME": str(copy)},
    )
    assert follower.stdout is not None
    while "night ends" not in follower.stdout.readline():
        assert follower.poll() is None
    log_to(log)
    tell("the daemon waits", until="04:17")
    stop_logging()
    assert "the daemon waits  until: 04:17" in follower.stdout.readline()
    follower.send_signal(signal.SIGINT)
    out, err = follower.communicate(timeout=60)
    assert (follower.returncode, out, err) == (0, "", "")


def test_a_follower_loses_no_line_when_the_log_is_rotated(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log_to(path, most=600, kept=50)
    tell("counted", number=0)
    followed = Followed(path)
    coming = iter(followed)
    for number in range(1, 40):
        tell("counted", number=number)
    stop_logging()
    assert [line["number"] for line in followed.before] == [0]
    assert [next(coming)["number"] for _ in range(39)] == list(range(1, 40))


def test_half_a_line_waits_for_its_other_half(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"event": "one"}\n{"eve')
    followed = Followed(path)
    assert [line["event"] for line in followed.before] == ["one"]
    with path.open("ab") as file:
        file.write(b'nt": "two"}\n')
    assert next(iter(followed))["event"] == "two"


def plain(entry: dict[str, object]) -> list[tuple[str, str]]:
    """The rows of an entry without their styles."""
    told: list[tuple[str, str]] = []
    for label, parts in lines(entry):
        told.append((label, "".join(part if isinstance(part, str) else part[0] for part in parts)))
    return told


def test_a_line_for_people_has_local_time_a_mark_and_what_is_known() -> None:
    at = datetime.fromisoformat("2026-03-02T03:17:00+00:00")
    told = {"at": at.isoformat(), "level": "warning", "event": "trouble", "night": "2026-03-02", "process": 7}
    (line,) = plain({**told, "because": "a\nb \x1b[31m", "calls": 12_000, "usd": None, "night_process": 45678})
    words = "! trouble  night: 2026-03-02; because: a b \\u{1B}[31m; calls: 12000; night_process: 45678"
    assert line == (f"{at.astimezone():%Y-%m-%d %H:%M:%S}", words)


def test_a_traceback_follows_its_line() -> None:
    first, *rest = plain(
        {"event": "night stops", "level": "error", "traceback": "Traceback:\n  File x\nValueError: y"}
    )
    assert "✗" in first[1]
    assert rest == [("", "Traceback:"), ("", "File x"), ("", "ValueError: y")]
