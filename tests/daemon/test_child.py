import os
import sys
import threading
import time
from pathlib import Path

import pytest

from skillopt_sleep.daemon.backlog import NightResult
from skillopt_sleep.daemon.child import STOP_SECONDS, Child, night_command, read_result

PATIENCE = 120


def child_of(script: str, folder: Path) -> tuple[Child, threading.Event]:
    over = threading.Event()
    command = [sys.executable, "-c", script]
    return Child(command, folder=folder, environ=os.environ, ended=over.set), over


def test_the_end_is_told_with_outcome_and_reason(tmp_path: Path) -> None:
    child, over = child_of('print(\'{"verdict": "improved", "because": "1 proposal", "more": 1}\')', tmp_path)
    assert over.wait(PATIENCE)
    assert child.result() == NightResult("improved", "1 proposal", finished=True)


def test_what_a_night_wrote_is_private(tmp_path: Path) -> None:
    _, over = child_of("print(1)", tmp_path)
    assert over.wait(PATIENCE)
    assert {(tmp_path / name).stat().st_mode & 0o777 for name in ("night.out", "night.err")} == {0o600}


@pytest.mark.slow
def test_a_night_that_listens_is_stopped_softly_and_one_that_does_not_is_killed(tmp_path: Path) -> None:
    ready = "import signal, sys, time\nsignal.signal(signal.SIGTERM, {0})\nopen('ready', 'w').close()\ntime.sleep(60)"
    for action, most in (("lambda *_: sys.exit(0)", STOP_SECONDS / 2), ("signal.SIG_IGN", STOP_SECONDS + 5)):
        (tmp_path / "ready").unlink(missing_ok=True)
        child, over = child_of(ready.format(action), tmp_path)
        while not (tmp_path / "ready").exists():
            time.sleep(0.01)
        began = time.monotonic()
        child.stop()
        assert over.wait(PATIENCE)
        assert time.monotonic() - began < most


@pytest.mark.parametrize(
    ("code", "out", "err", "wanted"),
    [
        (
            0,
            '{"verdict": "nothing_new", "because": "no sessions"}',
            "",
            NightResult("nothing_new", "no sessions", True),
        ),
        (7, '{"verdict": null, "because": "2 prompts wait"}', "", NightResult("", "2 prompts wait", True)),
        (3, '{"verdict": "improved", "because": ""}', "", NightResult("improved", "it ended with 3", True)),
        (5, '{"verdict": "over_budget", "because": "300 calls"}', "", NightResult("over_budget", "300 calls", True)),
        (1, '{"verdict": "backend_failed", "because": "down"}', "", NightResult("backend_failed", "down", False)),
        (4, '{"verdict": "backend_failed", "because": "no key"}', "", NightResult("backend_failed", "no key", False)),
        (
            2,
            "",
            "skillopt-sleep: not confirmed\n  → confirm it\n",
            NightResult("", "not confirmed → confirm it", False, refused=True),
        ),
        (
            11,
            "",
            "skillopt-sleep: another night (process 7)\n",
            NightResult("", "another night (process 7)", False, True),
        ),
        (-9, "", "", NightResult("", "it ended with -9", False)),
        (1, "half {", "Traceback\nValueError: x\n", NightResult("", "ValueError: x", False)),
    ],
)
def test_what_a_night_came_to_is_read_from_its_end(code: int, out: str, err: str, wanted: NightResult) -> None:
    assert read_result(code, out, err) == wanted


def test_a_night_is_run_by_this_interpreter_and_never_from_the_folder_it_is_started_in() -> None:
    assert night_command()[:2] == [sys.executable, "-P"]
