from pathlib import Path

from skillopt_sleep.daemon.service.manifest import Item, Kind, Ledger, Manifest
from skillopt_sleep.daemon.state import State as Daemon
from skillopt_sleep.doctor.automatic import automatic_nights
from skillopt_sleep.doctor.findings import State
from skillopt_sleep.kit.files import private_dir
from skillopt_sleep.settings import find_paths


def test_not_wanting_automatic_nights_is_no_problem_but_a_service_that_does_not_run_is(tmp_path: Path) -> None:
    paths = find_paths({"SKILLOPT_SLEEP_HOME": str(tmp_path)})
    assert automatic_nights(paths).state is State.FINE

    unit = tmp_path / "skillopt-sleep.service"
    unit.touch()
    own = Item(kind=Kind.OWN, path=str(unit), target=str(unit), before="", ours=("1",))
    Ledger(private_dir(paths.state / "install")).write(Manifest(items=(own,)))
    found = automatic_nights(paths)
    assert found.state is State.PROBLEM
    assert "no daemon is running" in found.says
    assert found.remedy
    with Daemon(paths.state).only_daemon():
        assert automatic_nights(paths).state is State.FINE
