import shutil
import sys
from pathlib import Path

import pytest

import skillopt_sleep
from skillopt_sleep.daemon.upgrade import WATCHED, Upgrade
from tests.daemon.daemons import EAGER, Sleeper, until


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package that may be replaced."""
    source = Path(skillopt_sleep.__file__).parent
    return Path(
        shutil.copytree(source, tmp_path / "site" / "skillopt_sleep", ignore=shutil.ignore_patterns("__pycache__"))
    )


def test_files_that_stay_are_no_upgrade(package: Path) -> None:
    upgrade = Upgrade(package)
    assert not any(upgrade.is_ready() for _ in range(3))


def test_new_files_are_an_upgrade_once_they_are_at_rest(package: Path) -> None:
    upgrade = Upgrade(package)
    text = (package / "__init__.py").read_text(encoding="utf-8")
    (package / "__init__.py").unlink()
    assert not upgrade.is_ready(), "half of it is gone"
    (package / "__init__.py").write_text(text.replace("0.", "9."), encoding="utf-8")
    assert not upgrade.is_ready(), "it may be written still"
    assert upgrade.is_ready()


@pytest.mark.parametrize("name", WATCHED)
def test_each_file_that_is_looked_at_is_there_and_tells_of_an_upgrade(package: Path, name: str) -> None:
    upgrade = Upgrade(package)
    file = package / name
    file.write_text(f"{file.read_text(encoding='utf-8')}\n", encoding="utf-8")
    assert not upgrade.is_ready(), "it may be written still"
    assert upgrade.is_ready()


def test_a_package_that_is_gone_is_no_upgrade(package: Path) -> None:
    upgrade = Upgrade(package)
    shutil.rmtree(package)
    assert not any(upgrade.is_ready() for _ in range(3))


def test_a_daemon_whose_files_are_replaced_goes_on_as_the_new_one_in_the_same_process(
    package: Path, tmp_path: Path
) -> None:
    home = Sleeper(tmp_path / "home").simulated()
    home.more = {"SKILLOPT_SLEEP_BACKEND_NAME": "simulated", "PYTHONPATH": str(package.parent)}
    (tmp_path / "daemon.py").write_text(EAGER, encoding="utf-8")
    with home.daemon_of([sys.executable, "-P", str(tmp_path / "daemon.py")]) as process:
        first = until(home.state.standing)
        init = package / "__init__.py"
        init.write_text(init.read_text(encoding="utf-8").replace(first.version, "9.9.9"), encoding="utf-8")
        second = until(lambda: (said := home.state.standing()) and said.version == "9.9.9" and said)
        assert second.pid == first.pid == process.pid
        assert home.state.daemon_runs()
