from pathlib import Path

import pytest

from skillopt_sleep.daemon.installed import Installed, installed
from skillopt_sleep.daemon.service.hook_files import Hook
from skillopt_sleep.daemon.service.hooks_json import add_hooks
from skillopt_sleep.daemon.service.manifest import Item, Kind, Ledger, Manifest
from skillopt_sleep.settings import Paths

HOOKS = (Hook("SessionStart", {"hooks": [{"type": "command", "command": "run us # skillopt-sleep"}]}),)


def item(kind: Kind, path: str) -> Item:
    return Item(kind=kind, path=path, target=path, before="", ours=("1",))


def written(path: Path, text: str = "") -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


def wrote_down(folder: Path, *items: Item) -> Paths:
    paths = Paths(config=folder, data=folder)
    (paths.state / "install").mkdir(parents=True)
    Ledger(paths.state / "install").write(Manifest(items=items))
    return paths


def test_where_nothing_was_installed_there_is_nothing(tmp_path: Path) -> None:
    assert installed(Paths(config=tmp_path, data=tmp_path)) == Installed()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("skillopt-sleep.service", "systemctl --user daemon-reload && systemctl --user enable"),
        ("io.github.skillopt-sleep.plist", "launchctl bootstrap gui/$(id -u) {path}"),
    ],
)
def test_each_service_is_started_by_a_command_of_its_platform(tmp_path: Path, name: str, start: str) -> None:
    path = written(tmp_path / name)
    found = installed(wrote_down(tmp_path, item(Kind.OWN, path)))
    assert found.service == (path,)
    assert found.start.startswith(start.format(path=path))


def test_where_cron_is_asked_too_it_starts_the_daemon(tmp_path: Path) -> None:
    unit, script = (item(Kind.OWN, written(tmp_path / name)) for name in ("skillopt-sleep.service", "daemon.sh"))
    found = installed(wrote_down(tmp_path, unit, script, item(Kind.CRON, "crontab")))
    assert found.start == "cron does it within ten minutes"


def test_hooks_alone_are_no_service(tmp_path: Path) -> None:
    path = written(tmp_path / "settings.json", add_hooks("{}", HOOKS).text)
    assert installed(wrote_down(tmp_path, item(Kind.HOOKS_JSON, path))) == Installed(hooks=(path,))


def test_what_was_to_be_written_and_is_not_there_is_missing(tmp_path: Path) -> None:
    bare, broken = written(tmp_path / "settings.json", "{}"), written(tmp_path / "hooks.json", "{")
    unit = str(tmp_path / "skillopt-sleep.service")
    found = installed(
        wrote_down(tmp_path, item(Kind.OWN, unit), item(Kind.HOOKS_JSON, bare), item(Kind.HOOKS_JSON, broken))
    )
    assert found == Installed(missing=(unit, bare, broken))
