import os
from pathlib import Path

import pytest

from skillopt_sleep.daemon.service.agent_hooks import hook_files, put_in
from skillopt_sleep.daemon.service.cron import add_line
from skillopt_sleep.daemon.service.install import install, ledger_of, plan, strays, uninstall
from skillopt_sleep.daemon.service.launch import OWN_HOME, Launch
from skillopt_sleep.daemon.service.launchd import plist
from skillopt_sleep.daemon.service.manifest import Kind
from skillopt_sleep.daemon.service.owner import home_name, owner
from skillopt_sleep.daemon.service.systemd import unit
from tests.installs import COMMENTED, CRONTAB, THEIRS, TOML_THEIRS, machine, program, tree

ODD = '/a "b" %h $HOME \\c;é'
AGENTS = (".claude", ".codex", ".config")


@pytest.mark.parametrize("home", ["", "/plain", ODD])
def test_what_is_ours_says_of_which_home_it_is(home: str, tmp_path: Path) -> None:
    launch = Launch("/py", {OWN_HOME: home} if home else {}, Path("/keys"))
    assert owner(Kind.OWN, unit(launch).encode()) == home
    assert owner(Kind.OWN, plist(launch, log=Path("/log"))) == home
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "config.toml").write_text(TOML_THEIRS, encoding="utf-8")
    for file in hook_files(machine(tmp_path, SKILLOPT_SLEEP_HOME=home)):
        text = TOML_THEIRS if file.kind is Kind.HOOKS_TOML else COMMENTED
        assert owner(file.kind, put_in(file, text.encode()).data) == home


def test_what_is_somebody_elses_is_of_no_home() -> None:
    for data in (None, b"", b"[Service]\nExecStart=/bin/true\n", b"<plist", b"\xff"):
        assert owner(Kind.OWN, data) is None
    assert owner(Kind.HOOKS_JSON, THEIRS.encode()) is None
    assert owner(Kind.HOOKS_JSON, b"{") is None
    assert owner(Kind.HOOKS_TOML, TOML_THEIRS.encode()) is None


def test_an_install_for_another_home_says_what_it_takes_from_the_first(tmp_path: Path) -> None:
    first, second = machine(tmp_path), machine(tmp_path, SKILLOPT_SLEEP_HOME=str(tmp_path / "other"))
    install(first)
    assert {change.previous_owner for change in plan(first).changes} == {None}
    assert {change.previous_owner for change in plan(second).changes} == {str(tmp_path / "sleep")}


def test_an_uninstall_leaves_what_another_home_has_installed_since(tmp_path: Path) -> None:
    first, second = machine(tmp_path), machine(tmp_path, SKILLOPT_SLEEP_HOME=str(tmp_path / "other"))
    install(first)
    install(second)
    there = tree(tmp_path, *AGENTS)
    (tmp_path / "told").unlink()
    said = uninstall(first)
    assert len(said) == 3
    assert all(line.endswith(f"belongs to {home_name(str(tmp_path / 'other'))} now") for line in said)
    assert tree(tmp_path, *AGENTS) == there
    assert "disable" not in (tmp_path / "told").read_text(encoding="utf-8")
    assert strays(first) == ()
    assert uninstall(first) == ()
    assert not list(ledger_of(first).folder.glob("edited-*"))


def test_what_comes_back_of_another_home_is_said_and_can_be_taken_out_from_there(tmp_path: Path) -> None:
    first, second = machine(tmp_path), machine(tmp_path, SKILLOPT_SLEEP_HOME=str(tmp_path / "other"))
    install(first)
    install(second)
    uninstall(first)
    said = uninstall(second)
    assert all(f"belongs to {home_name(str(tmp_path / 'sleep'))}" in line for line in said)
    assert len(uninstall(first)) == 3
    assert not any(b"# skillopt-sleep" in seen.data for seen in tree(tmp_path, *AGENTS).values())


def test_a_line_of_cron_is_of_the_home_its_script_is_in(tmp_path: Path) -> None:
    table = "MAILTO=me # skillopt-sleep\n"
    assert owner(Kind.CRON, table.encode()) is None
    for home in ("/plain", "/a b/50% off/it's"):
        script = Path(home) / "data" / "state" / "install" / "daemon.sh"
        assert owner(Kind.CRON, os.fsencode(add_line("", script))) == home
    assert owner(Kind.CRON, add_line("", Path("/me/.local/share/x/state/install/daemon.sh")).encode()) == ""
    program(tmp_path, "crontab", CRONTAB)
    first, second = (
        machine(tmp_path, has_systemd=False, NO_MANAGER="1", SKILLOPT_SLEEP_HOME=str(tmp_path / name))
        for name in ("sleep", "other")
    )
    install(first)
    install(second)
    there = (tmp_path / "table").read_bytes()
    uninstall(first)
    assert (tmp_path / "table").read_bytes() == there
