import json
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillopt_sleep.kit.log import log_files, log_to, read_line, stop_logging, tell
from tests.logs import read_log

WRITERS, LINES = 4, 50
WRITE = """
import sys
from pathlib import Path
from skillopt_sleep.kit.log import log_to, tell
log_to(Path(sys.argv[1]), most=2_000, kept=500)
for number in range(int(sys.argv[3])):
    tell("counted", writer=sys.argv[2], number=number)
"""


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "logs" / "log.jsonl"
    log_to(path)
    yield path
    stop_logging()


def test_an_event_is_one_line_of_json_with_its_fields(log: Path) -> None:
    tell("night begins", night="2026-03-02", resumed=False)
    (line,) = log.read_text(encoding="utf-8").splitlines()
    told = json.loads(line)
    assert (told["event"], told["night"], told["resumed"], told["level"]) == (
        "night begins",
        "2026-03-02",
        False,
        "info",
    )
    assert told["at"].endswith("+00:00")


def test_an_error_brings_its_traceback(log: Path) -> None:
    try:
        int("broken")
    except ValueError as error:
        tell("night stops", error=error)
    (told,) = read_log(log)
    assert "ValueError: invalid literal" in told["traceback"]
    assert "test_log.py" in told["traceback"]


def test_a_secret_is_not_written_down(log: Path) -> None:
    secret = "sk-ant-api03-" + "abcdefghijklmnopqrstuvwxyz0123456789" * 2
    tell("trouble", because=f"the key {secret} was refused")
    assert secret not in log.read_text(encoding="utf-8")


def test_only_the_owner_can_read_it(log: Path) -> None:
    tell("night begins")
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert stat.S_IMODE(log.parent.stat().st_mode) == 0o700


def test_a_full_log_is_rotated_and_the_oldest_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log_to(path, most=1_000, kept=2)
    for number in range(100):
        tell("counted", number=number)
    stop_logging()
    assert [file.name for file in log_files(path)] == ["log.jsonl.2", "log.jsonl.1", "log.jsonl"]
    assert all(file.stat().st_size <= 1_000 for file in log_files(path))
    numbers = [line["number"] for line in read_log(path)]
    assert numbers == list(range(numbers[0], 100))


def test_processes_that_share_it_lose_no_line_while_it_is_rotated(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITE, str(path), str(writer), str(LINES)])
        for writer in range(WRITERS)
    ]
    assert [writer.wait(60) for writer in writers] == [0] * WRITERS
    told = list(read_log(path))
    for writer in range(WRITERS):
        assert [line["number"] for line in told if line["writer"] == str(writer)] == list(range(LINES))
    assert len(log_files(path)) > 2


def test_a_log_that_cannot_be_written_ends_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "log.jsonl"
    log_to(path)
    path.mkdir()
    tell("night begins")
    stop_logging()
    assert capfd.readouterr() == ("", "")


def test_without_a_log_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    tell("trouble", level=40)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("line", ["", "half a li", '{"at": "2026', "[1, 2]", '{"no": "event"}'])
def test_a_line_that_is_not_ours_is_skipped(line: str) -> None:
    assert read_line(line) is None
