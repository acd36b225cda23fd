import subprocess
import sys
from pathlib import Path

import pytest

from skillopt_sleep.settings import find_paths, load
from skillopt_sleep.stores.user import open_store
from tests.command import Home


def warm(home: Home) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-P", "-m", "skillopt_sleep.daemon.warm"]
    return subprocess.run(command, env=home.environment, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.slow
def test_it_reads_all_there_is_and_marks_nothing_as_read(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    done = warm(home)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    paths = find_paths(home.environment)
    store = open_store(load(paths, environ={}), paths)
    assert len(store.index.lines(unread=True)) == 5
    store.close()
    assert home.command("run", "--json", "--backend", "simulated").json["sessions"]["used"] == 5


def test_it_complains_in_one_line(tmp_path: Path) -> None:
    home = Home(tmp_path)
    (tmp_path / "sleep").mkdir()
    (tmp_path / "sleep" / "config.toml").write_text("[nonsense]\n", encoding="utf-8")
    done = warm(home)
    assert done.returncode == 1
    assert done.stderr.startswith("skillopt-sleep: the index was not refreshed: ")
    assert done.stderr.count("\n") == 1
