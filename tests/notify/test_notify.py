import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from skillopt_sleep.kit.log import log_to, stop_logging
from skillopt_sleep.notify import message_of, notify
from skillopt_sleep.records import PAGE, Outcome, SessionCounts, Spend
from skillopt_sleep.settings import NotifySettings
from tests.builders import a_proposal, a_report, changed
from tests.command import PROGRAM, Home
from tests.doctor.machine import script
from tests.logs import read_log
from tests.reporters.reports import improved

IMPROVED = a_report(
    verdict=Outcome.IMPROVED,
    because="private-client/CLAUDE.md: better",
    documents=(improved(),),
    proposals=(a_proposal(),),
    sessions=SessionCounts(seen=5, used=5),
    spend=Spend(calls=37),
)
QUIET = a_report(verdict=Outcome.NO_CHANGE, because="nothing was better")
FAILED = a_report(verdict=Outcome.BACKEND_FAILED, because="the key was refused")


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "log.jsonl"
    log_to(path)
    yield path
    stop_logging()


@pytest.fixture
def desktop(tmp_path: Path) -> Path:
    """Install a fake notify-send; return the file it writes its arguments to, one per line."""
    arguments = tmp_path / "arguments"
    script(tmp_path / "bin" / "notify-send", f'printf "%s\\n" "$@" > "{arguments}"')
    return arguments


def environ(tmp_path: Path) -> dict[str, str]:
    return {
        "PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin",
        "DISPLAY": ":0",
        "SKILLOPT_SLEEP_NOTIFY_WHEN": "news",
    }


def test_a_message_has_the_outcome_and_counts_but_no_content_of_the_night() -> None:
    message = message_of(IMPROVED, waiting=1)
    assert message.title == "skillopt-sleep: found something to propose"
    assert "1 proposal waiting, 5 sessions, 1 document, 37 calls" in message.body
    assert "skillopt-sleep report --open" in message.body
    for secret in ("private-client", improved().document.path, improved().document.id, a_proposal().summary):
        assert secret not in f"{message.title} {message.body}"


@pytest.mark.parametrize(
    ("report", "when", "shown"),
    [
        (IMPROVED, "news", True),
        (FAILED, "news", True),
        (QUIET, "news", False),
        (QUIET, "always", True),
        (IMPROVED, "never", False),
    ],
)
def test_the_settings_decide_when_to_notify(
    report: Any, when: Any, shown: bool, tmp_path: Path, desktop: Path
) -> None:
    notify(report, NotifySettings(when=when), waiting=1, environ=environ(tmp_path), platform="linux")
    assert desktop.exists() is shown


def test_a_delivered_notification_is_logged(tmp_path: Path, desktop: Path, log: Path) -> None:
    notify(IMPROVED, NotifySettings(), waiting=1, environ=environ(tmp_path), platform="linux")
    (line,) = read_log(log)
    assert (line["event"], line["by"], line["night"]) == ("notified", "desktop", IMPROVED.night)


def test_the_desktop_is_told_where_the_page_is_if_there_is_one(tmp_path: Path, desktop: Path) -> None:
    report = changed(IMPROVED, folder=str(tmp_path / "my night"))
    notify(report, NotifySettings(), waiting=1, environ=environ(tmp_path), platform="linux")
    assert "file://" not in desktop.read_text()
    (tmp_path / "my night").mkdir()
    (tmp_path / "my night" / PAGE).touch()
    notify(report, NotifySettings(), waiting=1, environ=environ(tmp_path), platform="linux")
    assert desktop.read_text().splitlines()[-1] == (tmp_path / "my night" / PAGE).as_uri()


def test_a_failure_is_logged_and_the_next_channel_is_still_tried(tmp_path: Path, log: Path) -> None:
    script(tmp_path / "bin" / "notify-send", "echo 'no daemon answers' >&2; exit 1")
    settings = NotifySettings(urls=("nosuchservice://key",))
    notify(IMPROVED, settings, waiting=1, environ=environ(tmp_path), platform="linux")
    desktop, urls = read_log(log)
    assert (desktop["event"], desktop["level"]) == ("not notified", "warning")
    assert "no daemon answers" in desktop["because"]
    assert "nosuchservice://…" in urls["because"]
    assert "key" not in urls["because"]


def test_an_address_receives_the_outcome_and_counts_only(tmp_path: Path, log: Path, httpserver: HTTPServer) -> None:
    httpserver.expect_request("/mine/").respond_with_data("ok")
    settings = NotifySettings(urls=(f"json://127.0.0.1:{httpserver.port}/$TOPIC/",))
    notify(IMPROVED, settings, waiting=1, environ={"TOPIC": "mine"}, platform="linux")
    ((asked, _),) = httpserver.log
    body = asked.get_json()
    assert (body["title"], body["message"]) == tuple(message_of(IMPROVED, waiting=1))
    assert next(iter(read_log(log)))["event"] == "notified"


@pytest.mark.slow
def test_an_unwatched_night_notifies_the_desktop_and_an_example_does_not(tmp_path: Path, desktop: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    environment = {**home.environment, **environ(tmp_path)}
    for arguments in (("--example",), ("--backend", "simulated")):
        assert not desktop.exists()
        done = subprocess.run(
            [str(PROGRAM), "run", *arguments], capture_output=True, env=environment, check=False, timeout=120
        )
        assert done.returncode == 0, done.stderr
    assert "skillopt-sleep: found something to propose" in desktop.read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_notification_that_fails_leaves_the_night_as_it_was(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    script(tmp_path / "bin" / "notify-send", "exit 1")
    done = subprocess.run(
        [str(PROGRAM), "run", "--backend", "simulated", "--json"],
        capture_output=True,
        env={**home.environment, **environ(tmp_path)},
        check=False,
        timeout=120,
    )
    assert done.returncode == 0
    assert done.stderr == b""
    assert json.loads(done.stdout)["verdict"] == "improved"
    assert "not notified" in home.command("logs").out
