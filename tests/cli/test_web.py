import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import Home


def test_the_address_is_printed_alone_and_the_rest_beside(slept_home: Home) -> None:
    process = slept_home.start("web", "--no-open")
    assert process.stdout is not None
    line = process.stdout.readline()
    process.terminate()
    rest, err = process.communicate(timeout=20)
    assert line.startswith("http://127.0.0.1:")
    assert "Ctrl-C" in err
    assert rest == ""


@pytest.fixture
def slept_home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_without_the_extra_it_says_how_to_install_it(tmp_path: Path) -> None:
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "uvicorn.py").write_text("raise ModuleNotFoundError('no', name='uvicorn')", encoding="utf-8")
    home = Home(tmp_path / "home")
    done = subprocess.run(
        [sys.executable, "-m", "skillopt_sleep", "web", "--no-open"],
        env={**home.environment, "PYTHONPATH": str(hidden)},
        cwd=Path(__file__).parent.parent.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "the dashboard needs uvicorn" in done.stderr
    assert "starlette" in done.stderr.partition("install it:")[2]
    shutil.rmtree(hidden)
