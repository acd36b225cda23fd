import os
import shlex
from pathlib import Path

import pytest

from skillopt_sleep.daemon.service.agent_hooks import has, has_any, hook_files, obstacles, put_in, take_out
from skillopt_sleep.daemon.service.hook_files import commands
from skillopt_sleep.daemon.service.launch import service_environment
from skillopt_sleep.daemon.service.manifest import Kind
from tests.installs import TOML_THEIRS, machine


def test_each_agents_own_file_gets_the_hooks(tmp_path: Path) -> None:
    claude, codex = hook_files(machine(tmp_path))
    assert (claude.path, claude.kind) == (tmp_path / ".claude" / "settings.json", Kind.HOOKS_JSON)
    assert (codex.path, codex.kind) == (tmp_path / ".codex" / "hooks.json", Kind.HOOKS_JSON)


def test_a_moved_agents_home_is_found(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    there = machine(tmp_path, CLAUDE_CONFIG_DIR=str(tmp_path / "elsewhere"))
    assert hook_files(there)[0].path == tmp_path / "elsewhere" / "settings.json"


def test_the_hooks_know_the_same_home_as_the_service_however_it_was_named(tmp_path: Path) -> None:
    there = machine(tmp_path, SKILLOPT_SLEEP_HOME="slp", XDG_DATA_HOME="share")
    home = service_environment(there.environ)[0]["SKILLOPT_SLEEP_HOME"]
    for file in hook_files(there):
        for command in commands(file.hooks):
            assert command.startswith(f"SKILLOPT_SLEEP_HOME={shlex.quote(home)} {shlex.quote(there.python)} ")


def test_codex_never_gets_both_files(tmp_path: Path) -> None:
    there = machine(tmp_path)
    config = tmp_path / ".codex" / "config.toml"
    config.write_text(TOML_THEIRS, encoding="utf-8")
    assert hook_files(there)[1].path == config
    (tmp_path / ".codex" / "hooks.json").write_text("{}", encoding="utf-8")
    assert hook_files(there)[1].path == tmp_path / ".codex" / "hooks.json"


def test_a_file_we_made_is_nothing_without_our_hooks(tmp_path: Path) -> None:
    for file in hook_files(machine(tmp_path)):
        there = put_in(file, None)
        assert there.data is not None
        assert has(file, there.data)
        assert has_any(file.kind, there.data)
        assert take_out(file.kind, there.data, made=there.made, created=True) is None


def test_switches_that_keep_hooks_from_running_are_named(tmp_path: Path) -> None:
    there = machine(tmp_path)
    assert obstacles(there) == ()
    (tmp_path / ".claude" / "settings.json").write_text('{"disableAllHooks": true}', encoding="utf-8")
    (tmp_path / ".codex" / "config.toml").write_text("[features]\nhooks = false\n", encoding="utf-8")
    claude, codex = obstacles(there)
    assert "disableAllHooks" in claude
    assert "switches hooks off" in codex


@pytest.mark.timeout(60)
def test_settings_that_are_no_plain_files_are_not_waited_for(tmp_path: Path) -> None:
    there = machine(tmp_path)
    for folder, name in ((".claude", "settings.json"), (".codex", "config.toml"), (".codex", "hooks.json")):
        (there.home / folder).mkdir(parents=True, exist_ok=True)
        os.mkfifo(there.home / folder / name)

    assert obstacles(there) == ()
    assert {file.path.name for file in hook_files(there)} == {"settings.json", "hooks.json"}
